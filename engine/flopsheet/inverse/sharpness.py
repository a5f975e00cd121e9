"""What rounding does to an inversion: in the last digits of what was found only, it loses no value.

Constants have all their digits here: `1 - log(c)` has few in floats where c is nearly e.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import evaluate
from flopsheet.inverse.rational import as_rational
from flopsheet.numbers.ends import has_floats
from flopsheet.numbers.many_digits import Irrational
from flopsheet.numbers.spans import Span
from flopsheet.tolerances import CROWDED, LITTLE
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.polynomials import Polynomial
    from flopsheet.numbers.rational import Rational
    from flopsheet.numbers.sets import Interval, RealSet
    from flopsheet.units import Number

MOST_LAYERS = 1  # exponentials and logarithms inverted at floats: each may enlarge their rounding
MOST_COMPARED = 24  # ends of a set


class Sharpness:
    """What rounding did on the way to the unknown: `is_kept` until it may have found or lost a value.

    `is_needed` is whether a method was used whose result counts only then, `is_rounded` whether floats took part.
    `is_given` is whether all other cells are exact, so that digits must not be lost, and `is_level_given` whether the
    level that is asked for is as well.

    Args:
        widened: the share by which each layer widens ranges whose ends are floats.
    """

    def __init__(self, widened: float = 0) -> None:
        self.is_given, self.is_level_given, self.widened = False, False, widened
        self.is_kept, self.is_needed, self.is_rounded = True, False, False
        self._left = MOST_LAYERS
        self._share = 1.0  # that sums leave of numbers, in all

    def blur(self) -> None:
        """Note that rounding may have found or lost a value."""
        self.is_kept = False

    def pass_layer(self, expression: Expr, inside: tuple[Expr, ...], target: RealSet) -> None:
        """Note that a layer is inverted at a target: at floats, factors and roots keep digits, and few others do.

        Args:
            expression: the layer.
            inside: its terms that hold the unknown.
            target: the set in which it must lie.
        """
        self.is_rounded = self.is_rounded or has_floats(target)
        if not self.is_kept:
            return
        self.compare_ends(target)
        if len(inside) > 1 or not has_floats(target):
            return  # what takes several terms notes itself what it does
        is_exponential = isinstance(expression, sympy.exp) or (expression.is_Pow and inside == expression.args[1:])
        is_root = expression.is_Pow and inside == expression.args[:1]
        if expression.is_Mul or expression.is_Add or is_root:  # of a sum, see `subtract`
            return
        keeps = isinstance(expression, sympy.log) or (is_exponential and all(map(_is_off_one, target)))
        self.is_kept &= keeps and self._left > 0
        self._left -= 1

    def subtract(self, before: RealSet, after: RealSet) -> None:
        """Note levels before and after a constant is taken off, which cancels digits of floats that are nearly it."""
        if self.is_kept:
            largest, is_rounded = max(map(size, _ends(before)), default=0), has_floats(before)
            rounded = [size(end) for end in _ends(after) if is_rounded or isinstance(end, float)]
            self._share *= min(1.0, *(float(end / largest) for end in rounded)) if largest and rounded else 1
            self.is_kept = self._share >= LITTLE

    def compare_ends(self, values: RealSet) -> None:
        """Note the ends of a set that a layer may round to the same float."""
        if len(values) > 1 or not all(part.is_point for part in values):
            self.compare(_ends(values))

    def compare(self, numbers: Iterable[Number]) -> None:
        """Note numbers that a layer may round to the same float: ends of a set, roots and poles."""
        if not self.is_kept:
            return
        distinct = {number for number in numbers if is_finite(number)}
        if len(distinct) > 1:
            crowded = (is_crowded(*pair) for pair in pairwise(sorted(distinct)))
            self.is_kept = len(distinct) <= MOST_COMPARED and not any(crowded)

    def compare_apart(self, first: Iterable[RealSet], second: Iterable[RealSet]) -> None:
        """Note ends of some sets that may be those of others, but for rounding."""
        ones, others = ([end for part in parts for end in _ends(part)] for parts in (first, second))
        rounded = (pair for pair in product(ones, others) if any(isinstance(end, float) for end in pair))
        self.is_kept &= not any(is_crowded(*pair) for pair in rounded)


def is_crowded(one: Number, other: Number) -> bool:
    """Whether two numbers are so near to each other that rounding may make them one."""
    return size(Fraction(one) - Fraction(other)) <= CROWDED * max(size(one), size(other))


def _ends(target: RealSet) -> Iterator[Number]:
    return (end for part in target for end in (part.lower, part.upper) if is_finite(end))


def _is_off_one(part: Interval) -> bool:
    """Whether the logarithms of float ends of a part have as many digits as these."""
    ends = (end for end in _ends((part,)) if isinstance(end, float))
    return all(size(end - 1) > LITTLE and size(end) > CROWDED for end in ends)


def sharp_constant(expression: Expr, values: Values) -> Number | None:
    """Return the float nearest to an expression of known cells; None where digits do not show it.

    Args:
        expression: a formula without the unknown.
        values: the cells in it, all of them exact [base units].
    """
    try:
        return _nearest(_in_digits(expression, values))
    except (ArithmeticError, ValueError):
        return None


def sharp_ratio(expression: Expr, unknown: Expr, values: Values) -> Rational | None:
    """Return a rational function with all digits of its coefficients; None where digits do not show them.

    Args:
        expression: the function.
        unknown: its unknown.
        values: the other cells, all of them exact [base units].
    """
    try:
        precise = as_rational(expression, unknown, values, constant=_in_digits)
    except (ArithmeticError, TypeError, ValueError):  # of a divisor by a number that is not exact
        return None
    if precise is None:
        return None
    rounded = {pole: _all_nearest(pole) for pole in precise.poles}
    poles = {pole: nearest for pole, nearest in rounded.items() if nearest is not None}
    above = _all_nearest(precise.above)
    if above is None or len(poles) < len(rounded):
        return None
    below = Counter({poles[pole]: times for pole, times in precise.below.items()})
    return replace(precise, above=above, below=below, poles=frozenset(poles.values()), is_sharp=True)


def _all_nearest(polynomial: Polynomial) -> Polynomial | None:
    found = tuple(number for each in polynomial if (number := _nearest(each)) is not None)
    return found if len(found) == len(polynomial) else None


def _in_digits(expression: Expr, values: Values) -> Number | Span:
    """Return an expression exactly, or between ratios that are closer to each other than floats."""
    value = evaluate(expression, values)
    return Span(*value.ends(), exact=True) if isinstance(value, Irrational) else value


def _nearest(number: Number | Span) -> Number | None:
    """Return an exact number as it is, and for a span the float in it, or beside it; None where it is wider."""
    if not isinstance(number, Span):
        return number
    if number.low == number.high:
        return number.low
    low, high = float(number.low), float(number.high)
    return low if low <= high <= math.nextafter(low, math.inf) and (low > 0 or high < 0) else None
