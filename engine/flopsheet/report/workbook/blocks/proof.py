"""Blocks of the sheet Search that prove an answer: whether all relations hold at what a closed form or a search gives.

Where a closed form has no value, as of a coefficient that has become zero, its relations may hold for every number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import FlopsheetError
from flopsheet.formulas.trees import is_whole, symbol_names
from flopsheet.functions.spec import bounds_of
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.spans import Span
from flopsheet.report.workbook.blocks.rows import HOLDS, TRIED, At, ConditionRows
from flopsheet.report.workbook.live_texts import LARGEST
from flopsheet.report.workbook.solved.behind import folds_in
from flopsheet.report.workbook.solved.sides import is_free
from flopsheet.report.workbook.solved.way import FORM, SEARCH, Way, boundary_of
from flopsheet.report.workbook.solved.ways import sides_of
from flopsheet.report.workbook.writer import NO_NUMBER, number_in
from flopsheet.tolerances import CLOSENESS
from flopsheet.units import close, in_unit, is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.report.workbook.live import Live
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.writer import SheetWriter
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

FARTHEST = 1e50  # of numbers that are tried: no quantity is as large, and its powers are numbers too
SIGNS = (">", "<")
ORDER = ((">", False), ("<", False), (">", True), ("<", True))  # of sides, and whether limits bound there
SMALLEST = 2.0**-512  # stands for the smallest positive number


class Proven(NamedTuple):
    """Where a block has its results."""

    holds: str  # whether all relations hold at the candidate
    otherwise: str  # the answer where they do not: a number of which every one works, else #N/A
    any: str  # whether every number works
    is_met: bool  # whether the candidate, or every number, works at the inputs of the question
    is_any: bool = False  # whether every number does
    turned: str = ""  # whether the side opposite to that as asked decides
    both: str = ""  # whether relations bound it on both sides
    fraction: str = ""  # of a count: whether the candidate is a fraction that meets all else
    candidate: str = ""  # that candidate
    is_fraction: bool = False  # whether it is at the inputs of the question


def needs_proof(live: Live, way: Way) -> bool:
    """Whether what a closed form or a search gives may miss a relation, a bound of the cell or a whole number."""
    if way.kind not in (FORM, SEARCH):
        return False
    if any(own not in way.relations for own in live.conditions.get(way.cell.name, ())):
        return True
    if way.sign != "=" and (way.whole or way.kind == SEARCH):
        return True  # every number may work
    if way.cell.integer and not way.whole and not (way.forms and is_whole(boundary_of(way), _counts(live))):
        return True
    return bool(way.forms) and (_may_fold(live, way) or not _is_within(live, way))


def _may_fold(live: Live, way: Way) -> bool:
    """Whether a closed form undoes a root or an angle, so that it has a value too where that cannot be reached."""
    sides = [side for own in way.relations for side in (own.left, own.right)]
    sides += [live.formulas[column] for column in way.columns]
    return any(way.cell.name in live.on(node) for node in folds_in(sides))


def bound_tests(cell: Cell, place: str, *, whole: bool, margin: float = 0) -> list[str]:
    """Return tests that a number is outside the bounds of a cell, or no whole number where it must be one.

    Args:
        cell: the cell.
        place: where the number is.
        whole: whether it is known to be a whole number.
        margin: by how much it may be beyond a bound that belongs to the cell: a share of it, or of one if that is more.
    """
    bounds, tests = cell.bounds, []
    if is_finite(bounds.lower):
        low = in_unit(bounds.lower, cell.unit)
        sign, end = ("<", _moved(low, -margin)) if bounds.lower_closed else ("<=", low)
        tests.append(f"{place}{sign}{number_in(end)}")
    if is_finite(bounds.upper):
        tests.append(f"{place}>{number_in(_moved(in_unit(bounds.upper, cell.unit), margin))}")
    if cell.integer and not whole:
        tests.append(fraction_test(place))
    return tests


def _moved(end: Number, margin: float) -> Number:
    return float(end) + margin * max(1.0, abs(float(end))) if margin else end


def fraction_test(place: str) -> str:
    """Return the test that a number is no whole one."""
    return f"ABS({place}-ROUND({place},0))*{CLOSENESS}>ABS({place})"


@dataclass(frozen=True)
class Ends:
    """What relations that bound one side each do at both ends of a cell, at the inputs of the question."""

    numbers: tuple[Number, Number]
    sides: Sequence[str] = ()  # of each relation
    biting: frozenset[tuple[str, bool]] = frozenset()  # sides on which some do not hold, and whether limits do not
    is_any: bool = False  # whether all hold at both
    are_told: bool = False  # whether that is as the engine has it

    @property
    def is_range(self) -> bool:
        """Whether relations bound both sides."""
        return {side for side, _ in self.biting} == {*SIGNS}

    def is_turned(self, sign: str) -> bool:
        """Whether the side opposite to one decides: what was asked decides before limits, and a lower end before."""
        return next((own[0] for own in ORDER if own in self.biting), sign) != sign


def turned_text(sign: str, bites: Mapping[tuple[str, bool], str]) -> str:
    """Return a test that the side opposite to one decides, as `Ends.is_turned` has it."""
    text = "FALSE"
    for own in reversed(ORDER):
        text = f"IF({bites[own]},{'FALSE' if own[0] == sign else 'TRUE'},{text})"
    return text


class Proof(ConditionRows):
    """Writes the block of a candidate."""

    def __init__(self, writer: SheetWriter, model: Model, way: Way, title: str) -> None:
        super().__init__(writer, model, way, title)
        self.ends = self._ends()

    def _ends(self) -> Ends:
        """Return what relations do at both ends, where each bounds one side."""
        sides, numbers = sides_of(self.live, self.way), ends_of(self.way.cell)
        if not sides:
            return Ends(numbers)
        known = dict(zip(SIGNS, map(self._at, numbers), strict=True))
        pairs = zip(self.way.relations, sides, range(len(sides)), strict=True)
        bites = {(side, bool(own.name)) for own, side, at in pairs if not self._holds(own, known[side].sides[at])}
        is_any = all(end.holds for end in known.values())
        is_free_now = self.model.has_values and is_free(self.live.answer.outcomes.get(self.name))
        are_values = all(side is not None for end in known.values() for pair in end.sides for side in pair)
        return Ends(numbers, sides, frozenset(bites), is_any=is_any, are_told=are_values and is_any is is_free_now)

    def write(self, candidate: str, other: str | None = None) -> Proven:
        """Write the rows of the candidate, and of other numbers that tell whether every one works.

        The candidate is on the side of the answer as asked; another one on the other side is taken where that decides.
        """
        model, cell = self.model, self.way.cell
        value = self.live.values[self.name]
        at = 0 if isinstance(value, str) else value
        self._head(f"{self.subject}: whether all relations hold")
        tests = self._write_ends()
        turned = self._write_turned() if other is not None and tests else 0
        self.writer.row()
        if other is not None and turned:
            candidate = f"=IF($E${turned},{other[1:]},{candidate[1:]})"
        known = self._row("candidate", candidate, at)
        first, is_met = self.writer.line + 1, model.has_values and known.holds
        self.writer.row()
        beside = usual(cell, at)
        self._row("any other", f"={number_in(in_unit(beside, self.unit))}", beside)
        second, is_any = self.writer.line + 1, bool(tests) and self.ends.is_any
        # Without a boundary, what holds at one number holds at all; a search without a result proves no such thing.
        tests += [f"AND(ISERROR(D{first}),E{second})"] if self.way.kind == FORM else []
        every = f"OR({','.join(tests)})" if len(tests) > 1 else "".join(tests) or "FALSE"
        self.writer.row("every number", style="plain")
        self.writer.formula(HOLDS, f"={every}", is_any)
        line = self.writer.line + 1
        self.writer.row("otherwise", style="plain")
        self.writer.formula(TRIED, f"=IF(E{line},D{second},NA())", in_unit(beside, self.unit) if is_any else NO_NUMBER)
        places = self._place(HOLDS, first), self._place(TRIED, line + 1), self._place(HOLDS, line)
        proven = Proven(*places, is_met or is_any, is_any)
        if cell.integer and not self.way.whole:  # an equation sets it
            proven = self._with_fraction(proven, first, at)
        if not turned:
            return proven
        return proven._replace(turned=self._place(HOLDS, turned), both=self._place(HOLDS, turned + 1))

    def _with_fraction(self, proven: Proven, row: int, at: Number) -> Proven:
        """Write whether the candidate in a row is a fraction within the bounds that meets all relations."""
        place, bounds = f"D{row}", bound_tests(self.way.cell, f"D{row}", whole=True)
        tests = [*self._relations(str(row)), *(f"NOT({test})" for test in bounds), fraction_test(place)]
        known = self._at(at)
        is_fraction = self.model.has_values and at in self.way.cell.bounds and not close(at, round(at))
        is_fraction = is_fraction and all(map(self._holds, self.way.relations, known.sides))
        self.writer.row("only a fraction", style="plain")
        self.writer.formula(HOLDS, f"=IFERROR(AND({','.join(tests)}),FALSE)", is_fraction)
        fraction = self._place(HOLDS, self.writer.line + 1)
        return proven._replace(fraction=fraction, candidate=self._place(TRIED, row), is_fraction=is_fraction)

    @property
    def may_turn(self) -> bool:
        """Whether relations on the other side of the answer as asked may decide for other inputs."""
        return self.ends.are_told and len({*self.ends.sides}) > 1 and not self.ends.is_turned(self.way.sign)

    @property
    def is_range(self) -> bool:
        """Whether relations bound both sides at the inputs of the question."""
        return self.ends.is_range

    def _write_ends(self) -> list[str]:
        """Write rows of both ends of the cell, and return a test that all relations hold there, so between them too."""
        if not self.ends.are_told:
            return []
        for label, end in zip(("smallest", "largest"), self.ends.numbers, strict=True):
            self.writer.row()
            self._row(label, end, end)
        row = self.writer.line
        return [f"AND(E{row},E{row + 1})"]

    def _write_turned(self) -> int:
        """Write whether relations on the other side decide, and below it whether some bound both; return its row."""
        row = self.writer.line
        at = dict(zip(SIGNS, (self._relations(str(row)), self._relations(str(row + 1))), strict=True))
        bites = {(sign, own): self._bites(at[sign], sign, is_limit=own) for sign in SIGNS for own in (False, True)}
        self.writer.row("other side", style="plain")
        self.writer.formula(HOLDS, f"=IFERROR({turned_text(self.way.sign, bites)},FALSE)", False)
        both = ",".join(f"OR({bites[sign, False]},{bites[sign, True]})" for sign in SIGNS)
        self.writer.row("both sides", style="plain")
        self.writer.formula(HOLDS, f"=IFERROR(AND({both}),FALSE)", self.ends.is_range)
        return self.writer.line

    def _bites(self, tests: list[str], sign: str, *, is_limit: bool) -> str:
        """Return a test that some relation on a side, asked or a limit, does not hold at the end of the cell there."""
        own = zip(self.way.relations, self.ends.sides, tests, strict=True)
        failing = [f"NOT({test})" for relation, side, test in own if side == sign and bool(relation.name) is is_limit]
        return f"OR({','.join(failing)})" if len(failing) > 1 else "".join(failing) or "FALSE"

    def _at(self, at: Number) -> At:
        known, cell = super()._at(at), self.way.cell
        is_possible = at in cell.bounds and (not cell.integer or close(at, round(at)))
        return known._replace(holds=known.holds and is_possible)

    def _relations(self, row: str) -> list[str]:
        return super()._tests(row)

    def _tests(self, row: str) -> list[str]:
        outside = [f"NOT({test})" for test in bound_tests(self.way.cell, f"D{row}", whole=False)]
        return [*outside, *super()._tests(row)]


def ends_of(cell: Cell) -> tuple[Number, Number]:
    """Return the smallest and the largest number that a cell may have, or that stands for it."""
    bounds = cell.bounds
    beside: Number = 1 / FARTHEST if bounds.lower == 0 else bounds.lower
    low = bounds.lower if bounds.lower_closed else beside
    farthest = LARGEST if cell.integer else FARTHEST  # programs round numbers with fifteen digits
    return max(low, -farthest), min(bounds.upper, farthest)


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
