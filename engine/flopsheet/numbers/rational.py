"""Rational functions of one unknown: ratios of polynomials, with every pole of what they were made from."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import divided
from flopsheet.numbers.polynomials import Polynomial, common_factor, divided_by, is_one_of, product, real_roots, total
from flopsheet.numbers.spans import is_exact
from flopsheet.units import tidy

if TYPE_CHECKING:
    from fractions import Fraction

    from flopsheet.units import Number


@dataclass(frozen=True)
class Rational:
    """A ratio of polynomials, its denominator in factors.

    Args:
        above: numerator.
        below: factors of the denominator with their powers, each with leading coefficient 1.
        poles: every factor of a denominator in the expression, cancelled or not.
        is_exact: whether no float took part; the coefficients of floats may have cancelled.
        is_sharp: whether floats, if any, are the nearest ones.
    """

    above: Polynomial
    below: Counter[Polynomial]
    poles: frozenset[Polynomial]
    is_exact: bool = True
    is_sharp: bool = False

    @property
    def degree(self) -> int:
        """The largest degree above or below the bar."""
        return max(len(self.above) - 1, sum((len(factor) - 1) * times for factor, times in self.below.items()))

    def minus(self, value: Number) -> Polynomial:
        """Return the numerator of the difference to a value."""
        return total(self.above, tuple(-value * factor for factor in _raised(self.below)))

    def at(self, value: Fraction) -> Number:
        """Return its value where the unknown has one that is no pole."""
        below = math.prod(_value(factor, value) ** times for factor, times in self.below.items())
        return divided(_value(self.above, value), below)

    def pole_values(self) -> set[Number]:
        """Return where it divides by zero."""
        return {root for factor in self.poles for root in real_roots(factor)}

    def hides(self, level: Polynomial, root: Number, poles: set[Number]) -> bool:
        """Whether rounding takes a root of an exact level for a pole: they are not roots of a common factor.

        Args:
            level: the numerator of the difference to a value.
            root: a root of it, as it is or as the nearest float.
            poles: where it divides by zero.
        """
        if not is_one_of(root, poles) or (is_exact(root) and root in {pole for pole in poles if is_exact(pole)}):
            return False
        shared = {at for factor in self.poles for at in real_roots(common_factor(level, factor))}
        return not is_one_of(root, shared)


def inverse(term: Rational) -> Rational:
    """Return 1 over a rational function; raise ZeroDivisionError where that is zero."""
    if not term.above:
        raise ZeroDivisionError("the inverse of zero")
    lead = term.above[-1]
    factor = term.above if lead == 1 else tuple(tidy(divided(factor, lead)) for factor in term.above)
    above = tuple(divided(factor, lead) for factor in _raised(term.below))
    if len(factor) == 1:
        return Rational(above, Counter(), term.poles, term.is_exact)
    return Rational(above, Counter([factor]), term.poles | {factor}, term.is_exact)


def added(left: Rational, right: Rational) -> Rational:
    """Return the sum of two rational functions over their common denominator."""
    exact = left.is_exact and right.is_exact
    if not left.below and not right.below:
        return Rational(total(left.above, right.above), left.below, left.poles | right.poles, exact)
    below = left.below | right.below
    scaled = (product(side.above, _raised(below - side.below)) for side in (left, right))
    return Rational(total(*scaled), below, left.poles | right.poles, exact)


def multiplied(left: Rational, right: Rational) -> Rational:
    """Return the product of two rational functions, without the linear factors that cancel."""
    exact = left.is_exact and right.is_exact
    if len(right.above) == 1 and not right.poles:
        left, right = right, left
    if len(left.above) == 1 and not left.poles:
        scale = left.above[0]
        return Rational(tuple(scale * factor for factor in right.above), right.below, right.poles, exact)
    below, above = left.below + right.below, product(left.above, right.above)
    for factor in [factor for factor in below if len(factor) == 2]:
        while below[factor] and (quotient := divided_by(above, factor)) is not None:
            above, below[factor] = quotient, below[factor] - 1
    return Rational(above, +below, left.poles | right.poles, exact)


def _raised(factors: Counter[Polynomial]) -> Polynomial:
    return reduce(product, factors.elements(), (1,))


def _value(polynomial: Polynomial, at: Fraction) -> Number:
    value: Number = 0
    for factor in reversed(polynomial):
        value = value * at + factor
    return value
