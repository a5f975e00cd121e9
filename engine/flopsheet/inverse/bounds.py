"""Bounds of an expression over a range of the unknown, by interval arithmetic: never too narrow, sometimes too wide.

Ends stay exact as long as the numbers are: a domain up to 5 bounds 2*x by 10 itself.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from sympy.core.symbol import Str

from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.functions import entry_of
from flopsheet.numbers.arithmetic import MOST_BITS
from flopsheet.numbers.sets import Interval
from flopsheet.numbers.spans import ANYTHING, Span, between, is_exact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr
    from flopsheet.units import Number


def bounds(expression: Expr, unknown: Expr, domain: Interval, values: Values) -> Span:
    """Return a lower and an upper bound of an expression while the unknown runs through its domain.

    Args:
        expression: sympy expression.
        unknown: symbol of the unknown.
        domain: its values, in base units.
        values: all other cells, in base units.
    """
    return bounds_over(expression, {unknown: domain}, values)


def bounds_over(expression: Expr, domains: Mapping[Expr, Interval], values: Values) -> Span:
    """Return a lower and an upper bound of an expression while several cells run through their domains.

    Args:
        expression: sympy expression.
        domains: the values of each cell that varies, by symbol, in base units.
        values: all other cells, in base units.
    """
    try:
        return _bounds(expression, domains, values)
    except (ArithmeticError, ValueError):
        return ANYTHING


def _bounds(expression: Expr, domains: Mapping[Expr, Interval], values: Values) -> Span:
    if expression in domains:
        return between(domains[expression].lower, domains[expression].upper)
    if not expression.has(*domains):
        value = evaluate(expression, values)
        return Span(value, value, exact=is_exact(value))
    terms = (term for term in expression.args if not isinstance(term, Str))  # the sign of an indicator
    return entry_of(expression).bounds(*(bounds_over(term, domains, values) for term in terms))


def span_interval(span: Span) -> Interval:
    """Return bounds as an interval, its ends rounded outwards where they are floats or have too many digits."""
    low, high = _outwards(span.low, -math.inf), _outwards(span.high, math.inf)
    return Interval(low, high, low != -math.inf, high != math.inf)


def _outwards(end: Number, way: Number) -> Number:
    if not isinstance(end, float) and max(map(int.bit_length, Fraction(end).as_integer_ratio())) <= MOST_BITS:
        return end
    try:
        return math.nextafter(end, way) if end else 0
    except OverflowError:
        return way
