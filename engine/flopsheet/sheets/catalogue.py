"""Sheets by name over all packs. Only the requested one is loaded; an invalid file does not affect the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.errors import (
    LONGEST_NAME,
    FlopsheetError,
    RegistryError,
    SheetError,
    expect_text,
    find,
    suggest,
    wrong_argument,
)
from flopsheet.registry.packs import LARGEST_FILE, Pack, packs
from flopsheet.registry.reading_time import paused
from flopsheet.session import SESSION, cached_from_files, fresh
from flopsheet.sheets.body import Sheet, SheetType, class_name, snake_case
from flopsheet.sheets.cell import symbol_problem
from flopsheet.sheets.source import module_of

if TYPE_CHECKING:
    from collections.abc import Mapping

Table: TypeAlias = dict[str, dict[str, str]]
NO_SHEETS = ("nomenclature.yaml", "sources.yaml")


@dataclass(frozen=True)
class Listing:
    """The sheets of all packs."""

    files: dict[str, Path]  # the file of each sheet by name, in the order of packs and names
    problems: tuple[FlopsheetError, ...]  # why other files are not sheets
    rejected: dict[str, FlopsheetError]  # the same by name, for names that no sheet has


@cached_from_files
def listing(packs: tuple[Pack, ...]) -> Listing:
    """Return the sheets of packs; a later pack overrides a sheet of an earlier one only by `override: true`."""
    files: dict[str, Path] = {}
    owners: dict[str, Pack] = {}
    problems: list[FlopsheetError] = []
    rejected: dict[str, FlopsheetError] = {}
    for pack in packs:
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
    """Reject a sheet whose name is taken, unless it overrides that of an earlier pack."""
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
    from flopsheet.registry.strict_yaml import Reader, read  # imports yaml, which Python sheets do not need

    return Reader(read(file, pack.shown(file))).flag("override", default=False)


def sheet_files() -> Mapping[str, Path]:
    """Return the file of each sheet by the sheet's name."""
    return _listing().files


def as_sheet(model: Any) -> Sheet:
    """Return a sheet, that of a class, or the one with a name.

    Raises:
        ArgumentError: it is none of them.
    """
    if isinstance(model, SheetType):
        return model()  # type: ignore[no-any-return]
    if not isinstance(model, str | Sheet):
        raise wrong_argument("sheet", model, "a sheet, its class or its name", 'Write "ffn_memory".')
    return sheet(model) if isinstance(model, str) else model


@fresh
def sheet(name: str) -> Sheet:
    """Return the sheet with this name.

    Raises:
        UnknownNameError: no such sheet; the message has the nearest.
        SheetError: its file declares it wrongly, or is Python of a pack that is not trusted.
        RegistryError: its YAML file breaks a rule.
    """
    files = sheet_files()
    expect_text(name, "sheet", "`flopsheet sheets` lists the names.")
    if name not in files and name in _listing().rejected:
        raise _listing().rejected[name]
    find(name, files, "sheet", "sheet", more=_outside_packs(name) or "`flopsheet sheets` lists them.")
    return load(files[name])


def _outside_packs(name: str) -> str:
    """Return how to read a sheet of the current folder, where that is not a pack."""
    fits = name.isidentifier() and len(name) <= LONGEST_NAME
    files = [Path("models", f"{name}{suffix}") for suffix in (".yaml", ".py") if fits]
    return next((f"To read {file.as_posix()}, use `flopsheet --pack .`." for file in files if file.is_file()), "")


@fresh
def sheets_and_problems() -> tuple[list[Sheet], list[FlopsheetError]]:
    """Return the valid sheets of all packs and, each mistake once, what is wrong with the others."""
    sheets: list[Sheet] = []
    problems = [*_listing().problems, *_names(packs())[1]]
    for file in sheet_files().values():
        try:
            sheets.append(load(file))
        except FlopsheetError as error:
            problems.append(error)
    return sheets, list({str(error): error for error in problems}.values())


def _listing() -> Listing:
    return listing(packs())


@cached_from_files
@paused()
def load(file: Path) -> Sheet:
    """Return the sheet that a Python or YAML file declares. Python is run, unless its pack is not trusted.

    Raises:
        SheetError: the file declares no sheet named like it, declares it wrongly, or may not be run.
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
def _names(packs: tuple[Pack, ...]) -> tuple[Table, tuple[FlopsheetError, ...]]:
    table: Table = {}
    errors: list[FlopsheetError] = []
    for pack in packs:
        for file in pack.files("models", "nomenclature.yaml"):
            try:
                table |= _read_names(file, pack)
            except FlopsheetError as error:
                errors.append(error)
    return table, tuple(errors)


def _read_names(file: Path, pack: Pack) -> Table:
    from flopsheet.registry.strict_yaml import (
        Reader,  # imports yaml, which Python sheets do not need
        read,
    )

    table: Table = {}
    reader = Reader(read(file, pack.shown(file)))
    for name in reader.node.items:
        row = reader.inner(name)
        row.check_keys(("symbol", "unit", "meaning"), ("symbol", "meaning"))
        if problem := symbol_problem(row.text("symbol")):
            raise RegistryError(row.place("symbol"), problem, "Write a letter with scripts.")
        table[name] = {key: row.text(key) for key in ("symbol", "unit", "meaning")}
    return table
