"""Builds the rows of a YAML sheet: first what each row says, then the formulas, which may name any of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.errors import MOST_LISTED, RegistryError, find, joined
from flopsheet.formulas.parser import parse_formula
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.joining import circle_in, in_order, needed
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.pieces import Part
from flopsheet.sheets.yaml_rows import (
    LONGEST_NAME,
    Row,
    read_cell,
    read_choice,
    read_limit,
    read_part,
    refuse,
    sheet_of,
    told,
)

if TYPE_CHECKING:
    from flopsheet.registry.reader import Reader
    from flopsheet.sheets.cell import Cell

MOST_ROWS, FIGURES, ENOUGH_MISTAKES = 5_000, 20, 100
SECTIONS = ("sheets", "parts", "choices", "cells", "limits")


class Builder:
    """Builds the rows of one file.

    Args:
        reader: the file; it takes the mistakes.
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

    def rows_of_file(self) -> Rows:
        """Return the rows; mistakes go to the reader."""
        self._add_sheets()
        self._add_choices()
        self._take_cells(self._add_parts())
        self.names = dict.fromkeys([*self.cells, *self.sections["cells"], *self.sections["choices"]])
        self._read_formulas()
        self._add_cells()
        self._add_limits()
        self._add_aliases()
        return self.rows

    def _section(self, name: str) -> dict[str, Row]:
        holder = self.reader.tried(lambda: self.reader.inner(name), None) if self.reader.has(name) else None
        rows = {}
        for key, spot in holder.node.keys.items() if holder else ():
            if len(key) > LONGEST_NAME:
                where = f"{spot}, key '{name}.{key[:LONGEST_NAME]}…'"
                problem = f"A name has at most {LONGEST_NAME} characters."
                self.reader.tried(partial(refuse, where, problem, "Shorten it."), None)
            elif holder and (inner := holder.tried(partial(holder.inner, key), None)) is not None:
                rows[key] = Row(key, inner, spot)
        return rows

    def _prefix(self, name: str) -> str:
        return sheet_of(name, self.sections["sheets"])

    def _add_sheets(self) -> None:
        for name, row in self.sections["sheets"].items():
            row.reader.check_keys(("sheet", "doc"), ("sheet",))
            part = Part(name, row.text("sheet"), row.text("doc"))
            row.tried("", partial(self.rows.add_sheet, part, {}, row.place), None)

    def _add_choices(self) -> None:
        for row in self.sections["choices"].values():
            choice = read_choice(row)
            if choice is not None:
                row.tried("", partial(self.rows.add_choice, choice, row.place), None)

    def _add_parts(self) -> dict[str, list[Cell]]:
        """Add the records, and return the cells that stand behind each cell of the file, or before all."""
        after: dict[str, list[Cell]] = {}
        for name, row in self.sections["parts"].items():
            found = read_part(row, self._prefix(name))
            if found is None:
                continue
            row.tried("", partial(self.rows.add_part, found[0], (), row.place), None)
            behind = row.text("after")
            if behind:
                row.tried("after", partial(find, behind, self.sections["cells"], "cell", row.where), None)
            after.setdefault(behind, []).extend(found[1])
        return after

    def _take_cells(self, after: dict[str, list[Cell]]) -> None:
        """Read the given cells, and the computed ones without their formulas, in the order of the file."""
        self._take(after.get("", []))
        for name, row in self.sections["cells"].items():
            cell, holder = read_cell(row, self._prefix(name)), sheet_of(name, self.rows.parts)
            if holder:
                kind = self.rows.parts[holder].kind
                row.refuse("", f"'{holder}' is a record of kind {kind}, with figures of its own.", "Rename the cell.")
            elif cell is not None:
                self._take([cell])
            self._take(after.get(name, []))

    def _read_formulas(self) -> None:
        for name, row in self.sections["cells"].items():
            text = row.text("formula")
            if text and not self._is_hopeless():
                made = row.tried("formula", partial(parse_formula, text, self.names, row.where), None)
                if made is not None and name in self.cells:
                    self.cells[name] = replace(self.cells[name], formula=made)

    def _is_hopeless(self) -> bool:
        """Whether there are more mistakes than anybody reads: looking for near names takes a while."""
        return len(self.reader.problems or ()) > ENOUGH_MISTAKES

    def _take(self, cells: list[Cell]) -> None:
        self.cells |= {cell.name: cell for cell in cells}

    def _add_cells(self) -> None:
        """Add the cells in order, first without formulas: one that is wrong takes nothing else down."""
        settled, waiting = in_order(self.cells)
        if waiting:
            circle = circle_in(waiting)
            some = [repr(name) for name in circle[:MOST_LISTED]] + (["others"] if circle[MOST_LISTED:] else [])
            problem = f"The formulas of {joined(some)} need each other."
            problem = problem if circle[1:] else f"The formula of '{circle[0]}' needs itself."
            self.sections["cells"][circle[0]].refuse("formula", problem, "Leave one of them given.")
        for name, cell in [*settled.items(), *waiting.items()]:
            row = self.sections["parts"][cell.part] if cell.part else self.sections["cells"][name]
            row.tried("", partial(self.rows.add_cell, replace(cell, formula=None)), None)
        for name, cell in settled.items():
            if (
                cell.formula is not None
                and name in self.rows.cells
                and not self._is_hopeless()
                and self._are_known(needed(cell))
            ):
                self.sections["cells"][name].tried("formula", partial(self.rows.replace_cell, cell), None)
        self.rows.changed.clear()

    def _are_known(self, names: frozenset[str]) -> bool:
        return all(name in self.rows.cells or name in self.rows.choices for name in names)

    def _add_limits(self) -> None:
        for row in self.sections["limits"].values():
            limit = None if self._is_hopeless() else read_limit(row, self.names)
            if limit is not None and self._are_known(limit.cells):
                row.tried("relation", partial(self.rows.add_limit, limit), None)

    def _add_aliases(self) -> None:
        """Add what else names under a prefix mean; of a record, with all its figures."""
        holder = self.reader.tried(lambda: self.reader.inner("aliases"), None) if self.reader.has("aliases") else None
        for name, spot in holder.node.keys.items() if holder else ():
            if holder:
                where = f"{spot}, key '{holder.key(name[:LONGEST_NAME])}'"
                holder.tried(partial(told, where, partial(self._add_alias, name, holder.text(name), where)), None)

    def _add_alias(self, name: str, meant: str, where: str) -> None:
        find(meant, [*self.rows.cells, *self.rows.choices, *self.rows.parts], "row", where)
        if name in self.rows or not self._prefix(name) or len(name) > LONGEST_NAME:
            fix = "Write the name of a row of one of 'sheets' that is no row of its own here."
            refuse(where, "This cannot be another name of a row.", fix)
        fields = [each for each in self.rows.cells if each.startswith(f"{meant}.")] if meant in self.rows.parts else []
        for each in (meant, *fields):
            self.rows.aliases[name + each.removeprefix(meant)] = symbol(each)
