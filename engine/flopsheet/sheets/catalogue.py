"""Sheets by name over all packs. Only the requested one is loaded; an invalid file does not affect the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from flopsheet.errors import (
    LONGEST_NAME,
    FlopsheetError,
    RegistryError,
    SheetError,
    expect_text,
    shortened,
    wrong_argument,
)
from flopsheet.registry.names import Holder, Names, unknown_name
from flopsheet.registry.pack_file import SHEETS, mistakes_in, single_file
from flopsheet.registry.packs import BUILT_IN, SINGLE, Pack, is_sheet_file, packs
from flopsheet.registry.reading_time import paused
from flopsheet.session import cached_from_files, fresh
from flopsheet.sheets.body import Sheet, SheetType, class_name, snake_case
from flopsheet.sheets.nomenclature import Table, names_of
from flopsheet.sheets.source import module_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.registry.strict_yaml import Mapping

    T = TypeVar("T")

_HERE, _AS_YAML = "Write 'override: true' if this is meant", "Rename it, or write it as YAML with 'override: true'"
NO_SHEETS = ("nomenclature.yaml", "sources.yaml")


@dataclass(frozen=True)
class SheetFile:
    """Where a sheet is declared."""

    file: Path
    section: str = ""  # its name in the section `sheets` of a `flopsheet.yaml`; empty for a file of its own

    def place(self, pack: Pack) -> str:
        """Return its place in messages; of a section with the line."""
        shown = pack.shown(self.file)
        return str(single_file(pack)[0][SHEETS].keys[self.section]) if self.section else shown

    def load(self) -> Sheet:
        """Return the sheet, as `load` does."""
        return load(self.file, self.section)


@dataclass(frozen=True)
class Listing:
    """The sheets of all packs."""

    names: Names[SheetFile]
    problems: tuple[FlopsheetError, ...]  # why other files are not sheets
    rejected: dict[str, FlopsheetError]  # the same by name, for names that no sheet has

    @cached_property
    def sheets(self) -> dict[str, SheetFile]:
        """The sheets by the name that a question uses, in the order of packs and names."""
        holders = (holder for name in self.names.holders for holder in self.names.contenders(name))
        return {self.names.shown_name(holder): holder.item for holder in holders}

    def warnings_of(self, sheet: Sheet) -> list[RegistryError]:
        """Return the warnings about a sheet that a name gives."""
        doubtful = [warning for holder, warning in self.names.shadows if holder.key == sheet.name]
        winner = self.names.winner(sheet.name) if doubtful else None
        return doubtful if winner is not None and winner.item.load() is sheet else []


@cached_from_files
def listing(packs: tuple[Pack, ...]) -> Listing:
    """Return the sheets of packs; a later pack overrides a sheet of an earlier one only by `override: true`."""
    names: Names[SheetFile] = Names("sheet")
    problems: list[FlopsheetError] = []
    rejected: dict[str, FlopsheetError] = {}
    for pack in packs:
        for pattern in ("*.py", "*.yaml"):
            problems += pack.strays("models", pattern)
        problems += single_file(pack)[1]
        for name, sheet, override in _sheets_of(pack):
            try:
                place = sheet.place(pack)
                names.add(Holder(pack, sheet, place, name, override, _AS_YAML if sheet.file.suffix == ".py" else _HERE))
            except FlopsheetError as error:
                problems.append(error)
                rejected[name] = error
    return Listing(names, tuple(problems), rejected)


def _sheets_of(pack: Pack) -> Iterator[tuple[str, SheetFile, bool]]:
    """Yield name, place and override of each sheet of a pack."""
    files = [*pack.files("models", "*.py"), *pack.files("models", "*.yaml")]
    for file in sorted(file for file in files if file.name not in NO_SHEETS and _may_be_sheet(file, pack)):
        yield file.stem, SheetFile(file), _overrides(file, pack)
    if SHEETS in single_file(pack)[0]:
        from flopsheet.registry.strict_yaml import Mapping

        for name, node in single_file(pack)[0][SHEETS].items.items():
            yield name, SheetFile(pack.folder / SINGLE, name), isinstance(node, Mapping) and _states_override(node)


def _may_be_sheet(file: Path, pack: Pack) -> bool:
    """Whether a file may hold a sheet: a project's folder `models` often holds models of another kind."""
    return not file.name.startswith("_") and (pack.origin not in ("project", "question") or is_sheet_file(file))


def _overrides(file: Path, pack: Pack) -> bool:
    """Whether a YAML sheet states that it overrides another; its mistakes are reported when it is read."""
    if pack.origin == BUILT_IN or file.suffix != ".yaml":
        return False
    from flopsheet.registry.strict_yaml import Mapping, read  # imports yaml, which Python sheets do not need

    try:
        node = read(file, pack.shown(file))
    except RegistryError:
        return False
    return isinstance(node, Mapping) and _states_override(node)


def _states_override(node: Mapping) -> bool:
    return getattr(node.items.get("override"), "text", "") == "true"


def sheet_files() -> dict[str, Path]:
    """Return the file of each sheet by the sheet's name."""
    return {name: sheet.file for name, sheet in _listing().sheets.items()}


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
    """Return the sheet with this name, or that of a YAML file: `"mine/cooling.yaml"`.

    Raises:
        UnknownNameError: no such sheet; the message has the nearest.
        SheetError: its file declares it wrongly, or is Python of a pack that is not trusted.
        RegistryError: its YAML file breaks a rule.
    """
    if expect_text(name, "sheet", "`flopsheet sheets` lists the names.").endswith(".yaml"):
        return _of_file(Path(name))
    listed = _listing()
    holder = listed.names.lookup(name, "sheet")
    if holder is not None:
        return holder.item.load()
    if name in listed.rejected:
        raise listed.rejected[name]
    more = _why_unread(name) or mistakes_in(packs()) or "`flopsheet sheets` lists them."
    raise unknown_name(name, [listed.names], "sheet", "sheet", shown=listed.sheets, more=more)


def _of_file(file: Path) -> Sheet:
    """Return the sheet of a YAML file, whether a pack has it or not."""
    if isfile(file) and file.name != SINGLE:  # noqa: PTH113  # of any text, where pathlib raises
        return load(file.resolve())
    is_pack = "It holds a whole pack: set FLOPSHEET_PATH to its folder."
    problem = is_pack if isfile(file) else "There is no such file."  # noqa: PTH113
    raise SheetError(f"sheet '{shortened(str(file))}'", problem, "`flopsheet sheets` lists the names of sheets.")


def _why_unread(name: str) -> str:
    """Return why a file of this name is not read as a sheet; an empty text where there is no such file."""
    name = name.rpartition(":")[2]
    if not name.isidentifier() or len(name) > LONGEST_NAME:
        return ""
    for problem in _listing().problems:
        if Path(problem.where).stem == name:
            return str(problem)
    for folder in (*(pack.folder for pack in packs()), Path()):
        for suffix, what in ((".yaml", f"has no line 'sheet: {name}'"), (".py", "does not import flopsheet")):
            if (folder / "models" / f"{name}{suffix}").is_file():
                return f"The file models/{name}{suffix} is not read as a sheet: it {what}."
        if (folder / "models" / f"{name}.yml").is_file():
            return f"The file models/{name}.yml is not read: name it {name}.yaml."
    return ""


@fresh
def sheets_and_problems() -> tuple[list[Sheet], list[FlopsheetError]]:
    """Return the valid sheets of all packs and, each mistake once, what is wrong with the others."""
    return of_all(SheetFile.load)


def of_all(read: Callable[[SheetFile], T]) -> tuple[list[T], list[FlopsheetError]]:
    """Return what a function gives of each valid sheet and, each mistake once, what is wrong with the others."""
    results: list[T] = []
    problems = [*_listing().problems, *names_of(packs())[1]]
    for listed in _listing().sheets.values():
        try:
            results.append(read(listed))
        except FlopsheetError as error:
            problems.append(error)
    return results, list({str(error): error for error in problems}.values())


def name_warnings() -> list[RegistryError]:
    """Return what is doubtful about names of sheets in all packs."""
    return _listing().names.warnings


def _listing() -> Listing:
    return listing(packs())


@cached_from_files
@paused()
def load(file: Path, section: str = "") -> Sheet:
    """Return the sheet that a file declares, one of several of a `flopsheet.yaml`. Python of trusted packs is run.

    Raises:
        SheetError: the file declares no sheet named like it, declares it wrongly, or may not be run.
        RegistryError: the YAML file breaks a rule.
    """
    pack = _pack_of(file)
    if section:
        from flopsheet.sheets.yaml_sheet import sheet_in

        sections = single_file(pack)[0] if pack else {}
        return sheet_in(sections[SHEETS].items[section], section, _shown(file, pack))
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


def nomenclature() -> Table:
    """Return the table of recurring names: `symbol`, `unit` and `meaning` of each; `problems` has its mistakes."""
    return names_of(packs())[0]
