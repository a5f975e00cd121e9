"""What a function does to intervals: the defaults hold for a smooth, monotone function of one number.

Bounds enclose its values, rates its difference quotients (across kinks and steps too), and a contraction the terms that
can lead to a value. Proofs of inversion rest on these alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv
from mpmath.libmp import prec_to_dps

from flopsheet.numbers import many_digits
from flopsheet.numbers.arithmetic import SMALLEST
from flopsheet.numbers.sets import ALL, Interval, RealSet
from flopsheet.numbers.spans import (
    LARGEST,
    NoValueError,
    Span,
    as_span,
    between,
    divided,
    float_ends,
    is_exact,
    loosely,
    sum_of,
)
from flopsheet.tolerances import CONTRACTION, UNDERFLOW
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

    Beside = Callable[[int, int], Span]

TOO_LARGE = Interval(LARGEST, math.inf, lower_closed=False, upper_closed=False)
TOO_SMALL = Interval(0, SMALLEST, lower_closed=False, upper_closed=False)
ANY_SIZE: RealSet = (
    Interval(-math.inf, -LARGEST, lower_closed=False, upper_closed=False),
    Interval(-SMALLEST, 0, lower_closed=False, upper_closed=False),
    Interval(0, 0),
    TOO_SMALL,
    TOO_LARGE,
)
ZERO, ONE = Span(0, 0, exact=True), Span(1, 1, exact=True)
_GUARD = 20  # digits beyond those of an interval, so that its ends are rounded once


class Enclosed:
    """The values, rates and contractions of a function on intervals."""

    node: Any
    domain: RealSet | None = None
    range: Interval = ALL[0]
    overflows: RealSet = ()
    rising: bool = True
    exact: Callable[..., Number]
    preimage: Callable[..., RealSet]
    in_sympy: Callable[..., Expr]

    def bounds(self, *spans: Span) -> Span:
        """Return bounds of the value while the terms run through spans, rounded outwards."""
        (span,) = spans
        (domain,) = self.domain or ALL
        return image(self.exact, span, domain, self.range, rising=self.rising)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return bounds of the relative change of the value by that of the unknown, across kinks and steps too.

        Args:
            value: the bounds of the value.
            terms: the spans of all terms.
            growths: the same relative change of each term; None for one that does not vary.
            beside: gives the bounds of one term divided by another, by their places.
        """
        del beside
        rates: Any = self.rates(*terms)  # type: ignore[attr-defined]  # every entry has them
        parts = [
            divided(rates[place] * terms[place], value) * growth
            for place, growth in enumerate(growths)
            if growth is not None and (rates[place].low or rates[place].high)
        ]
        return sum_of(parts) if parts else ZERO

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the sign of the value, 1 or -1; 0 where it may have both or be zero.

        Args:
            value: the bounds of the value, which may be zero at an end that is only approached.
            terms: those of the terms.
            signs: the signs of the terms.
        """
        del terms, signs
        is_positive = value.low > 0 or (self.range.lower >= 0 and not self.range.lower_closed)
        return 1 if is_positive else -1 if value.high < 0 else 0

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        """Whether it has a value wherever its terms have, which have these bounds and signs."""
        del terms, signs
        return self.domain is None

    def compared(self, value: Span, terms: Sequence[Any], beside: Beside) -> Span:
        """Return bounds of the value, with what the quotients of its terms tell of it."""
        del terms, beside
        return value

    def jumps(self, value: Span, terms: Sequence[Any]) -> bool:
        """Whether the value may jump while the terms run through spans, in which it has these bounds."""
        del value, terms
        return False

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return a span that holds a term wherever the value lies in a target; None where there is none.

        Args:
            node: the function.
            place: which term.
            target: where the function lies.
            terms: the spans of all terms.
        """
        del terms
        return hull_of(self.preimage(node, place, as_set(target), None))

    def precise(self, *terms: Any) -> Any:
        """Return bounds of the value on intervals of mpmath, as precise as these.

        Raises:
            NoValueError: it has no value there.
            ArithmeticError: it has none at one end.
        """
        (term,) = terms
        ends = [own for end in (term.a, term.b) if (own := self._value_at(end)) is not None]
        if not ends:
            raise NoValueError
        if len(ends) == 1:
            raise ArithmeticError
        low, high = ends if self.rising else ends[::-1]
        return iv.mpf([low.a, high.b])

    def _value_at(self, end: Any) -> Any:
        digits = prec_to_dps(iv.prec) + _GUARD
        number = sympy.Float._new(end._mpi_[0], iv.prec)  # noqa: SLF001  # the only way without rounding
        value = sympy.N(self.in_sympy(number), digits)
        if value == 0:  # exactly: sympy makes no float of it
            return iv.mpf(0)
        if not value.is_Float:
            return None
        return many_digits.loosely(iv.make_mpf((value._mpf_, value._mpf_)))


def image(
    function: Callable[[Number], Number], span: Span | int, domain: Interval, full: Interval, *, rising: bool
) -> Span:
    """Return the bounds of a monotone function, whose values at the ends of its domain are the ends of `full`.

    Raises:
        NoValueError: the span is outside the domain.
    """
    span = as_span(span)
    if span.high < domain.lower or span.low > domain.upper or (span.high == domain.lower and not domain.lower_closed):
        raise NoValueError
    first, last = (full.lower, full.upper) if rising else (full.upper, full.lower)
    total = span.total and (span.low > domain.lower or domain.lower_closed or span.low == -math.inf)
    total &= span.high < domain.upper or domain.upper_closed or span.high == math.inf
    total &= span.low >= domain.lower and span.high <= domain.upper
    least, most = float_ends(span)
    low = first if least <= domain.lower else _beside(function, span.low, least)
    high = last if most >= domain.upper else _beside(function, span.high, most)
    rounded = loosely(low, high, total) if rising else loosely(high, low, total)
    return Span(max(rounded.low, full.lower), min(rounded.high, full.upper), rounded.total, rounded.exact)


def _beside(function: Callable[[Number], Number], end: Number, near: Number) -> Number:
    """Return the value of a function where that is exact, else its value at the float beside, which rounds once."""
    value = function(end)
    return value if end is near or is_exact(value) else function(near)


def around_all(parts: Iterable[Span]) -> Span:
    """Return the smallest span around several."""
    spans = [*parts]
    return between(min(part.low for part in spans), max(part.high for part in spans))


def as_set(span: Span) -> RealSet:
    """Return the numbers of a span as a set."""
    return (Interval(span.low, span.high, is_finite(span.low), is_finite(span.high)),)


def hull_of(parts: RealSet) -> Span | None:
    """Return a span around all parts of a set, wider by the rounding of an inverse; None for the empty set."""
    if not parts:
        return None
    return wider(parts[0].lower, max(part.upper for part in parts))


def wider(low: Number, high: Number) -> Span:
    """Return a span around two numbers, wider by the rounding of an inverse where they are floats."""
    low, high = (LARGEST if low == math.inf else low), (-LARGEST if high == -math.inf else high)  # an overflow
    if is_exact(low) and is_exact(high):
        return Span(low, high, exact=True)
    return Span(_moved(low, -1), _moved(high, 1))


def _moved(end: Number, way: int) -> float:
    value = float(end)
    if is_exact(end):
        return value if value == end else math.nextafter(value, way * math.inf)
    return value + way * max(CONTRACTION * abs(value), UNDERFLOW)
