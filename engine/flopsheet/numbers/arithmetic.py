"""Arithmetic and comparison: exact on ratios until a function is not rational, within rounding where a float is."""

from __future__ import annotations

import math
import operator
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import sympy

from flopsheet.tolerances import BY_CHANCE, LARGEST_OFF, NEAR_WHOLE, NEAR_WHOLE_ULPS, STRICT
from flopsheet.units import FLOAT_BITS, close, tidy

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.units import Number

T = TypeVar("T")
MOST_BITS = 4096
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max
LARGEST_LOG = 709.0  # of floats, rounded down
MOST_RATIO_BITS = 4096  # of a cell; ratios are reduced in quadratic time
LARGEST_DENOMINATOR, MOST_DIGITS = 10**6, 12  # of a short ratio or decimal
SHORT_EXPONENT = 12  # largest denominator of an exponent that is tried exactly
HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_MIRROR = str.maketrans("<>", "><")


def divided(above: Number, below: Number) -> Number:
    """Return a quotient: a ratio where both are exact."""
    if isinstance(above, int) and isinstance(below, int):
        whole, rest = divmod(above, below)  # faster than reducing a ratio, and most quotients of a sheet are whole
        return Fraction(above, below) if rest else whole
    if isinstance(above, int) and isinstance(below, Fraction):
        return Fraction(above * below.denominator, below.numerator)
    return above / below


def power(base: Number, exponent: Number) -> Number:
    """Return base to the exponent: exact for whole exponents and perfect roots of ratios.

    Raises:
        ValueError: an even root of a negative number.
        ZeroDivisionError: a negative power of zero.
    """
    if not (isinstance(base, float) or isinstance(exponent, float)):
        return _ratio_power(base, exponent)
    if isinstance(base, Fraction) and 1 / 2 < base < 2:
        return math.exp(float(exponent) * logarithm(base))
    return float_power(base, exponent)


def _ratio_power(base: int | Fraction, exponent: int | Fraction) -> Number:
    ratio = base if type(base) is Fraction else Fraction(base)
    exponent = exponent if type(exponent) is int else Fraction(exponent)
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
    if base > 0 and not isinstance(base, float) and not SMALLEST <= base <= LARGEST:
        return _exponential(float(exponent) * logarithm(base))
    base, exponent = float(base), float(exponent)  # whole numbers would be raised digit by digit
    if base < 0 and exponent != int(exponent):
        raise ValueError(f"a negative number, {base:g}, to the power {exponent:g}")
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf if base > 0 or exponent % 2 == 0 else -math.inf


def _exponential(log: float) -> float:
    try:
        return math.exp(log)
    except OverflowError:
        return math.inf


def logarithm(end: Number) -> float:
    """Return the natural logarithm of a number that may be a ratio of any size."""
    if end == 0:
        return -math.inf
    if not isinstance(end, Fraction):
        return math.log(end)
    if 1 / 2 < end < 2:
        return math.log1p(end - 1)  # the difference of two logarithms would cancel
    return math.log(end.numerator) - math.log(end.denominator)


def exponent_of(end: Number, base: Number) -> Number:
    """Return the exponent at which a positive base gives a positive number: exact where it is a short ratio."""
    near = logarithm(end) / logarithm(base)
    if isinstance(end, float) or not math.isfinite(near):
        return near
    if end == 1:
        return 0
    short = Fraction(near).limit_denominator(SHORT_EXPONENT)
    sides = () if isinstance(base, float) else (power(base, short.numerator), power(end, short.denominator))
    is_met = sides and not any(isinstance(side, float) for side in sides) and sides[0] == sides[1]
    return tidy(short) if is_met else near


def of_cell(number: Number) -> Number:
    """Return the value of a cell: a whole ratio as an int, one of too many digits as a float.

    Products along a chain of cells double their digits with every cell.

    Raises:
        OverflowError: it is larger than floats can be.
        ValueError: it is other than zero, and smaller than floats can be.
    """
    if isinstance(number, float) or (type(number) is int and number.bit_length() < FLOAT_BITS):
        return number
    above, below = number.as_integer_ratio()
    bits_above, bits_below = above.bit_length(), below.bit_length()
    if abs(bits_above - bits_below) > FLOAT_BITS and number:
        if bits_above < bits_below:
            raise ValueError("it is smaller than numbers can be")
        raise OverflowError
    if max(bits_above, bits_below) > MOST_RATIO_BITS:
        return float(number)
    return above if below == 1 else number


def is_long(number: Number) -> bool:
    """Whether a ratio has more digits than exact arithmetic is done with."""
    if isinstance(number, float):
        return False
    return max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_RATIO_BITS


def near_whole(value: Number) -> Number:
    """Return a float within rounding of an integer as that integer, any other number as it is."""
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    known = max(LARGEST_OFF, NEAR_WHOLE_ULPS * math.ulp(value))  # large counts are known to more than a part in 10^12
    return round(value) if abs(value - round(value)) <= min(NEAR_WHOLE * abs(value), known) else value


def short_ratio(number: Number) -> Number | None:
    """Return the ratio of small integers or the short decimal within a digit of a float; None where there is none."""
    if not isinstance(number, float) or math.isinf(number):
        return None
    digits = f"{number:.{MOST_DIGITS}g}"
    near, exactly = 2 * math.ulp(number), Fraction(number)
    most = min(LARGEST_DENOMINATOR, math.sqrt(BY_CHANCE / (2 * near)))  # with larger ones one is near by chance
    for ratio in (exactly.limit_denominator(int(most) or 1), Fraction(digits)):
        if abs(ratio - exactly) <= Fraction(near):
            return tidy(ratio)
    return None


def bisected(low: T, high: T, changed: Callable[[T], bool], middle: Callable[[T, T], T]) -> tuple[T, T]:
    """Return the neighbouring numbers between two at which a condition, which fails at the first, begins to hold."""
    while (at := middle(low, high)) not in (low, high):
        low, high = (low, at) if changed(at) else (at, high)
    return low, high


def mirrored(sign: str) -> str:
    """Return the operator of a relation whose sides change places: `<=` for `>=`."""
    return sign.translate(_MIRROR)


def holds(left: Number, sign: str, right: Number) -> bool:
    """Whether a relation holds between two numbers: of integers exactly, else equality within rounding."""
    if type(left) is type(right) is int:
        return HOLDS[sign](left, right)
    floats = isinstance(left, float) or isinstance(right, float)
    if sign in ("<", ">") and left != right:  # floats that differ by nothing but rounding are not apart
        return HOLDS[sign](left, right) and not (floats and math.isclose(left, right, rel_tol=STRICT))
    if (floats or sign == "=") and close(left, right):
        return "=" in sign
    return HOLDS[sign](left, right)
