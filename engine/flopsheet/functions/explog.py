"""Exponentials and logarithms of pure numbers, and the shorthands for square roots and logarithms to base 2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv

from flopsheet.functions.algebra import is_large_exponent, logarithms
from flopsheet.functions.enclosed import TOO_LARGE, TOO_SMALL, ZERO
from flopsheet.functions.spec import Function, Trait
from flopsheet.functions.symbols import formula_function
from flopsheet.layout.nodes import Call, Fraction, Node, Scripts, Sign
from flopsheet.numbers.arithmetic import logarithm
from flopsheet.numbers.many_digits import exponential, loosely, signs_of
from flopsheet.numbers.sets import ABOVE_ZERO, Interval, RealSet
from flopsheet.numbers.spans import NoValueError, Span, divided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

LARGEST_EXPONENTIAL = 700


class _Exponential(Function):
    """The exponential of a pure number."""

    name, node, traits, range = "exp", sympy.exp, Trait.INEXACT, ABOVE_ZERO

    def exact(self, value: Number) -> Number:
        if value in (0, -math.inf):
            return 1 if value == 0 else 0
        try:
            return math.exp(value)
        except OverflowError:
            return math.inf

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the growth of the exponent times the exponent."""
        growth: Span = terms[0] * growths[0]
        return growth

    def precise(self, *terms: Any) -> Any:
        """Return the exponential of an interval, bounded where its exponent has too many digits."""
        return exponential(terms[0])

    def refusal(self, *terms: Expr) -> str:
        large = terms[0].is_number and abs(float(terms[0])) > LARGEST_EXPONENTIAL
        return "An exponential in it is larger than numbers may be" if large else ""

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        return logarithms(math.e, target)

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return (sympy.log(right),)

    def layout(self, *terms: Node) -> Node:
        exponent = terms[0]
        return Call(self.name, exponent) if _is_tall(exponent) else Scripts(Sign("e"), None, exponent)


def _is_tall(exponent: Node) -> bool:
    """Whether an exponent would be small print: it has a bar."""
    return isinstance(exponent, Fraction) or any(map(_is_tall, exponent.children))


class _Logarithm(Function):
    """The natural logarithm of a pure number."""

    name, node, traits, domain = "log", sympy.log, Trait.INEXACT | Trait.SIGNED, (ABOVE_ZERO,)
    excel_name, overflows = "LN", (Interval(0, 0), TOO_SMALL, TOO_LARGE)

    def exact(self, value: Number) -> Number:
        """Return the logarithm: 0 of an exact 1, as a float may stand for a number beside it.

        Raises:
            ValueError: the number is not positive.
        """
        if value == 1:
            return 0.0 if isinstance(value, float) else 0
        return logarithm(value) if value else math.log(value)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the growth of the term divided by the logarithm."""
        return divided(growths[0] or ZERO, value)

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        """Whether the term is positive."""
        return signs[0] > 0

    def precise(self, *terms: Any) -> Any:
        """Return the logarithm of an interval."""
        (term,) = terms
        lower, upper = signs_of(term)
        if upper <= 0:
            raise NoValueError
        return loosely(iv.log(term)) if lower > 0 else iv.mpf([-iv.inf, loosely(iv.log(term.b)).b])

    def inverse(self, value: Number) -> Number:
        return EXPONENTIAL.exact(value)

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        powers = any(logarithm.args[0].is_number for logarithm in right.atoms(sympy.log))  # exp(n*log(2)) is 2**n
        return () if powers and any(map(is_large_exponent, right.atoms(sympy.Rational))) else (sympy.exp(right),)


@formula_function
def exp(term: Any) -> Expr:
    """Return the exponential of a pure number."""
    return sympy.exp(term)


@formula_function
def log(term: Any) -> Expr:
    """Return the natural logarithm of a pure number."""
    return sympy.log(term)


@formula_function
def log2(term: Any) -> Expr:
    """Return the logarithm to base 2 of a pure number."""
    return sympy.log(term) / sympy.log(2)


@formula_function
def sqrt(term: Any) -> Expr:
    """Return the positive square root; the unit is halved with it."""
    return sympy.sqrt(term)


EXPONENTIAL, LOGARITHM = _Exponential(), _Logarithm()
ENTRIES = (EXPONENTIAL, LOGARITHM, Function(name="sqrt", build=sqrt), Function(name="log2", build=log2))
