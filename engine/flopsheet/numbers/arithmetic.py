"""The operations of formulas on numbers: exact on ratios until a function is not rational, or in floats throughout."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.tolerances import NEAR_WHOLE

if TYPE_CHECKING:
    from flopsheet.units import Number

MOST_BITS = 4096


def divided(above: Number, below: Number) -> Number:
    """Return a quotient: a ratio where both are exact."""
    if isinstance(above, int) and isinstance(below, int):
        return Fraction(above, below)
    if isinstance(above, int) and isinstance(below, Fraction):
        return Fraction(above * below.denominator, below.numerator)
    return above / below


def halved(value: Number) -> Number:
    """Return half a number: exact for an integer, which Python would turn into a float."""
    return divided(value, 2)


def power(base: Number, exponent: Number) -> Number:
    """Return base to the exponent: exact for whole exponents and perfect roots of ratios.

    Raises:
        ValueError: an even root of a negative number.
        ZeroDivisionError: a negative power of zero.
    """
    if isinstance(base, float) or isinstance(exponent, float):
        return float_power(base, exponent)
    ratio, exponent = Fraction(base), Fraction(exponent)
    if ratio < 0 and exponent.denominator != 1:
        return float_power(base, exponent)
    bits = max(ratio.numerator.bit_length(), ratio.denominator.bit_length())
    if bits * abs(exponent.numerator) > MOST_BITS:
        return float_power(base, exponent)
    raised = ratio**exponent.numerator
    if exponent.denominator == 1:
        return raised
    above, whole_above = sympy.integer_nthroot(raised.numerator, exponent.denominator)
    below, whole_below = sympy.integer_nthroot(raised.denominator, exponent.denominator)
    if whole_above and whole_below:
        return Fraction(int(above), int(below))
    return float_power(base, exponent)


def float_power(base: Number, exponent: Number) -> float:
    """Return base to the exponent in floats.

    Raises:
        ValueError: an even root of a negative number.
    """
    base, exponent = float(base), float(exponent)  # whole numbers would be raised digit by digit
    if base < 0 and exponent != int(exponent):
        raise ValueError(f"a negative number, {base:g}, to the power {exponent:g}")
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf if base > 0 or exponent % 2 == 0 else -math.inf


def logarithm(end: Number) -> float:
    """Return the natural logarithm of a number that may be a ratio of any size."""
    if end == 0:
        return -math.inf
    return math.log(end.numerator) - math.log(end.denominator) if isinstance(end, Fraction) else math.log(end)


def near_whole(value: Number) -> Number:
    """Return a float within rounding of an integer as that integer, any other number as it is."""
    if isinstance(value, float) and math.isfinite(value) and abs(value - round(value)) <= NEAR_WHOLE * abs(value):
        return round(value)
    return value
