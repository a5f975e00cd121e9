"""Reads files of records for `flopsheet hardware check`: every mistake, or what was read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, refuse_all
from flopsheet.registry.assembly import Builder, places
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import Pack, packs
from flopsheet.registry.reading import read_records
from flopsheet.registry.store import misplaced, problems, record, records
from flopsheet.registry.strict_yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.registry.fields import RecordType


def check(files: Iterable[Path], kind: str = "") -> str:
    """Return what the files hold, or, without a file, what all packs hold.

    Args:
        files: files of records.
        kind: the kind of records in them, where their place does not tell.

    Raises:
        RegistryError: there are mistakes; the text has all of them.
    """
    asked = list(files)
    found: list[FlopsheetError] = []
    said = [_read(file, kind, found) for file in asked]
    if not asked:
        found += problems()
        found += [RegistryError(each, "This file is not read.", f"Move it into {_folders()}.") for each in misplaced()]
        counts = ", ".join(f"{len(records(each))} {each}s" for each in KINDS)
        said = [f"{counts} in {len(packs())} {'pack' if len(packs()) == 1 else 'packs'}. No mistakes."]
    refuse_all("hardware check", found)
    return "\n".join(said)


def _folders() -> str:
    return " or ".join(each.folder for each in KINDS.values())


def _read(file: Path, kind: str, found: list[FlopsheetError]) -> str:
    """Return what one file holds, read behind all packs; mistakes go to the list."""
    record_type = KINDS[kind] if kind else _kind_of(file)
    mistakes: list[RegistryError] = []
    try:
        made = read_records(read(file, str(file), mistakes), record_type, "", mistakes)
    except RegistryError as error:
        found += error.problems or (error,)
        return ""
    others = [pack for pack in packs() if not file.resolve().is_relative_to(pack.folder.resolve())]
    builder = Builder(record_type, tuple(others), record)
    builder.registry()
    before = len(builder.problems)
    builder.add(made, Pack("", file.parent))
    found += builder.problems[before:]
    figures = sum(len(each.values) for each in made)
    return f"{file}: {', '.join(each.key for each in made)}: {figures} figures. No mistakes."


def _kind_of(file: Path) -> RecordType:
    """Return the kind of records that lie where a file does; chips where nothing tells."""
    for each in KINDS.values():
        for inside, pattern in places(each):
            folder = Path(inside).name
            if file.name == pattern or (pattern == "*.yaml" and file.absolute().parent.name == folder):
                return each
    return KINDS["chip"]
