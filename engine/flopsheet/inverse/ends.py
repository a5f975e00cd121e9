"""Float ends of ranges on the right side, ends rounded outwards, and the short ratio that a narrow range holds."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import MOST_BITS
from flopsheet.numbers.sets import Interval, union
from flopsheet.tolerances import BY_CHANCE, EASE, SMALLEST, TYPED
from flopsheet.units import exceeds_floats, is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.numbers.sets import RealSet
    from flopsheet.numbers.spans import Span
    from flopsheet.units import Number

MOST_STEPS = 64  # floats that inversion may be off
MOST_DIGITS = 6  # of the denominator of a short ratio
MOST_PARTS = 300  # of longer sets the ends stay as inversion gives them


def sharpened(values: RealSet, domain: Interval, meets: Callable[[Number], bool]) -> RealSet:
    """Return a set whose closed float ends are the last that meet a condition, open ones the first that do not.

    Args:
        values: the set, as inversion in floats gives it.
        domain: the values that make sense; its own ends stay.
        meets: whether the condition holds at a number, by as many digits as it takes.
    """
    if len(values) > MOST_PARTS:
        return values
    return tuple(part if part.is_point else _sharpened(part, domain, meets) for part in values)


def _sharpened(part: Interval, domain: Interval, meets: Callable[[Number], bool]) -> Interval:
    lower = _moved(part.lower, -math.inf, part.lower_closed, meets) if part.lower != domain.lower else part.lower
    upper = _moved(part.upper, math.inf, part.upper_closed, meets) if part.upper != domain.upper else part.upper
    return replace(part, lower=lower, upper=upper) if lower < upper else part


def _moved(end: Number, outwards: float, closed: bool, meets: Callable[[Number], bool]) -> Number:
    """Return the float next to an end at which the condition begins or ends to hold; the end itself if none is near."""
    if not isinstance(end, float) or not is_finite(end):
        return end
    last, inside = end, meets(end)
    for _ in range(MOST_STEPS):
        following = math.nextafter(last, outwards if inside else -outwards)
        if meets(following) != inside:
            return last if inside == closed else following
        last = following
    return end


def span_interval(span: Span) -> Interval:
    """Return bounds as an interval, its ends rounded outwards where they are floats or have too many digits."""
    low, high = _outwards(span.low, -math.inf), _outwards(span.high, math.inf)
    return Interval(low, high, low != -math.inf, high != math.inf)


def _outwards(end: Number, way: Number) -> Number:
    if not isinstance(end, float) and max(map(int.bit_length, Fraction(end).as_integer_ratio())) <= MOST_BITS:
        return end
    try:
        return math.nextafter(end, way) if end else 0
    except OverflowError:
        return way


def eased(target: RealSet) -> RealSet:
    """Return a target whose closed ends are moved outwards by rounding, so that a plateau at an end is met."""

    def moved(end: Number, closed: bool, direction: int) -> Number:
        return end + direction * EASE * abs(float(end)) if closed and is_finite(end) and end else end

    return tuple(
        replace(part, lower=moved(part.lower, part.lower_closed, -1), upper=moved(part.upper, part.upper_closed, 1))
        for part in target
    )


def short_ratios(part: Interval) -> list[Number]:
    """Return the ratio in a narrow range that is too short to be there by chance, if there is one."""
    middle = Fraction(part.inside())
    ratios = (middle.limit_denominator(10**digits) for digits in range(1, MOST_DIGITS + 1))
    short = (ratio for ratio in ratios if ratio in part)
    return [tidy(ratio) for ratio in short if ratio.denominator**2 * (part.upper - part.lower) < BY_CHANCE][:1]


def copied(target: RealSet, asked: RealSet) -> RealSet:
    """Return the numbers within rounding of a target's points, if what is asked may be a float that was computed."""
    ends = [part.lower for part in asked if part.is_point and not isinstance(part.lower, float)]
    if any(exceeds_floats(end) or Fraction(repr(float(end))) != end for end in ends):
        return ()
    points = [part.lower for part in target if part.is_point]
    return union(tuple(map(_copied, points)))


def _copied(at: Number) -> Interval:
    off: Number = size(at) * TYPED
    if isinstance(at, float):
        off = max(float(off), SMALLEST)
    return Interval(at - off, at + off)
