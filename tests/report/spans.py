"""Interval arithmetic over exact fractions, each end with the dimension that it measures; made for the tests alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath

from flopsheet.units.system import PURE_NUMBER, Dimension

if TYPE_CHECKING:
    from collections.abc import Callable

mpmath.mp.dps = 60
OUTWARD = Fraction(1, 10**40)  # what a function computed in sixty digits may be off, taken far too large
FLOAT_DIGIT = Fraction(2, 10**16)  # the last digit of a float, relative to it


@dataclass(frozen=True)
class Span:
    """Every number that a printed text may stand for.

    Args:
        low: the smallest, in base units.
        high: the largest, in base units.
        dimension: what it measures.
    """

    low: Fraction
    high: Fraction
    dimension: Dimension = PURE_NUMBER

    def __add__(self, other: Span) -> Span:
        assert self.dimension == other.dimension, f"{self.dimension} plus {other.dimension}"
        return Span(self.low + other.low, self.high + other.high, self.dimension)

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low, self.dimension)

    def __mul__(self, other: Span) -> Span:
        ends = [first * second for first in (self.low, self.high) for second in (other.low, other.high)]
        return Span(min(ends), max(ends), self.dimension * other.dimension)

    def inverse(self) -> Span:
        """Return one over it."""
        assert self.low * self.high > 0, "the printed divisor may be zero"
        return Span(1 / self.high, 1 / self.low, self.dimension ** Fraction(-1))

    def power(self, exponent: Span) -> Span:
        """Return it raised: to a whole number or a half exactly, else through the logarithm."""
        assert not exponent.dimension, f"an exponent measures {exponent.dimension}"
        if exponent.low == exponent.high and exponent.low.denominator == 1:
            return self._whole_power(int(exponent.low))
        if exponent.low == exponent.high:
            raised = self.through(lambda value: mpmath.power(value, _real(exponent.low)))
            return Span(raised.low, raised.high, self.dimension**exponent.low)
        assert not self.dimension, "a unit is raised to a rounded number"
        return (self.through(mpmath.log) * exponent).through(mpmath.exp)

    def _whole_power(self, exponent: int) -> Span:
        if exponent < 0:
            return self.inverse()._whole_power(-exponent)
        ends = [self.low**exponent, self.high**exponent]
        low = Fraction(0) if self.low < 0 < self.high and exponent % 2 == 0 else min(ends)
        return Span(low, max(ends), self.dimension ** Fraction(exponent))

    def through(self, function: Callable[[mpmath.mpf], mpmath.mpf]) -> Span:
        """Return a rising or falling function of it, its ends moved outwards by the last digits."""
        ends = sorted(exact(function(_real(end))) for end in (self.low, self.high))
        return Span(ends[0] - abs(ends[0]) * OUTWARD, ends[1] + abs(ends[1]) * OUTWARD)

    def stepped(self, way: Callable[[Fraction], int]) -> Span:
        """Return it rounded up or down."""
        return Span(Fraction(way(self.low)), Fraction(way(self.high)), self.dimension)

    def remainder(self, divisor: Span) -> Span:
        """Return what is left after division: any remainder where the quotient may be several whole numbers."""
        quotient = (self * divisor.inverse()).stepped(math.floor)
        if quotient.low == quotient.high:
            return self + -(quotient * divisor)
        return Span(Fraction(0), divisor.high, self.dimension)

    def wave(self, quarter: int) -> Span:
        """Return the sine, or with a quarter of 1 the cosine, of an angle in degrees."""
        low, high = self.low + 90 * quarter, self.high + 90 * quarter
        span = Span(low, high).ends(lambda angle: mpmath.sin(mpmath.radians(angle)))
        for value, top in ((Fraction(1), 90), (Fraction(-1), 270)):
            if math.floor((high - top) / 360) > math.floor((low - top) / 360):
                span = Span(min(span.low, value), max(span.high, value))
        return span

    def ends(self, function: Callable[[mpmath.mpf], mpmath.mpf]) -> Span:
        """Return the span between the values at both ends."""
        return self.through(function)

    def meets(self, other: Span) -> bool:
        """Whether both may stand for one number, which a float holds to its last digit only: 1 for 1 - 1e-17."""
        room = FLOAT_DIGIT * max(abs(self.low), abs(self.high), abs(other.low), abs(other.high))
        return self.low <= other.high + room and other.low <= self.high + room


def hull(spans: list[Span], pick: Callable[[list[Fraction]], Fraction]) -> Span:
    """Return the largest or the smallest of several; zero needs no unit."""
    dimensions = {span.dimension for span in spans if span.low or span.high} or {spans[0].dimension}
    assert len(dimensions) == 1, "terms measure different things"
    lows, highs = [span.low for span in spans], [span.high for span in spans]
    return Span(pick(lows), pick(highs), dimensions.pop())


def exact(value: mpmath.mpf) -> Fraction:
    """Return a number of mpmath as the fraction that it is."""
    mantissa, exponent = value.man_exp  # without the sign
    return (-1 if value < 0 else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator
