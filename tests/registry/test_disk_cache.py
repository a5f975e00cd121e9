"""What is kept on disk: never stale, never in the way, whole even when two processes write at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flopsheet.registry import disk_cache, store
from flopsheet.registry.kinds import Chip
from flopsheet.registry.packs import Pack
from flopsheet.registry.reading import read_records
from flopsheet.registry.strict_yaml import parse, read
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable

RATE = "{value: 2/3 TFLOP/s, label: L, read: 2026-01-01, usable: 1/3 TFLOP/s, sparse: {value: 4/3 TFLOP/s, note: N}}"
NVIDIA = Path(store.__file__).parents[3] / "hardware" / "chips" / "nvidia.yaml"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what is read in a folder of its own."""
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path))
    return tmp_path / disk_cache.OWN


def test_a_stored_entry_is_returned_unchanged(place: Path) -> None:
    records = read_records(read(NVIDIA), Chip, "flopsheet")
    disk_cache.put("name", records)
    assert disk_cache.get_records("name") == records
    assert [file.name for file in place.iterdir()] == ["name.json"]


def test_a_figure_on_several_bases_is_returned_unchanged(place: Path) -> None:
    measured = "{value: 5 W, condition: by day, source: s}"
    text = f"x: {{extends: y, source: s, power: {{value: 6 W, measured: {measured}}}, flops: {{bf16: {RATE}}}}}"
    records = read_records(parse(text, "f.yaml"), Chip)
    disk_cache.put("name", records)
    assert disk_cache.get_records("name") == records
    assert place.is_dir()


def test_nothing_is_stale(tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pack" / "hardware" / "chips" / "x.yaml"
    file.parent.mkdir(parents=True)
    monkeypatch.setattr(store, "packs", lambda: (Pack("p", tmp_path / "pack"),))
    text = (
        "x: {{name: V X, vendor: V, source: s, memory: {} GiB, memory_bandwidth: 1 TB/s, flops: {{bf16: 1 TFLOP/s}}}}\n"
    )
    for size in (1, 2, 1):
        file.write_text(text.format(size))
        assert store.records("chip")["x"].values["memory"].si == size * 2**30
    assert len(list(place.iterdir())) == 2
    SESSION.drop_files()


SHAPES = ["[]", "5", "null", '"x"', "{}", '{"a": [1]}', '[{"a": 5}]', "[[1, 2]]", "[null]"]
BROKEN = [b"", b"{", b"null", b"[1]", b"[[1, 2]]", b"\xff\xfe", b"[" * 100_000, *(shape.encode() for shape in SHAPES)]


@pytest.mark.parametrize("content", BROKEN)
def test_a_damaged_entry_is_parsed_again(content: bytes, place: Path) -> None:
    place.mkdir()
    (place / "name.json").write_bytes(content)
    assert disk_cache.get_records("name") == []
    assert disk_cache.get("name") is None


@pytest.mark.parametrize("content", SHAPES)
def test_records_of_another_shape_are_parsed_again(content: str, place: Path) -> None:
    disk_cache.put("name", json.loads(content))
    assert disk_cache.get_records("name") == []
    assert place.is_dir()


def test_a_changed_file_is_not_believed(place: Path) -> None:
    disk_cache.put("name", {"a": 1})
    assert disk_cache.get("name") == {"a": 1}
    (place / "name.json").write_text((place / "name.json").read_text().replace('"a": 1', '"a": 2'))
    assert disk_cache.get("name") is None


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda entry: entry.symlink_to("whole.json")])
def test_what_is_in_the_place_of_an_entry_is_not_read(make: Callable[[Path], None], place: Path) -> None:
    disk_cache.put("whole", {"a": 1})
    make(place / "name.json")
    assert disk_cache.get("name") is None
    disk_cache.put("name", {"a": 2})
    assert disk_cache.get("name") in ({"a": 2}, None)
    assert disk_cache.get("whole") == {"a": 1}


def test_an_entry_under_another_name_is_not_believed(place: Path) -> None:
    disk_cache.put("name", {"a": 1})
    (place / "name.json").rename(place / "other.json")
    assert disk_cache.get("other") is None


def test_an_unwritable_disk_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path / "file"))
    disk_cache.put("name", [])
    assert disk_cache.get("name") is None


def test_only_our_own_old_files_are_removed(tmp_path: Path, place: Path) -> None:
    disk_cache.put("old", 1)
    mine, others = place / "old.json", [tmp_path / "thesis.json", place / "thesis.tex"]
    for file in others:
        file.write_text("years of work")
    for file in (mine, *others):
        os.utime(file, (0, 0))
    disk_cache.put("new", 2)
    assert [file.exists() for file in (mine, *others)] == [False, True, True]


def test_processes_that_start_at_once_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path))
    code = "import flopsheet; print(len(flopsheet.records('chip')), flopsheet.record('chip', 'h100', '').name)"
    environment = {"FLOPSHEET_CACHE": str(tmp_path), "PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)}

    def ask(_: int) -> str:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        return done.stdout

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(ask, range(6)))) == 1
    assert all(disk_cache.get(file.stem) for file in tmp_path.glob("*/*.json"))
    assert list(tmp_path.glob("*/*.part")) == []
