"""The rows of a YAML sheet, one by one: what a mapping says, as cell, choice, part or limit; nothing is executed."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from flopsheet.errors import FlopsheetError, FormulaError, RegistryError, find
from flopsheet.formulas.parser import parse_relation, shortened
from flopsheet.formulas.place import Place
from flopsheet.registry.kinds import KINDS
from flopsheet.sheets.cell import ANY, FROM_ONE, NOT_NEGATIVE, POSITIVE, Bounds, Cell
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.pieces import Choice, Part
from flopsheet.units import unit
from flopsheet.units.exact_text import read_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.registry.reader import Reader
    from flopsheet.registry.records import Spot
    from flopsheet.units import Number, Unit

T = TypeVar("T")
OF_CELLS = ("formula", "unit", "doc", "default", "example", "source", "symbol", "integer")
LONGEST_NAME = 100
LOWER = ("minimum", "above", "signed")
OF_GIVEN = ("default", "example")
_OPTION = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Row:
    """A row of a section: `cells.d_model`.

    Args:
        name: its name.
        reader: what it says.
        spot: where its name stands.
    """

    name: str
    reader: Reader
    spot: Spot

    @property
    def where(self) -> str:
        """File, line, column and key path of its name."""
        return f"{self.spot}, key '{self.reader.path}'"

    @property
    def place(self) -> Place:
        """File and line."""
        return Place(self.spot.file, self.spot.line)

    def where_of(self, key: str) -> str:
        """Return file, line, column and key path of what a key says; of the row if it says nothing."""
        return self.reader.place(key) if self.reader.has(key) else self.where

    def text(self, key: str) -> str:
        """Return the text under a key, or nothing."""
        return self.reader.tried(lambda: self.reader.text(key), "")

    def flag(self, key: str) -> bool:
        """Return the truth value under a key."""
        return self.reader.tried(lambda: self.reader.flag(key, default=False), False)

    def tried(self, key: str, read: Callable[[], T], instead: T) -> T:
        """Return what is read of a key; a mistake of any kind is kept with the place of the key."""
        return self.reader.tried(lambda: told(self.where_of(key), read), instead)

    def refuse(self, key: str, problem: str, fix: str) -> None:
        """Keep a mistake under a key."""
        self.tried(key, lambda: refuse(self.where_of(key), problem, fix), None)


def told(where: str, read: Callable[[], T]) -> T:
    """Return what is read; a mistake of any kind names the place in the file.

    Raises:
        RegistryError: there is a mistake.
    """
    try:
        return read()
    except RegistryError:
        raise
    except FlopsheetError as error:
        raise RegistryError(where, error.problem, error.fix) from None


def refuse(where: str, problem: str, fix: str) -> None:
    """Refuse what stands at a place.

    Raises:
        RegistryError: always.
    """
    raise RegistryError(where, problem, fix)


def read_cell(row: Row, prefix: str) -> Cell | None:
    """Return the cell that a row says, without its formula, or None where not even its unit can be told.

    Args:
        row: the row.
        prefix: name of the sheet inside the sheet that it belongs to, or empty.
    """
    row.reader.check_keys((*OF_CELLS, *LOWER, "maximum"))
    text = row.text("unit")
    shown = row.tried("unit", lambda: unit(text, row.where), None)
    if row.reader.has("formula"):
        for key in filter(row.reader.has, OF_GIVEN):
            row.refuse(key, f"A cell with a formula has no {key}.", f"Remove '{key}' or 'formula'.")
    if shown is None:
        return None
    cell = Cell(
        row.name,
        row.text("doc"),
        shown,
        source=row.text("source"),
        latex=row.text("symbol"),
        integer=row.flag("integer"),
        prefix=prefix,
        place=row.place,
    )
    cell = replace(cell, bounds=_bounds(row, cell))
    return replace(cell, default=_checked(row, "default", cell), example=_checked(row, "example", cell))


def usual_bounds(*, formula: bool, integer: bool) -> Bounds:
    """Return the bounds of a cell that says nothing of them."""
    return NOT_NEGATIVE if formula else FROM_ONE if integer else POSITIVE


def _bounds(row: Row, cell: Cell) -> Bounds:
    said = [key for key in LOWER if row.reader.has(key)]
    for key in said[1:]:
        row.refuse(key, f"The row says '{said[0]}' and '{key}'.", "Keep one of them.")
    bounds = usual_bounds(formula=row.reader.has("formula"), integer=cell.integer)
    low = _value(row, said[0], cell.unit) if said and said[0] != "signed" else None
    if low is not None:
        bounds = Bounds(lower=low, lower_closed=said[0] == "minimum")
    elif said[:1] == ["signed"] and row.flag("signed"):
        bounds = ANY
    high = _value(row, "maximum", cell.unit)
    if high is None:
        return bounds
    if bounds.lower > high or (bounds.lower == high and not bounds.lower_closed):
        row.refuse("maximum", f"The maximum leaves no value: the cell is {bounds.text(cell.unit)}.", "Raise it.")
        return bounds
    return replace(bounds, upper=high)


def _checked(row: Row, key: str, cell: Cell) -> Number | None:
    value = None if row.reader.has("formula") else _value(row, key, cell.unit)
    if value is not None:
        row.tried(key, lambda: cell.check(value, row.where), None)
    return value


def _value(row: Row, key: str, shown: Unit) -> Number | None:
    text = row.text(key)
    return row.tried(key, lambda: read_value(text, shown, row.where), None) if text else None


def read_choice(row: Row) -> Choice | None:
    """Return the choice that a row says, or None where its options cannot be told."""
    row.reader.check_keys(("options", "doc", "default", "example"), ("options",))
    nothing: tuple[str, ...] = ()
    options = row.reader.tried(lambda: row.reader.texts("options"), nothing)
    for each in options:
        if not _OPTION.fullmatch(each) or keyword.iskeyword(each):
            problem = f"'{shortened(each)}' cannot be an option: formulas cannot say select(..., {shortened(each)}=a)."
            row.refuse("options", problem, "Use letters, digits and _.")
    if len(set(options)) != len(options):
        row.refuse("options", "An option stands twice.", "Name each once.")
    said = {key: row.text(key) for key in OF_GIVEN}
    for key in filter(said.get, said):
        row.tried(key, partial(find, said[key], options, "option", row.where), None)
    if not options:
        return None
    return Choice(row.name, options, row.text("doc"), said["default"], said["example"] or said["default"] or options[0])


def read_part(row: Row, prefix: str) -> tuple[Part, list[Cell]] | None:
    """Return the record that a row says and its cells, or None where its kind is not known."""
    row.reader.check_keys(("kind", "doc", "example", "after"), ("kind",))
    made = Part(row.name, row.text("kind"), row.text("doc"), row.text("example"))
    row.tried("kind", lambda: find(made.kind, KINDS, "kind of records", row.where), None)
    return (made, cells_of_part(made, prefix, row.place)) if made.kind in KINDS else None


def cells_of_part(part: Part, prefix: str, place: Place) -> list[Cell]:
    """Return the cells of a record: one for each of its figures.

    Args:
        part: the record's prefix and kind.
        prefix: name of the sheet inside the sheet that it belongs to, or empty: its symbols are those there.
        place: where it is declared.
    """
    inside = Rows("")
    inner = replace(part, name=part.name.removeprefix(f"{prefix}."))
    inside.add_part(inner, KINDS[part.kind].all_fields.values(), place)
    start = f"{prefix}." if prefix else ""
    return [replace(cell, name=f"{start}{cell.name}", part=part.name, prefix=prefix) for cell in inside.cells.values()]


def read_limit(row: Row, names: Mapping[str, Any]) -> Relation | None:
    """Return the limit that a row says, or None where its relation cannot be read."""
    row.reader.check_keys(("relation", "doc"), ("relation",))
    text, doc = row.text("relation"), row.text("doc")
    if not text:
        return None
    found = row.tried("relation", lambda: relation_in(text, names, row.where), None)
    return None if found is None else replace(found, name=row.name, doc=doc, place=row.place)


def relation_in(text: str, names: Mapping[str, Any], where: str) -> Relation:
    """Return the relation that a text writes over cells alone: no quantity with a unit stands in it.

    Raises:
        FormulaError, UnknownNameError, UnknownUnitError: as for `parse_relation`, or there is such a quantity.
    """
    found = parse_relation(text, names, where)
    if found.literals:
        problem = f"The quantity '{next(iter(found.literals))}' stands inside a limit."
        raise FormulaError(where, problem, "Make it a named cell with a default and a source, and use the cell.")
    return found


def sheet_of(name: str, prefixes: Iterable[str]) -> str:
    """Return the innermost sheet inside the sheet that a name belongs to, or nothing."""
    return max((each for each in prefixes if name.startswith(f"{each}.")), key=len, default="")
