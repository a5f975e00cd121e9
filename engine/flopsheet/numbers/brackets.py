"""Roots of functions of one float between two numbers at which their signs differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.tolerances import BRACKET

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_STEPS = 200


def bracketed(gap: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is negative at one number and positive at another is zero, by the Illinois rule."""
    below, above = gap(low), gap(high)
    if not (below and above):
        return high if below else low
    side_before = 0
    for step in range(_MOST_STEPS):
        if not low < high or high - low <= BRACKET * max(abs(low), abs(high)):
            break
        at = (low * above - high * below) / (above - below) if step % 3 else (low + high) / 2
        at = at if low < at < high else (low + high) / 2
        value = gap(at)
        if value == 0:
            return at
        if (value < 0) == (below < 0):
            low, below = at, value
            above, side_before = (above / 2 if side_before == -1 else above), -1
        else:
            high, above = at, value
            below, side_before = (below / 2 if side_before == 1 else below), 1
    return (low + high) / 2
