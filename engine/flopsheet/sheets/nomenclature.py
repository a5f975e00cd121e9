"""The table of recurring names: the symbol, the unit and the meaning of each, from the packs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flopsheet.errors import FlopsheetError, RegistryError
from flopsheet.registry.disk_cache import code_state
from flopsheet.registry.store import kept
from flopsheet.session import cached_from_files
from flopsheet.sheets.cell import symbol_problem

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.registry.packs import Pack
    from flopsheet.registry.strict_yaml import Reader

Table: TypeAlias = dict[str, dict[str, str]]


@cached_from_files
def names_of(packs: tuple[Pack, ...]) -> tuple[Table, tuple[FlopsheetError, ...]]:
    """Return the table of recurring names in packs, and what is wrong with its files."""
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
    code = code_state("sheets/cell.py", "layout/*.py")
    return kept(file, pack.shown(file), _names_in, "names", code)


def _names_in(reader: Reader) -> Table:
    table: Table = {}
    for name in reader.node.items:
        row = reader.inner(name)
        row.check_keys(("symbol", "unit", "meaning"), ("symbol", "meaning"))
        if problem := symbol_problem(row.text("symbol")):
            raise RegistryError(row.place("symbol"), problem, "Write a letter with scripts.")
        table[name] = {key: row.text(key) for key in ("symbol", "unit", "meaning")}
    return table
