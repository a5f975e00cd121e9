"""Inequalities at random bounds: what is inside an answer holds, what is outside fails, and each end is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.cases import check_each
from tests.models.independent import as_digits
from tests.models.points import SHEETS, drawn, example
from tests.models.sampling import parts_of, share

from flopsheet.numbers.sets import Interval, is_in, whole_ends
from flopsheet.units import in_unit, is_finite

if TYPE_CHECKING:
    from tests.cases import Record
    from tests.models.points import Point

    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number

PAIRS_OF_BOUND, SAMPLES, PARTS = 5, 8, 6
TINY = Fraction(1, 10**30)
POLE = 10**12  # an output so many times as large as its bound is at a pole, but for rounding of the inputs
ROUNDED = Fraction(1, 10**12)  # what floats may be off on the way to an output


@dataclass(frozen=True)
class Bound:
    """An input, and a bound on an output that depends on it."""

    point: Point
    free: str
    output: str
    sign: str
    level: Fraction  # in the unit of the output

    @property
    def text(self) -> str:
        """The relation."""
        above, below = self.level.as_integer_ratio()
        return f"{self.output} {self.sign} {above} {self.point.sheet.cells[self.output].unit.text} / {below}"

    @property
    def is_exact(self) -> bool:
        """Whether nothing on the way to the output is a float."""
        given = (cell.si for name, cell in self.point.answer.cells.items() if name not in self.point.formulas)
        return isinstance(self.point.independent[self.output], Fraction) and not any(
            isinstance(si, float) for si in given
        )

    def holds(self, at: Number) -> bool | None:
        """Return whether the relation holds where the input has a value; None where only rounding tells."""
        try:
            value = self.point.output_at(self.free, at, self.output)
            if not self.point.bounds_allow(self.free, at, self.output):
                return None if self.is_at_bound(at) else False
        except (ArithmeticError, ValueError):
            return None if self.is_at_gap(at) else False
        level = self.level * self.point.sheet.cells[self.output].unit.factor
        if not self.is_exact and abs(as_digits(value) - as_digits(level)) <= as_digits(ROUNDED * abs(level)):
            return None
        return self._is_met(value, level)

    def _is_met(self, value: Any, level: Fraction) -> bool:
        gap: Any = value - level if isinstance(value, Fraction) else value - as_digits(level)
        return bool(gap <= 0 if self.sign == "<=" else gap >= 0)

    def is_at_bound(self, at: Number) -> bool:
        """Whether rounding of the input decides whether all cells stay within their bounds."""
        near = (Fraction(at) * (1 + way * ROUNDED) for way in (-1, 1))
        low, high = (self.point.bounds_allow(self.free, number, self.output) for number in near)
        return not self.is_exact and low != high

    def is_at_gap(self, at: Number) -> bool:
        """Whether rounding of the input decides whether the output has a value, as beside a pole."""
        near = (Fraction(at) * (1 + way * ROUNDED) for way in (-1, 1))
        return not self.is_exact and any(self.has_value(number) for number in near)

    def has_value(self, at: Number) -> bool:
        """Whether the output has a value where the input has one."""
        try:
            self.point.output_at(self.free, at, self.output)
        except (ArithmeticError, ValueError):
            return False
        return True

    def is_at_jump(self, at: Number) -> bool:
        """Whether rounding of the input decides on which side of a jump or a pole of the output it is."""
        if self.is_exact:
            return False
        off = Fraction(at) * Fraction(ROUNDED)
        level = self.level * self.point.sheet.cells[self.output].unit.factor
        try:
            low, here, high = (
                self.point.output_at(self.free, Fraction(at) + way * off, self.output) for way in (-1, 0, 1)
            )
        except (ArithmeticError, ValueError):
            return False
        is_pole = bool(abs(as_digits(here)) > as_digits(POLE * abs(level)))
        return is_pole or self._is_met(low, level) != self._is_met(high, level)


@cache
def bounds_of(name: str, draws: int) -> list[Bound]:
    """Return random bounds on outputs of a sheet, always the same: one for so many pairs at each draw."""
    chance = Random(name)  # noqa: S311  # the same each time
    bounds = []
    for number in range(math.ceil(len(example(name).pairs) * draws / PAIRS_OF_BOUND)):
        point = drawn(name, number % draws)
        free, output = chance.choice(point.pairs)
        shown = Fraction(in_unit(point.value(output), point.sheet.cells[output].unit))
        factor = chance.choice([1, 1 + 10 ** chance.uniform(-6, 0), 1 - 10 ** chance.uniform(-6, -0.1)])
        level = shown if factor == 1 else Fraction(f"{float(shown * Fraction(factor)):.6g}")
        bounds.append(Bound(point, free, output, chance.choice(["<=", ">="]), level))
    return bounds


@pytest.mark.slow
@pytest.mark.parametrize(("name", "part"), parts_of(SHEETS))
def test_bounds_are_met_inside_and_nowhere_else(
    name: str, part: int, record_property: Record, request: pytest.FixtureRequest, most_asked: int
) -> None:
    """One bound for 5 pairs at each draw: at most four times `--pairs` of a sheet."""
    bounds = bounds_of(name, request.config.getoption("--draws"))
    check_each(
        share(bounds, name, part, most_asked * 4, record_property), check_bound, record_property, "random bounds"
    )


def check_bound(bound: Bound) -> None:
    answer = bound.point.asked_back([bound.free], [bound.text], limits=False)
    outcome = answer.outcomes[bound.free]
    cell, known = outcome.cell, bound.point.value(bound.free)
    chance = Random(bound.text)  # noqa: S311  # the same each time
    samples = [known, *(known * 10 ** chance.uniform(-1, 1) for _ in range(SAMPLES))]
    for sample in samples:
        at = round(sample) if cell.integer else sample
        if at in cell.bounds and not is_in(at, outcome.open):
            assert bound.holds(at) in (None, is_in(at, outcome.listed)), f"{bound.free} = {at}"
    parts = outcome.listed if len(outcome.listed) <= PARTS else outcome.listed[:3] + outcome.listed[-3:]
    for part in parts:
        (check_wholes if cell.integer else check_ends)(bound, part, outcome.listed, outcome.open)


def check_wholes(bound: Bound, part: Interval, solutions: RealSet, opened: RealSet) -> None:
    """Check the first and last integer of a range, and those before and behind it."""
    cell = bound.point.sheet.cells[bound.free]
    first, last = whole_ends(part)
    for inside, beyond in ((first, first - 1), (last, last + 1)):
        if is_finite(inside) and first <= last:
            assert bound.holds(inside) in (None, True), f"{bound.free} = {inside} is in {part}"
            if beyond in cell.bounds and not is_in(beyond, solutions) and not is_in(beyond, opened):
                assert bound.holds(beyond) in (None, False), f"{bound.free} = {beyond} is not in {part}"


def check_ends(bound: Bound, part: Interval, solutions: RealSet, opened: RealSet) -> None:
    """Check the ends of a range, and the numbers beside them: the next floats, or what is nearer for exact ends."""
    for (end, closed), way in zip(part.ends, (-1, 1), strict=True):
        if not is_finite(end):
            continue
        beyond, inside = _beside(end, way), _beside(end, -way)
        if closed and not bound.is_at_jump(end):
            assert bound.holds(end) in (None, True), f"{bound.free} = {end} ends {part}"
        if part.lower < inside < part.upper and not bound.is_at_jump(inside):
            assert bound.holds(inside) in (None, True), f"{bound.free} = {inside} is in {part}"
        outside = [beyond] if closed or isinstance(end, float) else [end, beyond]
        for at in outside:
            if at in bound.point.sheet.cells[bound.free].bounds and not is_in(at, solutions) and not is_in(at, opened):
                is_out = bound.holds(at) in (None, False) or bound.is_at_jump(at) or bound.is_at_bound(at)
                assert is_out, f"{bound.free} = {at} is not in {part}"


def _beside(end: Number, way: int) -> Number:
    return (
        math.nextafter(end, way * math.inf) if isinstance(end, float) else end + way * (abs(Fraction(end)) or 1) * TINY
    )
