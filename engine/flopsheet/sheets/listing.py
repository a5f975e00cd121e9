"""The file of each sheet over all packs, and which of two of one name counts. No sheet is loaded for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, SheetError, suggest
from flopsheet.registry.files import LARGEST_FILE
from flopsheet.session import SESSION, cached_from_files

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.registry.packs import Pack

NO_SHEETS = ("nomenclature.yaml", "sources.yaml")


@dataclass(frozen=True)
class Listing:
    """The sheets of all packs.

    Args:
        files: the file of each sheet by name, in the order of packs and names.
        problems: why other files are not sheets.
        rejected: the same by name, for names that no sheet has.
    """

    files: dict[str, Path]
    problems: tuple[FlopsheetError, ...]
    rejected: dict[str, FlopsheetError]


@cached_from_files
def listing(packs: tuple[Pack, ...]) -> Listing:
    """Return the sheets of packs; a later pack overrides a sheet of an earlier one only by `override: true`."""
    files: dict[str, Path] = {}
    owners: dict[str, Pack] = {}
    problems: list[FlopsheetError] = []
    rejected: dict[str, FlopsheetError] = {}
    for pack in packs:
        SESSION.watch(pack.folder / "models")
        for pattern in ("*.py", "*.yaml"):
            problems += pack.strays("models", pattern)
        for file in _sheet_files(pack):
            try:
                _check_name(file, pack, files, owners)
            except FlopsheetError as error:
                problems.append(error)
                rejected[file.stem] = error
            else:
                files[file.stem], owners[file.stem] = file, pack
    return Listing(files, tuple(problems), rejected)


def _sheet_files(pack: Pack) -> list[Path]:
    files = [*pack.files("models", "*.py"), *pack.files("models", "*.yaml")]
    return sorted(file for file in files if file.name not in NO_SHEETS and _may_be_sheet(file, pack))


def _may_be_sheet(file: Path, pack: Pack) -> bool:
    """Whether a file may hold a sheet: a project's folder `models` often holds models of another kind."""
    if file.name.startswith("_"):
        return False
    if pack.origin != "project":
        return True
    SESSION.watch(file)
    try:
        head = file.read_bytes()[:LARGEST_FILE]
    except OSError:
        return True
    if file.suffix == ".py":
        return b"flopsheet" in head
    return re.search(rb"^sheet\s*:", head, re.MULTILINE) is not None


def _check_name(file: Path, pack: Pack, files: dict[str, Path], owners: dict[str, Pack]) -> None:
    """Reject a sheet whose name is taken, unless it overrides that of an earlier pack.

    Raises:
        SheetError: another sheet has its name, or it overrides none.
        RegistryError: it is YAML whose `override` is neither true nor false.
    """
    name, owner = file.stem, owners.get(file.stem)
    if owner is None:
        _check_free(file, pack, files)
        return
    problem = f"The sheet '{name}' is also declared in {owner.shown(files[name])}, which is used."
    if owner == pack:
        raise SheetError(pack.shown(file), problem, "Rename one of the two.")
    if file.suffix != ".yaml" or not _overrides(file, pack):
        fix = "Rename it, or write it as YAML with 'override: true' to override the other."
        raise SheetError(pack.shown(file), problem, fix)


def _check_free(file: Path, pack: Pack, files: dict[str, Path]) -> None:
    """Reject a sheet that overrides none; its other mistakes are reported when it is read."""
    if pack.origin == "built-in" or file.suffix != ".yaml":
        return
    try:
        overrides = _overrides(file, pack)
    except RegistryError:
        return
    if overrides:
        problem = "It states 'override: true', and no earlier pack has a sheet of this name."
        raise SheetError(pack.shown(file), problem, suggest(file.stem, files) or "Remove 'override'.")


def _overrides(file: Path, pack: Pack) -> bool:
    from flopsheet.sheets.yaml_sheet import states_override

    SESSION.watch(file)
    return states_override(file, pack.shown(file))
