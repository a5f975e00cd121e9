"""The export of a sheet as YAML that reads back to the same cells, units and formulas, however it was declared."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import yaml

from flopsheet.errors import NOWHERE, FlopsheetError, RegistryError, SheetError
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.printing import in_text, relation_text
from flopsheet.registry.kinds import KINDS
from flopsheet.sheets.body import TEXTS, Sheet
from flopsheet.sheets.cell import Cell, Choice, Part, figure_aliases, part_cells
from flopsheet.sheets.statements import usual_bounds
from flopsheet.sheets.yaml_rows import parse_limit, sheet_of
from flopsheet.sheets.yaml_sheet import parse_sheet
from flopsheet.units import quantity_in
from flopsheet.units.text import exact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

WIDTH = 120
# A plain scalar has no `: ` or ` #`, starts with none of YAML's indicators and does not end with a colon or a space.
_PLAIN = re.compile(r"(?!.*(?:: | #))[A-Za-z0-9($\\](?:[\x20-\x7e]*[\x21-\x39\x3b-\x7e])?")
_BRACKETS = re.compile(r"[,\[\]{}]")
_QUOTED = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*")


def as_yaml(sheet: Sheet) -> str:
    """Return a sheet as YAML that reads back.

    Raises:
        SheetError: something in it cannot be written so that it reads back.
    """
    text = "".join(_section(key, content) for key, content in document(sheet).items())
    try:
        parse_sheet(text, sheet.name)
    except RegistryError as error:
        first = (error.problems or (error,))[0]
        raise SheetError(f"sheet {sheet.name}", f"It would not read back: {first.problem}", first.fix) from None
    return text


def document(sheet: Sheet) -> dict[str, Any]:
    """Return the content of a sheet's YAML: texts, lists of texts and, by section and name, rows.

    Raises:
        SheetError: a row cannot be written so that it reads back; the message names it.
    """
    return _stated(**_Export(sheet).document())


class _Export:
    """Writes one sheet; each formula, value and relation is read back before it is accepted."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.names = dict.fromkeys([*sheet.cells, *sheet.choices])

    def document(self) -> dict[str, Any]:
        sheet = self.sheet
        return {
            "sheet": sheet.name,
            "title": sheet.title or sheet.name.replace("_", " "),
            "about": sheet.about,
            "implicit": "true" if sheet.rows.implicit else "",
            "sheets": {name: _stated(sheet=part.kind, doc=part.doc) for name, part in sheet.sheets.items()},
            "parts": {name: self._part(sheet.parts[name]) for name in self._parts()},
            "choices": {name: _choice(choice) for name, choice in sheet.choices.items()},
            "cells": {name: self._cell(cell) for name, cell in sheet.cells.items() if self._is_stated(cell)},
            "limits": {name: self._limit(limit) for name, limit in sheet.limits.items()},
            "aliases": self._aliases(),
            **{key: list(getattr(sheet, key)) for key in TEXTS},
        }

    def _parts(self) -> list[str]:
        """Return the names of the records, in the order of their figures among the cells."""
        among_cells = [cell.part for cell in self.sheet.cells.values() if cell.part in self.sheet.parts]
        return [*dict.fromkeys([*among_cells, *self.sheet.parts])]

    def _part(self, part: Part) -> dict[str, Any]:
        """Return the row of a record, whose cells must be those that the registry gives its kind."""
        mine = [replace(cell, place=NOWHERE) for cell in self.sheet.cells.values() if cell.part == part.name]
        known = self._known(part)
        if not mine or (not part.bare and {cell.name: cell for cell in mine} != known):
            problem = f"The figures of '{part.name}' are not those of a {part.kind}."
            raise SheetError(f"sheet {self.sheet.name}", problem, "Declare it again: part(...).")
        names = list(self.sheet.cells)
        before = [name for name in names[: names.index(mine[0].name)] if not self.sheet.cells[name].part]
        about = {"kind": part.kind, "doc": part.doc, "example": part.example, "of": part.of}
        about["bare"] = "true" if part.bare else ""
        return _stated(**about, after=(before or [""])[-1])

    def _known(self, part: Part) -> dict[str, Cell]:
        """Return the cells that a record has as the registry states its kind."""
        figures = [*KINDS[part.kind].all_fields.values()] if part.kind in KINDS else []
        return {cell.name: cell for cell in part_cells(part, figures, NOWHERE, sheet_of(part.name, self.sheet.sheets))}

    def _is_stated(self, cell: Cell) -> bool:
        """Whether the file states a cell: it is no figure of a record, or changes one of a bare part."""
        part = self.sheet.parts.get(cell.part)
        return part is None or (part.bare and replace(cell, place=NOWHERE) != self._known(part)[cell.name])

    def _cell(self, cell: Cell) -> dict[str, Any]:
        where = f"sheet {self.sheet.name}, '{cell.name}'"
        if sheet_of(cell.name, self.sheet.sheets) != cell.prefix:
            problem = f"The cell belongs to the sheet '{cell.prefix}', its name to another."
            raise SheetError(where, problem, "Embed that sheet with part(...).")
        if cell.formula is not None and (cell.default is not None or cell.example is not None):
            raise SheetError(where, "The cell has a formula and a value.", "Remove one of the two.")
        return _stated(
            formula="" if cell.formula is None else self._formula(cell.name, cell.formula),
            unit=cell.unit.text,
            doc=cell.doc,
            default=self._value(cell, cell.default),
            inferred=[self._formula(cell.name, formula) for formula in cell.inferred],
            fixed="true" if cell.fixed else "",
            example=self._value(cell, cell.example),
            integer="true" if cell.integer else "",
            headline="true" if cell.headline else "",
            **self._bounds(cell),
            symbol=cell.latex,
            source=cell.source,
        )

    def _formula(self, name: str, formula: Expr) -> str:
        text = in_text(formula, tuple(self.sheet.cells))
        return self._checked(name, text, lambda: parse_formula(text, self.names) == formula)

    def _value(self, cell: Cell, value: Number | None) -> str:
        if value is None:
            return ""
        text = exact_text(value, cell.unit)
        return self._checked(cell.name, text, lambda: quantity_in(text, cell.unit, cell.name).si == value)

    def _bounds(self, cell: Cell) -> dict[str, str]:
        bounds, stated = cell.bounds, {}
        usual = usual_bounds(computed=cell.formula is not None, integer=cell.integer)
        if (bounds.lower, bounds.lower_closed) != (usual.lower, usual.lower_closed):
            if bounds.lower == -math.inf:
                stated["signed"] = "true"
            else:
                stated["minimum" if bounds.lower_closed else "above"] = self._value(cell, bounds.lower)
        return stated if bounds.upper == math.inf else {**stated, "maximum": self._value(cell, bounds.upper)}

    def _limit(self, limit: Relation) -> dict[str, Any]:
        sides = (limit.left, limit.operator, limit.right)
        text = relation_text(*sides, tuple(self.sheet.cells))

        def reads_back() -> bool:
            relation = parse_limit(text, self.names, limit.name)
            return (relation.left, relation.operator, relation.right) == sides

        return _stated(relation=self._checked(limit.name, text, reads_back), doc=limit.doc, domain_of=limit.of)

    def _aliases(self) -> dict[str, str]:
        """Return the meaning of other names, without the figures that the alias of a record implies."""
        rows = {name: bound.name for name, bound in self.sheet.rows.aliases.items() if bound.is_Symbol}
        implied = {
            name
            for record, part in rows.items()
            if part in self.sheet.parts
            for name, row in rows.items()
            if name.startswith(f"{record}.") and row == part + name.removeprefix(record)
        }
        for part in self.sheet.parts.values():
            figures = figure_aliases(part, self._known(part).values())
            implied |= {name for name, figure in figures.items() if rows.get(name) == figure.name}
        return {name: row for name, row in rows.items() if name not in implied}

    def _checked(self, name: str, text: str, reads_back: Callable[[], bool]) -> str:
        problem = f"'{text[:60]}' would not be read back to the same."
        try:
            if reads_back():
                return text
        except FlopsheetError as error:
            problem = error.problem
        where = f"sheet {self.sheet.name}, '{name}'"
        raise SheetError(where, f"It cannot be written as YAML: {problem}", "Split it into several cells.")


def _choice(choice: Choice) -> dict[str, Any]:
    usual = choice.default or choice.options[0]
    example = "" if choice.example in ("", usual) else choice.example
    return _stated(options=list(choice.options), doc=choice.doc, default=choice.default, example=example)


def _stated(**content: Any) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value}


def _section(key: str, content: Any) -> str:
    """Return a key of the file with its content: a text, a list of texts, or rows by name."""
    if isinstance(content, str):
        return _block(key, content) if "\n" in content else f"{key}: {scalar(content)}\n"
    if isinstance(content, list):
        return f"{key}:\n" + "".join(f"  - {scalar(text)}\n" for text in content)
    return f"{key}:\n" + "".join(_row(name, row) for name, row in content.items())


def _block(key: str, text: str) -> str:
    lines = text.split("\n")
    if any(not _QUOTED.fullmatch(line) or line != line.rstrip() for line in lines) or lines[0][:1].isspace():
        return f"{key}: {scalar(text)}\n"
    return f"{key}: |\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines)


def _row(name: str, row: Mapping[str, Any] | str) -> str:
    """Return a row on one line where it fits, else with a line for each key."""
    if isinstance(row, str):
        return f"  {scalar(name)}: {scalar(row)}\n"
    line = f"  {scalar(name)}: {{{', '.join(f'{key}: {_value(value, inside=True)}' for key, value in row.items())}}}\n"
    if len(line) <= WIDTH:
        return line
    return f"  {scalar(name)}:\n" + "".join(f"    {key}: {_value(value)}\n" for key, value in row.items())


def _value(value: str | list[str], *, inside: bool = False) -> str:
    if isinstance(value, str):
        return scalar(value, inside=inside)
    return f"[{', '.join(scalar(text, inside=True) for text in value)}]"


def scalar(text: str, *, inside: bool = False) -> str:
    """Return a text as a YAML scalar, possibly inside brackets: plain where it is unambiguous, else quoted."""
    if _PLAIN.fullmatch(text) and not (inside and _BRACKETS.search(text)):
        return text
    if _QUOTED.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return str(yaml.dump(text, default_style='"', width=1_000_000, allow_unicode=True)).rstrip("\n")
