"""Sums, products, powers and absolute values."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.functions.spec import Case, Function, NoInverseError, Trait, Units
from flopsheet.functions.symbols import Expr, exact
from flopsheet.layout.nodes import Fenced
from flopsheet.numbers.arithmetic import float_power, logarithm, power
from flopsheet.numbers.sets import (
    ABOVE_ZERO,
    ALL,
    BELOW_ZERO,
    EMPTY,
    NOT_NEGATIVE,
    NOT_ZERO,
    Interval,
    RealSet,
    mapped,
    meet,
    union,
)
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, as_span, loosely
from flopsheet.tolerances import CANCELLED
from flopsheet.units import PURE_NUMBER, Dimension, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.layout.nodes import Node
    from flopsheet.units import Number

_INF = math.inf


class _Sum(Function):
    """A sum of terms of one dimension."""

    node, arity, verb = sympy.Add, None, "adds"

    def exact(self, *terms: Number) -> Number:
        return sum(terms)

    def bounds(self, *spans: Span) -> Span:
        return reduce(lambda left, right: left + right, spans)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        return tuple(mapped(part, lambda end: _difference(end, rest or 0), rising=True) for part in target)

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return (right - self.rest(node, place),)


def _difference(end: Number, rest: Number) -> Number:
    """Return a difference; what is left by rounding alone is zero."""
    left = end - rest
    noise = isinstance(left, float) and is_finite(left) and abs(left) <= CANCELLED * abs(float(rest))
    return 0 if noise else left


class _Product(Function):
    """A product of factors of any dimension."""

    node, arity = sympy.Mul, None

    def dimension(self, node: Expr, units: Units) -> Dimension:
        return reduce(lambda product, factor: product * units.dimension(factor), node.args, PURE_NUMBER)

    def exact(self, *factors: Number) -> Number:
        return math.prod(factors)

    def bounds(self, *spans: Span) -> Span:
        return reduce(lambda left, right: left * right, spans)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        factor = rest or 0
        if factor == 0:
            return ALL if any(0 in part for part in target) else EMPTY
        inverse = power(factor, -1)
        return union(tuple(mapped(part, lambda end: _times(end, inverse), rising=factor > 0) for part in target))

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return (right / self.rest(node, place),)


def _times(end: Number, factor: Number) -> Number:
    return end * (1 if factor > 0 else -1) if not is_finite(end) else end * factor


class _Power(Function):
    """A power: of any dimension for a rational exponent, else of a pure number."""

    node, arity = sympy.Pow, 2
    exact = staticmethod(power)
    floats = staticmethod(float_power)

    def dimension(self, node: Expr, units: Units) -> Dimension:
        base, exponent = node.args
        units.pure("The exponent", exponent)
        dimension = units.dimension(base)
        if dimension and not exponent.is_Rational:
            problem = f"'{units.text(base)}' ({dimension}) is raised to '{units.text(exponent)}', which is no number."
            raise units.error(problem, "Divide it by a quantity of the same unit first.")
        return dimension ** Fraction(exact(exponent)) if dimension else PURE_NUMBER

    def bounds(self, *spans: Span) -> Span:
        base, exponent = map(as_span, spans)  # the power rises or falls on either side of a base of zero
        low, high, order = base.low, base.high, exponent.low
        if order != exponent.high:
            return _powers(base, exponent)
        total = base.total and (low > 0 or (order > 0 and (low == 0 or order == int(order))))
        if order != int(order):
            low = _from_zero(base)
        elif order % 2 == 0 and low < 0:
            low, high = (0 if high > 0 else -high), max(-low, high)
        if order < 0 and low <= 0:
            return loosely(_raised(high, order), _INF, total=False) if low == 0 < high else ANYTHING
        ends = _raised(low, order), _raised(high, order)
        return loosely(min(ends), max(ends), total)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        order = rest or 0
        if place == 1:
            return logarithms(order, target)
        if order == 0:
            return ALL if any(1 in part for part in target) else EMPTY
        roots = [_roots(meet(target, (ABOVE_ZERO,)), order)]
        whole = order == int(order)
        if whole and order % 2 == 0:
            roots.append(negated(roots[0]))
        elif whole:
            roots.append(negated(_roots(negated(meet(target, (BELOW_ZERO,))), order)))
        if order > 0 and any(0 in part for part in target):
            roots.append((Interval(0, 0),))
        return union(*roots)

    def demands(self, node: Expr) -> Iterator[tuple[Expr, RealSet]]:
        base, exponent = node.args
        if exponent.is_Rational and (exponent < 0 or not exponent.is_Integer):
            roots = (ABOVE_ZERO,) if exponent < 0 else NOT_NEGATIVE
            yield base, NOT_ZERO if exponent.is_Integer else roots

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        base, exponent = node.args
        if place == 1:
            return (sympy.log(right) / sympy.log(base),)
        root = right ** (1 / exponent)
        return (root, -root) if exponent.is_even else (root,)


def _raised(end: Number, order: Number) -> Number:
    return power(end, order) if is_finite(end) else float_power(end, order) or 0


def _from_zero(base: Span) -> Number:
    """Return the lower end of a base whose exponent is fractional: below zero it has no value."""
    if base.high < 0:
        raise NoValueError
    return max(base.low, 0)


def _powers(base: Span, exponent: Span) -> Span:
    """Return the bounds of a power whose exponent varies: it is monotone along each edge, so they lie at corners."""
    endless = math.isinf(exponent.low) or math.isinf(exponent.high)
    low = base.low if endless or math.floor(exponent.high) >= exponent.low else _from_zero(base)
    if low < 0 or (low == 0 and exponent.low <= 0):
        return ANYTHING if low < 0 else Span(0, _INF, total=False, exact=base.exact and exponent.exact)
    ends = [_raised(end, order) for end in (low, base.high) for order in (exponent.low, exponent.high)]
    return loosely(min(ends), max(ends), base.low >= 0 and base.total and exponent.total)


def _roots(positive: RealSet, order: Number) -> RealSet:
    return tuple(mapped(part, lambda end: _root(end, order), rising=order > 0) for part in positive)


def _root(end: Number, order: Number) -> Number:
    if end == 0:
        return 0 if order > 0 else _INF
    if end == _INF:
        return _INF if order > 0 else 0
    try:
        return power(end, power(order, -1))
    except OverflowError:
        return _INF


def negated(parts: RealSet) -> RealSet:
    """Return the numbers whose negatives lie in a set."""
    return tuple(mapped(part, lambda end: -end, rising=False) for part in parts)


def logarithms(base: Number, target: RealSet) -> RealSet:
    """Return the exponents at which a power of a base lies in a target."""
    if base <= 0 or base == 1:
        raise NoInverseError("a power of 1 or of a negative number")
    scale = math.log(base)
    positive = meet(target, (ABOVE_ZERO,))
    return tuple(mapped(part, lambda end: logarithm(end) / scale, rising=scale > 0) for part in positive)


class _Absolute(Function):
    """The absolute value."""

    name, node, unique = "abs", sympy.Abs, False
    traits = Trait.PIECEWISE | Trait.FLAT | Trait.HOMOGENEOUS
    exact = staticmethod(size)

    def dimension(self, node: Expr, units: Units) -> Dimension:
        return units.dimension(node.args[0])

    def bounds(self, *spans: Span) -> Span:
        span = as_span(*spans)
        return Span(max(0, span.low, -span.high), max(-span.low, span.high), span.total, span.exact)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        either = meet(target, NOT_NEGATIVE)
        return union(either, negated(either))

    def cases(self, node: Expr) -> Iterator[Case]:
        (term,) = node.args
        yield Case(((term, NOT_NEGATIVE),), term)
        yield Case(((term, (BELOW_ZERO,)),), -term)

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return right, -right

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        (term,) = node.args
        return term if value(term) >= 0 else -term

    def layout(self, *terms: Node) -> Node:
        return Fenced("|", terms[0], "|")


def abs_(term: Any) -> Expr:
    """Return the absolute value; the unit stays."""
    return sympy.Abs(term)


ENTRIES = (_Sum(), _Product(), _Power(), _Absolute())
