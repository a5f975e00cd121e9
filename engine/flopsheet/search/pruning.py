"""Pruning of a box: cuts off what bounds, contraction and interval Newton prove outside of a set, or inside of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from flopsheet.functions.algebra import quotient
from flopsheet.numbers.ends import width_of
from flopsheet.numbers.many_digits import PRECISIONS
from flopsheet.numbers.sets import Interval, complement
from flopsheet.numbers.span_logarithms import exponentials_of, logarithms_of
from flopsheet.numbers.spans import ANYTHING, NOTHING, NoValueError, Span, between, divided
from flopsheet.numbers.within import touches
from flopsheet.search.field import Trend
from flopsheet.search.points import Points
from flopsheet.tolerances import PLATEAU
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.derivatives import Smooth
    from flopsheet.search.field import Field, Growth
    from flopsheet.search.grid import Reals, Wholes
    from flopsheet.units import Number

SHRUNK = 0.95  # a box is contracted again while it becomes smaller than this share
BESIDE = 16  # so many widths from a plateau, a narrow box is beside it
NOISY = 4  # rounding decides the bounds over a box where they are at most so many times as wide as at its middle


class Pruning:
    """Prunes boxes of one unknown; what is proven inside of a set is collected, and what stays open.

    Args:
        field: the formula over the unknown.
        target: the set.
        grid: the numbers that boxes are split at.
        smooth: makes the derivatives of the formula less a level, where it has any.
    """

    def __init__(self, field: Field, target: RealSet, grid: Reals | Wholes, smooth: Smooth | None = None) -> None:
        self.smooth = smooth
        self.field, self.target, self.others = field, target, complement(target)
        self.sets = self.target, self.others
        self.is_thin = all(part.is_point for part in target)
        self.levels = {end for part in target for end, _ in part.ends if is_finite(end)}
        self.level = next(iter(self.levels)) if len(self.levels) == 1 else None  # the one end of the set
        self._beside_one = _beside_one(self.target), _beside_one(self.others)
        self.grid: Any = grid
        self.points = Points(field, target, self.grid)
        self.inside: list[Interval] = []
        self.open: list[Interval] = []
        self._rounded: dict[Number, tuple[Number, Number]] = {}  # roots by the nearest float, each between two
        self._plateaus: list[Interval] = []  # all over which one value is met within rounding

    def pruned(self, low: Number, high: Number) -> tuple[Number, Number, list[Span], Trend] | None:
        """Contract a box; return what is left of it with its bounds and trend, or None where it is decided."""
        box, facts, is_dense = (low, high), self.field.facts, self.grid.is_dense
        while True:
            spans = self.undecided(low, high)
            left = None if spans is None else self.kept(low, high, spans)
            if spans is None or left is None:
                return None
            middle = self.grid.middle(*left)
            value, centre = spans[self.field.program.result], self.at(middle)
            here = None if centre is None else centre[self.field.program.result]
            trend = self._trend(low, high, spans, middle, centre)
            if trend.growth is not None:
                spans = trend.growth.growths.spans
                value = trend.growth.value
            is_noisy = here is not None and NOISY * width_of(here) >= width_of(value) > 0
            settled = value.total and self._settles(*left, value, trend)
            if settled or (is_noisy and self._is_decided_precisely(*left, spans)):
                return None
            if value.total and self.is_monotone(trend):
                facts.trend((low, high), value, trend, is_dense=is_dense)
                facts.split(box, [(low, high)], is_dense=is_dense)
                return *left, spans, trend
            left = self._by_trend(left, trend, middle, here)
            if left is None:
                return None
            if left == (low, high):
                return low, high, spans, trend
            if left[0] == left[1] or self.grid.size(*left) >= SHRUNK * self.grid.size(low, high):
                spans = self.undecided(*left)
                return None if spans is None else (*left, spans, trend)
            low, high = left

    def _by_trend(
        self, left: tuple[Number, Number], trend: Trend, middle: Number, here: Span | None
    ) -> tuple[Number, Number] | None:
        """Contract a box by interval Newton, on rates and on growth; None where nothing is left."""
        if here is None or not here.total:
            return left
        kept = self._by_rate(*left, trend.rate, middle, here)
        kept = None if kept is None else self._by_growth(kept, trend.growth, middle, self.sets)
        return None if kept is None else self._by_growth(kept, trend.balance, middle, self._beside_one)

    def _trend(self, low: Number, high: Number, spans: list[Span], middle: Number, centre: list[Span] | None) -> Trend:
        """Return how the formula changes over a box: relative to itself where that is bounded, else by its rate."""
        grown = balance = None
        if centre is not None and (low > 0 or high < 0):
            ratios = logarithms_of(divided(self.grid.span(low, high), self.grid.span(middle, middle)))
            grown = self.field.growth(spans, centre, ratios)
            grown = grown if grown.value.total else None
        if grown is not None and centre is not None:
            balance = None if self.level is None else self.field.balance(grown, centre, self.level)
            sign = grown.growths.sign(self.field.program.result)
            if sign and (grown.growth.low >= 0 or grown.growth.high <= 0):
                return Trend(ANYTHING, (grown.growth.low >= 0) == ((sign > 0) == (low > 0)), grown, balance)
            if balance is not None and (balance.growth.low >= 0 or balance.growth.high <= 0):
                return Trend(ANYTHING, (balance.growth.low >= 0) == (low > 0), grown, balance)
        rate = self.field.rate(spans)
        return Trend(rate, None if rate.low < 0 < rate.high else rate.low >= 0, grown, balance)

    def is_monotone(self, trend: Trend) -> bool:
        """Whether bisection decides a box: the formula rises or falls, and nowhere stays within rounding of a value."""
        changes = [trend.rate, *(grown.growth for grown in (trend.growth, trend.balance) if grown is not None)]
        may_be_flat = self.is_thin and all(change.low <= 0 <= change.high for change in changes)
        return trend.rising is not None and not may_be_flat

    def way(self, low: Number, high: Number) -> bool | None:
        """Return whether the formula is continuous over a box and rises (True) or falls (False); None if unproven."""
        try:
            spans = self.field.forward(self.grid.span(low, high))
        except NoValueError:
            return None
        middle = self.grid.middle(low, high)
        trend = self._trend(low, high, spans, middle, self.at(middle))
        spans = spans if trend.growth is None else trend.growth.growths.spans
        changes = [trend.rate] if trend.growth is None else [trend.rate, trend.growth.growth]
        is_steep = any(change.low > 0 or change.high < 0 for change in changes)
        return trend.rising if is_steep and self.field.is_continuous(spans) else None

    def _settles(self, low: Number, high: Number, value: Span, trend: Trend) -> bool:
        """Decide a box over which the formula has one value, or one within rounding."""
        if self._is_edge(low, high, value, trend):
            self.inside.append(Interval(low, high))
            return True
        if not trend.is_flat:
            return False
        middle = self.grid.middle(low, high)
        near = self.is_thin and self.points.is_near(middle)  # within rounding, as an output is
        self._plateaus += [Interval(low, high)] * near
        if near or self.points.meets(middle):
            self.inside.append(Interval(low, high))
        elif middle in self.points.unknown:
            self.open.append(Interval(low, high))
        return True

    def _is_edge(self, low: Number, high: Number, value: Span, trend: Trend) -> bool:
        """Whether a box beside a plateau that is met within rounding is too narrow to tell where that ends."""
        growth = None if trend.growth is None else trend.growth.growth
        if growth is None or self.grid.size(low, high) > PLATEAU or (growth.low and growth.high):
            return False
        beside = BESIDE * (high - low)
        return any(flat.lower <= high + beside and flat.upper >= low - beside for flat in self._plateaus) and any(
            close(value.low, part.lower) and close(value.high, part.lower) for part in self.target
        )

    def undecided(self, low: Number, high: Number) -> list[Span] | None:
        """Return the bounds of all operations over a box; None where they decide it."""
        try:
            spans = self.field.forward(self.grid.span(low, high))
        except NoValueError:
            self.field.facts.bound((low, high), NOTHING, is_dense=self.grid.is_dense)
            return None
        self.field.facts.bound((low, high), spans[self.field.program.result], is_dense=self.grid.is_dense)
        return None if self._decide(spans[self.field.program.result], Interval(low, high), self.sets) else spans

    def _decide(self, value: Span, box: Interval, sets: tuple[RealSet, RealSet]) -> bool:
        """Return whether bounds of the formula decide a box: outside of a set, or inside, where it has a value."""
        target, others = sets
        if not touches(value, target):
            return True
        inside = value.total and not touches(value, others)
        self.inside += [box] * inside
        return inside

    def at(self, middle: Number) -> list[Span] | None:
        """Return the bounds of all operations at a point, whose width is that of rounding; None without a value."""
        try:
            return self.field.at(middle)
        except NoValueError:
            return None

    def _is_decided_precisely(self, low: Number, high: Number, spans: list[Span]) -> bool:
        """Return whether bounds with more digits decide a box."""
        width: Number = math.inf
        is_total = spans[self.field.program.result].total
        for bits in PRECISIONS:
            try:
                bounds, is_step = self.field.to_bits(low, high, bits)
            except NoValueError:
                return True
            except (ArithmeticError, ValueError):
                return False
            if is_step and is_total:
                return self._is_decided_step(low, high)
            bounds.total = is_total
            if self._decide(bounds, Interval(low, high), self.sets):
                return True
            if not is_finite(bounds.low) or not is_finite(bounds.high) or not bounds.high - bounds.low < width / 2:
                break  # not rounding but the size of the box makes the bounds wide
            width = bounds.high - bounds.low
        return False

    def _is_decided_step(self, low: Number, high: Number) -> bool:
        """Decide a box over which the formula has one value to many digits, though floats see two steps of a rounding.

        Numbers just below an integer count as it in floats; the ends tell on which side of that the box lies.
        """
        places = (low, self.grid.middle(low, high), high)
        met = {self._meets_nearly(at) for at in places}
        if len(met) > 1 or not self.points.unknown.isdisjoint(places):
            return False
        self.inside += [Interval(low, high)] * met.pop()
        return True

    def _meets_nearly(self, at: Number) -> bool:
        """Whether the formula lies in the set at a number, or within rounding of it, as an output is."""
        return (self.is_thin and self.points.is_near(at)) or self.points.meets(at)

    def kept(self, low: Number, high: Number, spans: list[Span]) -> tuple[Number, Number] | None:
        """Cut off what lies outside of the set, and what lies inside of it; None where nothing is left."""
        value = spans[self.field.program.result]
        left = self._contracted(spans, self.target, value)
        if left is None:
            return None
        if value.total and not self.is_thin:
            rest = self._contracted(spans, self.others, value)
            if rest is None:
                self.inside.append(Interval(low, high))
                return None
            first, last = self.grid.outwards(rest.low, rest.high)
            self.inside += [Interval(low, first, upper_closed=False)] * (low < first)
            self.inside += [Interval(last, high, lower_closed=False)] * (last < high)
            low, high = max(low, first), min(high, last)
        return self._within(low, high, left)

    def _contracted(self, spans: list[Span], target: RealSet, value: Span) -> Span | None:
        parts = [part for part in target if touches(value, (part,))]
        if not parts:
            return None
        low, high = parts[0].lower, parts[-1].upper
        return self.field.contracted(spans, between(low, high))

    def _by_rate(
        self, low: Number, high: Number, rate: Span, middle: Number, here: Span
    ) -> tuple[Number, Number] | None:
        """Contract a box by interval Newton on rates of change; None where nothing is left.

        For a rate q between two points f(x) = f(m) + q (x - m), so x - m lies in (target - f(m)) / q.
        """
        if not math.isfinite(rate.low) or not math.isfinite(rate.high) or low == high or len(self.target) != 1:
            return low, high
        (part,) = self.target
        target = between(part.lower, part.upper)
        centre, box = self.grid.span(middle, middle), self.grid.span(low, high)
        gap = quotient(target - here, rate, box - centre)
        met = None if gap is None else box.meet(centre + gap)
        return None if met is None else self._within(low, high, met)

    def _by_growth(
        self, box: tuple[Number, Number], grown: Growth | None, middle: Number, sets: tuple[RealSet, RealSet]
    ) -> tuple[Number, Number] | None:
        """Contract a box of one sign by interval Newton on logarithms; None where it is decided.

        For a growth g between two points f(x) = f(m) (x / m)**g, so log(x / m) lies in log(target / f(m)) / g.
        """
        low, high = box
        if grown is None or not (grown.here.low > 0 or grown.here.high < 0) or low == high:
            return box
        if not math.isfinite(grown.growth.low) or not math.isfinite(grown.growth.high):
            return box
        centre = self.grid.span(middle, middle)
        ratios = logarithms_of(divided(self.grid.span(low, high), centre))
        if self._decide(grown.over(ratios), Interval(low, high), sets):
            return None
        if len(sets[0]) != 1:
            return box
        (part,) = sets[0]
        wanted = divided(between(part.lower, part.upper), grown.here)
        gap = quotient(logarithms_of(wanted), grown.growth, ratios) if wanted.high > 0 else None
        met = None if gap is None else ratios.meet(gap)
        return None if met is None else self._within(low, high, centre * exponentials_of(met))

    def _within(self, low: Number, high: Number, box: Span) -> tuple[Number, Number] | None:
        """Return the part of a box that lies in bounds; None for nothing."""
        first, last = self.grid.outwards(box.low, box.high)
        low, high = max(low, first), min(high, last)
        return None if low > high else (low, high)


def _beside_one(parts: RealSet) -> RealSet:
    """Return a set with 1 in place of its one finite end."""
    ends = ((1 if is_finite(part.lower) else part.lower, 1 if is_finite(part.upper) else part.upper) for part in parts)
    closed = ((part.lower_closed, part.upper_closed) for part in parts)
    return tuple(Interval(*end, *included) for end, included in zip(ends, closed, strict=True))
