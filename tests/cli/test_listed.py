"""Lists that are printed again: only if nothing that they are made of has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from flopsheet.cli import listed
from flopsheet.registry import disk_cache as kept_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHIP = "x: {{name: V X, vendor: V, source: s, memory: {} GiB, memory_bandwidth: 1 TB/s, flops: {{bf16: 1 TFLOP/s}}}}\n"
OLD = time.time() - 3600


@pytest.fixture
def world(tmp_path: Path) -> Callable[..., str]:
    """Run the command in processes of their own, in a project with one chip, with a cache of its own."""
    project = tmp_path / "project"
    (project / "hardware" / "chips").mkdir(parents=True)
    environment = {**os.environ, "FLOPSHEET_CACHE": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(*words: str, **settings: str) -> str:
        command = [sys.executable, "-m", "flopsheet", *(words or ("hardware", "list", "--where", "vendor = V"))]
        env = {**environment, **settings}
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=project, env=env).stdout

    return run


def write(folder: Path, size: int, name: str = "x.yaml") -> None:
    """Write the chip, with time stamps of long ago, as if nobody had touched it since."""
    file = folder / "project" / "hardware" / "chips" / name
    file.write_text(CHIP.format(size) if name == "x.yaml" else CHIP.format(size).replace("x:", f"{file.stem}:", 1))
    for path in (file, *list(file.parents)[:3]):
        os.utime(path, (OLD, OLD))


def kept(folder: Path) -> list[Path]:
    """Return the lists that are kept."""
    return list((folder / "cache").glob("*/list-*.json"))


def test_a_list_is_kept_and_printed_again(
    tmp_path: Path, world: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 1)
    time.sleep(2.1)  # files that were written a moment ago may change again with the same stamp
    first = world()
    (file,) = kept(tmp_path)
    assert world() == first
    marked = json.loads(file.read_text())["content"]
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path / "cache"))
    kept_files.put(file.name, {**marked, "text": "from the cache\n"})
    assert world() == "from the cache\n"
    assert world("hardware", "list", "--where", "vendor = W") != "from the cache\n"
    assert world(FLOPSHEET_PATH=str(tmp_path)) == first
    write(tmp_path, 2)
    assert "2 GiB" in world()


def test_what_changed_a_moment_ago_is_not_kept(tmp_path: Path, world: Callable[..., str]) -> None:
    for size in (1, 2, 3):
        write(tmp_path, size)
        assert f"{size} GiB" in world()
    assert kept(tmp_path) == []


def test_a_new_file_and_a_new_pack_are_seen(tmp_path: Path, world: Callable[..., str]) -> None:
    write(tmp_path, 1)
    time.sleep(2.1)
    assert "1 of " in world()
    assert len(kept(tmp_path)) == 1
    write(tmp_path, 5, "y.yaml")
    assert "2 of " in world()
    time.sleep(2.1)
    assert world() == world()
    pack = tmp_path / "pack" / "hardware" / "chips"
    pack.mkdir(parents=True)
    assert "2 of 5" in world(FLOPSHEET_PATH=str(tmp_path / "pack"))
    (pack / "z.yaml").write_text(CHIP.format(7).replace("x:", "z:", 1))
    assert "3 of " in world(FLOPSHEET_PATH=str(tmp_path / "pack"))


def test_a_first_file_in_an_empty_folder_is_seen(tmp_path: Path, world: Callable[..., str]) -> None:
    time.sleep(2.1)
    assert "0 of " in world()
    write(tmp_path, 5)
    assert "1 of " in world()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"asked": 5}', "null", "[" * 100_000, '{"sum": 1, "content": {}}'])
def test_a_broken_list_is_made_anew(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path))
    kept_files.put(name := listed._name(["hardware", "list"]), {})  # where it lies
    (tmp_path / kept_files.OWN / name).write_text(content)
    assert not listed.printed(["hardware", "list"])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("content", [{}, [], 5, {"asked": 5}, {"asked": 5, "stamps": 5}, {"asked": [], "stamps": {}}])
def test_a_list_of_another_shape_is_made_anew(
    content: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path))
    kept_files.put(listed._name(["hardware", "list"]), content)
    assert not listed.printed(["hardware", "list"])
    assert capsys.readouterr().out == ""


def test_other_commands_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path))
    listed.keep(["hardware", "show", "h100"], "text", [])
    assert not listed.printed(["hardware", "show", "h100"])
    assert list(tmp_path.iterdir()) == []
