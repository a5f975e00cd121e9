"""Sums, products and absolute values, and what inverses of several functions need."""

from __future__ import annotations

import math
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import sympy
from mpmath.libmp import mpi_add, mpi_mul

from flopsheet.functions.enclosed import ANY_SIZE, ONE, ZERO, around_all
from flopsheet.functions.spec import Case, Function, NoInverseError, Trait, Units
from flopsheet.layout.nodes import Fenced
from flopsheet.numbers.arithmetic import exponent_of, power
from flopsheet.numbers.many_digits import folded
from flopsheet.numbers.sets import (
    ABOVE_ZERO,
    ALL,
    BELOW_ZERO,
    EMPTY,
    NOT_NEGATIVE,
    RealSet,
    mapped,
    meet,
    union,
)
from flopsheet.numbers.spans import (
    Span,
    as_span,
    divided,
    is_exact,
    product_of,
    sum_of,
)
from flopsheet.tolerances import CANCELLED, FLOAT_DIGIT
from flopsheet.units import PURE_NUMBER, Dimension, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.functions.symbols import Expr
    from flopsheet.layout.nodes import Node
    from flopsheet.units import Number

LARGEST_EXPONENT = 10_000  # of a number: sympy computes the digits of its power


class _Sum(Function):
    """A sum of terms of one dimension."""

    node, arity, verb = sympy.Add, None, "adds"
    traits = Trait.WHOLE

    def exact(self, *terms: Number) -> Number:
        return sum(terms)

    def bounds(self, *spans: Span) -> Span:
        return sum_of(spans)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return 1 for each term."""
        return (ONE,) * len(spans)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the mean of the growths, weighted with the terms: that of the largest term, and what others add."""
        varying = [growth for growth in growths if growth is not None]
        if len(varying) == 1:
            constant = sum_of([term for term, growth in zip(terms, growths, strict=True) if growth is None])
            return varying[0] * (ONE - divided(constant, value))
        largest = max(range(len(terms)), key=lambda place: size(terms[place].low * terms[place].high))
        own = growths[largest] or ZERO
        others = {place: beside(place, largest) for place in range(len(terms)) if place != largest}
        growth = own
        for place, quotient_of in others.items():
            share = divided(terms[place], value)
            rest = sum_of([ONE, *(other for at, other in others.items() if at != place)])
            inverse = ONE + divided(rest, quotient_of)
            if inverse.low > 0 or inverse.high < 0:
                share = share.meet(divided(ONE, inverse)) or share
            growth = growth + ((growths[place] or ZERO) - own) * share
        if all(term.low > 0 for term in terms) or all(term.high < 0 for term in terms):
            return growth.meet(around_all(growth or ZERO for growth in growths)) or growth
        return growth

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the one sign of all terms that are not zero, or that of the value."""
        known = {sign for sign, term in zip(signs, terms, strict=True) if term.low or term.high}
        return known.pop() if len(known) == 1 else super().sign(value, terms, signs)

    def compared(self, value: Span, terms: Sequence[Any], beside: Beside) -> Span:
        """Return the value as a multiple of each term too: where one term outgrows the others, that has its sign."""
        for place, term in enumerate(terms):
            if term.low or term.high:  # a sum is no multiple of nothing
                others = (beside(other, place) for other in range(len(terms)) if other != place)
                value = value.meet(term * sum_of([ONE, *others])) or value
        return value

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Span]) -> Span | None:
        """Return the target less the other terms."""
        return sum_of([target, *(-term for at, term in enumerate(terms) if at != place)])

    def precise(self, *terms: Any) -> Any:
        """Return the sum of intervals."""
        return folded(mpi_add, terms)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        less = [partial(_difference, rest=rest or 0, is_point=part.is_point) for part in target]
        return tuple(mapped(part, own, rising=True) for part, own in zip(target, less, strict=True))

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return (right - self.rest(node, place),)


def _difference(end: Number, *, rest: Number, is_point: bool) -> Number:
    """Return a difference; what is left of a single value by rounding alone is zero.

    Raises:
        NoInverseError: a float is too small to count beside an exact number, or what is left of the end of a range is
            within rounding: more digits tell where it leads.
    """
    left = end - rest
    if isinstance(end, float) and not isinstance(rest, float) and 0 < abs(end) <= FLOAT_DIGIT * abs(float(rest)):
        raise NoInverseError("digits are lost")
    noise = isinstance(left, float) and is_finite(left) and abs(left) <= CANCELLED * abs(float(rest))
    if noise and left and not is_point:
        raise NoInverseError("digits are lost")
    return 0 if noise else left


class _Product(Function):
    """A product of factors of any dimension."""

    node, arity, overflows = sympy.Mul, None, ANY_SIZE
    traits = Trait.WHOLE

    def dimension(self, node: Expr, units: Units) -> Dimension:
        return reduce(lambda product, factor: product * units.dimension(factor), node.args, PURE_NUMBER)

    def exact(self, *factors: Number) -> Number:
        product = math.prod(factors)
        is_lost = not product and type(product) is float and any(not factor and is_exact(factor) for factor in factors)
        return 0 if is_lost else product

    def bounds(self, *spans: Span) -> Span:
        return product_of(spans)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return the product of the other factors, for each."""
        return tuple(self.rates_by(range(len(spans)), spans).values())

    def rates_by(self, places: Sequence[int], spans: Sequence[Span]) -> dict[int, Span]:
        """Return the product of the other factors, for some: most factors do not vary."""
        return {place: product_of([*spans[:place], *spans[place + 1 :]]) for place in places}

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the sum of the growths of the factors."""
        return sum_of([growth for growth in growths if growth is not None])

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the product of the signs of the factors."""
        return math.prod(signs) or super().sign(value, terms, signs)

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Span]) -> Span | None:
        """Return the target divided by the other factors."""
        others = [term for at, term in enumerate(terms) if at != place]
        return quotient(target, product_of(others) if len(others) > 1 else others[0], terms[place])

    def precise(self, *terms: Any) -> Any:
        """Return the product of intervals."""
        return folded(mpi_mul, terms)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        factor = rest or 0
        if factor == 0:
            return ALL if any(0 in part for part in target) else EMPTY
        inverse = power(factor, -1)
        parts = tuple(mapped(part, lambda end: _times(end, inverse), rising=factor > 0) for part in target)
        return parts if factor > 0 else parts[::-1]

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return (right / self.rest(node, place),)


def _times(end: Number, factor: Number) -> Number:
    return end * (1 if factor > 0 else -1) if not is_finite(end) else end * factor


def quotient(above: Span, below: Span, within: Span) -> Span | None:
    """Return the numbers that times one span may lie in another, as far as they lie within a third; None for none."""
    low, high = below.low, below.high
    if not (low <= 0 <= high):
        return divided(above, below)
    if above.low <= 0 <= above.high:
        return within
    if low == high == 0:
        return None
    # Two pieces, on either side of zero: their hull is all, so each is met with what is known.
    pieces = []
    for part in ([Span(low, 0, exact=below.exact)] if low < 0 else []) + (
        [Span(0, high, exact=below.exact)] if high > 0 else []
    ):
        met = within.meet(above * divided(1, part))
        if met is not None:
            pieces.append(met)
    return joined(pieces, total=within.total)


def joined(pieces: Sequence[Span], *, total: bool) -> Span | None:
    """Return the smallest span around pieces; None where there are none."""
    if not pieces:
        return None
    return Span(min(p.low for p in pieces), max(p.high for p in pieces), total, all(p.exact for p in pieces))


def is_large_exponent(number: Expr) -> bool:
    """Whether sympy would compute more digits of a number to such a power than anybody reads."""
    return bool(number.is_Rational and abs(number) > LARGEST_EXPONENT)


def logarithms(base: Number, target: RealSet) -> RealSet:
    """Return the exponents at which a power of a base lies in a target."""
    if base <= 0 or base == 1:
        raise NoInverseError("a power of 1 or of a negative number")
    positive = meet(target, (ABOVE_ZERO,))
    return tuple(mapped(part, lambda end: exponent_of(end, base), rising=base > 1) for part in positive)


def negated(parts: RealSet) -> RealSet:
    """Return the numbers whose negatives lie in a set."""
    return tuple(mapped(part, lambda end: -end, rising=False) for part in parts)


class _Absolute(Function):
    """The absolute value."""

    name, node, unique = "abs", sympy.Abs, False
    traits = Trait.PIECEWISE | Trait.FLAT | Trait.LAZY | Trait.HOMOGENEOUS | Trait.WHOLE
    exact = staticmethod(size)

    def build(self, *terms: Any) -> Expr:
        return abs_(*terms)

    def dimension(self, node: Expr, units: Units) -> Dimension:
        return units.dimension(node.args[0])

    def bounds(self, *spans: Span) -> Span:
        span = as_span(*spans)
        return Span(max(0, span.low, -span.high), max(-span.low, span.high), span.total, span.exact)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        either = meet(target, NOT_NEGATIVE)
        return union(either, negated(either))

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return the sign of the term, both around zero."""
        span = as_span(*spans)
        return (ONE if span.low >= 0 else -ONE if span.high <= 0 else Span(-1, 1, exact=True),)

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Span]) -> Span | None:
        """Return the target above zero and its mirror image, on the sides that the term may lie on."""
        del node
        high = target.high
        if high < 0:
            return None
        term, low = terms[place], max(target.low, 0)
        return Span(-high if term.low <= -low else low, high if term.high >= low else -low, exact=target.exact)

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return 1 for a term other than zero."""
        return abs(signs[0]) or super().sign(value, terms, signs)

    def precise(self, *terms: Any) -> Any:
        """Return the absolute value of an interval."""
        return abs(terms[0])

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
    term = sympy.sympify(term)  # sympy takes what may be no real number, as log(x), apart into real parts
    return sympy.Abs(term, evaluate=bool(term.is_extended_real))


ENTRIES = (_Sum(), _Product(), _Absolute())
