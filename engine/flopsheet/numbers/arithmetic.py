"""The operations of formulas on numbers: exact on ratios until a function is not rational, or in floats throughout."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.numbers.comparison import holds
from flopsheet.units import Number, is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_BITS = 4096
NEAR_WHOLE = 1e-12


def divided(above: Number, below: Number) -> Number:
    """Return a quotient: a ratio where both are exact."""
    if isinstance(above, float) or isinstance(below, float):
        return above / below
    return Fraction(above) / below


def halved(value: Number) -> Number:
    """Return half a number: exact for a whole one, of which Python would make a float."""
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


def exponential(value: Number) -> float:
    """Return e to a power, infinity where that is larger than floats can be."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def near_whole(value: Number) -> Number:
    """Return a float within rounding of a whole number as that number, any other number as it is."""
    if isinstance(value, float) and math.isfinite(value) and abs(value - round(value)) <= NEAR_WHOLE * abs(value):
        return round(value)
    return value


def rounded(value: Number, way: Callable[[Number], int]) -> Number:
    """Return a value rounded up or down; a float within rounding error of a whole number is that number."""
    value = near_whole(value)
    return value if not is_finite(value) else way(value)


def ceiling(value: Number) -> Number:
    """Return the next whole number."""
    return rounded(value, math.ceil)


def floor(value: Number) -> Number:
    """Return the whole number below."""
    return rounded(value, math.floor)


def remainder(value: Number, divisor: Number) -> Number:
    """Return what is left after division, with the sign of the divisor; zero within rounding of a multiple."""
    quotient = near_whole(divided(value, divisor))
    return 0 if isinstance(quotient, int) else value - divisor * math.floor(quotient)


def float_remainder(value: Number, divisor: Number) -> Number:
    """Return what is left after division in floats: of two whole numbers no ratio is made."""
    quotient = near_whole(float(value) / float(divisor))
    return 0 if isinstance(quotient, int) else value - divisor * math.floor(quotient)


def arcsine(value: Number) -> float:
    """Return the angle [degree] that has a sine, which may exceed 1 by rounding."""
    return math.degrees(math.asin(_clamped(value)))


def arccosine(value: Number) -> float:
    """Return the angle [degree] that has a cosine, which may exceed 1 by rounding."""
    return math.degrees(math.acos(_clamped(value)))


def _clamped(value: Number) -> float:
    number = float(value)
    return math.copysign(1.0, number) if 1 < abs(number) <= 1 + NEAR_WHOLE else number


_EITHER: Mapping[str, Callable[..., Number]] = {
    "tidy": tidy,
    "ceiling": ceiling,
    "floor": floor,
    "remainder": remainder,
    "indicator": lambda left, sign, right: int(holds(left, sign, right)),
    "largest": max,
    "smallest": min,
    "size": size,
    "log": math.log,
    "exp": exponential,
    "sine": lambda angle: math.sin(math.radians(angle)),
    "cosine": lambda angle: math.cos(math.radians(angle)),
    "tangent": lambda angle: math.tan(math.radians(angle)),
    "arcsine": arcsine,
    "arccosine": arccosine,
    "arctangent": lambda value: math.degrees(math.atan(value)),
}
# What the names in compiled formulas mean: the same formula runs on ratios and on floats.
EXACT: Mapping[str, Callable[..., Number]] = {**_EITHER, "divided": divided, "power": power}
FLOATS: Mapping[str, Callable[..., Number]] = {
    **_EITHER,
    "divided": operator.truediv,
    "power": float_power,
    "remainder": float_remainder,
}
