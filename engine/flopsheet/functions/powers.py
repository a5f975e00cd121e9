"""Powers, and the roots and logarithms that invert them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv
from mpmath.libmp import mpf_eq, mpf_floor, mpf_ge

from flopsheet.functions.algebra import is_large_exponent, joined, logarithms, negated, quotient
from flopsheet.functions.enclosed import ANY_SIZE, ONE, ZERO, as_set, hull_of, wider
from flopsheet.functions.spec import Function, Units
from flopsheet.functions.symbols import Expr, exact
from flopsheet.numbers.arithmetic import MOST_BITS, float_power, power
from flopsheet.numbers.many_digits import exponential, has_moderate_power, is_beyond, signs_of
from flopsheet.numbers.many_digits import loosely as looser
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
from flopsheet.numbers.span_logarithms import exponentials_of, logarithms_of
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, as_span, in_floats, is_exact, loosely
from flopsheet.tolerances import SMALLEST
from flopsheet.units import PURE_NUMBER, Dimension, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.units import Number

_INF = math.inf


class _Power(Function):
    """A power: of any dimension for a rational exponent, else of a pure number."""

    node, arity, overflows = sympy.Pow, 2, ANY_SIZE
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
        if base.low == base.high == 1:
            return Span(1, 1, base.total and exponent.total, exact=True)
        if not base.exact and base.low > 0 and (fixed := _as_float(exponent)) is not None:
            ends = sorted((float_power(base.low, fixed), float_power(base.high, fixed)))
            span = loosely(ends[0] or SMALLEST, ends[1] or SMALLEST, base.total)
            return Span(max(span.low, 0.0), span.high, base.total)
        if not (base.exact and exponent.exact and _stays_exact(base, exponent)):
            base, exponent = in_floats(base), in_floats(exponent)
        low, high, order = base.low, base.high, exponent.low
        if order != exponent.high:
            return _powers(base, exponent)
        whole = order == int(order)
        total = base.total and (low > 0 or (order > 0 and (low == 0 or whole)) or (high < 0 and whole))
        if not whole:
            low = _from_zero(base)
        elif order % 2 == 0 and low < 0:
            low, high = (0 if high > 0 else -high), max(-low, high)
        if order < 0 and low <= 0 <= high:
            return _beside_pole(low, high, order)
        least, most = sorted((_raised(low, order), _raised(high, order)))
        rounded = loosely(least, most, total)
        return Span(max(rounded.low, 0), rounded.high, total, rounded.exact) if least >= 0 else rounded

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return the derivatives by base and exponent."""
        base, exponent = spans
        if exponent.low == exponent.high:
            less = Span(exponent.low - 1, exponent.low - 1, exact=exponent.exact)
            return exponent * self.bounds(base, less), ONE
        if base.low <= 0:
            return ANYTHING, ANYTHING
        power_of = self.bounds(base, exponent)
        return exponent * power_of * self.bounds(base, -ONE), power_of * logarithms_of(base)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the exponent times the growth of the base, and the power's logarithm times that of the exponent."""
        base, exponent = terms
        growth: Span = exponent * (growths[0] or ZERO)
        if growths[1] is not None:
            if base.low <= 0:
                return super().growth(value, terms, growths, beside)
            growth = growth + exponent * logarithms_of(base) * growths[1]
        return growth

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return 1 for a positive base or an even exponent, -1 for a negative base and an odd one."""
        if signs[0] < 0 and self.has_value(terms, signs):
            return -1 if terms[1].low % 2 else 1
        return 1 if signs[0] > 0 else super().sign(value, terms, signs)

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        """Whether the base is positive, or is not zero and has a whole exponent."""
        low, high = terms[1].low, terms[1].high
        return signs[0] > 0 or bool(signs[0] and low == high and is_finite(low) and low == int(low))

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Span]) -> Span | None:
        """Return the roots of a target for the base, its logarithms for the exponent."""
        base, exponent = terms
        other = terms[1 - place]
        if other.low == other.high and is_finite(other.low):
            if place == 0:
                return _root_span(target, other.low, base)
            if other.low <= 0 or other.low == 1:
                return terms[place]
            return hull_of(self.preimage(node, place, as_set(target), other.low))
        if base.low <= 0 or not is_finite(base.high) or target.high <= 0:
            return terms[place]
        logs = logarithms_of(target)
        if place == 1:
            return quotient(logs, logarithms_of(base), exponent)
        roots = quotient(logs, exponent, ANYTHING)
        return None if roots is None else exponentials_of(roots)

    def precise(self, *terms: Any) -> Any:
        """Return the power of intervals, of a positive base where the exponent is fractional."""
        base, exponent = terms
        low, high = exponent._mpi_  # mpmath has no other way to its ends
        lower, upper = signs_of(base)
        if signs_of(exponent)[1] < 0 and lower == upper == 0:
            raise NoValueError
        is_whole = mpf_eq(low, high) and mpf_eq(mpf_floor(low), low)
        if is_whole and not is_beyond(exponent):
            return base**exponent
        if is_whole or (lower < 0 and mpf_ge(mpf_floor(high), low)):  # a whole exponent among them
            return iv.mpf([-iv.inf, iv.inf])
        if upper < 0:
            raise NoValueError
        if lower > 0:
            return _precise_power(base, exponent)
        most = _precise_power(base.b, exponent) if upper > 0 else iv.mpf(0)
        return iv.mpf([0, most.b]) if signs_of(exponent)[0] > 0 else iv.mpf([0, iv.inf])

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
        if is_large_exponent(1 / exponent):  # sympy would raise the numbers of a product
            return ()
        root = right ** (1 / exponent)
        return (root, -root) if exponent.is_even else (root,)


def _root_span(target: Span, order: Number, base: Span) -> Span | None:
    """Return the bases whose power lies in a target, as far as they lie in a span."""
    if order == 0:
        return base if target.low <= 1 <= target.high else None
    even = order % 2 == 0
    sides = [(target, 1)] if base.low >= 0 or order != int(order) else [(target, 1), (target if even else -target, -1)]
    pieces = []
    for powers, sign in sides:
        if powers.high >= 0:
            roots = wider(*sorted((_root(max(powers.low, 0), order), _root(powers.high, order))))
            pieces += [base.meet(roots if sign > 0 else -roots)]
    return joined([piece for piece in pieces if piece is not None], total=base.total)


def _as_float(exponent: Span) -> float | None:
    """Return the one number of a span where it is a finite float."""
    order = exponent.low
    if not (order is exponent.high or order == exponent.high) or not is_finite(order):
        return None
    if isinstance(order, Fraction):  # comparing a ratio with a float takes long
        return float(order) if order.denominator in (2, 4, 8) and abs(order.numerator) < MOST_BITS else None
    return float(order) if order == float(order) else None


def _raised(end: Number, order: Number) -> Number:
    raised = power(end, order) if is_finite(end) else float_power(end, order)
    return raised or (math.copysign(SMALLEST, raised) if end and is_finite(end) else 0)


def _stays_exact(base: Span, exponent: Span) -> bool:
    """Whether powers of exact numbers are exact: whole ones and perfect roots, whose digits are not too many."""
    order = exponent.low
    if order != exponent.high or not is_finite(order):
        return False
    if order != int(order):
        ends = [end for end in (base.low, base.high) if is_finite(end) and end > 0]
        return all(is_exact(power(end, order)) for end in ends)
    ratios = [Fraction(end) for end in (base.low, base.high) if is_finite(end)]
    bits = max((max(ratio.numerator.bit_length(), ratio.denominator.bit_length()) for ratio in ratios), default=0)
    return bits * abs(int(order)) <= MOST_BITS


def _beside_pole(low: Number, high: Number, order: Number) -> Span:
    """Return the bounds of a negative power of a base that may be zero."""
    if low == 0 < high:
        return loosely(_raised(high, order), _INF, total=False)
    if low < 0 == high:
        return loosely(-_INF, _raised(low, order), total=False)
    if low == high:
        raise NoValueError
    return ANYTHING


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
    rounded = loosely(min(ends), max(ends), base.low >= 0 and base.total and exponent.total)
    return Span(max(rounded.low, 0), rounded.high, rounded.total, rounded.exact)


def _roots(positive: RealSet, order: Number) -> RealSet:
    return tuple(mapped(part, lambda end: _root(end, order), rising=order > 0) for part in positive)


def _root(end: Number, order: Number) -> Number:
    if end == 0:
        return 0 if order > 0 else _INF
    if end == _INF:
        return _INF if order > 0 else 0
    try:
        return float_power(end, 1 / order) if isinstance(end, float) else power(end, power(order, -1))
    except OverflowError:
        return _INF


def _precise_power(base: Any, exponent: Any) -> Any:
    """Return the power of a positive interval of mpmath, bounded where it has too many digits."""
    if has_moderate_power(base, exponent):
        return looser(base**exponent)
    log = exponent * iv.log(base)
    return exponential(log) if is_beyond(log) else looser(base**exponent)


POWER = _Power()
ENTRIES = (POWER,)
