"""Finds where a function lies in a set when no closed form does: a scan over all sizes, each change narrowed down.

The grid is fixed, so the same question gives the same answer. Two roots closer together than its points, a part in ten,
can hide from it; a touching root is looked for at every turn.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from flopsheet.numbers.sets import Interval, RealSet, is_in, meet, near, pieces, point, union
from flopsheet.session import cached
from flopsheet.tolerances import BESIDE, CLUSTER, PLATEAU, SMALLEST_END, TOUCH
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.units import Number

POINTS_PER_DECADE = 24
SMALLEST, LARGEST = -30, 33
POINTS_BETWEEN_BOUNDS = 400
MOST_TOUCHED, MOST_CUTS = 2, 2000
_GOLDEN = (math.sqrt(5) - 1) / 2


class Samples:
    """A function's values at the points at which a domain is scanned: the same ones serve every target.

    Args:
        function: the function; "not a number" where it has no value.
        domain: where to look.
    """

    def __init__(self, function: Callable[[float], float], domain: Interval) -> None:
        self.function, self.domain, self.points = function, domain, grid(domain)
        self.values = [function(at) for at in self.points]

    @cached_property
    def turns(self) -> list[tuple[int, float, float, float]]:
        """The places from which three values in a row neither rise nor fall, with these values."""
        rows = enumerate(zip(self.values, self.values[1:], self.values[2:], strict=False))
        return [(place, a, b, c) for place, (a, b, c) in rows if not (a < b < c or a > b > c)]

    def between(self, lowest: float, highest: float) -> list[tuple[int, float, float]]:
        """Return the places from which two values in a row are not both below or both above, with these values."""
        lowest, highest = lowest - PLATEAU * abs(lowest), highest + PLATEAU * abs(highest)
        rows = enumerate(pairwise(self.values))
        return [
            (place, a, b)
            for place, (a, b) in rows
            if not ((a < lowest and b < lowest) or (a > highest and b > highest))
        ]


def scanned(samples: Samples, target: RealSet, poles: Iterable[Number] = ()) -> tuple[RealSet, bool]:
    """Return where a function lies in a target, its ends floats; and whether the whole domain was looked at.

    Args:
        samples: the function and where to look.
        target: the set in which its value must lie.
        poles: where it divides by zero.
    """
    function, domain = samples.function, samples.domain
    levels = sorted({float(end) for each in target for end, _ in each.ends if is_finite(end)}) or [0.0]
    found, last = cuts(samples, *levels)
    seen = domain if last is None else replace(domain, upper=min(domain.upper, last), upper_closed=True)
    points = [_best(cluster, function, levels) for cluster in clusters(found)]
    excluded = set(poles)
    cut = pieces(seen, sorted({*points, *excluded}))
    holding = tuple(each for each in cut if _holds(function, each, target))
    meeting = (each for each in points if each not in excluded and _meets(function, float(each), target))
    return meet(union(holding, *map(point, meeting)), (seen,)), last is None


def _meets(function: Callable[[float], float], at: float, target: RealSet) -> bool:
    """Whether a function meets a target at a cut, if only on the way from one side of a closed end to the other."""
    here, before, after = (function(at * (1 + step)) for step in (0, -BESIDE, BESIDE))
    if near(here, target):
        return True
    ends = (float(end) for each in target for end, closed in each.ends if closed and is_finite(end))
    passed = (end for end in ends if (before < end < after) or (before > end > after))
    # A jump or a pole has no value in between.
    return any(2 * abs(here - end) <= min(abs(before - end), abs(after - end)) for end in passed)


def _holds(function: Callable[[float], float], each: Interval, target: RealSet) -> bool:
    """Whether a function lies in a target between two cuts; where it is flat, within rounding."""
    value = function(_off_centre(each))
    return is_in(value, target) or (near(value, target) and _is_flat(value, function(float(each.inside()))))


def zeros(function: Callable[[float], float], domain: Interval) -> list[Number]:
    """Return where a function passes or touches zero."""
    return [_best(cluster, function, [0.0]) for cluster in clusters(cuts(Samples(function, domain), 0.0)[0])]


def _off_centre(each: Interval) -> float:
    """Return a point inside that is no round number: a probe at a whole one may be the one that is special."""
    if each.is_point or not (is_finite(each.lower) and is_finite(each.upper)):
        return float(each.inside())
    return float(each.upper) - _GOLDEN * (float(each.upper) - float(each.lower))


def _best(cluster: list[float], function: Callable[[float], float], levels: list[float]) -> Number:
    """Return the number of a cluster of cuts that meets a level best, a whole number before its neighbours."""

    def gap(at: Number) -> float:
        value = function(float(at))
        return math.inf if math.isnan(value) else min(abs(value - level) for level in levels)

    whole = round(cluster[0])
    is_near = abs(whole - cluster[0]) <= CLUSTER * abs(cluster[0])
    return min([whole, *cluster] if is_near else cluster, key=gap)


def cuts(samples: Samples, *levels: float) -> tuple[list[float], float | None]:
    """Return the points of a domain between which a function stays above, at or below each level.

    Where they are too many, the first ones, and the point up to which they are all.

    Args:
        samples: the function and where to look.
        levels: the values.
    """
    ordered, found = sorted(levels), set[float]()
    function, points = samples.function, samples.points
    narrowed = 0
    for place, left, right in samples.between(ordered[0], ordered[-1]):
        if narrowed > MOST_CUTS:
            return sorted(found), points[place]
        on_left, on_right = _met(ordered, left), _met(ordered, right)
        crossed = [level for level in _crossed(ordered, left, right) if not (level in on_left and level in on_right)]
        narrowed += len(crossed)
        for level in crossed:
            found.update(_narrowed(_Side(function, level), points[place], points[place + 1]))
        for level in on_left ^ on_right:  # where a plateau begins or ends, the noise of rounding apart
            found.update(_narrowed(_Side(function, level, PLATEAU), points[place], points[place + 1]))
    for place, before, here, after in samples.turns:
        for level in (
            () if _is_flat(before, here) and _is_flat(here, after) else _beyond_turn(ordered, before, here, after)
        ):
            gap = max(abs(before - level), abs(after - level))
            found.update(_touch(function, level, points[place], points[place + 2], gap))
    return sorted(found), None


def _is_flat(left: float, right: float) -> bool:
    """Whether two values differ by rounding only."""
    return abs(left - right) <= PLATEAU * abs(left)


def _met(levels: list[float], value: float) -> frozenset[float]:
    """Return the ascending levels that a value meets within rounding."""
    if math.isnan(value):
        return frozenset()
    margin = PLATEAU * abs(value)
    return frozenset(levels[bisect_left(levels, value - margin) : bisect_right(levels, value + margin)])


def _crossed(levels: list[float], left: float, right: float) -> list[float]:
    """Return the ascending levels of which two values lie on different sides; all where only one is a value."""
    if math.isnan(left) or math.isnan(right):
        return [] if math.isnan(left) and math.isnan(right) else levels
    if left == right:
        return []
    return levels[bisect_left(levels, min(left, right)) : bisect_right(levels, max(left, right))]


def _beyond_turn(levels: list[float], before: float, here: float, after: float) -> list[float]:
    """Return the next levels that a function may touch where it turns, between three values in a row."""
    if here >= before and here >= after and not before == here == after:
        place = bisect_right(levels, here)
        return levels[place : place + MOST_TOUCHED]
    if here <= before and here <= after and not before == here == after:
        place = bisect_left(levels, here)
        return levels[max(place - MOST_TOUCHED, 0) : place]
    return []


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

    def __init__(self, function: Callable[[float], float], level: float, share: float = 0.0) -> None:
        self.function, self.level, self.margin = function, level, share * abs(level)

    def __call__(self, at: float) -> int | None:
        value = self.function(at)
        if math.isnan(value):
            return None
        return (value > self.level + self.margin) - (value < self.level - self.margin)


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
    yield from (0.0 if abs(end) < SMALLEST_END else end for end in (left, right))


def _between(left: float, right: float) -> float:
    """Return the geometric middle, so that 1e-6 and 1e24 take equally many steps; the arithmetic one around zero."""
    if left > 0 or right < 0:
        return math.copysign(math.sqrt(abs(left)) * math.sqrt(abs(right)), left)
    return (left + right) / 2 if left * right else math.copysign(max(abs(left), abs(right)) / 16, left + right)


def _touch(function: Callable[[float], float], level: float, left: float, right: float, gap: float) -> list[float]:
    """Return where a function touches a level between two points without crossing it."""
    at = turning_point(lambda where: abs(function(where) - level), left, right)
    return [at] if abs(function(at) - level) <= TOUCH * max(abs(level), gap) else []


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
    return tuple(sorted(each for each in points if domain.lower <= each <= domain.upper))


@cached(maxsize=1)
def _sizes() -> tuple[float, ...]:
    steps = range(SMALLEST * POINTS_PER_DECADE, LARGEST * POINTS_PER_DECADE)
    sizes = [10.0 ** (step / POINTS_PER_DECADE) for step in steps]
    return tuple(sorted((0.0, *sizes, *(-each for each in sizes))))
