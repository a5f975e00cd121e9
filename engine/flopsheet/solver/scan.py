"""Finds where a function meets a value when no closed form does: a scan over all sizes, each change narrowed down.

The grid is fixed, so the same question gives the same answer. Two roots closer together than its points, a part in a
hundred, can hide from it; a touching root is looked for at every turn.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.solver.intervals import Interval

POINTS_PER_DECADE = 24
SMALLEST, LARGEST = -30, 33
POINTS_BETWEEN_BOUNDS = 400
TOUCH = 1e-12
CLUSTER = 1e-8
_GOLDEN = (math.sqrt(5) - 1) / 2


def cuts(function: Callable[[float], float], domain: Interval, level: float) -> list[float]:
    """Return the points of a domain between which a function stays above, at or below a level.

    Args:
        function: the function; "not a number" where it has no value.
        domain: where to look.
        level: the value.
    """
    side = _Side(function, level)
    found: set[float] = set()
    points = list(grid(domain))
    for left, right in pairwise(points):
        if side(left) != side(right):
            found.update(_narrowed(side, left, right))
    for left, middle, right in zip(points, points[1:], points[2:], strict=False):
        found.update(_touch(function, level, left, middle, right))
    return sorted(found)


def clusters(points: list[float]) -> list[list[float]]:
    """Return ascending points in groups that only rounding tells apart."""
    found: list[list[float]] = []
    for each in points:
        if found and each - found[-1][-1] <= CLUSTER * abs(each):
            found[-1].append(each)
        else:
            found.append([each])
    return found


class _Side:
    """On which side of a level a function lies: -1, 0, 1, or None where it has no value."""

    def __init__(self, function: Callable[[float], float], level: float) -> None:
        self.function, self.level = function, level

    def __call__(self, at: float) -> int | None:
        value = self.function(at)
        return None if math.isnan(value) else (value > self.level) - (value < self.level)


def _narrowed(side: _Side, left: float, right: float) -> Iterator[float]:
    """Return the neighbouring numbers between which the side changes."""
    at_left = side(left)
    while True:
        middle = _between(left, right)
        if not left < middle < right:
            break
        if side(middle) == at_left:
            left = middle
        else:
            right = middle
    yield left
    yield right


def _between(left: float, right: float) -> float:
    """Return the geometric middle, so that 1e-6 and 1e24 take equally many steps; the arithmetic one around zero."""
    if left > 0 or right < 0:
        return math.copysign(math.sqrt(abs(left)) * math.sqrt(abs(right)), left)
    return (left + right) / 2 if left * right else math.copysign(max(abs(left), abs(right)) / 16, left + right)


def _touch(function: Callable[[float], float], level: float, left: float, middle: float, right: float) -> list[float]:
    """Return where a function touches a level between three points without crossing it."""
    gaps = [abs(function(at) - level) for at in (left, middle, right)]
    if not (gaps[1] <= gaps[0] and gaps[1] <= gaps[2]) or gaps[1] == 0 or gaps[0] == gaps[1] == gaps[2]:
        return []
    for _ in range(80):
        low, high = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
        if abs(function(low) - level) <= abs(function(high) - level):
            right = high
        else:
            left = low
    at = (left + right) / 2
    scale = max(abs(level), gaps[0], gaps[2])
    return [at] if abs(function(at) - level) <= TOUCH * scale else []


def grid(domain: Interval) -> Iterator[float]:
    """Return the points at which a domain is scanned, from left to right: all sizes on both sides of zero."""
    sizes = [
        10.0 ** (step / POINTS_PER_DECADE) for step in range(SMALLEST * POINTS_PER_DECADE, LARGEST * POINTS_PER_DECADE)
    ]
    points = {0.0, *sizes, *(-each for each in sizes)}
    if math.isfinite(domain.lower) and math.isfinite(domain.upper):
        low, high = float(domain.lower), float(domain.upper)
        points |= {low + (high - low) * step / POINTS_BETWEEN_BOUNDS for step in range(POINTS_BETWEEN_BOUNDS + 1)}
    points |= {float(end) for end in (domain.lower, domain.upper) if math.isfinite(end)}
    yield from sorted(each for each in points if domain.lower <= each <= domain.upper)
