"""Sets of real numbers as unions of intervals with exact ends, each open or closed.

sympy's own sets turn floats into 15-digit decimals, and an operation on them takes a hundred times as long.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from flopsheet.numbers.arithmetic import LARGEST, divided, near_whole
from flopsheet.tolerances import BESIDE, EXACTLY_BESIDE, NEAR_WHOLE, SAME_POINT, TYPED, WHOLES_APART
from flopsheet.units import close, exceeds_floats, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from flopsheet.units import Number


FEW = 8


# Not frozen: an answer makes hundreds of them, and a frozen dataclass takes three times as long to make.
@dataclass(slots=True, unsafe_hash=True)
class Interval:
    """All numbers between two ends, which may be infinite; a closed end is included."""

    lower: Number
    upper: Number
    lower_closed: bool = True
    upper_closed: bool = True

    def __contains__(self, value: Number) -> bool:
        above = value > self.lower or (self.lower_closed and value == self.lower)
        return above and (value < self.upper or (self.upper_closed and value == self.upper))

    @property
    def ends(self) -> tuple[tuple[Number, bool], tuple[Number, bool]]:
        """Both ends, each with whether it is included."""
        return (self.lower, self.lower_closed), (self.upper, self.upper_closed)

    @property
    def is_point(self) -> bool:
        """Whether it contains one number only."""
        return self.lower is self.upper or self.lower == self.upper

    @property
    def is_empty(self) -> bool:
        """Whether it contains no number."""
        if self.is_point:
            return not (self.lower_closed and self.upper_closed)
        return self.lower > self.upper

    def inside(self) -> Number:
        """Return some number inside, not at an end unless it is a point."""
        if self.is_point:
            return self.lower
        if self.lower == -math.inf:
            return 0 if self.upper == math.inf else self.upper - size(self.upper) - 1
        if self.upper == math.inf:
            return self.lower + size(self.lower) + 1
        exact = exceeds_floats(self.lower) or exceeds_floats(self.upper)
        middle = (Fraction(self.lower) + Fraction(self.upper)) / 2 if exact else divided(self.lower + self.upper, 2)
        return middle if is_finite(middle) else self.lower / 2 + self.upper / 2

    def meet(self, other: Interval) -> Interval:
        """Return the intersection of two intervals."""
        lower, lower_closed = max((self.lower, not self.lower_closed), (other.lower, not other.lower_closed))
        upper, upper_closed = min((self.upper, self.upper_closed), (other.upper, other.upper_closed))
        return Interval(lower, upper, not lower_closed, upper_closed)


RealSet: TypeAlias = tuple[Interval, ...]

EMPTY: RealSet = ()
ALL: RealSet = (Interval(-math.inf, math.inf, lower_closed=False, upper_closed=False),)
ABOVE_ZERO = Interval(0, math.inf, lower_closed=False, upper_closed=False)
BELOW_ZERO = Interval(-math.inf, 0, lower_closed=False, upper_closed=False)
NOT_NEGATIVE: RealSet = (Interval(0, math.inf, upper_closed=False),)
NOT_POSITIVE: RealSet = (Interval(-math.inf, 0, lower_closed=False),)
NOT_ZERO: RealSet = (BELOW_ZERO, ABOVE_ZERO)


def point(value: Number) -> RealSet:
    """Return the set of one number."""
    return (Interval(value, value),)


def union(*parts: RealSet) -> RealSet:
    """Return all numbers of any of the sets, as disjoint intervals from left to right."""
    parts = tuple(part for part in parts if part)
    if len(parts) < 2 and all(map(_is_in_order, parts)):
        return parts[0] if parts else EMPTY
    intervals = sorted(
        (interval for part in parts for interval in part if not interval.is_empty),
        key=lambda interval: (interval.lower, not interval.lower_closed),
    )
    merged: list[Interval] = []
    for interval in intervals:
        last = merged[-1] if merged else None
        closed = last is not None and (interval.lower_closed or last.upper_closed)
        touches = last is not None and (interval.lower < last.upper or (closed and interval.lower == last.upper))
        if last is None or not touches:
            merged.append(interval)
            continue
        upper, closed = max((last.upper, last.upper_closed), (interval.upper, interval.upper_closed))
        merged[-1] = Interval(last.lower, upper, last.lower_closed, closed)
    return tuple(merged)


def _is_in_order(parts: RealSet) -> bool:
    """Whether parts are apart from each other, from left to right, and none is empty."""
    apart = all(part.upper < following.lower for part, following in pairwise(parts))
    return apart and not any(part.is_empty for part in parts)


def meet(left: RealSet, right: RealSet) -> RealSet:
    """Return the numbers in both sets, both given as disjoint intervals from left to right."""
    if len(left) == 1 or len(right) == 1:
        return _cut(left, right[0]) if len(right) == 1 else _cut(right, left[0])
    if left == right:
        return left
    shared, mine, other = [], 0, 0
    while mine < len(left) and other < len(right):
        a, b = left[mine], right[other]
        shared.append(a.meet(b))
        if (a.upper, a.upper_closed) <= (b.upper, b.upper_closed):
            mine += 1
        else:
            other += 1
    return union(tuple(shared))


def _cut(parts: RealSet, interval: Interval) -> RealSet:
    """Return the part of a set within an interval; of many parts, only the outermost are cut."""
    if len(parts) == 1:
        met = parts[0].meet(interval)
        return () if met.is_empty else (met,)
    first = bisect_left(parts, interval.lower, key=lambda part: part.upper)
    last = bisect_right(parts, interval.upper, key=lambda part: part.lower)
    within = [*parts[first:last]]
    for place in {0, len(within) - 1} if within else ():
        within[place] = within[place].meet(interval)
    return tuple(part for part in within if not part.is_empty)


def complement(parts: RealSet) -> RealSet:
    """Return the numbers in none of the intervals."""
    left = list[Interval]()
    start: Number = -math.inf
    closed = False
    for interval in union(parts):
        left.append(Interval(start, interval.lower, closed, not interval.lower_closed))
        start, closed = interval.upper, not interval.upper_closed
    left.append(Interval(start, math.inf, closed, upper_closed=False))
    return tuple(part for part in left if not part.is_empty)


def hull(parts: RealSet) -> Interval | None:
    """Return the smallest interval that contains all parts, or None for the empty set."""
    if not parts:
        return None
    first, last = parts[0], max(parts, key=lambda interval: (interval.upper, interval.upper_closed))
    return Interval(first.lower, last.upper, first.lower_closed, last.upper_closed)


def without_doubles(parts: RealSet) -> RealSet:
    """Return a set without points that equal another one within rounding; of two, the exact one is retained."""
    distinct: list[Interval] = []
    for spot in sorted((part for part in parts if part.is_point), key=lambda part: part.lower):
        if not distinct or not close(spot.lower, distinct[-1].lower):
            distinct.append(spot)
        elif isinstance(distinct[-1].lower, float):
            distinct[-1] = spot
    return union(tuple(distinct), tuple(interval for interval in parts if not interval.is_point))


def meet_near(left: RealSet, right: RealSet) -> RealSet:
    """Return the numbers in both sets; a float point that misses a closed end by rounding alone counts as in both."""
    shared = meet(left, right)
    if shared == left == right:
        return shared
    wide = tuple(part for part in left if not part.is_point)
    missed = [*_missed(left, right, shared), *_missed(right, wide, shared)]
    return without_doubles((*shared, *missed)) if missed else shared


def _missed(parts: RealSet, other: RealSet, shared: RealSet) -> list[Interval]:
    """Return the points among parts that only rounding puts outside of another set; whole numbers have none."""
    known = {part.lower for part in shared if part.is_point} if any(part.is_point for part in parts) else ()
    spots = [part for part in parts if part.is_point and part.lower not in known]
    if spots and all(isinstance(part.lower, int) for part in spots):
        other = tuple(part for part in other if not all(isinstance(end, int) for end, closed in part.ends if closed))
    apart = [part for part in spots if not is_in(part.lower, shared)] if other else []
    return [part for part in apart if any(_almost(part.lower, near_it) for near_it in around(part.lower, other))]


def _almost(spot: Number, other: Interval) -> bool:
    """Whether a point is within rounding of a closed end; float points may differ more: substitution decides."""
    if isinstance(spot, float) and other.is_point and isinstance(other.lower, float):
        return math.isclose(spot, other.lower, rel_tol=SAME_POINT)
    return any(_is_beside(spot, end) for end, closed in other.ends if closed)


def _is_beside(spot: Number, end: Number) -> bool:
    """Whether two numbers are within rounding; exact ones within typed digits, where wholes are further apart."""
    if isinstance(spot, float) or isinstance(end, float):
        return close(spot, end)
    is_apart = isinstance(spot, int) and (isinstance(end, int) or size(end) > WHOLES_APART)
    return not is_apart and size(spot - end) <= TYPED * size(end)


def meet_all(sets: Sequence[RealSet]) -> RealSet:
    """Return the numbers in all sets, points within rounding of each other taken as one."""
    first, *others = sets or (ALL,)
    return reduce(meet_near, others, first)


def mapped(interval: Interval, function: Callable[[Number], Number], *, rising: bool) -> Interval:
    """Return the image of an interval under a continuous function that rises or falls on it."""
    first = function(interval.lower)
    last = first if interval.lower is interval.upper else function(interval.upper)
    ends = (first, interval.lower_closed), (last, interval.upper_closed)
    (lower, lower_closed), (upper, upper_closed) = ends if rising else ends[::-1]
    if lower == upper and not is_finite(lower):  # an overflow
        return Interval(min(lower, LARGEST), max(upper, -LARGEST), lower_closed=False, upper_closed=False)
    if lower >= upper and is_finite(lower) and not interval.is_point:
        lower, upper = sorted((lower, upper))  # rounding merged or swapped the ends
        return Interval(lower, upper)
    return Interval(lower, upper, lower_closed and is_finite(lower), upper_closed and is_finite(upper))


def pieces(domain: Interval, cuts: Collection[Number]) -> list[Interval]:
    """Return the open intervals between ascending cuts, with the ends of the domain where it includes them."""
    ends = [domain.lower, *(cut for cut in cuts if domain.lower < cut < domain.upper), domain.upper]
    parts = [Interval(low, high, lower_closed=False, upper_closed=False) for low, high in pairwise(ends)]
    parts[0] = replace(parts[0], lower_closed=domain.lower_closed and domain.lower not in cuts)
    parts[-1] = replace(parts[-1], upper_closed=domain.upper_closed and domain.upper not in cuts)
    return parts


def is_in(value: Number, target: RealSet) -> bool:
    """Whether a set contains a value."""
    return any(value in interval for interval in around(value, target))


def around(value: Number, target: RealSet) -> RealSet:
    """Return the intervals of a set that may contain a value, rounding included."""
    if len(target) < FEW:
        return target
    margin = size(value) * (SAME_POINT if isinstance(value, float) else EXACTLY_BESIDE) * 2
    first = bisect_left(target, value - margin, key=lambda interval: interval.upper)
    last = bisect_right(target, value + margin, key=lambda interval: interval.lower)
    return target[first:last]


def about(value: Number) -> Interval:
    """Return the numbers that differ from a value by rounding alone."""
    off = Fraction(NEAR_WHOLE) * abs(Fraction(value))
    return Interval(Fraction(value) - off, Fraction(value) + off)


def is_rounded_to(value: Number, level: Number, around: Interval) -> bool:
    """Whether a value is a level, or within `about(level)` where one of the two is a float."""
    return value == level or ((isinstance(value, float) or isinstance(level, float)) and value in around)


def whole_ends(interval: Interval) -> tuple[Number, Number]:
    """Return the first and last integer of an interval; the first is larger if there is none.

    An end that is a float within rounding of an integer counts as that integer.
    """
    lower, upper = near_whole(interval.lower), near_whole(interval.upper)
    first = lower if lower == -math.inf else math.ceil(lower)
    last = upper if upper == math.inf else math.floor(upper)
    return first + (first == lower and not interval.lower_closed), last - (last == upper and not interval.upper_closed)


def side(operator: str, value: Number) -> RealSet:
    """Return the numbers in a relation to a value: `side("<=", 5)` is all up to 5."""
    match operator:
        case "=":
            return point(value)
        case "<" | "<=":
            return (Interval(-math.inf, value, lower_closed=False, upper_closed=operator == "<="),)
    return (Interval(value, math.inf, lower_closed=operator == ">=", upper_closed=False),)


def widened(domain: Interval) -> Interval:
    """Return an interval with float ends moved outwards, and open: they are known within rounding only."""
    lower, upper = domain.lower, domain.upper
    low = lower - BESIDE * abs(lower) if isinstance(lower, float) and is_finite(lower) else lower
    high = upper + BESIDE * abs(upper) if isinstance(upper, float) and is_finite(upper) else upper
    return Interval(low, high, domain.lower_closed and low == lower, domain.upper_closed and high == upper)
