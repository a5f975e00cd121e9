"""Rational functions of one unknown, on numbers."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.trees import MOST_CACHED, depends, holding
from flopsheet.numbers.polynomials import trimmed
from flopsheet.numbers.rational import Rational, added, inverse, multiplied
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.functions import Expr

HIGHEST_DEGREE = 32
STEP = sympy.Symbol("__step", real=True)  # the number of the step that a rounding takes


def as_rational(
    expression: Expr,
    unknown: Expr,
    values: Values,
    known: dict[Expr, Rational | None] | None = None,
    constant: Callable[[Expr, Values], Any] = evaluate,
) -> Rational | None:
    """Return an expression as a rational function of the unknown at the values of the other cells.

    None where it is not rational, its degree is too high, or a part of it has no value. What `known` has of its parts
    is not read again, and what is read is added: branches of a case have most of their parts in common. `constant`
    gives the value of a part without the unknown.
    """
    if not is_rational(expression, unknown):
        return None
    try:
        ratio = _Reader(unknown, lambda part: constant(part, values), {} if known is None else known).read(expression)
    except ArithmeticTrapError:
        return None
    return ratio if ratio is not None and ratio.degree <= HIGHEST_DEGREE else None


@cached(maxsize=MOST_CACHED)
def is_rational(expression: Expr, unknown: Expr) -> bool:
    """Whether sums, products and whole powers alone lead from the unknown to an expression."""
    if expression.is_Pow and depends(expression, unknown):
        return bool(expression.exp.is_Integer) and is_rational(expression.base, unknown)
    plain = expression.is_Add or expression.is_Mul or expression == unknown
    return not depends(expression, unknown) or (plain and all(is_rational(arg, unknown) for arg in expression.args))


class _Reader:
    """Reads a sympy tree of sums, products and whole powers of the unknown as a rational function."""

    def __init__(self, unknown: Expr, value: Callable[[Expr], Any], known: dict[Expr, Rational | None]) -> None:
        self.unknown, self.value, self.known = unknown, value, known

    def read(self, expression: Expr) -> Rational | None:
        if expression not in self.known:
            self.known[expression] = self._read(expression)
        return self.known[expression]

    def _read(self, expression: Expr) -> Rational | None:
        if not depends(expression, self.unknown):
            return self._constant(expression)
        if expression == self.unknown:
            return Rational((0, 1), Counter(), frozenset())
        if expression.is_Pow:
            return self._power(expression.base, int(expression.exp))
        constant, inside = _parted(expression, self.unknown)
        terms = [] if constant is None else [self._constant(constant)]
        for arg in inside:
            term = self.read(arg)
            if term is None or term.degree > HIGHEST_DEGREE:
                return None
            terms.append(term)
        return reduce(added if expression.is_Add else multiplied, terms)

    def _constant(self, expression: Expr) -> Rational:
        value = self.value(expression)
        return Rational(trimmed((value,)), Counter(), frozenset(), is_exact=isinstance(value, (int, Fraction)))

    def _power(self, base: Expr, times: int) -> Rational | None:
        inner = self.read(base) if abs(times) <= HIGHEST_DEGREE else None
        if inner is None or inner.degree * abs(times) > HIGHEST_DEGREE:
            return None
        return reduce(multiplied, [inner if times > 0 else inverse(inner)] * abs(times))


@cached(maxsize=MOST_CACHED)
def _parted(expression: Expr, unknown: Expr) -> tuple[Expr | None, tuple[Expr, ...]]:
    """Return the terms of a sum or product that do not hold the unknown as one, and those that do."""
    inside = holding(expression, unknown)
    rest = [arg for arg in expression.args if arg not in inside]
    return (expression.func(*rest) if rest else None), inside
