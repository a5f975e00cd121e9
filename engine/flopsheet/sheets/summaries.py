"""The list of sheets: name, size and title of each. Those of the built-in pack come from the disk cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.registry.disk_cache import code_state, get, key_of, put
from flopsheet.registry.packs import BUILT_IN, packs
from flopsheet.session import fresh
from flopsheet.sheets.catalogue import SheetFile, of_all

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.errors import FlopsheetError


class Summary(NamedTuple):
    """What a list of sheets shows of one."""

    name: str
    cells: int  # in its list of rows
    title: str


@fresh
def summaries_and_problems() -> tuple[list[Summary], list[FlopsheetError]]:
    """Return a summary of each valid sheet of all packs and, each mistake once, what is wrong with the others.

    Built-in sheets rest on our own files alone, so their summaries are stored until one of these changes. Sheets of
    other packs may import anything, and are loaded.
    """
    files = {str(file): _content(file) for file in _built_in_files()}
    key = key_of(b"\0".join(files.values()), "sheets", *files, code_state("**/*.py", "units/*.txt"))
    stored, new = _stored(key), dict[str, Summary]()

    def summary(sheet: SheetFile) -> Summary:
        name = str(sheet.file)
        if name in stored:
            return stored[name]
        loaded = sheet.load()
        own = Summary(loaded.name, len(loaded.rows.shown), loaded.title)
        if name in files:
            new[name] = own
        return own

    result = of_all(summary)
    if new:
        put(key, stored | new)
    return result


def _built_in_files() -> list[Path]:
    owners = [pack for pack in packs() if pack.origin == BUILT_IN]
    return [file for pack in owners for pattern in ("*.py", "*.yaml") for file in pack.files("models", pattern)]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # loading it says why
        return b""


def _stored(key: str) -> dict[str, Summary]:
    """Return the summaries of an entry by file; an empty mapping where it is missing."""
    entry: Any = get(key)
    try:
        return {file: Summary(*row) for file, row in entry.items()}
    except (AttributeError, TypeError):
        return {}
