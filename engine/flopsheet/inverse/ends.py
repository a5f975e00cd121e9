"""Floats where a condition begins to hold, ends rounded outwards, and the short ratio that a narrow range holds."""

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
    from collections.abc import Callable, Iterator

    from flopsheet.numbers.sets import RealSet
    from flopsheet.numbers.spans import Span
    from flopsheet.search.points import Points
    from flopsheet.units import Number

MOST_STEPS = 64  # floats that a root by inversion may be off
MOST_LOST, FASTER = 2**44, 4  # floats that a number may be off where digits cancel; the next one looked at is further
MOST_DIGITS = 6  # of the denominator of a short ratio
FLOAT_DIGITS = 17  # with which any float can be written
OF_UNITS = (2, 3, 5, 487)  # the prime factors of units: a year has 487 * 64800 seconds
MOST_PARTS, MOST_ROOTS = 300, 30  # the numbers of longer sets stay as inversion gives them


def sharpened(values: RealSet, domain: Interval, meets: Callable[[Number], bool]) -> RealSet:
    """Return a set whose closed float ends are the last that meet a condition, open ones the first that do not.

    The set is as inversion in floats gives it; the ends of the domain stay. `meets` takes as many digits as it needs.
    """
    if len(values) > MOST_PARTS:
        return values
    return tuple(part if part.is_point else _sharpened(part, room, meets) for part, room in _with_room(values, domain))


def _sharpened(part: Interval, room: Interval, meets: Callable[[Number], bool]) -> Interval:
    lower = _moved(part.lower, -1, part.lower_closed, room, meets)
    upper = _moved(part.upper, 1, part.upper_closed, room, meets)
    return replace(part, lower=lower, upper=upper) if lower < upper else part


def _moved(end: Number, way: int, closed: bool, room: Interval, meets: Callable[[Number], bool]) -> Number:
    """Return the float next to an end at which the condition begins or ends to hold; the end itself if none is near."""
    if not isinstance(end, float) or not is_finite(end) or end in (room.lower, room.upper):
        return end
    inside = meets(end)
    passed = _passed(end, (way if inside else -way,), room, lambda at: meets(at) != inside)
    return end if passed is None else passed[0] if inside == closed else passed[1]


def nearest_roots(values: RealSet, domain: Interval, points: Points) -> RealSet:
    """Return a set whose single floats are those nearest to where the formula passes the one number of a target."""
    if len(values) > MOST_ROOTS or len(points.target) != 1 or not points.target[0].is_point:
        return values
    return tuple(
        _root(part, room, points) if part.is_point and isinstance(part.lower, float) else part
        for part, room in _with_room(values, domain)
    )


def _root(part: Interval, room: Interval, points: Points) -> Interval:
    end, level = float(part.lower), points.target[0].lower
    off = MOST_STEPS * math.ulp(end)
    if points.passes(end - off, end + off, level) or (sign := points.compare(end, level)) in (0, None):
        return part
    passed = _passed(end, (-1, 1), room, lambda at: points.compare(at, level) == -sign, first=MOST_STEPS)
    if passed is None:
        return part
    nearest = min((*passed, end), key=lambda at: points.distance(at, level))
    return Interval(nearest, nearest)


def _with_room(values: RealSet, domain: Interval) -> Iterator[tuple[Interval, Interval]]:
    """Yield the parts of a set, each with the numbers between its neighbours."""
    lowers, uppers = [part.lower for part in values], [part.upper for part in values]
    for part, below, above in zip(values, [domain.lower, *uppers], [*lowers[1:], domain.upper], strict=False):
        yield part, Interval(below, above)


def _passed(
    end: float, ways: tuple[int, ...], room: Interval, changed: Callable[[Number], bool], first: int = 1
) -> tuple[float, float] | None:
    """Return the neighbouring floats beside an end between which a condition changes; None where it does not nearby."""
    last, steps = dict.fromkeys(ways, end), first
    while steps <= MOST_LOST:
        for way in ways:
            at = end + way * steps * math.ulp(end)
            if room.lower <= at <= room.upper:
                if changed(at):
                    return _between(last[way], at, changed)
                last[way] = at
        steps *= FASTER
    return None


def _between(low: float, high: float, changed: Callable[[Number], bool]) -> tuple[float, float]:
    """Return the neighbouring floats between two at which a condition begins to hold, in either direction."""
    while (middle := low + (high - low) / 2) not in (low, high):
        low, high = (low, middle) if changed(middle) else (middle, high)
    return low, high


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
    if any(exceeds_floats(end) or not _may_be_float(end) for end in ends):
        return ()
    points = [part.lower for part in target if part.is_point]
    off = [max(size(at) * TYPED, SMALLEST if isinstance(at, float) else 0) for at in points]
    return union(tuple(Interval(at - room, at + room) for at, room in zip(points, off, strict=True)))


def _may_be_float(end: Number) -> bool:
    """Whether a number has no more digits than floats are written with, in some unit: hours and GiB are no decimals."""
    above, below = end.as_integer_ratio()
    for factor in OF_UNITS:
        above, below = _without(factor, above), _without(factor, below)
    return below == 1 and abs(above) < 10**FLOAT_DIGITS


def _without(factor: int, number: int) -> int:
    while number and number % factor == 0:
        number //= factor
    return number
