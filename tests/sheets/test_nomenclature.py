"""The table of recurring names is kept parsed, until its file changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet.registry import strict_yaml
from flopsheet.registry.packs import Pack
from flopsheet.session import SESSION
from flopsheet.sheets.nomenclature import names_of

if TYPE_CHECKING:
    from pathlib import Path

WIDTH = {"symbol": "w", "unit": "", "meaning": "Width"}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the table of a pack, with a cache of its own."""
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "pack" / "models" / "nomenclature.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("width: {symbol: w, meaning: Width}\n", encoding="utf-8")
    return path


def read(file: Path) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the table of a pack, and its mistakes, as a new process reads it."""
    SESSION.drop_files()
    table, problems = names_of((Pack("pack", file.parents[1], "added"),))
    return table, [*map(str, problems)]


def test_a_second_process_parses_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(file) == ({"width": WIDTH}, [])
    monkeypatch.delattr(strict_yaml, "decoded")
    assert read(file) == ({"width": WIDTH}, [])


def test_a_changed_file_is_parsed_again(file: Path) -> None:
    read(file)
    file.write_text("width: {symbol: v, meaning: Width}\n", encoding="utf-8")
    assert read(file) == ({"width": {**WIDTH, "symbol": "v"}}, [])


def test_a_mistake_is_told_each_time(file: Path) -> None:
    file.write_text("width: {symbol: w}\n", encoding="utf-8")
    first, second = read(file), read(file)
    assert first == second
    assert first[0] == {}
    assert len(first[1]) == 1
