"""Which file is the sheet of a name: what packs declare, and which of two wins. No sheet is loaded for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, SheetError, suggest
from flopsheet.registry.files import LARGEST_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.registry.packs import Pack

NO_SHEETS = ("nomenclature.yaml", "sources.yaml")


@dataclass(frozen=True)
class Listing:
    """The sheets of all packs.

    Args:
        files: the file of each sheet by its name, in the order of packs and names.
        problems: why other files are no sheets.
        refused: the same by name, for names that no sheet has.
    """

    files: dict[str, Path]
    problems: tuple[FlopsheetError, ...]
    refused: dict[str, FlopsheetError]


@cache
def listing(packs: tuple[Pack, ...]) -> Listing:
    """Return the sheets of packs; a later one takes the place of an earlier one's sheet only where it says so."""
    files: dict[str, Path] = {}
    owners: dict[str, Pack] = {}
    problems: list[FlopsheetError] = []
    refused: dict[str, FlopsheetError] = {}
    for pack in packs:
        for pattern in ("*.py", "*.yaml"):
            problems += pack.strays("models", pattern)
        for file in _sheet_files(pack):
            try:
                _check_place(file, pack, files, owners)
            except FlopsheetError as error:
                problems.append(error)
                refused[file.stem] = error
            else:
                files[file.stem], owners[file.stem] = file, pack
    return Listing(files, tuple(problems), refused)


def _sheet_files(pack: Pack) -> list[Path]:
    every = [*pack.files("models", "*.py"), *pack.files("models", "*.yaml")]
    return sorted(file for file in every if file.name not in NO_SHEETS and _may_be_ours(file, pack))


def _may_be_ours(file: Path, pack: Pack) -> bool:
    """Whether a file may hold a sheet: a folder `models` in somebody's project often holds models of another kind."""
    if file.name.startswith("_"):
        return False
    if pack.found != "project":
        return True
    try:
        begin = file.read_bytes()[:LARGEST_FILE]
    except OSError:
        return True
    return (
        (b"flopsheet" in begin) if file.suffix == ".py" else re.search(rb"^sheet\s*:", begin, re.MULTILINE) is not None
    )


def _check_place(file: Path, pack: Pack, files: dict[str, Path], owners: dict[str, Pack]) -> None:
    """Refuse a sheet whose name is taken, unless it says that it takes the place of an earlier pack's.

    Raises:
        SheetError: there is another of its name, or it takes the place of none.
        RegistryError: it is YAML, and does not say clearly whether it takes a place.
    """
    name, taken = file.stem, owners.get(file.stem)
    if taken is None:
        _check_free(file, pack, files)
        return
    problem = f"The sheet '{name}' is also declared in {taken.shown(files[name])}, which is taken."
    if taken == pack:
        raise SheetError(pack.shown(file), problem, "Rename one of the two.")
    if file.suffix != ".yaml" or not _takes_place(file, pack):
        fix = "Rename it, or write it as YAML with 'override: true' to take its place."
        raise SheetError(pack.shown(file), problem, fix)


def _check_free(file: Path, pack: Pack, files: dict[str, Path]) -> None:
    """Refuse a sheet that says that it takes a place, and there is none; what else is wrong is told when it is read."""
    if pack.found == "built-in" or file.suffix != ".yaml":
        return
    try:
        wrong = _takes_place(file, pack)
    except RegistryError:
        return
    if wrong:
        problem = "It says 'override: true', and there is no sheet that it takes the place of."
        raise SheetError(pack.shown(file), problem, suggest(file.stem, files) or "Remove 'override'.")


def _takes_place(file: Path, pack: Pack) -> bool:
    from flopsheet.sheets.yaml_sheet import takes_place

    return takes_place(file, pack.shown(file))
