"""Natural scales: the unit in which an expression comes out where cells stand in their shown units."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.functions import Trait, entry_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr
    from flopsheet.units import Unit

LARGEST_EXPONENT = 9


def scale_of(expression: Expr, units: Mapping[str, Unit]) -> Fraction:
    """Return a size [base units] in which an expression needs few constants: that of GiB for a sum of GiB."""
    if expression.is_Symbol:
        return units[expression.name].factor if expression.name in units else Fraction(1)
    if isinstance(expression, sympy.Mul):
        product = Fraction(1)
        for factor in expression.args:
            product *= scale_of(factor, units)
        return product
    if isinstance(expression, sympy.Pow):
        return power_of(scale_of(expression.base, units), expression.exp) or Fraction(1)
    if expression.is_Add or Trait.HOMOGENEOUS in entry_of(expression).traits:
        scales = (scale_of(term, units) for term in expression.args)
        return next((scale for scale in scales if scale != 1), Fraction(1))
    return Fraction(1)


def power_of(scale: Fraction, exponent: Expr) -> Fraction | None:
    """Return a scale to an exponent where that is a ratio of numbers of some length, else None."""
    if scale == 1:
        return scale
    if not exponent.is_Rational or max(abs(exponent.p), exponent.q) > LARGEST_EXPONENT:
        return None
    above, whole_above = sympy.integer_nthroot(scale.numerator, int(exponent.q))
    below, whole_below = sympy.integer_nthroot(scale.denominator, int(exponent.q))
    return Fraction(int(above), int(below)) ** int(exponent.p) if whole_above and whole_below else None
