"""Formulas evaluated without the engine: on ratios, and with 60 digits where a function is not rational."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

from mpmath.ctx_mp import MPContext

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.functions import Expr

CONTEXT = MPContext()
CONTEXT.dps = 60

MOST_EXACT = 1000  # the exponent of a ratio: larger ones make millions of digits

SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


def values_at(
    formulas: Mapping[str, Expr], given: Mapping[str, Any], near: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the given values and those of cells with formulas, in the order in which they follow from each other.

    Cells that depend on each other have the values at which Newton's method ends that starts at those `near`.

    Raises:
        ArithmeticError, ValueError: a formula has no value there.
    """
    values: dict[str, Any] = {
        name: Fraction(value) if isinstance(value, int | float) else value for name, value in given.items()
    }
    for name, formula in formulas.items():
        if {cell.name for cell in formula.free_symbols} - values.keys():
            waiting = [other for other in formulas if near is not None and other in near and other not in values]
            values |= _together({other: formulas[other] for other in waiting}, values, near or {})
        if name not in values:
            try:
                values[name] = value_of(formula, values)
            except TypeError as error:
                raise ValueError(name) from error  # compares the root of a negative number
            if isinstance(values[name], CONTEXT.mpc):
                raise ValueError(name)
    return values


def _together(formulas: Mapping[str, Expr], values: Mapping[str, Any], near: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of cells that depend on each other."""

    def gaps(*point: Any) -> list[Any]:
        known = {**values, **dict(zip(formulas, point, strict=True))}
        return [as_digits(value_of(formula, known)) - known[name] for name, formula in formulas.items()]

    root = CONTEXT.findroot(gaps, [as_digits(Fraction(near[name])) for name in formulas])
    return dict(zip(formulas, root, strict=True))


def value_of(expression: Expr, values: Mapping[str, Any]) -> Any:
    """Return the value of an expression: a ratio while all is rational, else a number of 60 digits.

    Raises:
        ArithmeticError, ValueError: it has no value there.
    """
    kind = type(expression).__name__
    if expression.is_Symbol:
        return values[expression.name]
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if kind == "Select":
        return value_of(expression.branches[values[expression.args[0].name]], values)
    if kind == "Indicator":
        left, right = (value_of(side, values) for side in expression.args[::2])
        return Fraction(SIGNS[str(expression.args[1])](*_alike(left, right)))
    if expression.is_number and not expression.args:
        return CONTEXT.mpf(expression.evalf(CONTEXT.dps))
    return FUNCTIONS[kind](*(value_of(term, values) for term in expression.args))


def as_digits(value: Any) -> Any:
    """Return a number with 60 digits."""
    return CONTEXT.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    exact = isinstance(left, Fraction) and isinstance(right, Fraction)
    return (left, right) if exact else (as_digits(left), as_digits(right))


def _chained(operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *terms: reduce(lambda left, right: operation(*_alike(left, right)), terms)


def _power(base: Any, exponent: Any) -> Any:
    is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if is_whole and (abs(exponent) <= MOST_EXACT or not isinstance(base, Fraction)):
        return base ** int(exponent)
    return CONTEXT.power(as_digits(base), as_digits(exponent))


def _floor(value: Any) -> Fraction:
    return Fraction(math.floor(value) if isinstance(value, Fraction) else int(CONTEXT.floor(value)))


def _remainder(value: Any, divisor: Any) -> Any:
    value, divisor = _alike(value, divisor)
    times = _floor(value / divisor)
    return value - divisor * (times if isinstance(value, Fraction) else as_digits(times))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Add": _chained(operator.add),
    "Mul": _chained(operator.mul),
    "Pow": _power,
    "ceiling": lambda term: -_floor(-term),
    "floor": _floor,
    "Mod": _remainder,
    "Max": _chained(max),
    "Min": _chained(min),
    "Abs": abs,
    "exp": lambda term: CONTEXT.exp(as_digits(term)),
    "log": lambda term: CONTEXT.log(as_digits(term)),
    "Sin": lambda term: CONTEXT.sin(CONTEXT.radians(as_digits(term))),
    "Cos": lambda term: CONTEXT.cos(CONTEXT.radians(as_digits(term))),
    "Asin": lambda term: CONTEXT.degrees(CONTEXT.asin(as_digits(term))),
}
