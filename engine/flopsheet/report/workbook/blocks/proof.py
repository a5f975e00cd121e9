"""Blocks of the sheet Search that prove an answer: whether all relations hold at what a closed form or a search gives.

Where a closed form has no value, as of a coefficient that has become zero, its relations may hold for every number.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import FlopsheetError
from flopsheet.formulas.trees import is_whole, symbol_names
from flopsheet.functions.spec import bounds_of
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.spans import Span
from flopsheet.report.workbook.blocks.rows import HOLDS, TRIED, Rows
from flopsheet.report.workbook.way import FORM, SEARCH, Way, boundary_of
from flopsheet.report.workbook.writer import number_in
from flopsheet.tolerances import CLOSENESS
from flopsheet.units import close, in_unit, is_finite

if TYPE_CHECKING:
    from flopsheet.report.workbook.live import Live
    from flopsheet.report.workbook.model import Model
    from flopsheet.report.workbook.writer import SheetWriter
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

SMALLEST = 2.0**-512  # stands for the smallest positive number


class Proven(NamedTuple):
    """Where a block has its results."""

    holds: str  # whether all relations hold at the candidate
    otherwise: str  # the answer where they do not: a number of which every one works, else #N/A
    any: str  # whether every number works
    is_met: bool  # whether the candidate works at the inputs of the question


def needs_proof(live: Live, way: Way) -> bool:
    """Whether what a closed form or a search gives may miss a relation, a bound of the cell or a whole number."""
    if way.kind not in (FORM, SEARCH):
        return False
    if any(own not in way.relations for own in live.conditions.get(way.cell.name, ())):
        return True
    if way.cell.integer and not way.whole and not (way.forms and is_whole(boundary_of(way), _counts(live))):
        return True
    return bool(way.forms) and not _is_within(live, way)


def bound_tests(cell: Cell, place: str, *, whole: bool) -> list[str]:
    """Return tests that a number is outside the bounds of a cell, or no whole number where it must be one."""
    bounds, tests = cell.bounds, []
    if is_finite(bounds.lower):
        sign = "<" if bounds.lower_closed else "<="
        tests.append(f"{place}{sign}{number_in(in_unit(bounds.lower, cell.unit))}")
    if is_finite(bounds.upper):
        tests.append(f"{place}>{number_in(in_unit(bounds.upper, cell.unit))}")
    if cell.integer and not whole:
        tests.append(f"ABS({place}-ROUND({place},0))*{CLOSENESS}>ABS({place})")
    return tests


class Proof(Rows):
    """Writes the block of a candidate."""

    def __init__(self, writer: SheetWriter, model: Model, way: Way, title: str) -> None:
        conditions = tuple(model.live.conditions.get(way.cell.name, way.relations))
        sides = (side for own in conditions for side in (own.left, own.right))
        columns = tuple(model.live.between(way.cell.name, *sides))
        super().__init__(writer, model, replace(way, relations=conditions, columns=columns), title)
        self.tolerant = True

    def write(self, candidate: str) -> Proven:
        """Write the rows of the candidate, and of another number where it has no value."""
        model, cell = self.model, self.way.cell
        at = self.live.values[self.name]
        at = 0 if isinstance(at, str) else at
        self._head(f"{self.subject}: whether all relations hold")
        self.writer.row()
        known = self._row("candidate", candidate, at)
        first, is_possible = self.writer.line + 1, at in cell.bounds and (not cell.integer or close(at, round(at)))
        is_met = model.has_values and known.holds and is_possible
        self.writer.row()
        other = usual(cell, at)
        self._row("any other", f"={number_in(in_unit(other, self.unit))}", other)
        second = self.writer.line + 1
        # Without a boundary, what holds at one number holds at all; a search without a result proves no such thing.
        every = f"AND(ISERROR(D{first}),E{second})" if self.way.kind == FORM else "FALSE"
        self.writer.row("every number", style="plain")
        self.writer.formula(HOLDS, f"={every}", False)
        self.writer.row("otherwise", style="plain")
        self.writer.formula(TRIED, f"=IF({every},D{second},NA())", "#N/A")
        line = self.writer.line + 1
        return Proven(self._place(HOLDS, first), self._place(TRIED, line), self._place(HOLDS, line - 1), is_met)

    def _tests(self, row: str) -> list[str]:
        outside = [f"NOT({test})" for test in bound_tests(self.way.cell, f"D{row}", whole=False)]
        return [*outside, *super()._tests(row)]


def usual(cell: Cell, at: Number) -> Number:
    """Return the number that an answer takes where every one works: an end of its bounds, or else the one it has."""
    return next((end for end in (cell.bounds.lower, cell.bounds.upper) if is_finite(end) and end in cell.bounds), at)


def _counts(live: Live) -> frozenset[str]:
    return frozenset(cell.name for cell in live.question.sheet.cells.values() if cell.integer)


def _is_within(live: Live, way: Way) -> bool:
    """Whether a closed form has a value within the bounds of its cell, wherever its inputs are within theirs.

    The inputs that are zero or more have to leave it a value at zero too, and its bounds only above.
    """
    form, bounds = boundary_of(way), way.cell.bounds
    names = symbol_names(form)
    try:
        total = bounds_of(form, {symbol(name): _span(live, name) for name in names}).total
        span = bounds_of(form, {symbol(name): _span(live, name, positive=True) for name in names})
    except (FlopsheetError, ArithmeticError, KeyError, TypeError, ValueError):
        return False
    low = span.low > bounds.lower or (bounds.lower_closed and span.low == bounds.lower)
    return bool(total and (low or span.low >= 0 == bounds.lower) and span.high <= bounds.upper)


def _span(live: Live, name: str, *, positive: bool = False) -> Span:
    """Return what a cell or a number of the question may be; of one that is zero or more, what is above zero."""
    cell = live.question.sheet.cells.get(name)
    if cell is None:  # a number of the question
        value = live.values[name]
        return Span(SMALLEST, math.inf) if not isinstance(value, str) and value > 0 else Span(-math.inf, math.inf)
    bounds = cell.bounds
    is_above = positive or not bounds.lower_closed
    return Span(max(bounds.lower, SMALLEST) if is_above and bounds.lower >= 0 else bounds.lower, bounds.upper)
