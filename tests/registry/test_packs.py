"""Packs: every place where they are found, which comes last, and what is never read or run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flopsheet.errors import RegistryError
from flopsheet.registry import packs as module
from flopsheet.registry import store
from flopsheet.registry.packs import Pack, packs, use_pack
from flopsheet.session import SESSION

EXAMPLE = Path(__file__).parents[1] / "packs" / "example"
CHIP = "{}: {{name: V X, vendor: V, source: s, memory: 1 GiB, memory_bandwidth: 1 TB/s, flops: {{bf16: 1 TFLOP/s}}}}\n"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_named", [])
    SESSION.drop_files()
    monkeypatch.setattr(module, "_may_name_packs", lambda _: False)  # what is installed here is not asked


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


def test_python_of_a_folder_runs_only_if_it_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine", "ours", "theirs"):
        use_pack(pack_at(tmp_path / name, name))
    monkeypatch.setenv("FLOPSHEET_TRUST", os.pathsep.join(("mine", str(tmp_path / "ours"))))
    trusted = {pack.name: pack.trusted for pack in packs()}
    assert trusted == {"flopsheet": True, "mine": True, "ours": True, "theirs": False}


def test_the_current_folder_is_not_trusted_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pack_at(tmp_path / "mine", "x"))
    monkeypatch.setenv("FLOPSHEET_TRUST", "mine")
    assert [pack.trusted for pack in packs()] == [True, False]
    monkeypatch.setenv("FLOPSHEET_TRUST", str(tmp_path / "mine"))
    SESSION.begin_call()
    assert [pack.trusted for pack in packs()] == [True, True]


@pytest.mark.parametrize("origin", ["user", "FLOPSHEET_PATH", "project", "--pack"])
def test_a_pack_of_any_place_and_name_may_override(
    origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "flopsheet"
    (folder / "hardware" / "chips").mkdir(parents=True)
    text = "h100-sxm: {extends: h100-sxm, override: true, source: ours, power: 500 W}\n"
    (folder / "hardware" / "chips" / "x.yaml").write_text(text)
    if origin == "user":
        monkeypatch.setattr(module, "_user_folder", lambda: folder)
    elif origin == "project":
        monkeypatch.chdir(folder)
    elif origin == "--pack":
        use_pack(folder)
    else:
        monkeypatch.setenv(origin, str(folder))
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
    monkeypatch.setattr(module, "_may_name_packs", lambda _: True)
    assert packs()[0].name == "flopsheet"
    assert all("installed pack" in str(problem) for problem in module.packs_and_problems()[1])


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
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(target), *sys.path))}
    command = [sys.executable, "-m", "flopsheet", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=target)
    assert done.stderr == ""
    return done.stdout
