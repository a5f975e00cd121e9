"""The list of sheets: what is stored of built-in ones is what loading gives, and no change leaves it stale."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from flopsheet.registry import disk_cache
from flopsheet.registry.packs import use_pack
from flopsheet.session import SESSION
from flopsheet.sheets import catalogue, summaries
from flopsheet.sheets.catalogue import SheetFile
from flopsheet.sheets.summaries import Summary, summaries_and_problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flopsheet.sheets.body import Sheet

OWN = "sheet: own\ntitle: {}.\ncells:\n  n_chips: {{unit: chip, doc: Chips, integer: true, example: 1024 chip}}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep what is stored in a folder of its own."""
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache" / disk_cache.OWN
    SESSION.drop_files()


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the sheets that are loaded from now on."""
    names: list[str] = []
    load = SheetFile.load

    def noted(file: SheetFile) -> Sheet:
        names.append(file.file.stem)
        return load(file)

    monkeypatch.setattr(SheetFile, "load", noted)
    return names


def _of_loaded() -> list[Summary]:
    return [Summary(sheet.name, len(sheet.rows.shown), sheet.title) for sheet in catalogue.sheets_and_problems()[0]]


def test_a_second_list_loads_nothing(place: Path, loaded: list[str]) -> None:
    first = summaries_and_problems()
    assert len(loaded) == len(first[0]) == len([*catalogue.sheet_files()])
    loaded.clear()
    kept = {*place.iterdir()}
    assert summaries_and_problems() == first == (_of_loaded(), [])
    assert loaded == [*catalogue.sheet_files()]  # by the line above alone
    assert {*place.iterdir()} == kept != set()


def test_a_changed_file_or_engine_is_read_again(
    place: Path, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    summaries_and_problems()
    for name, change in (("_content", lambda _: b"changed"), ("code_state", lambda *_: "changed")):
        loaded.clear()
        with monkeypatch.context() as patched:
            patched.setattr(summaries, name, change)
            summaries_and_problems()
            assert "ffn_memory" in loaded
    assert place.is_dir()


@pytest.mark.parametrize("content", ["[]", "null", '{"a": 5}', '{"a": [1]}', '"x"'])
def test_a_damaged_entry_is_not_used(place: Path, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "get", lambda _: json.loads(content))
    assert summaries_and_problems() == (_of_loaded(), [])
    assert place.is_dir()


def test_sheets_of_other_packs_are_loaded_each_time(
    place: Path, tmp_path: Path, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flopsheet.registry.packs._named", [])
    file = tmp_path / "pack" / "models" / "own.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(OWN.format("Before"))
    use_pack(tmp_path / "pack")
    assert Summary("own", 1, "Before.") in summaries_and_problems()[0]
    kept = {*place.iterdir()}
    file.write_text(OWN.format("Behind"))
    loaded.clear()
    assert Summary("own", 1, "Behind.") in summaries_and_problems()[0]
    assert loaded == ["own"]
    file.write_text("sheet: own\ntitle: 5")
    sheets, problems = summaries_and_problems()
    assert "own" not in {sheet.name for sheet in sheets}
    assert len(problems) == 1
    assert {*place.iterdir()} == kept != set()
