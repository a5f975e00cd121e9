"""Bounds of an expression over a range of the unknown, by interval arithmetic: never too narrow, sometimes too wide."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.functions import Acos, Asin, Atan, Cos, Indicator, Sin
from flopsheet.functions.rounding import CEILING, FLOOR
from flopsheet.numbers.arithmetic import MOST_BITS, power
from flopsheet.numbers.sets import Interval
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.units import Number

Span = tuple["Number", "Number"]
_ANYTHING: Span = (-math.inf, math.inf)
_FIXED: dict[Any, Span] = {
    Indicator: (0, 1),
    Sin: (-1, 1),
    Cos: (-1, 1),
    Asin: (-90, 90),
    Acos: (0, 180),
    Atan: (-90, 90),
}


def reach(expression: Any, unknown: Any, domain: Interval, values: Values) -> Span:
    """Return a lower and an upper bound of an expression while the unknown runs through its domain.

    Args:
        expression: sympy expression.
        unknown: symbol of the unknown.
        domain: its values, in base units.
        values: all other cells, in base units.
    """
    return reach_over(expression, {unknown: domain}, values)


def reach_over(expression: Any, domains: Mapping[Any, Interval], values: Values) -> Span:
    """Return a lower and an upper bound of an expression while several cells run through their domains.

    Args:
        expression: sympy expression.
        domains: the values of each cell that varies, by symbol, in base units.
        values: all other cells, in base units.
    """
    if expression in domains:
        return domains[expression].lower, domains[expression].upper
    if expression.func in _FIXED and expression.has(*domains):
        return _FIXED[expression.func]
    try:
        found = _reach(expression, domains, values)
    except (ArithmeticError, ValueError):
        return _ANYTHING
    return _ANYTHING if any(end != end for end in found) else found  # noqa: PLR0124  # not a number


def _reach(expression: Any, domains: Mapping[Any, Interval], values: Values) -> Span:
    if not expression.has(*domains):
        value = evaluate(expression, values)
        return value, value
    rule = _RULES.get(expression.func)
    return _ANYTHING if rule is None else rule([reach_over(arg, domains, values) for arg in expression.args])


def span_interval(span: Span) -> Interval:
    """Return a reach as an interval, its ends rounded outwards where they are floats or have too many digits."""
    low, high = (_outwards(end, way) for end, way in zip(span, _ANYTHING, strict=True))
    return Interval(low, high, low != -math.inf, high != math.inf)


def _outwards(end: Number, way: Number) -> Number:
    if not isinstance(end, float) and max(map(int.bit_length, Fraction(end).as_integer_ratio())) <= MOST_BITS:
        return end
    try:
        return math.nextafter(end, way) if end else 0
    except OverflowError:
        return way


def _sum(spans: list[Span]) -> Span:
    return sum(low for low, _ in spans), sum(high for _, high in spans)


def _product(spans: list[Span]) -> Span:
    low, high = spans[0]
    for other in spans[1:]:
        ends = [_times(mine, its) for mine in (low, high) for its in other]
        low, high = min(ends), max(ends)
    return low, high


def _times(left: Number, right: Number) -> Number:
    return 0 if left == 0 or right == 0 else left * right


def _power(spans: list[Span]) -> Span:
    (low, high), (exponent, same) = spans
    if exponent != same:
        return _ANYTHING if low < 0 else (0, math.inf)
    if low < 0 < high and exponent < 0:
        return _ANYTHING
    ends = [_raised(end, exponent) for end in (low, high)]
    touches = low < 0 < high and exponent % 2 == 0
    return min(0, *ends) if touches else min(ends), max(ends)


def _raised(end: Number, exponent: Number) -> Number:
    if is_finite(end) and (end or exponent > 0):
        return power(end, exponent)
    small = (end == 0) == (exponent > 0)
    return 0 if small else math.inf if end >= 0 or exponent % 2 == 0 else -math.inf


def _monotone(function: Callable[[Number], Number]) -> Callable[[list[Span]], Span]:
    return lambda spans: (function(spans[0][0]), function(spans[0][1]))


def _log(end: Number) -> Number:
    return math.log(end) if end > 0 else -math.inf


def _remainder(spans: list[Span]) -> Span:
    low, high = spans[1]
    return min(0, low), max(0, high)


def _absolute(spans: list[Span]) -> Span:
    (low, high) = spans[0]
    return max(0, low, -high), max(-low, high)


_RULES: dict[Any, Callable[[list[Span]], Span]] = {
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
    sympy.Max: lambda spans: (max(low for low, _ in spans), max(high for _, high in spans)),
    sympy.Min: lambda spans: (min(low for low, _ in spans), min(high for _, high in spans)),
    sympy.Abs: _absolute,
    sympy.ceiling: _monotone(CEILING.exact),
    sympy.floor: _monotone(FLOOR.exact),
    sympy.log: _monotone(_log),
    sympy.exp: _monotone(lambda end: math.inf if end > 700 else math.exp(end)),
    sympy.Mod: _remainder,
}
