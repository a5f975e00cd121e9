"""Builds the rows of a YAML sheet: first what each row states, then the formulas, which may name any of them."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from flopsheet.errors import FlopsheetError, FormulaError, Place, RegistryError, find, shortened
from flopsheet.formulas.parser import parse_relation, read_formula
from flopsheet.functions.symbols import symbol
from flopsheet.registry.kinds import KINDS
from flopsheet.sheets.cell import Cell, Part, conditions_of, figure_aliases, part_cells
from flopsheet.sheets.joining import PERMIT, cycle_problem, find_cycle, in_order, needed
from flopsheet.sheets.kernel import NAME, Rows
from flopsheet.sheets.statements import LOWER_BOUNDS, VALUES, Row, make_cell, make_choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.formulas.relation import Need, Relation
    from flopsheet.registry.strict_yaml import Reader

LONGEST_NAME, MOST_ROWS, FIGURES, ENOUGH_MISTAKES = 100, 5_000, 20, 100
# The keys of the rows of each section, and those that a row must have.
SECTIONS = {
    "sheets": (("sheet", "doc"), ("sheet",)),
    "parts": (("kind", "doc", "example", "of", "bare", "after"), ("kind",)),
    "choices": (("options", "doc", *VALUES), ("options",)),
    "cells": (
        (
            *("formula", "unit", "doc", *VALUES, "inferred", "fixed", "source", "symbol"),
            *("integer", "headline", *LOWER_BOUNDS, "maximum"),
        ),
        (),
    ),
    "limits": (("relation", "doc", "domain_of"), ("relation",)),
}
FLAGS = ("integer", "signed", "bare", "headline", "fixed")
_OPTION = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class YamlRow(Row):
    """A row of a section, `cells.d_model`, whose mistakes are recorded, so that a file reports all of them."""

    reader: Reader  # its mapping
    spot: Place  # place of its name in the file

    def take(self, keys: Iterable[str], required: Iterable[str]) -> None:
        """Check the keys of the row, and read what it states under them."""
        self.reader.check_keys(keys, required)
        for key in filter(self.reader.has, keys):
            self.values[key] = self.reader.recover(None, self._read, key)

    def _read(self, key: str) -> Any:
        if key in ("options", "inferred"):
            return self.reader.texts(key)
        return self.reader.flag(key, default=False) if key in FLAGS else self.reader.text(key)

    def where(self, key: str = "") -> str:
        """Return file, line, column and key path of the value under a key; of the row without one."""
        return self.reader.place(key) if self.reader.has(key) else f"{self.spot}, key '{self.reader.path}'"

    def report(self, key: str, error: FlopsheetError) -> None:
        """Record a mistake under a key."""
        self.reader.report(_placed(error, self.where(key)))


def _placed(error: FlopsheetError, where: str) -> RegistryError:
    return error if isinstance(error, RegistryError) else RegistryError(where, error.problem, error.fix)


def parse_limit(text: str, names: Mapping[str, Any], where: str) -> Relation:
    """Return the relation that a text states over cells alone; raise a FormulaError where it holds a quantity."""
    relation = parse_relation(text, names, where)
    if relation.literals:
        problem = f"The limit contains the quantity '{next(iter(relation.literals))}'."
        raise FormulaError(where, problem, "Declare a cell with this default and a source, and use the cell.")
    return relation


def sheet_of(name: str, prefixes: Iterable[str]) -> str:
    """Return the innermost embedded sheet that a name belongs to, or an empty text."""
    return max((prefix for prefix in prefixes if name.startswith(f"{prefix}.")), key=len, default="")


class Builder:
    """Builds the rows of one file, whose reader records the mistakes."""

    def __init__(self, reader: Reader, name: str) -> None:
        self.reader, self.rows = reader, Rows(name)
        self.rows.implicit = reader.recover(False, reader.flag, "implicit", default=False)
        self.sections = {section: self._section(section) for section in SECTIONS}
        if sum(map(len, self.sections.values())) + FIGURES * len(self.sections["parts"]) > MOST_ROWS:
            problem = f"The sheet has more than {MOST_ROWS:,} rows, figures of records included."
            raise RegistryError(reader.place_here(), problem, "Split it.")
        self.cells: dict[str, Cell] = {}
        self.names: dict[str, None] = {}
        self.needs: dict[str, list[Need]] = {}  # what formulas need that sympy leaves out of them

    def build(self) -> Rows:
        """Return the rows; the reader records the mistakes."""
        for row in self._rows("sheets"):
            part = Part(row.name, row.text("sheet"), row.text("doc"))
            row.recover("", None, self.rows.add_sheet, part, {}, row.place)
        self._add_choices()
        self._read_cells(self._add_parts())
        self.names = dict.fromkeys([*self.cells, *self.sections["cells"], *self.sections["choices"]])
        self._read_formulas()
        self._add_cells()
        self._add_limits()
        self._add_domains()
        self._add_aliases()
        return self.rows

    def _mapping(self, name: str) -> Reader | None:
        return self.reader.recover(None, self.reader.inner, name) if self.reader.has(name) else None

    def _section(self, name: str) -> dict[str, YamlRow]:
        mapping, rows = self._mapping(name), {}
        for key, spot in mapping.node.keys.items() if mapping else ():
            if len(key) > LONGEST_NAME:
                where = f"{spot}, key '{name}.{key[:LONGEST_NAME]}…'"
                problem = f"A name has at most {LONGEST_NAME} characters."
                self.reader.report(RegistryError(where, problem, "Shorten it."))
            elif mapping and (inner := mapping.recover(None, mapping.inner, key)) is not None:
                rows[key] = YamlRow(key, Place(spot.file, spot.line), {}, inner, spot)
        return rows

    def _rows(self, section: str) -> Iterator[YamlRow]:
        for row in self.sections[section].values():
            row.take(*SECTIONS[section])
            yield row

    def _prefix(self, name: str) -> str:
        return sheet_of(name, self.sections["sheets"])

    def _add_choices(self) -> None:
        for row in self._rows("choices"):
            options = row.values.get("options") or ()
            for option in options:
                if not _OPTION.fullmatch(option) or keyword.iskeyword(option):
                    shown = shortened(option)
                    problem = f"'{shown}' cannot be an option: formulas cannot contain select(..., {shown}=a)."
                    row.reject("options", problem, "Use letters, digits and _.")
            if options:
                row.recover("", None, self.rows.add_choice, make_choice(row, options), row.place)

    def _add_parts(self) -> dict[str, list[Cell]]:
        """Add the records, and return their cells by the cell of the file that they follow; empty for the first."""
        following: dict[str, list[Cell]] = {}
        for row in self._rows("parts"):
            kind, doc, example, of = (row.text(key) for key in ("kind", "doc", "example", "of"))
            part = Part(row.name, kind, doc, example, of, bool(row.values.get("bare")))
            after = row.text("after")
            row.recover("kind", None, find, part.kind, KINDS, "kind of records", row.where("kind"))
            if part.kind not in KINDS:
                continue
            row.recover("", None, self.rows.add_part, part, (), row.place)
            if after:
                row.recover("after", None, find, after, self.sections["cells"], "cell", row.where())
            figures = [*KINDS[part.kind].all_fields.values()]
            bound = aliases.node.keys if (aliases := self._mapping("aliases")) else ()
            cells = part_cells(part, figures, row.place, self._prefix(part.name))
            cells = [cell for cell in cells if cell.name not in bound]
            self.rows.aliases |= figure_aliases(part, cells)
            following.setdefault(after, []).extend(cells)
        return following

    def _read_cells(self, following: dict[str, list[Cell]]) -> None:
        """Read the cells without their formulas, in the order of the file, with those of records between them."""
        cells = [*following.get("", [])]
        for row in self._rows("cells"):
            cell = make_cell(row, computed=row.reader.has("formula"), prefix=self._prefix(row.name))
            record = sheet_of(row.name, self.rows.parts)
            if record:
                problem = f"'{record}' is a record of kind {self.rows.parts[record].kind}, which has its own figures."
                row.reject("", problem, "Rename the cell.")
            elif cell is not None:
                cells.append(cell)
            cells += following.get(row.name, [])
        figures = {cell.name: cell for cell in cells if cell.part}
        self.cells = {cell.name: self._with_figure(cell, figures.get(cell.name)) for cell in cells}

    def _with_figure(self, cell: Cell, figure: Cell | None) -> Cell:
        """Return a cell of the file as the figure of a bare part that it changes; one with a formula is none."""
        if figure is None or cell.part or self.sections["cells"][cell.name].reader.has("formula"):
            return cell
        return replace(cell, part=figure.part, figure=figure.figure)

    def _read_formulas(self) -> None:
        for name, row in self.sections["cells"].items():
            text = row.text("formula")
            if text and not self._is_hopeless():
                read = row.recover("formula", None, read_formula, text, self.names, row.where())
                if read is not None and name in self.cells:
                    self.cells[name] = replace(self.cells[name], formula=read[0])
                    self.needs |= {name: read[1]} if read[1] else {}
            texts = () if self._is_hopeless() else row.values.get("inferred") or ()
            formulas = [row.recover("inferred", None, read_formula, text, self.names, row.where()) for text in texts]
            if formulas and name in self.cells:
                inferred = [formula for formula in formulas if formula is not None]
                self.cells[name] = replace(self.cells[name], inferred=tuple(own for own, _ in inferred))
                self.needs |= {name: needs} if (needs := [need for _, own in inferred for need in own]) else {}

    def _is_hopeless(self) -> bool:
        """Whether there are more mistakes than anybody reads: the search for near names takes a while."""
        return len(self.reader.problems or ()) > ENOUGH_MISTAKES

    def _add_cells(self) -> None:
        """Add the cells in order, first without formulas, so that one mistake does not lead to others."""
        ordered, cycles = in_order(self.cells)
        for cycle in [] if self.rows.implicit else cycles:
            row = self.sections["cells"][find_cycle(cycle)[0]]
            row.reject("formula", cycle_problem(cycle), f"{PERMIT} 'implicit: true'.")
        for cell in ordered.values():
            row = self._row_of(cell)
            row.recover("", None, self.rows.add_cell, replace(cell, formula=None, inferred=()))
        for name, cell in ordered.items():
            added = bool(cell.formulas) and name in self.rows.cells
            if added and not self._is_hopeless() and self._are_known(needed(cell)):
                self._row_of(cell).recover(
                    "inferred" if cell.formula is None else "formula", None, self.rows.replace_cell, cell
                )
        self.rows.changed.clear()

    def _row_of(self, cell: Cell) -> YamlRow:
        """Return the row that declares a cell: its own, or that of its record."""
        return self.sections["cells"].get(cell.name) or self.sections["parts"][cell.part]

    def _are_known(self, names: frozenset[str]) -> bool:
        return all(name in self.rows.cells or name in self.rows.choices for name in names)

    def _add_limits(self) -> None:
        for row in self._rows("limits"):
            text = row.text("relation")
            if not text or self._is_hopeless():
                continue
            limit = row.recover("relation", None, parse_limit, text, self.names, row.where("relation"))
            if limit is not None and self._are_known(limit.cells):
                of = row.text("domain_of")
                if of:
                    row.recover("domain_of", None, find, of, self.rows.cells, "cell", row.where("domain_of"))
                limit = replace(limit, name=row.name, doc=row.text("doc"), place=row.place, of=of)
                is_domain = bool(of) and limit.right == 0
                row.recover("relation", None, self.rows.add_domain if is_domain else self.rows.add_limit, limit)

    def _add_domains(self) -> None:
        """Add what formulas as written need to have a value as limits, where sympy leaves it out: `exp(log(x - 3))`."""
        for name, needs in self.needs.items():
            row, names = self.sections["cells"][name], (f"{name.replace('.', '_')}_domain{at or ''}" for at in count())
            conditions, several = conditions_of(needs, self.rows.cells), len(self.cells[name].inferred) > 1
            if conditions and several:  # which of them is used, a limit could not say
                problem = f"One of several formulas has a value only where {conditions[0].text}, and is simplified."
                row.reject("inferred", problem, "Make it a cell with this formula, and infer from that.")
                continue
            for need in conditions:
                free = next(own for own in names if own not in self.rows)
                doc = f"Where the formula of {name}, as it is written, has a value"
                if self._are_known(need.cells):
                    limit = replace(need, name=free, doc=doc, place=row.place, of=name)
                    row.recover("formula", None, self.rows.add_domain, limit)

    def _add_aliases(self) -> None:
        """Add the meaning of other names under a prefix; that of a record includes all its figures."""
        mapping = self._mapping("aliases")
        for name, spot in mapping.node.keys.items() if mapping else ():
            if mapping:
                where = f"{spot}, key '{mapping.key(name[:LONGEST_NAME])}'"
                try:
                    self._add_alias(name, mapping.text(name), where)
                except FlopsheetError as error:
                    mapping.report(_placed(error, where))

    def _add_alias(self, name: str, row: str, where: str) -> None:
        find(row, [*self.rows.cells, *self.rows.choices, *self.rows.parts], "row", where)
        if name in self.rows or not self._prefix(name) or len(name) > LONGEST_NAME or not NAME.fullmatch(name):
            fix = "Write a name under one of 'sheets' that is not a row itself."
            raise RegistryError(where, "This cannot be another name of a row.", fix)
        figures = [cell for cell in self.rows.cells if cell.startswith(f"{row}.")] if row in self.rows.parts else []
        for target in (row, *figures):
            self.rows.aliases[name + target.removeprefix(row)] = symbol(target)
