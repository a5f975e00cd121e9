"""Packs: every place where they are found, which comes last, and what is never read or run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flopsheet.errors import RegistryError
from flopsheet.registry import installed, store
from flopsheet.registry import packs as module
from flopsheet.registry.packs import Pack, packs, use_pack
from flopsheet.session import SESSION

EXAMPLE = Path(__file__).parents[1] / "packs" / "example"
CHIP = "{}: {{name: V X, vendor: V, source: s, memory: 1 GiB, memory_bandwidth: 1 TB/s, flops: {{bf16: 1 TFLOP/s}}}}\n"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_named", [])
    SESSION.drop_files()
    monkeypatch.setattr(installed, "_may_name_packs", lambda _: False)  # what is installed here is not asked


@pytest.fixture(autouse=True)
def _forget() -> object:
    yield
    SESSION.drop_files()


def pack_at(folder: Path, chip: str) -> Path:
    """Write a pack with one chip, and return its folder."""
    (folder / "hardware" / "chips").mkdir(parents=True)
    (folder / "hardware" / "chips" / "x.yaml").write_text(CHIP.format(chip))
    return folder


def test_every_place_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = pack_at(tmp_path / "config" / "flopsheet", "user-chip")
    named, here = pack_at(tmp_path / "named", "named-chip"), pack_at(tmp_path / "here", "own-chip")
    last = pack_at(tmp_path / "last", "last-chip")
    monkeypatch.setattr(module, "_user_folder", lambda: user)
    monkeypatch.setenv("FLOPSHEET_PATH", os.pathsep.join((str(named), str(tmp_path / "nothing"))))
    monkeypatch.chdir(here)
    use_pack(last)
    assert [(pack.name, pack.origin) for pack in packs()] == [
        ("flopsheet", "built-in"),
        ("user", "user"),
        ("named", "FLOPSHEET_PATH"),
        ("here", "project"),
        ("last", "--pack"),
    ]
    assert {"h100-sxm", "user-chip", "named-chip", "own-chip", "last-chip"} <= store.records("chip").keys()
    assert str(store.record("chip", "own-chip", "test").spot) == "here/hardware/chips/x.yaml:1:11"


@pytest.mark.parametrize("origin", ["FLOPSHEET_PATH", "project", "--pack"])
@pytest.mark.parametrize("entry", ["mine", "./mine", "mine/", "../mine", "other", "flopsheet", "user", "."])
def test_a_name_trusts_no_folder(entry: str, origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = found_as(origin, pack_at(tmp_path / "mine", "x"), monkeypatch)
    monkeypatch.setenv("FLOPSHEET_TRUST", entry)
    active, problems = module.packs_and_problems()
    assert [(pack.origin, pack.trusted) for pack in active] == [("built-in", True), (origin, False)]
    (problem,) = problems
    assert str(problem).startswith(
        f"FLOPSHEET_TRUST: '{entry}' is not a full path, and is ignored. Write the full path"
    )
    monkeypatch.setenv("FLOPSHEET_TRUST", os.pathsep.join((entry, str(folder))))
    SESSION.begin_call()
    assert [pack.trusted for pack in packs()] == [True, True]


def found_as(origin: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder a pack in one of the ways, and return it."""
    if origin == "user":
        monkeypatch.setattr(module, "_user_folder", lambda: folder)
    elif origin == "project":
        monkeypatch.chdir(folder)
    elif origin == "--pack":
        use_pack(folder)
    else:
        monkeypatch.setenv(origin, str(folder))
    return folder


@pytest.mark.parametrize("below", ["", "tests/answer"])
def test_another_checkout_of_flopsheet_is_no_project(
    below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its sheets are Python and its records those of another version: an installed flopsheet uses its own."""
    for inside in ("engine/flopsheet/builtin/__init__.py", "hardware/chips/a.yaml", "models/ffn_memory.py"):
        (tmp_path / inside).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / inside).write_text("")
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / below)
    assert "project" not in {pack.origin for pack in packs()}


def test_the_folder_of_the_user_is_trusted_however_it_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = found_as("user", pack_at(tmp_path / "flopsheet", "x"), monkeypatch)
    assert [(pack.name, pack.trusted) for pack in packs()] == [("flopsheet", True), ("user", True)]
    use_pack(folder)
    assert [(pack.origin, pack.trusted) for pack in packs()] == [("built-in", True), ("--pack", True)]


PLANTED = "[flopsheet.packs]\nplanted = planted\n"


def plant(folder: Path, *, package: bool, about: bool) -> Path:
    """Write a package with a pack, and metadata that names it as one, into a folder."""
    folder.mkdir(exist_ok=True)
    if package:
        pack_at(folder / "planted", "planted-chip")
        (folder / "planted" / "__init__.py").write_text("raise SystemError")
    if about:
        (folder / "planted-1.0.dist-info").mkdir()
        (folder / "planted-1.0.dist-info" / "METADATA").write_text("Name: planted\nVersion: 1.0\n")
        (folder / "planted-1.0.dist-info" / "entry_points.txt").write_text(PLANTED)
    return folder


@pytest.mark.parametrize("first", ["", "here"])
def test_the_current_folder_installs_no_pack(first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = plant(tmp_path / "here", package=True, about=True)
    monkeypatch.chdir(here)
    monkeypatch.setattr(installed, "_may_name_packs", lambda _: True)
    monkeypatch.setattr(sys, "path", [first and str(here), *sys.path])
    assert "planted" not in [pack.name for pack in packs()]
    monkeypatch.chdir(tmp_path)  # from elsewhere, it is an entry like any other
    SESSION.begin_call()
    assert ("planted" in [pack.name for pack in packs()]) == (first == "here")


def test_a_package_of_the_current_folder_hides_no_installed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = plant(tmp_path / "site", package=True, about=True)
    here = plant(tmp_path / "here", package=True, about=False)
    monkeypatch.chdir(here)
    monkeypatch.setattr(installed, "_may_name_packs", lambda _: True)
    monkeypatch.setattr(sys, "path", [str(here), *sys.path, str(site)])
    assert [pack.folder for pack in packs() if pack.name == "planted"] == [site / "planted"]


def test_python_m_reads_no_entry_points_of_the_current_folder(tmp_path: Path) -> None:
    here = plant(tmp_path / "here", package=True, about=True)
    command = [sys.executable, "-m", "flopsheet", "packs"]
    environment = {**os.environ, "COLUMNS": "300", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=here)
    assert "planted" not in done.stdout


@pytest.mark.parametrize("origin", ["user", "FLOPSHEET_PATH", "project", "--pack"])
def test_a_pack_of_any_place_and_name_may_override(
    origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "flopsheet"
    (folder / "hardware" / "chips").mkdir(parents=True)
    text = "h100-sxm: {extends: h100-sxm, override: true, source: ours, power: 500 W}\n"
    (folder / "hardware" / "chips" / "x.yaml").write_text(text)
    found_as(origin, folder, monkeypatch)
    assert [pack.origin for pack in packs()] == ["built-in", origin]
    assert store.problems() == []
    assert store.record("chip", "h100", "test").values["power"].text == "500 W"


def test_the_last_place_of_a_folder_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = pack_at(tmp_path / "one", "x"), pack_at(tmp_path / "two", "y")
    monkeypatch.setenv("FLOPSHEET_PATH", os.pathsep.join((str(first), str(second))))
    use_pack(first)
    assert [pack.name for pack in packs()] == ["flopsheet", "two", "one"]


def test_names_that_are_no_text_are_shown_as_code(tmp_path: Path) -> None:
    folder = pack_at(tmp_path / "mine", "x") / "hardware" / "chips"
    os.rename(folder / "x.yaml", os.fsencode(folder) + b"/bad\xff\n.yaml")  # noqa: PTH104  # no text, no Path
    use_pack(tmp_path / "mine")
    assert str(store.record("chip", "x", "test").spot).startswith(r"mine/hardware/chips/bad\udcff\x0a.yaml:1")


@pytest.mark.parametrize(
    "text", ["[flopsheet.packs]\nfoo\n", "[flopsheet.packs]\nfoo = nope_nope\n", "[flopsheet.packs"]
)
def test_invalid_distributions_are_reported_and_left_out(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "foo-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: foo\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(text)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(installed, "_may_name_packs", lambda _: True)
    assert packs()[0].name == "flopsheet"
    assert all("installed pack" in str(problem) for problem in module.packs_and_problems()[1])


def test_an_installed_pack_without_its_data_files_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = plant(tmp_path / "site", package=False, about=True)
    (site / "planted").mkdir()
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    monkeypatch.setattr(installed, "_may_name_packs", lambda _: True)
    assert "planted" not in [pack.name for pack in packs()]
    (problem,) = (str(each) for each in module.packs_and_problems()[1] if "planted" in str(each))
    assert problem == (
        f"installed pack 'planted': Its folder {site / 'planted'} has none of hardware/, models/, templates/ and "
        "flopsheet.yaml. Its data files were not packaged: include them in its build, and reinstall it."
    )


@pytest.mark.parametrize(("folder", "problem"), [("nothing", "Not a directory"), ("empty", "It has none of")])
def test_a_pack_must_hold_something(folder: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RegistryError, match=problem):
        use_pack(tmp_path / folder)


def test_a_folder_is_one_pack_however_it_is_named(tmp_path: Path) -> None:
    folder = pack_at(tmp_path / "mine", "x")
    (tmp_path / "link").symlink_to(folder)
    use_pack(folder)
    use_pack(tmp_path / "link")
    use_pack(folder / ".." / "mine")
    assert [pack.name for pack in packs()] == ["flopsheet", "mine"]


def test_links_out_of_a_pack_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text(CHIP.format("secret"))
    folder = pack_at(tmp_path / "mine", "x") / "hardware" / "chips"
    (folder / "out.yaml").symlink_to(secret)
    (folder / "in.yaml").symlink_to(folder / "x.yaml")
    (folder / "gone.yaml").symlink_to(folder / "nothing.yaml")
    os.mkfifo(folder / "pipe.yaml")
    pack = Pack("mine", tmp_path / "mine", "--pack")
    assert [file.name for file in pack.files("hardware/chips", "*.yaml")] == ["in.yaml", "x.yaml"]
    assert [
        str(problem).partition(":")[0].rpartition("/")[2] for problem in pack.strays("hardware/chips", "*.yaml")
    ] == [
        "gone.yaml",
        "out.yaml",
        "pipe.yaml",
    ]
    use_pack(tmp_path / "mine")
    assert "secret" not in store.records("chip")
    assert any("leads out of the pack" in str(problem) for problem in store.problems())


def test_a_folder_that_leads_out_of_a_pack_is_not_followed(tmp_path: Path) -> None:
    other = pack_at(tmp_path / "other", "secret")
    (tmp_path / "mine" / "hardware").mkdir(parents=True)
    (tmp_path / "mine" / "hardware" / "chips").symlink_to(other / "hardware" / "chips")
    use_pack(tmp_path / "mine")
    assert "secret" not in store.records("chip")


@pytest.mark.slow
def test_an_installed_pack_is_found_and_its_code_is_not_run(tmp_path: Path) -> None:
    """Install the example into a folder of its own, and ask for its chips in a fresh process."""
    for module_name in ("pip", "hatchling"):
        pytest.importorskip(module_name, reason="an example is installed with it")
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*install, "--target", str(target), str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    output = _process(target, "hardware", "where", "h100")
    assert "example" in output.splitlines()[-1]
    assert "in force" in output.splitlines()[-1]
    assert "500 W" in _process(target, "hardware", "show", "h100")
    assert "192 GiB" in _process(target, "hardware", "list")
    assert "installed" in _process(target, "packs")


def _process(target: Path, *words: str) -> str:
    environment = {**os.environ, "COLUMNS": "300", "PYTHONPATH": os.pathsep.join((str(target), *sys.path))}
    command = [sys.executable, "-m", "flopsheet", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=target)
    assert done.stderr == ""
    return done.stdout
