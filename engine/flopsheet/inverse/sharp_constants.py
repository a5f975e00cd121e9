"""Constants of an inversion with all their digits: `1 - log(c)` has few in floats where c is nearly e."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import evaluate
from flopsheet.inverse.rational import as_rational
from flopsheet.numbers.many_digits import Irrational
from flopsheet.numbers.spans import Span

if TYPE_CHECKING:
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.polynomials import Polynomial
    from flopsheet.numbers.rational import Rational
    from flopsheet.units import Number


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
