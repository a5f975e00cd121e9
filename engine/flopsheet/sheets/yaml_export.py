"""The export of a sheet, however it was declared, as YAML that reads back to the same cells, units and formulas."""

from __future__ import annotations

import math
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from flopsheet.errors import FlopsheetError, SheetError
from flopsheet.formulas.order import in_text, relation_text
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.place import Place
from flopsheet.registry.kinds import KINDS
from flopsheet.sheets.yaml_rows import cells_of_part, relation_in, sheet_of, usual_bounds
from flopsheet.sheets.yaml_text import section
from flopsheet.units.exact_text import exact_text, read_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.pieces import Choice, Part
    from flopsheet.units import Number

_SAME = ("doc", "unit", "formula", "default", "example", "source", "latex", "integer", "bounds", "prefix")


def written(sheet: Sheet) -> str:
    """Return a sheet as YAML, each row of which reads back as it is.

    Raises:
        SheetError: something in it cannot be written so that it reads back; the message names the row.
    """
    return "".join(section(key, said) for key, said in document(sheet).items())


def document(sheet: Sheet) -> dict[str, Any]:
    """Return what the YAML of a sheet says: texts, lists of texts and, by section and name, rows.

    Raises:
        SheetError: as for `written`.
    """
    return {key: said for key, said in _Export(sheet).document().items() if said}


class _Export:
    """Writes one sheet; each text is read back before it is taken."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.names = dict.fromkeys([*sheet.cells, *sheet.choices])

    def document(self) -> dict[str, Any]:
        sheet = self.sheet
        about = cleandoc(type(sheet).__doc__ or "").partition("\n")[2].strip()
        return {
            "sheet": sheet.name,
            "title": sheet.title or sheet.name.replace("_", " "),
            "about": about,
            "sheets": {each.name: _said({"sheet": each.kind, "doc": each.doc}) for each in sheet.sheets.values()},
            "parts": {name: self._part(sheet.parts[name]) for name in self._parts()},
            "choices": {each.name: _choice(each) for each in sheet.choices.values()},
            "cells": {name: self._cell(cell) for name, cell in sheet.cells.items() if not cell.part},
            "limits": {name: self._limit(each) for name, each in sheet.limits.items()},
            "aliases": self._aliases(),
            **{key: list(getattr(sheet, key)) for key in ("assumptions", "notes", "sources")},
        }

    def _parts(self) -> list[str]:
        """Return the names of the records, in the order of their figures among the cells."""
        standing = [cell.part for cell in self.sheet.cells.values() if cell.part in self.sheet.parts]
        return [*dict.fromkeys([*standing, *self.sheet.parts])]

    def _part(self, part: Part) -> dict[str, Any]:
        """Return what is said of a record, after a look whether its cells are as the registry has them."""
        prefix = sheet_of(part.name, self.sheet.sheets)
        mine = [cell for cell in self.sheet.cells.values() if cell.part == part.name]
        known = cells_of_part(part, prefix, Place("", 0)) if part.kind in KINDS else []
        if not mine or {cell.name: _facts(cell) for cell in mine} != {cell.name: _facts(cell) for cell in known}:
            problem = f"The figures of '{part.name}' are not those of a {part.kind}."
            raise SheetError(f"sheet {self.sheet.name}", problem, "Declare it anew: part(...).")
        names = list(self.sheet.cells)
        before = [each for each in names[: names.index(mine[0].name)] if not self.sheet.cells[each].part]
        return _said({"kind": part.kind, "doc": part.doc, "example": part.example, "after": (before or [""])[-1]})

    def _cell(self, cell: Cell) -> dict[str, Any]:
        if sheet_of(cell.name, self.sheet.sheets) != cell.prefix:
            problem = f"It belongs to the sheet '{cell.prefix}', and its name to another."
            raise SheetError(f"sheet {self.sheet.name}, '{cell.name}'", problem, "Hold that sheet with part(...).")
        if cell.formula is not None and (cell.default is not None or cell.example is not None):
            problem = "It has a formula and a value of its own."
            raise SheetError(f"sheet {self.sheet.name}, '{cell.name}'", problem, "Remove one of the two.")
        return _said(
            {
                "formula": "" if cell.formula is None else self._formula(cell),
                "unit": cell.unit.text,
                "doc": cell.doc,
                "default": self._value(cell, cell.default),
                "example": self._value(cell, cell.example),
                "integer": "true" if cell.integer else "",
                **self._bounds(cell),
                "symbol": cell.latex,
                "source": cell.source,
            }
        )

    def _formula(self, cell: Cell) -> str:
        text = in_text(cell.formula, tuple(self.sheet.cells))
        return self._checked(cell.name, text, lambda: parse_formula(text, self.names) == cell.formula)

    def _value(self, cell: Cell, value: Number | None) -> str:
        if value is None:
            return ""
        text = exact_text(value, cell.unit)
        return self._checked(cell.name, text, lambda: read_value(text, cell.unit, cell.name) == value)

    def _bounds(self, cell: Cell) -> dict[str, str]:
        bounds, said = cell.bounds, {}
        usual = usual_bounds(formula=cell.formula is not None, integer=cell.integer)
        if (bounds.lower, bounds.lower_closed) != (usual.lower, usual.lower_closed):
            if bounds.lower == -math.inf:
                said["signed"] = "true"
            else:
                said["minimum" if bounds.lower_closed else "above"] = self._value(cell, bounds.lower)
        return said if bounds.upper == math.inf else {**said, "maximum": self._value(cell, bounds.upper)}

    def _limit(self, limit: Relation) -> dict[str, Any]:
        wanted, names = (limit.left, limit.operator, limit.right), tuple(self.sheet.cells)
        text = relation_text(*wanted, names)

        def reads_back() -> bool:
            found = relation_in(text, self.names, limit.name)
            return (found.left, found.operator, found.right) == wanted

        return _said({"relation": self._checked(limit.name, text, reads_back), "doc": limit.doc})

    def _aliases(self) -> dict[str, str]:
        """Return what else names mean; those of a record stand for its figures too."""
        meant = {name: each.name for name, each in self.sheet.rows.aliases.items() if each.is_Symbol}
        records = {name: each for name, each in meant.items() if each in self.sheet.parts}
        held = {
            name
            for name, each in meant.items()
            for record, part in records.items()
            if name.startswith(f"{record}.") and each == part + name.removeprefix(record)
        }
        return {name: each for name, each in meant.items() if name not in held}

    def _checked(self, name: str, text: str, reads_back: Callable[[], bool]) -> str:
        where = f"sheet {self.sheet.name}, '{name}'"
        problem = f"'{text[:60]}' would not be read back as it is."
        try:
            if reads_back():
                return text
        except FlopsheetError as error:
            problem = error.problem
        raise SheetError(where, f"It cannot be written as YAML: {problem}", "Split it into several cells.")


def _choice(choice: Choice) -> dict[str, Any]:
    usual = choice.default or choice.options[0]
    example = "" if choice.example in ("", usual) else choice.example
    return _said({"options": list(choice.options), "doc": choice.doc, "default": choice.default, "example": example})


def _facts(cell: Cell) -> list[Any]:
    return [getattr(cell, name) for name in _SAME]


def _said(row: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in row.items() if each}
