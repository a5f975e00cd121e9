"""Inverts what repeats itself: remainders, sines, cosines, tangents. Answers are cut to what the inside can reach."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import divided
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, meet_near, union
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.numbers.spans import Span
    from flopsheet.units import Number

MOST_PERIODS = 500


def shifts(span: Span, period: Number) -> tuple[range, bool]:
    """Return the numbers of periods that lead into a span, and whether these are all.

    A span without end gives the first ones from its finite end, or those around zero.
    """
    low, high = (divided(end, period) if is_finite(end) else end for end in (span.low, span.high))
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


def repeated(once: RealSet, period: Number, span: Span) -> tuple[RealSet, bool]:
    """Return all repetitions of a set that can lie in a span, and whether these are all."""
    if not once:
        return EMPTY, True
    window = (Interval(span.low, span.high, span.low != -math.inf, span.high != math.inf),)
    if once[0].upper - once[0].lower >= period and (once[0].lower_closed or once[0].upper_closed):
        return window, True
    times, complete = shifts(span, period)
    return meet_near(union(tuple(_shifted(once, period, times))), window), complete


def _shifted(once: RealSet, period: Number, times: range) -> Iterator[Interval]:
    for time in times:
        for each in once:
            lower, upper = each.lower + time * period, each.upper + time * period
            yield Interval(lower, upper, each.lower_closed, each.upper_closed)
