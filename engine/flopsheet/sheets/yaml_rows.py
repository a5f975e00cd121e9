"""The rows of a YAML sheet, one by one: a mapping read as a cell, choice, part or limit. Nothing is executed."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from flopsheet.errors import FlopsheetError, FormulaError, RegistryError, find
from flopsheet.formulas.parser import parse_relation, shortened
from flopsheet.registry.kinds import KINDS
from flopsheet.sheets.cell import Part, part_cells
from flopsheet.sheets.statements import LOWER_BOUNDS, VALUES, Row, make_cell, make_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.formulas.place import Place
    from flopsheet.formulas.relation import Relation
    from flopsheet.registry.reader import Reader
    from flopsheet.registry.records import Spot
    from flopsheet.sheets.cell import Cell, Choice

T = TypeVar("T")
LONGEST_NAME = 100
_CELL_KEYS = ("formula", "unit", "doc", *VALUES, "source", "symbol", "integer", *LOWER_BOUNDS, "maximum")
_OPTION = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class YamlRow(Row):
    """A row of a section, `cells.d_model`, whose mistakes are recorded, so that a file reports all of them.

    Args:
        reader: its mapping.
        spot: place of its name in the file.
    """

    reader: Reader
    spot: Spot

    def take(self, keys: Iterable[str], required: Iterable[str] = ()) -> None:
        """Check the keys of the row, and read what it states under them."""
        self.reader.check_keys(keys, required)
        for key in filter(self.reader.has, keys):
            self.values[key] = self.reader.recover(partial(self._read, key), None)

    def _read(self, key: str) -> Any:
        if key == "options":
            return self.reader.texts(key)
        return self.reader.flag(key, default=False) if key in ("integer", "signed") else self.reader.text(key)

    def where(self, key: str = "") -> str:
        """Return file, line, column and key path of the value under a key; of the row without one."""
        return self.reader.place(key) if self.reader.has(key) else f"{self.spot}, key '{self.reader.path}'"

    def recover(self, key: str, read: Callable[[], T], fallback: T) -> T:
        """Return what is read, or the fallback where that is a mistake, which is recorded."""
        return self.reader.recover(lambda: located(self.where(key), read), fallback)


def located(where: str, read: Callable[[], T]) -> T:
    """Return what is read, with every mistake placed in the file.

    Raises:
        RegistryError: there is a mistake.
    """
    try:
        return read()
    except RegistryError:
        raise
    except FlopsheetError as error:
        raise RegistryError(where, error.problem, error.fix) from None


def reject(where: str, problem: str, fix: str) -> None:
    """Reject what a place in the file states.

    Raises:
        RegistryError: always.
    """
    raise RegistryError(where, problem, fix)


def read_cell(row: YamlRow, prefix: str) -> Cell | None:
    """Return the cell of a row without its formula, or None where its unit cannot be read.

    Args:
        row: the row.
        prefix: name of the embedded sheet that it belongs to, or empty.
    """
    row.take(_CELL_KEYS)
    return make_cell(row, computed=row.reader.has("formula"), prefix=prefix)


def read_choice(row: YamlRow) -> Choice | None:
    """Return the choice of a row, or None where its options cannot be read."""
    row.take(("options", "doc", *VALUES), ("options",))
    options = row.values.get("options") or ()
    for option in options:
        if not _OPTION.fullmatch(option) or keyword.iskeyword(option):
            shown = shortened(option)
            problem = f"'{shown}' cannot be an option: formulas cannot contain select(..., {shown}=a)."
            row.reject("options", problem, "Use letters, digits and _.")
    return make_choice(row, options) if options else None


def read_part(row: YamlRow, prefix: str) -> tuple[Part, list[Cell]] | None:
    """Return the record of a row and its cells, or None where its kind is unknown."""
    row.take(("kind", "doc", "example", "after"), ("kind",))
    part = Part(row.name, row.text("kind"), row.text("doc"), row.text("example"))
    row.recover("kind", lambda: find(part.kind, KINDS, "kind of records", row.where("kind")), None)
    return (part, cells_of_part(part, prefix, row.place)) if part.kind in KINDS else None


def cells_of_part(part: Part, prefix: str, place: Place) -> list[Cell]:
    """Return the cells of a record, as `part_cells` does, with the figures of its kind."""
    return part_cells(part, KINDS[part.kind].all_fields.values(), place, prefix)


def read_limit(row: YamlRow, names: Mapping[str, Any]) -> Relation | None:
    """Return the limit of a row, or None where its relation cannot be read."""
    row.take(("relation", "doc"), ("relation",))
    text, doc = row.text("relation"), row.text("doc")
    if not text:
        return None
    relation = row.recover("relation", lambda: parse_limit(text, names, row.where("relation")), None)
    return None if relation is None else replace(relation, name=row.name, doc=doc, place=row.place)


def parse_limit(text: str, names: Mapping[str, Any], where: str) -> Relation:
    """Return the relation that a text states over cells alone, without quantities.

    Raises:
        FormulaError, UnknownNameError, UnknownUnitError: as for `parse_relation`, or there is a quantity.
    """
    relation = parse_relation(text, names, where)
    if relation.literals:
        problem = f"The limit contains the quantity '{next(iter(relation.literals))}'."
        raise FormulaError(where, problem, "Declare a cell with this default and a source, and use the cell.")
    return relation


def sheet_of(name: str, prefixes: Iterable[str]) -> str:
    """Return the innermost embedded sheet that a name belongs to, or an empty text."""
    return max((prefix for prefix in prefixes if name.startswith(f"{prefix}.")), key=len, default="")
