"""Evaluates expressions on exact numbers: ratios stay ratios until a function is not rational."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.sheets.cell import exact
from flopsheet.sheets.functions import Select
from flopsheet.sheets.order import in_text
from flopsheet.units import Number, is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Values: TypeAlias = "Mapping[str, Number | str]"

MOST_BITS = 4096
NEAR_WHOLE = 1e-12


def evaluate(expression: Any, values: Values, where: str = "") -> Number:
    """Return the value of an expression [base units] at the given values of cells, choices and literals.

    Raises:
        ArithmeticTrapError: it divides by zero, leaves the domain of a function, or overflows.
    """
    try:
        value = tidy(_evaluate(expression, values))
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise _trap(expression, values, where, _reason(error)) from None
    if not is_finite(value) and math.inf not in values.values():
        raise _trap(expression, values, where, "it is larger than numbers can be")
    return value


def _reason(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero"
    if isinstance(error, OverflowError):
        return "it is larger than numbers can be"
    return str(error).replace("math domain error", "it takes the logarithm of zero or of a negative number")


def value_or_none(expression: Any, values: Values) -> Number | None:
    """Return the value of an expression, or None where it has none at these values."""
    try:
        return evaluate(expression, values)
    except ArithmeticTrapError:
        return None


def _trap(expression: Any, values: Values, where: str, reason: str) -> ArithmeticTrapError:
    text = in_text(expression, tuple(values))
    problem = f"'{text}' has no value at these numbers: {reason}."
    return ArithmeticTrapError(where or "evaluation", problem, "Check the cells in it.")


def _evaluate(expression: Any, values: Values) -> Number:
    if expression.is_Symbol:
        value = values[expression.name]
        if isinstance(value, str):
            raise ValueError(f"'{value}' is a name, not a number")
        return value
    if expression.is_Number:
        return exact(expression)
    rule = _RULES.get(expression.func)
    if rule is not None:
        return rule(expression, values)
    if expression.free_symbols or not expression.is_real:
        raise ValueError(f"{expression.func.__name__} is no function of ours, or not real")
    return float(expression)


def _sum(expression: Any, values: Values) -> Number:
    total: Number = 0
    for term in expression.args:
        total = total + _evaluate(term, values)
    return total


def _product(expression: Any, values: Values) -> Number:
    product: Number = 1
    for factor in expression.args:
        product = product * _evaluate(factor, values)
    return product


def _power(expression: Any, values: Values) -> Number:
    base, exponent = (_evaluate(arg, values) for arg in expression.args)
    return power(base, exponent)


def power(base: Number, exponent: Number) -> Number:
    """Return base to the exponent: exact for whole exponents and perfect roots of ratios.

    Raises:
        ValueError: an even root of a negative number.
        ZeroDivisionError: a negative power of zero.
    """
    if isinstance(base, float) or isinstance(exponent, float):
        return _float_power(float(base), float(exponent))
    ratio, exponent = Fraction(base), Fraction(exponent)
    if ratio < 0 and exponent.denominator != 1:
        return _float_power(float(base), float(exponent))
    bits = max(ratio.numerator.bit_length(), ratio.denominator.bit_length())
    if bits * abs(exponent.numerator) > MOST_BITS:
        return _float_power(float(base), float(exponent))
    raised = ratio**exponent.numerator
    if exponent.denominator == 1:
        return raised
    above, whole_above = sympy.integer_nthroot(raised.numerator, exponent.denominator)
    below, whole_below = sympy.integer_nthroot(raised.denominator, exponent.denominator)
    if whole_above and whole_below:
        return Fraction(int(above), int(below))
    return _float_power(float(base), float(exponent))


def _float_power(base: float, exponent: float) -> float:
    if base < 0 and exponent != int(exponent):
        raise ValueError(f"a negative number, {base:g}, to the power {exponent:g}")
    return float(base**exponent)


def _ceiling(expression: Any, values: Values) -> Number:
    return rounded(_evaluate(expression.args[0], values), math.ceil)


def _floor(expression: Any, values: Values) -> Number:
    return rounded(_evaluate(expression.args[0], values), math.floor)


def rounded(value: Number, way: Callable[[Number], int]) -> Number:
    """Return a value rounded up or down; a float within rounding error of a whole number is that number."""
    value = near_whole(value)
    return value if not is_finite(value) else way(value)


def near_whole(value: Number) -> Number:
    """Return a float within rounding of a whole number as that number, any other number as it is."""
    if isinstance(value, float) and is_finite(value) and abs(value - round(value)) <= NEAR_WHOLE * abs(value):
        return round(value)
    return value


def _select(expression: Any, values: Values) -> Number:
    return _evaluate(expression.branches[values[expression.args[0].name]], values)


def _through(function: Callable[[float], float]) -> Callable[[Any, Values], Number]:
    return lambda expression, values: function(float(_evaluate(expression.args[0], values)))


_RULES: dict[Any, Callable[[Any, Values], Number]] = {
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
    sympy.Max: lambda expression, values: max(_evaluate(arg, values) for arg in expression.args),
    sympy.Min: lambda expression, values: min(_evaluate(arg, values) for arg in expression.args),
    sympy.ceiling: _ceiling,
    sympy.floor: _floor,
    sympy.Abs: lambda expression, values: size(_evaluate(expression.args[0], values)),
    sympy.log: _through(math.log),
    sympy.exp: _through(math.exp),
    Select: _select,
}
