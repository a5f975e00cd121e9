"""Sample points over all sizes, and the extreme of a function between them: for reasons in words, never for proofs."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.numbers.sets import Interval

POINTS_PER_DECADE = 24
SMALLEST, LARGEST = -30, 33
POINTS_BETWEEN_BOUNDS = 400
_GOLDEN = (math.sqrt(5) - 1) / 2


def turning_point(function: Callable[[float], float], left: float, right: float) -> float:
    """Return where a function that falls and then rises is smallest, by the golden section."""
    low, high = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
    at_low, at_high = function(low), function(high)
    for _ in range(80):
        if at_low <= at_high:
            right, high, at_high = high, low, at_low
            low = right - _GOLDEN * (right - left)
            at_low = function(low)
        else:
            left, low, at_low = low, high, at_high
            high = left + _GOLDEN * (right - left)
            at_high = function(high)
    return (left + right) / 2


@cached(maxsize=256)
def grid(domain: Interval) -> tuple[float, ...]:
    """Return the points at which a domain is scanned, from left to right: all sizes on both sides of zero."""
    sizes = _sizes()
    first, last = bisect_left(sizes, domain.lower), bisect_right(sizes, domain.upper)
    points = {*sizes[first:last]}
    if math.isfinite(domain.lower) and math.isfinite(domain.upper):
        low, high = float(domain.lower), float(domain.upper)
        points |= {low + (high - low) * step / POINTS_BETWEEN_BOUNDS for step in range(POINTS_BETWEEN_BOUNDS + 1)}
    points |= {float(end) for end in (domain.lower, domain.upper) if math.isfinite(end)}
    return tuple(sorted(point for point in points if domain.lower <= point <= domain.upper))


@cached(maxsize=1)
def _sizes() -> tuple[float, ...]:
    steps = range(SMALLEST * POINTS_PER_DECADE, LARGEST * POINTS_PER_DECADE)
    sizes = [10.0 ** (step / POINTS_PER_DECADE) for step in steps]
    return tuple(sorted((0.0, *sizes, *(-size for size in sizes))))
