"""Roots of functions of one float between two numbers at which their signs differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.tolerances import BRACKET

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_STEPS = 200
_HALF = 0.5


class _Point(NamedTuple):
    """A number, and the value of the function there."""

    at: float
    value: float


def bracketed(gap: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is negative at one number and positive at another is zero.

    By Chandrupatla's rule (Advances in Engineering Software 28, 1997): by the inverse of a parabola where that is safe,
    else by halves.
    """
    other, last = _Point(low, gap(low)), _Point(high, gap(high))
    if not (other.value and last.value):
        return high if other.value else low
    share = _HALF
    for _ in range(_MOST_STEPS):
        at = last.at + share * (other.at - last.at)
        value = gap(at)
        if (value < 0) == (last.value < 0):
            before = last
        else:
            before, other = other, last
        last = _Point(at, value)
        best = min(last, other, key=lambda point: abs(point.value))
        width = abs(other.at - last.at)
        least = BRACKET * abs(best.at) / (2 * width) if width else 1.0
        if best.value == 0 or least > _HALF:
            return best.at
        share = min(max(_next_share(last, other, before), least), 1 - least)
    return best.at


def _next_share(last: _Point, other: _Point, before: _Point) -> float:
    """Return where between the last number and the other the next one is."""
    along = (last.at - other.at) / (before.at - other.at)
    up = (last.value - other.value) / (before.value - other.value)
    if not (up**2 < along and (1 - up) ** 2 < 1 - along):
        return _HALF
    by_other = last.value / (other.value - last.value) * before.value / (other.value - before.value)
    slope = (before.at - last.at) / (other.at - last.at)
    by_before = last.value / (before.value - last.value) * other.value / (before.value - other.value)
    return by_other + slope * by_before
