"""Whole numbers at which a float is what an equation asks for, as an answer printed it: each that has this float.

Inversion in floats may lose digits and end beside such a number, and a float may not tell many of them apart.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.budget import is_over
from flopsheet.numbers.arithmetic import bisected
from flopsheet.numbers.ends import closed_ends, is_copy_of_one, may_be_computed
from flopsheet.numbers.members import three_inside
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, point, union, whole_ends
from flopsheet.numbers.spans import Span
from flopsheet.search.grid import WHOLES
from flopsheet.tolerances import TWICE_ROUNDED, TYPED
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.search.points import Points
    from flopsheet.units import Number

MOST_TESTED = 200  # whole numbers of a range
MOST_DOUBLED = 1000  # times that the distance to the next number is doubled: to 1e301
FAR = 64  # times as far as a number is from zero, inversion may be off


class Printed:
    """The whole numbers at which an expression of a chain has the float that an equation asks for.

    Args:
        chain: where the unknown has a value, it gives that of the expression.
        expression: the left side of the equation.
        points: the same at single numbers, compared with the level.
    """

    def __init__(self, chain: Chain, expression: Expr, points: Points) -> None:
        self.chain, self.expression, self.points = chain, expression, points
        ends = closed_ends(points.target)
        self.levels = [float(end) if may_be_computed(end) else end for end in ends]
        self._rounded = [end for end in ends if isinstance(end, float) or may_be_computed(end)]

    def at(self, integer: int) -> bool:
        """Whether the float is that of the value at a number, as computed or by its digits."""
        value = self.chain.at_or_none(integer, self.expression) if integer in self.chain.domain else None
        if isinstance(value, Fraction) and self._rounded:  # it was printed as a float, and that is read as another one
            return any(size(value - Fraction(end)) <= TWICE_ROUNDED * size(end) for end in self._rounded)
        if value in self.levels or not isinstance(value, float) or not is_copy_of_one(value, self.levels):
            return value in self.levels
        return self.points.field.value_by_digits(integer) in self.levels

    def near(self, at: Number) -> int | None:
        """Return the first number that has the float beside where inversion ended; None without one."""
        integer = round(at)
        if self.at(integer):
            return integer
        beside = self.points.neighbours(at, FAR * size(at))
        found = next(filter(self.at, beside), None)
        return next(filter(self._in_another_unit, (integer, *beside)), None) if found is None else found

    def _in_another_unit(self, integer: int) -> bool:
        """Whether the value at a number, by its digits, is as near to the level as one that is rounded twice."""
        if integer not in self.chain.domain:
            return False
        gaps = ((self.points.field.value_by_digits(integer, level=end), end) for end in self._rounded)
        return any(gap is not None and abs(gap) <= TWICE_ROUNDED * size(end) for gap, end in gaps)

    def within(self, part: Interval) -> RealSet:
        """Return the numbers in a range that have the float, with those around them; the range where none is met."""
        first, last = whole_ends(part)
        if not first <= last or not is_finite(last - first):
            return (part,)
        first, last = int(first), int(last)
        if first < last and self.at(first) and self.at(last):
            return (part,)
        if last - first < MOST_TESTED:
            met = [at for at in range(first, last + 1) if self.at(at)]
            return union(*map(point, met), *(self._alike(at) for at in {*met[:1], *met[-1:]})) or (part,)
        beside = filter(self.at, (first, *self.points.neighbours_within(first, last), last))
        return next((alike for at in beside if (alike := self._alike(at))), (part,))

    def _alike(self, at: int) -> RealSet:
        """Return the numbers around one that have its float too, nothing where no bounds prove it.

        Over all of them the expression stays within rounding of the level.
        """
        first, last = (self._last(at, way) for way in (-1, 1))
        bounds = self.points.field.bounds(Span(first, last))
        proven = first == last or any(_stays(bounds, level) for level in self.levels)
        return (Interval(first, last),) if proven else EMPTY

    def _last(self, at: int, way: int) -> int:
        """Return the last number one way that has the float, where those between have it too, as far as time allows."""
        inside, distance = at, 1
        for _ in range(MOST_DOUBLED):
            outside = at + way * distance
            if is_over():
                break
            if not self.at(outside):
                return bisected(inside, outside, lambda number: not self.at(number), WHOLES.middle)[0]
            inside, distance = outside, 2 * distance
        return inside


def _stays(bounds: Span, level: Number) -> bool:
    return all(math.isclose(end, level, rel_tol=TYPED) for end in (bounds.low, bounds.high))


def plateau(chain: Chain, part: Interval, expression: Expr) -> Number | None:
    """Return the value that an expression has at all of some numbers in a range; None where these differ."""
    value, *others = {chain.at_or_none(at, expression) for at in three_inside(part)}
    return None if others else value
