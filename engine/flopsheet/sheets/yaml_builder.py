"""Builds the rows of a YAML sheet: first what each row states, then the formulas, which may name any of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError, find
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.place import Place
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.cell import Part
from flopsheet.sheets.joining import cycle_problem, find_cycle, in_order, needed
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.yaml_rows import (
    LONGEST_NAME,
    YamlRow,
    located,
    read_cell,
    read_choice,
    read_limit,
    read_part,
    reject,
    sheet_of,
)

if TYPE_CHECKING:
    from flopsheet.registry.reader import Reader
    from flopsheet.sheets.cell import Cell

MOST_ROWS, FIGURES, ENOUGH_MISTAKES = 5_000, 20, 100
SECTIONS = ("sheets", "parts", "choices", "cells", "limits")


class Builder:
    """Builds the rows of one file.

    Args:
        reader: the file; it records the mistakes.
        name: the sheet's name.
    """

    def __init__(self, reader: Reader, name: str) -> None:
        self.reader, self.rows = reader, Rows(name)
        self.sections = {section: self._section(section) for section in SECTIONS}
        if sum(map(len, self.sections.values())) + FIGURES * len(self.sections["parts"]) > MOST_ROWS:
            problem = f"The sheet has more than {MOST_ROWS:,} rows, figures of records included."
            raise RegistryError(reader.place_here(), problem, "Split it.")
        self.cells: dict[str, Cell] = {}
        self.names: dict[str, None] = {}

    def build(self) -> Rows:
        """Return the rows; the reader records the mistakes."""
        self._add_sheets()
        self._add_choices()
        self._read_cells(self._add_parts())
        self.names = dict.fromkeys([*self.cells, *self.sections["cells"], *self.sections["choices"]])
        self._read_formulas()
        self._add_cells()
        self._add_limits()
        self._add_aliases()
        return self.rows

    def _mapping(self, name: str) -> Reader | None:
        return self.reader.recover(partial(self.reader.inner, name), None) if self.reader.has(name) else None

    def _section(self, name: str) -> dict[str, YamlRow]:
        mapping, rows = self._mapping(name), {}
        for key, spot in mapping.node.keys.items() if mapping else ():
            if len(key) > LONGEST_NAME:
                where = f"{spot}, key '{name}.{key[:LONGEST_NAME]}…'"
                problem = f"A name has at most {LONGEST_NAME} characters."
                self.reader.recover(partial(reject, where, problem, "Shorten it."), None)
            elif mapping and (inner := mapping.recover(partial(mapping.inner, key), None)) is not None:
                rows[key] = YamlRow(key, Place(spot.file, spot.line), {}, inner, spot)
        return rows

    def _prefix(self, name: str) -> str:
        return sheet_of(name, self.sections["sheets"])

    def _add_sheets(self) -> None:
        for name, row in self.sections["sheets"].items():
            row.take(("sheet", "doc"), ("sheet",))
            part = Part(name, row.text("sheet"), row.text("doc"))
            row.recover("", partial(self.rows.add_sheet, part, {}, row.place), None)

    def _add_choices(self) -> None:
        for row in self.sections["choices"].values():
            choice = read_choice(row)
            if choice is not None:
                row.recover("", partial(self.rows.add_choice, choice, row.place), None)

    def _add_parts(self) -> dict[str, list[Cell]]:
        """Add the records, and return their cells by the cell of the file that they follow; empty for the first."""
        following: dict[str, list[Cell]] = {}
        for name, row in self.sections["parts"].items():
            if (part_and_cells := read_part(row, self._prefix(name))) is None:
                continue
            part, cells = part_and_cells
            row.recover("", partial(self.rows.add_part, part, (), row.place), None)
            after = row.text("after")
            if after:
                row.recover("after", partial(find, after, self.sections["cells"], "cell", row.where()), None)
            following.setdefault(after, []).extend(cells)
        return following

    def _read_cells(self, following: dict[str, list[Cell]]) -> None:
        """Read the cells without their formulas, in the order of the file, with those of records between them."""
        cells = [*following.get("", [])]
        for name, row in self.sections["cells"].items():
            cell, record = read_cell(row, self._prefix(name)), sheet_of(name, self.rows.parts)
            if record:
                problem = f"'{record}' is a record of kind {self.rows.parts[record].kind}, which has its own figures."
                row.reject("", problem, "Rename the cell.")
            elif cell is not None:
                cells.append(cell)
            cells += following.get(name, [])
        self.cells = {cell.name: cell for cell in cells}

    def _read_formulas(self) -> None:
        for name, row in self.sections["cells"].items():
            text = row.text("formula")
            if text and not self._is_hopeless():
                formula = row.recover("formula", partial(parse_formula, text, self.names, row.where()), None)
                if formula is not None and name in self.cells:
                    self.cells[name] = replace(self.cells[name], formula=formula)

    def _is_hopeless(self) -> bool:
        """Whether there are more mistakes than anybody reads: the search for near names takes a while."""
        return len(self.reader.problems or ()) > ENOUGH_MISTAKES

    def _add_cells(self) -> None:
        """Add the cells in order, first without formulas, so that one mistake does not lead to others."""
        ordered, cyclic = in_order(self.cells)
        if cyclic:
            row = self.sections["cells"][find_cycle(cyclic)[0]]
            row.reject("formula", cycle_problem(cyclic), "Leave one of them given.")
        for name, cell in [*ordered.items(), *cyclic.items()]:
            row = self.sections["parts"][cell.part] if cell.part else self.sections["cells"][name]
            row.recover("", partial(self.rows.add_cell, replace(cell, formula=None)), None)
        for name, cell in ordered.items():
            added = cell.formula is not None and name in self.rows.cells
            if added and not self._is_hopeless() and self._are_known(needed(cell)):
                self.sections["cells"][name].recover("formula", partial(self.rows.replace_cell, cell), None)
        self.rows.changed.clear()

    def _are_known(self, names: frozenset[str]) -> bool:
        return all(name in self.rows.cells or name in self.rows.choices for name in names)

    def _add_limits(self) -> None:
        for row in self.sections["limits"].values():
            limit = None if self._is_hopeless() else read_limit(row, self.names)
            if limit is not None and self._are_known(limit.cells):
                row.recover("relation", partial(self.rows.add_limit, limit), None)

    def _add_aliases(self) -> None:
        """Add the meaning of other names under a prefix; that of a record includes all its figures."""
        mapping = self._mapping("aliases")
        for name, spot in mapping.node.keys.items() if mapping else ():
            if mapping:
                where = f"{spot}, key '{mapping.key(name[:LONGEST_NAME])}'"
                add = partial(self._add_alias, name, mapping, where)
                mapping.recover(partial(located, where, add), None)

    def _add_alias(self, name: str, mapping: Reader, where: str) -> None:
        row = mapping.text(name)
        find(row, [*self.rows.cells, *self.rows.choices, *self.rows.parts], "row", where)
        if name in self.rows or not self._prefix(name) or len(name) > LONGEST_NAME:
            fix = "Write a name under one of 'sheets' that is not a row itself."
            reject(where, "This cannot be another name of a row.", fix)
        figures = [cell for cell in self.rows.cells if cell.startswith(f"{row}.")] if row in self.rows.parts else []
        for target in (row, *figures):
            self.rows.aliases[name + target.removeprefix(row)] = symbol(target)
