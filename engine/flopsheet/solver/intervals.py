"""Sets of real numbers as unions of intervals, with exact ends that know whether they belong.

sympy's own sets would do, but turn floats into 15-digit decimals and cost a hundred times more per operation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.units import Number


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers between two ends.

    Args:
        lower: left end, or minus infinity.
        upper: right end, or infinity.
        lower_closed: whether the left end itself belongs.
        upper_closed: whether the right end itself belongs.
    """

    lower: Number
    upper: Number
    lower_closed: bool = True
    upper_closed: bool = True

    def __contains__(self, value: Number) -> bool:
        above = value > self.lower or (self.lower_closed and value == self.lower)
        return above and (value < self.upper or (self.upper_closed and value == self.upper))

    @property
    def ends(self) -> tuple[tuple[Number, bool], tuple[Number, bool]]:
        """Both ends, each with whether it belongs."""
        return (self.lower, self.lower_closed), (self.upper, self.upper_closed)

    @property
    def is_point(self) -> bool:
        """Whether it holds one number only."""
        return self.lower == self.upper

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing."""
        return self.lower > self.upper or (self.is_point and not (self.lower_closed and self.upper_closed))

    def inside(self) -> Number:
        """Return some number inside, not at an end unless it is a point."""
        if self.is_point:
            return self.lower
        if self.lower == -math.inf:
            return 0 if self.upper == math.inf else self.upper - size(self.upper) - 1
        if self.upper == math.inf:
            return self.lower + size(self.lower) + 1
        return (self.lower + self.upper) / 2

    def meet(self, other: Interval) -> Interval:
        """Return what lies in both."""
        lower, lower_closed = max((self.lower, not self.lower_closed), (other.lower, not other.lower_closed))
        upper, upper_closed = min((self.upper, self.upper_closed), (other.upper, other.upper_closed))
        return Interval(lower, upper, not lower_closed, upper_closed)


RealSet: TypeAlias = tuple[Interval, ...]

EMPTY: RealSet = ()
ALL: RealSet = (Interval(-math.inf, math.inf, lower_closed=False, upper_closed=False),)
ABOVE_ZERO = Interval(0, math.inf, lower_closed=False, upper_closed=False)
BELOW_ZERO = Interval(-math.inf, 0, lower_closed=False, upper_closed=False)


def point(value: Number) -> RealSet:
    """Return the set of one number."""
    return (Interval(value, value),)


def union(*parts: RealSet) -> RealSet:
    """Return all numbers of any of the sets, as disjoint intervals from left to right."""
    intervals = sorted(
        (each for part in parts for each in part if not each.is_empty),
        key=lambda each: (each.lower, not each.lower_closed),
    )
    merged: list[Interval] = []
    for each in intervals:
        last = merged[-1] if merged else None
        touches = last is not None and (
            each.lower < last.upper or (each.lower == last.upper and (each.lower_closed or last.upper_closed))
        )
        if last is None or not touches:
            merged.append(each)
            continue
        upper, closed = max((last.upper, last.upper_closed), (each.upper, each.upper_closed))
        merged[-1] = Interval(last.lower, upper, last.lower_closed, closed)
    return tuple(merged)


def meet(left: RealSet, right: RealSet) -> RealSet:
    """Return the numbers in both sets."""
    return union(tuple(mine.meet(other) for mine in left for other in right))


def meet_near(left: RealSet, right: RealSet) -> RealSet:
    """Return the numbers in both sets; a float point that misses a closed end by rounding alone counts as met."""
    found = meet(left, right)
    if found:
        return found
    pairs = ((mine, other) for mine in left for other in right if mine.is_point or other.is_point)
    return union(tuple(mine if mine.is_point else other for mine, other in pairs if _almost(mine, other)))


def _almost(mine: Interval, other: Interval) -> bool:
    """Whether a point lies within rounding of a closed end."""
    spot, each = (mine.lower, other) if mine.is_point else (other.lower, mine)
    return any(close(spot, end) for end, closed in each.ends if closed)


def meet_all(sets: Iterable[RealSet]) -> RealSet:
    """Return the numbers in all sets, points within rounding of each other taken as one."""
    return reduce(meet_near, sets, ALL)


def mapped(each: Interval, function: Callable[[Number], Number], *, rising: bool) -> Interval:
    """Return the image of an interval under a continuous function that rises or falls on it."""
    ends = (function(each.lower), each.lower_closed), (function(each.upper), each.upper_closed)
    (lower, lower_closed), (upper, upper_closed) = ends if rising else ends[::-1]
    return Interval(lower, upper, lower_closed and is_finite(lower), upper_closed and is_finite(upper))


def side(operator: str, value: Number) -> RealSet:
    """Return the numbers that stand in a relation to a value: `side("<=", 5)` is all up to 5."""
    match operator:
        case "=":
            return point(value)
        case "<" | "<=":
            return (Interval(-math.inf, value, lower_closed=False, upper_closed=operator == "<="),)
    return (Interval(value, math.inf, lower_closed=operator == ">=", upper_closed=False),)
