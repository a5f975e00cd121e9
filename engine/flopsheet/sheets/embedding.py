"""A sheet inside another under a prefix: its rows are repeated there, save those that both share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import SheetError, find
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.order import relation_text
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.declarations import value_in
from flopsheet.sheets.views import PartView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.formulas.place import Place
    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.kernel import Rows
    from flopsheet.sheets.pieces import Choice, Part


def embed(rows: Rows, other: Rows, part: Part, bound: Mapping[str, Any], place: Place) -> None:
    """Add the rows of another sheet under a prefix.

    Args:
        rows: those of the sheet that holds the other.
        other: those of the other.
        part: the prefix, the other's name and what it is for.
        bound: what rows of the other are here, by their name there: a cell, an expression, a choice or a record of
            this sheet, or as number or text another default.
        place: where it is declared.

    Raises:
        SheetError: a bound name is none of the other sheet's, or stands for something else there.
        DimensionError: what is bound has another dimension.
    """
    for name, each in bound.items():
        where = f"{place}, sheet {other.name}"
        find(name, [*other.cells, *other.choices, *other.parts], "cell", where)
        if (name in other.parts) != isinstance(each, PartView):
            problem = f"'{name}' is {'a record' if name in other.parts else 'no record'}."
            raise SheetError(where, problem, "Bind what is of the same nature.")
        if isinstance(each, PartView) and _kind(rows, each) != other.parts[name].kind:
            problem = f"'{name}' is a {other.parts[name].kind}, and '{each.prefix}' is not."
            raise SheetError(where, problem, "Bind a record of the same kind.")
    _Embedding(rows, other, part.name, bound, place).add(part)


def _kind(rows: Rows, view: PartView) -> str:
    part = rows.parts.get(view.prefix)
    return part.kind if part else ""


class _Embedding:
    """The rows of one sheet on their way into another."""

    def __init__(self, rows: Rows, other: Rows, prefix: str, bound: Mapping[str, Any], place: Place) -> None:
        self.rows, self.other, self.prefix, self.bound, self.place = rows, other, prefix, bound, place
        self.meaning = {name: self._meaning(name) for name in [*other.cells, *other.choices]}
        records = {name: self._record(name) for name in other.parts}
        self.symbols = {symbol(name): each for name, each in {**records, **self.meaning}.items()}
        self.meaning |= {name: each.xreplace(self.symbols) for name, each in other.aliases.items()}

    def add(self, part: Part) -> None:
        """Add all rows that are not shared."""
        aliases = {self._inside(name): each for name, each in self.meaning.items() if not self._is_own(name)}
        self.rows.add_sheet(part, aliases, self.place)
        for each in self.other.sheets.values():
            self.rows.add_sheet(replace(each, name=self._inside(each.name)), {}, self.place)
        for each in self.other.parts.values():
            meant = self._record(each.name)
            if meant == symbol(self._inside(each.name)):
                self.rows.add_part(replace(each, name=self._inside(each.name)), (), self.place)
            else:
                self.rows.aliases[self._inside(each.name)] = meant
        for choice in self.other.choices.values():
            if self._is_own(choice.name):
                self.rows.add_choice(self._choice(choice), self.place)
        for cell in self.other.cells.values():
            if self._is_own(cell.name):
                self.rows.add_cell(self._cell(cell))
        names = tuple(self.rows.cells)
        for limit in self.other.limits.values():
            if not self._is_shared(limit.name):
                left, right = (side.xreplace(self.symbols) for side in (limit.left, limit.right))
                text = relation_text(left, limit.operator, right, names)
                name = self._inside(limit.name)
                self.rows.add_limit(replace(limit, left=left, right=right, text=text, name=name, place=self.place))

    def _inside(self, name: str) -> str:
        return f"{self.prefix}.{name}"

    def _is_own(self, name: str) -> bool:
        """Whether a name of the other sheet gets a row of its own here."""
        return bool(self.meaning[name] == symbol(self._inside(name)))

    def _is_shared(self, name: str) -> bool:
        """Whether both took a row from one sheet, and the other one left it as it was."""
        if name not in self.rows or self.rows.origin[name] != self.other.origin[name]:
            return False
        return name not in self.other.changed or self.rows.row(name) == self.other.row(name)

    def _record(self, name: str) -> Any:
        """Return what a record of the other sheet stands for here."""
        if name in self.bound:
            return symbol(self.bound[name].prefix)
        return symbol(name if self._is_shared(name) else self._inside(name))

    def _meaning(self, name: str) -> Any:
        """Return what a name of the other sheet stands for here: a row of this sheet, or one of its own."""
        bound = self.bound.get(name)
        if isinstance(bound, sympy.Symbol):
            return self._checked(name, bound)
        cell = self.other.cells.get(name)
        if cell is not None and cell.part in self.bound:
            return symbol(f"{self.bound[cell.part].prefix}.{name.removeprefix(f'{cell.part}.')}")
        return symbol(name if bound is None and self._is_shared(name) else self._inside(name))

    def _checked(self, name: str, bound: Any) -> Any:
        """Return the row that is bound to a name, if it is of the same nature."""
        where = f"{self.place}, '{name}' of sheet {self.other.name}"
        find(bound.name, [*self.rows.cells, *self.rows.choices], "cell", where)
        mine, theirs = self.rows.choices.get(bound.name), self.other.choices.get(name)
        if (mine is None) != (theirs is None):
            raise SheetError(where, f"'{bound.name}' is {'a number' if theirs else 'a name'}.", "Bind another row.")
        if mine and theirs and set(mine.options) != set(theirs.options):
            problem = f"'{bound.name}' has the options {', '.join(mine.options)}, not {', '.join(theirs.options)}."
            raise SheetError(where, problem, "Bind another choice, or none.")
        if mine is None:
            unit = self.other.cells[name].unit
            UnitCheck(self.rows.dimensions, where).cell(name, unit.dimension, unit.text, bound)
        return bound

    def _choice(self, choice: Choice) -> Choice:
        default = self.bound.get(choice.name, choice.default)
        if not isinstance(default, str):
            problem = f"{default!r} is no option of '{choice.name}'."
            raise SheetError(str(self.place), problem, f"It is one of {', '.join(choice.options)}.")
        find(default, [*choice.options, ""], "option", f"{self.place}, '{choice.name}'")
        return replace(choice, name=self._inside(choice.name), default=default, example=default or choice.example)

    def _cell(self, cell: Cell) -> Cell:
        """Return a cell of the other sheet as it stands here."""
        part = self._inside(cell.part) if cell.part else ""
        prefix = self._inside(cell.prefix) if cell.prefix else self.prefix
        made = replace(cell, name=self._inside(cell.name), part=part, prefix=prefix)
        bound = self.bound.get(cell.name)
        if isinstance(bound, sympy.Expr):
            return replace(made, formula=bound, default=None, example=None, source="", place=self.place)
        if bound is not None:
            default = value_in(bound, cell.unit, self.place)
            made.check(default, str(self.place))
            made = replace(made, default=default, formula=None, place=self.place)
        return made if made.formula is None else replace(made, formula=made.formula.xreplace(self.symbols))
