"""Numbers beyond all sizes that are searched: decided by bounds, by growth, or by the power as which a formula grows.

There a formula is a power of the unknown times what stays between two numbers. Exponents are exact, so what grows alike
cancels exactly, however far the numbers reach.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flopsheet.functions.power_laws import PowerLaw, law_of
from flopsheet.numbers.many_digits import PRECISIONS, ends_of
from flopsheet.numbers.sets import ABOVE_ZERO, ALL, BELOW_ZERO, meet
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, around, in_floats
from flopsheet.numbers.within import touches
from flopsheet.search.grid import from_further_in, near_end
from flopsheet.search.pruning import Pruning
from flopsheet.tolerances import PLATEAU
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from flopsheet.numbers.sets import Interval
    from flopsheet.search.field import Field
    from flopsheet.units import Number

_SIGNED = {1: (ABOVE_ZERO,), -1: (BELOW_ZERO,), 0: ALL}


def is_one_number(span: Span) -> bool:
    """Return whether all numbers of a span are one within rounding, however large its finite ends are."""
    ends_are_finite = is_finite(span.low) and is_finite(span.high)
    return ends_are_finite and span.high - span.low <= Fraction(PLATEAU) * size(span.low)


def exact_span(row: Interval) -> Span:
    """Return numbers in a row as a span whose ends are exact, so that no rounding moves them."""
    low, high = (Fraction(end) if is_finite(end) else end for end in (row.lower, row.upper))
    return Span(low, high, exact=True)


class Beyond(Pruning):
    """Decides numbers that no box holds: beyond all sizes, and between two neighbours."""

    def decides_beyond(self, part: Interval) -> bool:
        """Return whether all numbers beyond a size are decided: from there, or from further in if powers overflow."""
        first, *others = from_further_in(part)
        return self._decides(first) or (self.field.overflows(first) and any(map(self._decides, others)))

    def _decides_exactly(self, row: Interval) -> bool:
        """Whether exact bounds decide numbers in a row, which then are inside of the set or not."""
        box = exact_span(row)
        if self._decide(self.field.bounds(box), row, self.sets):
            return True
        return self.is_thin and all(self.field.sign(box, level) for level in self.levels)

    def _rises_or_falls(self, gap: Interval) -> bool:
        """Whether the formula lies between its values at the ends of a gap, and these in the only part of the set."""
        doubtful = self.points.unsure | self.points.unknown
        if len(self.target) > 1 or not doubtful.isdisjoint((gap.lower, gap.upper)):
            return False
        try:
            spans = self.field.forward(exact_span(gap))  # rounding would reach over the end of a plateau
        except NoValueError:
            return False
        rate = self.field.rate(spans)
        return self.field.is_continuous(spans) and not rate.low < 0 < rate.high

    def _moved(self, low: Number, high: Number, spans: list[Span]) -> Span:
        """Return bounds of the formula over a gap, by its value at one end and its rate of change."""
        if not spans[self.field.program.result].total:
            return ANYTHING
        try:
            here = Span(*ends_of(self.field.precise(low, low, PRECISIONS[0])), exact=True)
        except (ArithmeticError, ValueError):
            return ANYTHING
        return here + in_floats(self.field.rate(spans) * around(0, high - low))

    def _decides(self, part: Interval) -> bool:
        """Return whether bounds decide all numbers beyond a size, or how the formula grows from there."""
        spans = self.undecided(part.lower, part.upper)
        if spans is None or self._contracts(part, spans) or self._follows_power(part):
            return True
        left = self._grown(part, spans)
        return left is None or self._contracts(part, left)

    def _follows_power(self, part: Interval) -> bool:
        """Return whether the power as which the formula grows decides all numbers of a part."""
        try:
            law = power_law(self.field, part)
        except NoValueError:
            return True
        value, signed = law.span, _SIGNED[law.sign]
        is_level = self.is_thin and self.points.is_rounded and is_one_number(value)
        near = is_level and self.points.is_near(part.inside())  # met within rounding, as an output is
        inside = value.total and (near or not touches(value, meet(self.others, signed)))
        self.inside += [part] * inside
        return inside or not touches(value, meet(self.target, signed))

    def _contracts(self, part: Interval, spans: list[Span]) -> bool:
        """Return whether contraction by bounds decides all numbers of a part."""
        value = spans[self.field.program.result]
        if self._contracted(spans, self.target, value) is None:
            return True
        inside = value.total and not self.is_thin and self._contracted(spans, self.others, value) is None
        self.inside += [part] * inside
        return inside

    def _grown(self, part: Interval, spans: list[Span]) -> list[Span] | None:
        """Return bounds of all operations beyond a size, from how these grow from there; None where they decide."""
        end, far = near_end(part)
        here, ratios = self.at(end), Span(0, math.inf) if far else Span(-math.inf, 0)
        if here is None:
            return spans
        growth = self.field.growth(spans, here, ratios)
        signed = _SIGNED[growth.growths.sign(self.field.program.result)]
        sides = [(growth, (meet(self.target, signed), meet(self.others, signed)))]
        if self.level is not None and (balance := self.field.balance(growth, here, self.level)) is not None:
            sides.append((balance, self._beside_one))
        decided = any(self._decide(grown.over(ratios), part, sets) for grown, sets in sides)
        return None if decided else growth.growths.spans


def power_law(field: Field, part: Interval) -> PowerLaw:
    """Return the result of a field over the numbers beyond a size, outwards or towards zero.

    There the unknown is `end * y` or `end / y`, for y from 1 on.

    Raises:
        NoValueError: the formula has no value anywhere there.
    """
    end, far = near_end(part)
    spans = field.at(Fraction(end))  # exact, so that the numbers by which powers are multiplied are
    laws: list[Any] = [PowerLaw(span) if isinstance(span, Span) else span for span in spans]
    laws[field.place] = PowerLaw(spans[field.place], 1 if far else -1)
    for place, operation in field.varying:
        laws[place] = law_of(operation.entry, operation.node, operation.taken(laws)).shortened
    field.evaluations += len(field.varying)
    law: PowerLaw = laws[field.program.result]
    return law
