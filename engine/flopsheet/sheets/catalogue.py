"""Finds sheets by name over all packs, and loads only the one that is asked for; a broken file takes no other down."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import LONGEST_NAME, FlopsheetError, RegistryError, SheetError, find
from flopsheet.registry.packs import Pack, packs
from flopsheet.registry.reader import Reader
from flopsheet.registry.strict_yaml import read
from flopsheet.sheets.body import Sheet, SheetType, class_name, snake_case
from flopsheet.sheets.listing import Listing, listing
from flopsheet.sheets.source import module_of
from flopsheet.sheets.symbols import symbol_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

_Table = dict[str, dict[str, str]]


def sheet_files() -> Mapping[str, Path]:
    """Return the file of each sheet by the sheet's name."""
    return _listing().files


def sheet(name: str) -> Sheet:
    """Return the sheet with this name.

    Raises:
        UnknownNameError: there is none; the message has the nearest.
        SheetError: its file declares it wrongly, or is Python of a pack that is not trusted.
        RegistryError: its YAML file breaks a rule.
    """
    files = sheet_files()
    if name not in files and name in _listing().refused:
        raise _listing().refused[name]
    find(name, files, "sheet", "sheet", more=_in_no_pack(name) or "`flopsheet sheets` lists them.")
    return load(files[name])


def _in_no_pack(name: str) -> str:
    """Return what to do about a sheet that lies in the current folder, where that is no pack."""
    fits = name.isidentifier() and len(name) <= LONGEST_NAME
    here = [Path("models", f"{name}{suffix}") for suffix in (".yaml", ".py") if fits]
    return next((f"{each.as_posix()} lies here: `flopsheet --pack .` reads it." for each in here if each.is_file()), "")


def sheets() -> list[Sheet]:
    """Return the sheets of all packs that work; `problems` has what is wrong with the others."""
    return sheets_and_problems()[0]


def problems() -> list[FlopsheetError]:
    """Return what is wrong with the sheets of all packs: each mistake once."""
    return sheets_and_problems()[1]


def sheets_and_problems() -> tuple[list[Sheet], list[FlopsheetError]]:
    """Return both, with each file tried once: what failed is not kept, because somebody may mend it."""
    tried = [_tried(file) for file in sheet_files().values()]
    broken = [each for each in tried if isinstance(each, FlopsheetError)]
    every = [*_listing().problems, *_names(packs())[1], *broken]
    return [each for each in tried if isinstance(each, Sheet)], list({str(each): each for each in every}.values())


def _listing() -> Listing:
    return listing(packs())


def _tried(file: Path) -> Sheet | FlopsheetError:
    try:
        return load(file)
    except FlopsheetError as error:
        return error


@cache
def load(file: Path) -> Sheet:
    """Return the sheet that a Python or YAML file declares. Python is run, unless its pack is not trusted.

    Raises:
        SheetError: the file declares no sheet of its own name, declares it wrongly, or may not be run.
        RegistryError: the YAML file breaks a rule.
    """
    pack = _pack_of(file)
    if file.suffix == ".yaml":
        from flopsheet.sheets.yaml_sheet import read_sheet

        return read_sheet(file, _shown(file, pack))
    if pack and not pack.trusted:
        raise _not_trusted(file, pack)
    module = module_of(file, pack)
    for value in vars(module).values():
        if (
            isinstance(value, SheetType)
            and value.__module__ == module.__name__
            and snake_case(value.__name__) == file.stem
        ):
            made = value()
            if isinstance(made, Sheet):
                return made
    fix = f"Name the class like the file: {class_name(file.stem)}."
    raise SheetError(str(file), f"The file declares no sheet '{file.stem}'.", fix)


def _pack_of(file: Path) -> Pack | None:
    """Return the pack that a file lies in, the innermost of several."""
    real = file.resolve()
    holding = [pack for pack in packs() if real.is_relative_to(pack.folder.resolve())]
    return max(holding, key=lambda pack: len(pack.folder.resolve().parts), default=None)


def _not_trusted(file: Path, pack: Pack) -> SheetError:
    problem = f"This sheet is Python, and the pack '{pack.name}' ({pack.found}) is not trusted to run it."
    fix = (
        f"Read the file; then set FLOPSHEET_TRUST={pack.folder} to run it, or have it exported where it is trusted: "
        f"flopsheet sheets {file.stem} --as yaml."
    )
    return SheetError(_shown(file, pack), problem, fix)


def _shown(file: Path, pack: Pack | None) -> str:
    return pack.shown(file) if pack and file.is_relative_to(pack.folder) else f"{file.parent.name}/{file.name}"


def nomenclature() -> Mapping[str, Mapping[str, str]]:
    """Return the table of recurring names: `symbol`, `unit` and `meaning` of each. Broken files are in `problems`."""
    return _names(packs())[0]


@cache
def _names(of: tuple[Pack, ...]) -> tuple[_Table, tuple[FlopsheetError, ...]]:
    table: _Table = {}
    wrong: list[FlopsheetError] = []
    for pack in of:
        for file in pack.files("models", "nomenclature.yaml"):
            try:
                table |= _read_names(file, pack)
            except FlopsheetError as error:
                wrong.append(error)
    return table, tuple(wrong)


def _read_names(file: Path, pack: Pack) -> _Table:
    table: _Table = {}
    reader = Reader(read(file, pack.shown(file)))
    for name in reader.node.items:
        row = reader.inner(name)
        row.check_keys(("symbol", "unit", "meaning"), ("symbol", "meaning"))
        if problem := symbol_problem(row.text("symbol")):
            raise RegistryError(row.place("symbol"), problem, "Write a letter with scripts.")
        table[name] = {key: row.text(key) for key in ("symbol", "unit", "meaning")}
    return table
