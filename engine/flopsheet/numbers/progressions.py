"""Evenly spaced numbers, and quotients by them: sets of endlessly or very many numbers that one line describes.

The values at which `mod(x, 12) = 5` are `5 + 12*k`, those at which `x*floor(a/x) = t` are `t/k`, for integers k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sympy.ntheory.modular import solve_congruence

from flopsheet.numbers.arithmetic import power
from flopsheet.numbers.sets import Interval, RealSet, about, is_rounded_to, point, union
from flopsheet.units import is_finite, size, tidy

if TYPE_CHECKING:
    from flopsheet.units import Number

MOST_LISTED, FIRST_LISTED = 1000, 200  # a progression of more numbers is listed up to the second
MOST_TRIED = 50_000  # numbers that are tested one by one


class Quotient(NamedTuple):
    """The function `(constant + slope*x) / (below + below_slope*x)`."""

    constant: Number
    slope: Number
    below: Number = 1
    below_slope: Number = 0

    def of(self, inner: Quotient) -> Quotient:
        """Return this function of another one."""
        (a, b, c, d), (e, f, g, h) = self, inner
        return Quotient(a * g + b * e, a * h + b * f, c * g + d * e, c * h + d * f)

    def members(self, first: Number, last: Number) -> tuple[Progression, ...]:
        """Return its values at the integers between two; none where it is constant, or infinite."""
        a, b, c, d = (Fraction(number) for number in self)
        rounded = any(isinstance(number, float) for number in self)
        if b * c == a * d:
            return ()
        if d == 0:
            return (Progression(a / c, b / c, None, first, last, rounded),) if first <= last else ()
        shift = c / d
        whole = Progression(b / d, (a - b * shift) / d, shift, first, last, rounded)
        below = replace(whole, last=min(last, math.ceil(-shift) - 1))
        above = replace(whole, first=max(first, math.floor(-shift) + 1))
        return tuple(side for side in (below, above) if side.first <= side.last)


class Curve(Protocol):
    """A function that rises all over an interval, or falls."""

    @property
    def rises(self) -> bool:
        """Whether it rises."""
        ...

    def of(self, value: Number) -> Number | None:
        """Return the function of a number; None beyond the interval."""
        ...

    def at(self, level: Number) -> Number:
        """Return the number at which the function has a value, or the end of the interval next to it."""
        ...


@dataclass(frozen=True)
class Root:
    """A root of a number that is not negative.

    Args:
        order: of the root.
    """

    order: int
    rises: bool = True

    def of(self, value: Number) -> Number | None:
        """Return the root of a number; None below zero."""
        return power(value, Fraction(1, self.order)) if value >= 0 else None

    def at(self, level: Number) -> Number:
        """Return the power of a number."""
        return level**self.order


@dataclass(frozen=True)
class Progression:
    """The numbers `offset + factor*k`, or `offset + factor/(k + shift)`, for the integers k from one to another.

    Or the numbers at which a curve has these values.

    Args:
        offset: number to which the multiples or quotients are added.
        factor: of the integer, or over it; not zero.
        shift: what is added to the integer in the divisor, which has one sign for all; None for multiples.
        first: smallest integer, or `-inf`.
        last: largest integer, or `inf`.
        rounded: whether floats are involved, so that members are known within rounding.
        curve: the function that has these values; None for the numbers themselves.
    """

    offset: Fraction
    factor: Fraction
    shift: Fraction | None = None
    first: Number = -math.inf
    last: Number = math.inf
    rounded: bool = False
    curve: Curve | None = None

    def at(self, step: Number) -> Number:
        """Return the member for an integer; for an infinite one what the members approach."""
        if not is_finite(step):
            endless = math.copysign(math.inf, step * self.factor)
            return self._member(endless if self.shift is None else self.offset)
        value = self.offset + (self.factor * step if self.shift is None else self.factor / (step + self.shift))
        return float(self._member(value)) if self.rounded else self._member(value)

    def _member(self, value: Number) -> Number:
        return tidy(value if self.curve is None else self.curve.at(value))

    def __contains__(self, value: Number) -> bool:
        step = self.step_at(value)
        if step is None or not self.first <= round(step) <= self.last:
            return False
        return is_rounded_to(self.at(round(step)), value, about(value))

    @property
    def count(self) -> Number:
        """How many members it has."""
        return self.last - self.first + 1

    @cached_property
    def hull(self) -> Interval:
        """The smallest interval that holds all members."""
        ends = sorted((self.at(step), is_finite(step)) for step in (self.first, self.last))
        (lower, lower_closed), (upper, upper_closed) = ends
        return Interval(lower, upper, lower_closed, upper_closed)

    @property
    def lower(self) -> Number:
        """The smallest member, or what the members approach from above."""
        return self.hull.lower

    @property
    def upper(self) -> Number:
        """The largest member, or what the members approach from below."""
        return self.hull.upper

    @property
    def lower_closed(self) -> bool:
        """Whether there is a smallest member."""
        return self.hull.lower_closed

    @property
    def upper_closed(self) -> bool:
        """Whether there is a largest member."""
        return self.hull.upper_closed

    @property
    def ends(self) -> tuple[tuple[Number, bool], tuple[Number, bool]]:
        """Both ends, each with whether it is a member."""
        return self.hull.ends

    @property
    def is_point(self) -> bool:
        """Whether it has one member only."""
        return self.count == 1

    def inside(self) -> Number:
        """Return some member."""
        return self.at(self.some)

    def raised(self, order: int) -> Progression:
        """Return a power of all members, which are not negative."""
        return replace(self, curve=Root(order * (self.curve.order if isinstance(self.curve, Root) else 1)))

    @property
    def function(self) -> Quotient:
        """Its members as a function of the integer."""
        if self.shift is None:
            return Quotient(self.offset, self.factor)
        return Quotient(self.offset * self.shift + self.factor, self.offset, self.shift, 1)

    def through(self, function: Quotient) -> tuple[Progression, ...] | None:
        """Return the values of a function at the members; None where there is no simple way to them."""
        if self.curve is not None:
            return None
        mapped = function.of(self.function).members(self.first, self.last)
        return tuple(replace(part, rounded=part.rounded or self.rounded) for part in mapped)

    def within(self, interval: Interval) -> tuple[Progression, ...]:
        """Return the members in an interval: one progression, or none."""
        left = _beyond(self, interval.lower, closed=interval.lower_closed, above=True)
        left = left and _beyond(left, interval.upper, closed=interval.upper_closed, above=False)
        return (left,) if left else ()

    def step_at(self, value: Number) -> Fraction | None:
        """Return the k, which may be a fraction, at which the formula has a value; None beyond all that it tends to."""
        level = None if not is_finite(value) else value if self.curve is None else self.curve.of(value)
        if level is None:
            return None
        gap = Fraction(level) - self.offset
        if self.shift is None:
            return gap / self.factor
        over = self.factor / gap if gap else 0
        return over - self.shift if over and (over > 0) == (self.some + self.shift > 0) else None

    @property
    def some(self) -> Number:
        """One of the integers."""
        return next((end for end in (self.first, self.last) if is_finite(end)), 0)

    def meet(self, other: Progression) -> tuple[Progression, ...] | None:
        """Return the members of both; None where there is no simple way to them."""
        simple = all(part.shift is None and part.curve is None and not part.rounded for part in (self, other))
        if simple:
            numbers = self.offset, self.factor, other.offset, other.factor
            scale = math.lcm(*(number.denominator for number in numbers))
            rest, period, other_rest, other_period = (int(number * scale) for number in numbers)
            both = solve_congruence((rest, abs(period)), (other_rest, abs(other_period)))
            if both is None:
                return ()
            common = Progression(Fraction(int(both[0]), scale), Fraction(int(both[1]), scale))
            return tuple(part for half in common.within(self.hull) for part in half.within(other.hull))
        return None

    @property
    def is_every_whole(self) -> bool:
        """Whether its members are all whole numbers between two."""
        return self.shift is None and self.curve is None and abs(self.factor) == self.offset.denominator == 1

    @property
    def integers(self) -> tuple[Progression, ...] | None:
        """The members that are integers; None where there is no simple way to them."""
        return self.meet(WHOLE)

    def nearest(self, value: Number) -> Number:
        """Return the member nearest to a number."""
        step = self.step_at(value)
        middle = self._middle if step is None else step
        steps = {min(max(rounded, self.first), self.last) for rounded in (math.floor(middle), math.ceil(middle))}
        steps |= {end for end in (self.first, self.last) if is_finite(end)}
        return min(map(self.at, steps), key=lambda member: size(member - value))

    @property
    def _middle(self) -> Fraction:
        """The k at which the numbers are zero, or the divisor is: members are listed from there on."""
        return -self.offset / self.factor if self.shift is None else -self.shift

    def numbers(self) -> list[Number]:
        """Return the members one by one, where these are not endless."""
        return [self.at(step) for step in range(int(self.first), int(self.last) + 1)]

    @cached_property
    def points(self) -> RealSet:
        """The members as a set, where these are not endless."""
        return union(*map(point, self.numbers()))

    @cached_property
    def begin(self) -> Progression:
        """The members to list, if they are too many: those of the smallest integers, or next to zero."""
        if self.count <= MOST_LISTED:
            return self
        middle = min(max(round(self._middle), self.first), self.last)
        first = max(middle - FIRST_LISTED // 2, self.first)
        last = min(first + FIRST_LISTED - 1, self.last)
        return replace(self, first=max(last - FIRST_LISTED + 1, self.first), last=last)


def _beyond(part: Progression, end: Number, *, closed: bool, above: bool) -> Progression | None:
    """Return the members above or below a number, with the number itself where that end is closed."""
    if not is_finite(end):
        return part if (end < 0) == above else None
    step = part.step_at(end)
    if step is None:  # all members are on one side
        return part if (part.at(part.some) > end) == above else None
    nearest, rises = round(step), (part.factor > 0) == (part.shift is None)
    if part.curve is not None:
        rises = rises == part.curve.rises
    if part.first <= nearest <= part.last:
        member = part.at(nearest)
        beside = 0 if is_rounded_to(member, end, about(end)) else -1 if (member > end) == rises else 1
        step = nearest + Fraction(beside, 2)
    excluded = step.denominator == 1 and not closed
    if above == rises:
        part = replace(part, first=max(part.first, math.ceil(step) + excluded))
    else:
        part = replace(part, last=min(part.last, math.floor(step) - excluded))
    return part if part.first <= part.last else None


WHOLE = Progression(Fraction(0), Fraction(1))
