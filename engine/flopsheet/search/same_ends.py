"""Ends of sets that lie at one place: rounding puts each on either side of it, so that none or too much seems in both.

`x**2 >= 2` and `x**2 <= 2` begin and end at a number that no float is. The float nearest to a root 1.79 lies beyond a
bound of 1.79.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

from flopsheet.numbers.ends import may_be_computed, shortest
from flopsheet.numbers.many_digits import is_rounded
from flopsheet.numbers.spans import is_exact
from flopsheet.tolerances import SAME_PLACE, SHORT
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from flopsheet.numbers.sets import Interval, RealSet
    from flopsheet.search.points import Points
    from flopsheet.units import Number

MOST_ENDS = 32  # of a set
HALVINGS = 160  # of the numbers around a place, until the other formula must pass its level within what is left


def with_same_ends(sets: Sequence[RealSet], points: Sequence[Callable[[], Points | None]]) -> list[RealSet]:
    """Return sets with one number for the ends that lie at one place.

    Args:
        sets: where formulas of one unknown lie at, above or below their levels.
        points: makes each formula at single numbers, compared with its level; None where it cannot be.
    """
    ends = [_finite_ends(values) for values in sets]
    moved: list[dict[Number, Number]] = [{} for _ in sets]
    for one, other in combinations(range(len(sets)), 2):
        for mine, its in _near(ends[one], ends[other]):
            if _are_same(points[one](), mine, points[other](), its):
                place = its if is_exact(its) else mine
                moved[one][mine] = moved[other][its] = place
    return [_moved(values, places) if places else values for values, places in zip(sets, moved, strict=True)]


def at_ends(root: Sequence[Number], domains: Sequence[Interval], room: Fraction = SHORT) -> tuple[Number, ...] | None:
    """Return a root known to a share as short ratios and floats, or the closed ends of domains that it is at.

    None where it lies outside of a domain.
    """
    placed = [_placed(value, domain, room) for value, domain in zip(root, domains, strict=True)]
    known = tuple(value for value in placed if value is not None)
    return known if len(known) == len(placed) else None


def _placed(value: Number, domain: Interval, room: Fraction) -> Number | None:
    for end, closed in domain.ends:
        near: Number = max(room, Fraction(SAME_PLACE)) if isinstance(end, float) else room
        if is_finite(end) and size(Fraction(value) - Fraction(end)) <= near * size(end):
            return end if closed else None
    return shortest(Fraction(value)) if value in domain else None


def _finite_ends(values: RealSet) -> list[Number]:
    """Return the finite ends of a set, but those that lie at one place themselves; none of a set of many parts."""
    ends = sorted({end for part in values for end, _ in part.ends if is_finite(end)})
    if len(ends) > MOST_ENDS:
        return []
    crowded = {end for pair in pairwise(ends) if _is_one_place(*pair) for end in pair}
    return [end for end in ends if end not in crowded]


def _near(ends: Sequence[Number], others: Sequence[Number]) -> Iterator[tuple[Number, Number]]:
    """Yield pairs of ends that differ by rounding at most, but differ."""
    for one, other in product(ends, others):
        is_rounded = isinstance(one, float) or isinstance(other, float)
        if is_rounded and one != other and _is_one_place(one, other):
            yield one, other


def _is_one_place(one: Number, other: Number) -> bool:
    return size(one - other) <= SAME_PLACE * size(one)


def _are_same(mine: Points | None, end: Number, its: Points | None, other: Number) -> bool:
    """Whether digits, or the rounding of a level, do not tell apart where two formulas pass their levels."""
    if mine is None or its is None:
        return False
    if _is_nearly_at(mine, other) or _is_nearly_at(its, end):
        return True
    if is_exact(end) or is_exact(other):
        points, place = (its, end) if is_exact(end) else (mine, other)
        return points.compare(place, _level(points)) == 0
    low, high = sorted((Fraction(end), Fraction(other)))
    low, high, level = low - (high - low), high + (high - low), _level(mine)
    if not mine.passes(low, high, level):
        return False
    before = mine.compare(low, level)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        sign = mine.compare(middle, level)
        if not sign:
            return sign == 0 == its.compare(middle, _level(its))
        low, high = (middle, high) if sign == before else (low, middle)
    return its.passes(low, high, _level(its))


def _is_nearly_at(points: Points, place: Number) -> bool:
    """Whether a formula is at its level within rounding, where rounding may have made the level."""
    level = _level(points)
    return (points.field.is_rounded or is_rounded(level) or may_be_computed(level)) and points.is_near(place)


def _level(points: Points) -> Number:
    return next(end for part in points.target for end, _ in part.ends if is_finite(end))


def _moved(values: RealSet, places: Mapping[Number, Number]) -> RealSet:
    ends = ((places.get(part.lower, part.lower), places.get(part.upper, part.upper)) for part in values)
    moved = (replace(part, lower=lower, upper=upper) for part, (lower, upper) in zip(values, ends, strict=True))
    return tuple(part for part in moved if not part.is_empty)
