"""Sheets by name over all packs. Only the requested one is loaded; an invalid file does not affect the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import LONGEST_NAME, FlopsheetError, RegistryError, SheetError, find
from flopsheet.registry.packs import Pack, packs
from flopsheet.session import SESSION, cached_from_files, fresh
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


@fresh
def sheet(name: str) -> Sheet:
    """Return the sheet with this name.

    Raises:
        UnknownNameError: no such sheet; the message has the nearest.
        SheetError: its file declares it wrongly, or is Python of a pack that is not trusted.
        RegistryError: its YAML file breaks a rule.
    """
    files = sheet_files()
    if name not in files and name in _listing().rejected:
        raise _listing().rejected[name]
    find(name, files, "sheet", "sheet", more=_outside_packs(name) or "`flopsheet sheets` lists them.")
    return load(files[name])


def _outside_packs(name: str) -> str:
    """Return how to read a sheet of the current folder, where that is not a pack."""
    fits = name.isidentifier() and len(name) <= LONGEST_NAME
    files = [Path("models", f"{name}{suffix}") for suffix in (".yaml", ".py") if fits]
    return next((f"To read {file.as_posix()}, use `flopsheet --pack .`." for file in files if file.is_file()), "")


def sheets() -> list[Sheet]:
    """Return the valid sheets of all packs; `problems` has what is wrong with the others."""
    return sheets_and_problems()[0]


def problems() -> list[FlopsheetError]:
    """Return what is wrong with the sheets of all packs, each mistake once."""
    return sheets_and_problems()[1]


@fresh
def sheets_and_problems() -> tuple[list[Sheet], list[FlopsheetError]]:
    """Return the valid sheets and what is wrong with the others, after loading each file once."""
    results = [_load_or_error(file) for file in sheet_files().values()]
    errors = [result for result in results if isinstance(result, FlopsheetError)]
    every = [*_listing().problems, *_names(packs())[1], *errors]
    return [result for result in results if isinstance(result, Sheet)], list(
        {str(error): error for error in every}.values()
    )


def _listing() -> Listing:
    return listing(packs())


def _load_or_error(file: Path) -> Sheet | FlopsheetError:
    try:
        return load(file)
    except FlopsheetError as error:
        return error


@cached_from_files
def load(file: Path) -> Sheet:
    """Return the sheet that a Python or YAML file declares. Python is run, unless its pack is not trusted.

    Raises:
        SheetError: the file declares no sheet named like it, declares it wrongly, or may not be run.
        RegistryError: the YAML file breaks a rule.
    """
    SESSION.watch(file)
    pack = _pack_of(file)
    if file.suffix == ".yaml":
        from flopsheet.sheets.yaml_sheet import read_sheet

        return read_sheet(file, _shown(file, pack))
    if pack and not pack.trusted:
        raise _not_trusted(file, pack)
    module = module_of(file, pack)
    for value in vars(module).values():
        own = isinstance(value, SheetType) and issubclass(value, Sheet) and value.__module__ == module.__name__
        if own and snake_case(value.__name__) == file.stem:
            return value()  # type: ignore[no-any-return]
    fix = f"Name the class like the file: {class_name(file.stem)}."
    raise SheetError(str(file), f"The file declares no sheet '{file.stem}'.", fix)


def _pack_of(file: Path) -> Pack | None:
    """Return the pack that holds a file, the innermost of several."""
    real = file.resolve()
    holding = [pack for pack in packs() if real.is_relative_to(pack.folder.resolve())]
    return max(holding, key=lambda pack: len(pack.folder.resolve().parts), default=None)


def _not_trusted(file: Path, pack: Pack) -> SheetError:
    problem = f"This sheet is Python, and the pack '{pack.name}' ({pack.origin}) is not trusted to run it."
    fix = (
        f"Read the file; then set FLOPSHEET_TRUST={pack.folder} to run it, or have it exported where it is trusted: "
        f"flopsheet sheets {file.stem} --as yaml."
    )
    return SheetError(_shown(file, pack), problem, fix)


def _shown(file: Path, pack: Pack | None) -> str:
    return pack.shown(file) if pack and file.is_relative_to(pack.folder) else f"{file.parent.name}/{file.name}"


def nomenclature() -> Mapping[str, Mapping[str, str]]:
    """Return the table of recurring names: `symbol`, `unit` and `meaning` of each; `problems` has its mistakes."""
    return _names(packs())[0]


@cached_from_files
def _names(packs: tuple[Pack, ...]) -> tuple[_Table, tuple[FlopsheetError, ...]]:
    table: _Table = {}
    errors: list[FlopsheetError] = []
    for pack in packs:
        SESSION.watch(pack.folder / "models" / "nomenclature.yaml")
        for file in pack.files("models", "nomenclature.yaml"):
            try:
                table |= _read_names(file, pack)
            except FlopsheetError as error:
                errors.append(error)
    return table, tuple(errors)


def _read_names(file: Path, pack: Pack) -> _Table:
    from flopsheet.registry.reader import Reader  # imports yaml, which Python sheets do not need
    from flopsheet.registry.strict_yaml import read

    table: _Table = {}
    reader = Reader(read(file, pack.shown(file)))
    for name in reader.node.items:
        row = reader.inner(name)
        row.check_keys(("symbol", "unit", "meaning"), ("symbol", "meaning"))
        if problem := symbol_problem(row.text("symbol")):
            raise RegistryError(row.place("symbol"), problem, "Write a letter with scripts.")
        table[name] = {key: row.text(key) for key in ("symbol", "unit", "meaning")}
    return table
