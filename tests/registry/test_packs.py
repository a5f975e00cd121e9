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

EXAMPLE = Path(__file__).parents[1] / "packs" / "example"
CHIP = "{}: {{name: V X, vendor: V, source: s, memory: 1 GiB, memory_bandwidth: 1 TB/s, flops: {{bf16: 1 TFLOP/s}}}}\n"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_named", [])
    packs.cache_clear()
    store.forget()
    monkeypatch.setattr(module, "_may_name_packs", lambda _: False)  # what is installed here is not asked


@pytest.fixture(autouse=True)
def _forget() -> object:
    yield
    packs.cache_clear()
    store.forget()


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
    assert [(each.name, each.found) for each in packs()] == [
        ("flopsheet", "built-in"),
        ("flopsheet", "user"),
        ("named", "FLOPSHEET_PATH"),
        ("here", "project"),
        ("last", "--pack"),
    ]
    assert {"h100-sxm", "user-chip", "named-chip", "own-chip", "last-chip"} <= store.records("chip").keys()
    assert str(store.record("chip", "own-chip", "test").spot) == "here/hardware/chips/x.yaml:1:11"


def test_python_of_a_folder_runs_only_if_it_is_trusted_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_pack(pack_at(tmp_path / "mine", "x"))
    use_pack(pack_at(tmp_path / "theirs", "y"))
    monkeypatch.setenv("FLOPSHEET_TRUST", "mine")
    assert {each.name: each.trusted for each in packs()} == {"flopsheet": True, "mine": True, "theirs": False}


@pytest.mark.parametrize(("folder", "problem"), [("nothing", "This is no folder"), ("empty", "It holds none of")])
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
    assert [each.name for each in packs()] == ["flopsheet", "mine"]


def test_links_out_of_a_pack_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text(CHIP.format("secret"))
    folder = pack_at(tmp_path / "mine", "x") / "hardware" / "chips"
    (folder / "out.yaml").symlink_to(secret)
    (folder / "in.yaml").symlink_to(folder / "x.yaml")
    (folder / "gone.yaml").symlink_to(folder / "nothing.yaml")
    os.mkfifo(folder / "pipe.yaml")
    pack = Pack("mine", tmp_path / "mine", "--pack")
    assert [each.name for each in pack.files("hardware/chips", "*.yaml")] == ["in.yaml", "x.yaml"]
    assert [str(each).partition(":")[0].rpartition("/")[2] for each in pack.strays("hardware/chips", "*.yaml")] == [
        "gone.yaml",
        "out.yaml",
        "pipe.yaml",
    ]
    use_pack(tmp_path / "mine")
    assert "secret" not in store.records("chip")
    assert any("leads out of the pack" in str(each) for each in store.problems())


def test_a_folder_that_leads_out_of_a_pack_is_not_followed(tmp_path: Path) -> None:
    other = pack_at(tmp_path / "other", "secret")
    (tmp_path / "mine" / "hardware").mkdir(parents=True)
    (tmp_path / "mine" / "hardware" / "chips").symlink_to(other / "hardware" / "chips")
    use_pack(tmp_path / "mine")
    assert "secret" not in store.records("chip")


def test_an_installed_pack_is_found_and_its_code_is_not_run(tmp_path: Path) -> None:
    """Install the example into a folder of its own, and ask for its chips in a fresh process."""
    for each in ("pip", "hatchling"):
        pytest.importorskip(each, reason="an example is installed with it")
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*install, "--target", str(target), str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = _process(target, "hardware", "where", "h100")
    assert "example" in told.splitlines()[-1]
    assert "in force" in told.splitlines()[-1]
    assert "500 W" in _process(target, "hardware", "show", "h100")
    assert "192 GiB" in _process(target, "hardware", "list")
    assert "installed" in _process(target, "packs")


def _process(target: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(target), *sys.path))}
    command = [sys.executable, "-m", "flopsheet", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=target)
    assert done.stderr == ""
    return done.stdout
