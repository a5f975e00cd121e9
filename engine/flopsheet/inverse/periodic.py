"""Inverts what repeats itself: remainders, sines, cosines, tangents. Answers are cut to what the inside can reach."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.functions.angles import Cos, Sin, Tan
from flopsheet.numbers.arithmetic import arccosine, arcsine, divided
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, mapped, meet, meet_near, union
from flopsheet.units import size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.inverse.bounds import Span
    from flopsheet.units import Number

PERIODIC = (sympy.Mod, Sin, Cos, Tan)
MOST_PERIODS = 500
FULL_TURN, HALF_TURN, RIGHT_ANGLE = 360, 180, 90


def shifts(reach: Span, period: Number) -> tuple[range, bool]:
    """Return the whole numbers of periods that lead into a reach, and whether these are all.

    A reach without end gives the first ones from its finite end, or those around zero.
    """
    low, high = (divided(end, period) if math.isfinite(end) else end for end in reach)
    first = math.floor(low) - 1 if math.isfinite(low) else None
    last = math.ceil(high) + 1 if math.isfinite(high) else None
    if first is None and last is None:
        return range(-MOST_PERIODS // 2, MOST_PERIODS // 2), False
    if first is None:
        first = (last or 0) - MOST_PERIODS
        return range(first, (last or 0) + 1), False
    if last is None or last - first > MOST_PERIODS:
        return range(first, first + MOST_PERIODS), False
    return range(first, last + 1), True


def one_period(function: Any, target: RealSet, divisor: Number) -> tuple[RealSet, Number]:
    """Return where a periodic function lies in a target within one period, and the period [of its argument].

    Args:
        function: `Mod`, `Sin`, `Cos` or `Tan`.
        target: where its value must lie.
        divisor: second argument of a remainder; else not used.
    """
    if function is sympy.Mod:
        if divisor == 0:
            return EMPTY, 1
        whole = Interval(0, divisor, upper_closed=False) if divisor > 0 else Interval(divisor, 0, lower_closed=False)
        return meet(target, (whole,)), size(divisor)
    if function is Tan:
        turned = tuple(mapped(each, _arctangent, rising=True) for each in target)
        return meet(turned, (Interval(-RIGHT_ANGLE, RIGHT_ANGLE, lower_closed=False, upper_closed=False),)), HALF_TURN
    inside = meet(target, (Interval(-1, 1),))
    if function is Sin:
        rising = tuple(mapped(each, arcsine, rising=True) for each in inside)
        falling = tuple(mapped(each, lambda end: HALF_TURN - arcsine(end), rising=False) for each in inside)
    else:
        falling = tuple(mapped(each, arccosine, rising=False) for each in inside)
        rising = tuple(mapped(each, lambda end: -arccosine(end), rising=True) for each in inside)
    return union(rising, falling), FULL_TURN


def _arctangent(value: Number) -> float:
    return math.degrees(math.atan(value))


def repeated(once: RealSet, period: Number, reach: Span) -> tuple[RealSet, bool]:
    """Return all repetitions of a set that can lie in a reach, and whether these are all."""
    if not once:
        return EMPTY, True
    window = (Interval(*reach, reach[0] != -math.inf, reach[1] != math.inf),)
    if once[0].upper - once[0].lower >= period and (once[0].lower_closed or once[0].upper_closed):
        return window, True
    times, complete = shifts(reach, period)
    return meet_near(union(tuple(_shifted(once, period, times))), window), complete


def _shifted(once: RealSet, period: Number, times: range) -> Iterator[Interval]:
    for time in times:
        for each in once:
            lower, upper = each.lower + time * period, each.upper + time * period
            yield Interval(lower, upper, each.lower_closed, each.upper_closed)
