"""The floats beside what inversion in floats gives at which a formula enters or leaves a set."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import bisected
from flopsheet.numbers.many_digits import PRECISIONS
from flopsheet.numbers.sets import Interval
from flopsheet.search.last_digits import LastDigits
from flopsheet.units import is_finite, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.points import Points
    from flopsheet.units import Number

MOST_STEPS = 64  # floats that a root by inversion may be off
SHORT_DIGITS = 12  # a decimal of so many that is a root is told exactly
MOST_LOST, FASTER = 2**44, 4  # floats that a number may be off where digits cancel; the next one looked at is further
MOST_HALVED, FLOAT_DIGITS = 200, 2**52  # halvings between two floats, and where they end
MOST_PARTS, MOST_ROOTS = 300, 30  # the numbers of longer sets stay as inversion gives them


def sharpened(values: RealSet, domain: Interval, meets: Callable[[Number], bool], opened: RealSet = ()) -> RealSet:
    """Return a set whose closed float ends are the last that meet a condition, open ones the first that do not.

    The set is as inversion in floats gives it; the ends of the domain stay, and those beside what is `opened`, where a
    search ended. `meets` takes as many digits as it needs.
    """
    if len(values) > MOST_PARTS or all(part.is_point for part in values):
        return values
    rooms = _with_room(values, domain, opened)
    return tuple(part if part.is_point else _sharpened(part, room, meets) for part, room in rooms)


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


def nearest_roots(values: RealSet, domain: Interval, points: Points, most_steps: int = MOST_STEPS) -> RealSet:
    """Return a set whose single floats are those nearest to where the formula passes the one number of a target.

    Those that are at most so many floats off stay, and where all numbers are exact those that are at most one off.
    """
    if len(values) > MOST_ROOTS or len(points.target) != 1 or not points.target[0].is_point:
        return values
    last_digits = None if points.is_rounded else LastDigits(points.field, points.target[0].lower)
    return tuple(
        _root(part, room, points, most_steps, last_digits) if part.is_point and isinstance(part.lower, float) else part
        for part, room in _with_room(values, domain)
    )


def _root(
    part: Interval, room: Interval, points: Points, most_steps: int, last_digits: LastDigits | None
) -> Interval:
    end, level = float(part.lower), points.target[0].lower
    off = most_steps * math.ulp(end)
    short = f"{end:.{SHORT_DIGITS}g}"
    if abs(float(short) - end) <= off:
        ratio = tidy(Fraction(short))
        if points.compare(ratio, level) == 0 and ratio not in points.unsure:
            return Interval(ratio, ratio)
    steps = most_steps if points.is_rounded else 1  # a root has as many digits as the numbers
    if last_digits is not None and (nearest := last_digits.nearest(end, room)) is not None:
        return Interval(nearest, nearest)
    near = steps * math.ulp(end)
    if points.passes(end - near, end + near, level) or (sign := points.compare(end, level)) in (0, None):
        return part
    passed = _passed(end, (-1, 1), room, lambda at: points.compare(at, level) == -sign, first=steps)
    if passed is None:
        return part
    gaps = ((points.field.value_by_digits(at, PRECISIONS[1], level), at) for at in (*passed, end))
    _, nearest = min((math.inf if gap is None else abs(gap), at) for gap, at in gaps)
    return Interval(nearest, nearest)


def crossing(low: Number, high: Number, changes: Callable[[Number], bool]) -> tuple[Fraction, Fraction]:
    """Return ratios on both sides of where a condition changes, so near that its distance to each end has many digits.

    Args:
        low: a number, below or above the other one.
        high: the other one, with no float between them.
        changes: whether the condition is other than at the first number.
    """
    first, last = start, stop = Fraction(low), Fraction(high)
    for _ in range(MOST_HALVED):
        middle = (start + stop) / 2
        start, stop = (start, middle) if changes(middle) else (middle, stop)
        if abs(stop - start) * FLOAT_DIGITS <= min(abs(start - first), abs(last - stop)):
            break
    return start, stop


def _with_room(values: RealSet, domain: Interval, opened: RealSet = ()) -> Iterator[tuple[Interval, Interval]]:
    """Yield the parts of a set, each with the numbers between its neighbours, and between what is open."""
    others = (*values, *opened)
    lowers, uppers = sorted(part.lower for part in others), sorted(part.upper for part in others)
    for part in values:
        before, after = bisect_right(uppers, part.lower), bisect_left(lowers, part.upper)
        before -= part.is_point  # its own end
        after += part.is_point
        below = uppers[before - 1] if before > 0 else domain.lower
        yield part, Interval(below, lowers[after] if after < len(lowers) else domain.upper)


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
                    return bisected(last[way], at, changed, lambda low, high: low + (high - low) / 2)
                last[way] = at
        steps *= FASTER
    return None
