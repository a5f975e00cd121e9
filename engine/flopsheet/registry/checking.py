"""Reads files of records for `flopsheet hardware check`: every mistake, or what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, refuse_all
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import packs
from flopsheet.registry.reading import read_records
from flopsheet.registry.store import problems, records
from flopsheet.registry.strict_yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def check(files: Iterable[Path], kind: str) -> str:
    """Return what the files hold, or, without a file, what all packs hold.

    Args:
        files: files of records.
        kind: the kind of records in them, unless their folder tells: `chips/`, `systems/`.

    Raises:
        RegistryError: there are mistakes; the text has all of them.
    """
    asked = list(files)
    found: list[FlopsheetError] = []
    said = [_read(file, kind, found) for file in asked]
    if not asked:
        found += problems()
        counts = ", ".join(f"{len(records(each))} {each}s" for each in KINDS)
        said = [f"{counts} in {len(packs())} {'pack' if len(packs()) == 1 else 'packs'}. No mistakes."]
    refuse_all("hardware check", found)
    return "\n".join(said)


def _read(file: Path, kind: str, found: list[FlopsheetError]) -> str:
    of_folder = next((each for each in KINDS.values() if each.folder.rpartition("/")[2] == file.parent.name), None)
    mistakes: list[RegistryError] = []
    try:
        made = read_records(read(file, str(file), mistakes), of_folder or KINDS[kind], "", mistakes)
    except RegistryError as error:
        found += error.problems or (error,)
        return ""
    figures = sum(len(each.values) for each in made)
    return f"{file}: {', '.join(each.key for each in made)}: {figures} figures. No mistakes."
