"""Intervals that bound a value: exact ends stay exact, float ends are rounded outwards, so the value is never outside.

A formula runs on spans as it runs on numbers, and so is bounded over a whole range at once. Other
operations than sums and products have their rules in the table of `functions`.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING

from flopsheet.tolerances import LIBRARY, SMALLEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.units import Number

_INF = math.inf
_LARGEST_INTEGER = 2**53  # the floats up to here hold every integer
LARGEST = sys.float_info.max
_next = math.nextafter


class Span:
    """All numbers between two ends, both included.

    Args:
        low: the lower end.
        high: the upper end.
        total: whether the formula has a value everywhere.
        exact: whether the ends are integers and ratios, or infinite; floats otherwise.
    """

    __slots__ = ("exact", "high", "low", "total")

    def __init__(self, low: Number, high: Number, total: bool = True, exact: bool = False) -> None:  # the hot path
        self.low, self.high, self.total, self.exact = low, high, total, exact

    def __add__(self, other: Span | int) -> Span:
        return sum_of((self, other if isinstance(other, Span) else Span(other, other, exact=True)))

    __radd__ = __add__

    def meet(self, other: Span) -> Span | None:
        """Return what two spans share, as total as the first; None where that is nothing."""
        low, high = self.low, self.high
        if other.low <= low <= high <= other.high:
            return self
        low, high = max(low, other.low), min(high, other.high)
        if low > high:
            return None
        return Span(low, high, self.total, self.exact) if self.exact is other.exact else between(low, high, self.total)

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low, self.total, self.exact)

    def __sub__(self, other: Span) -> Span:
        return sum_of((self, -other))

    def __mul__(self, other: Span | int) -> Span:  # the hot path
        left, right = (self, other) if isinstance(other, Span) and self.exact is other.exact else _alike(self, other)
        a, b, c, d = left.low, left.high, right.low, right.high
        total, exact = left.total and right.total, left.exact
        if a >= 0 <= c:
            if a == b == 1 or c == d == 1:  # exact, so that what is at least 1 stays so
                return Span(a * c, b * d, total, exact)
            if not exact and (low := a * c):
                return Span(_next(low, -_INF), _next(b * d, _INF), total)
            return outwards(_times(a, c), _times(b, d), total, exact)
        if not exact:
            p, q, r, s = a * c, a * d, b * c, b * d
            low, high, finite = min(p, q, r, s), max(p, q, r, s), p + q + r + s
            if low and high and finite - finite == 0:  # no end is zero, maybe by underflow, or infinite
                return Span(_next(low, -_INF), _next(high, _INF), total)
        ends = (_times(a, c), _times(a, d), _times(b, c), _times(b, d))
        return outwards(min(ends), max(ends), total, exact)

    __rmul__ = __mul__


def sum_of(terms: Sequence[Span]) -> Span:  # the hot path
    """Return the bounds of a sum; of floats at once, each partial sum moved outwards by the last digit.

    Adding zero is exact.
    """
    first = terms[0]
    low, high, total, exact = first.low, first.high, first.total, first.exact
    for term in terms[1:]:
        if exact is not term.exact:
            return _mixed_sum(terms)
        total = total and term.total
        if exact:
            low, high = low + term.low, high + term.high
            continue
        if term.low:
            low = (_next(low + term.low, -_INF) if low + term.low else 0.0) if low else term.low
        if term.high:
            high = (_next(high + term.high, _INF) if high + term.high else 0.0) if high else term.high
    if low != low or high != high:  # noqa: PLR0124  # not a number
        return ANYTHING
    return Span(low, high, total, exact)


def _mixed_sum(terms: Sequence[Span]) -> Span:
    """Return the bounds of a sum of exact ends and floats: zero, as a float too, takes no digit from exact ends."""
    total, more = all(term.total for term in terms), [term for term in terms if term.low or term.high]
    if any(term.exact is not more[0].exact for term in more):
        more = [*map(in_floats, more)]
    own = sum_of(more) if more else Span(0, 0, exact=True)
    return Span(own.low, own.high, total and own.total, own.exact)


def product_of(factors: Sequence[Span]) -> Span:  # the hot path
    """Return the bounds of a product; of positive floats at once, each moved outwards by the last digit unless by 1."""
    first = factors[0]
    low, high, total, exact = first.low, first.high, first.total, first.exact
    for factor in factors[1:]:
        if exact or factor.exact or not (0 < first.low < _INF and 0 < factor.low < _INF):
            return reduce(mul, factors)
        total = total and factor.total
        if low == high == 1:
            low, high = factor.low, factor.high
        elif not factor.low == factor.high == 1:
            low, high = _next(low * factor.low, 0.0), _next(high * factor.high, _INF)
    return Span(low, high, total, exact)


ANYTHING = Span(-_INF, _INF, total=False)
NOTHING = Span(_INF, -_INF, total=False)


class NoValueError(ValueError):
    """A formula has no value anywhere in a span."""


def around(low: Number, high: Number) -> Span:
    """Return a span of floats that holds two numbers of any kind and all between them."""
    return Span(_floats_around(low)[0], _floats_around(high)[1])


def _floats_around(number: Number) -> tuple[float, float]:
    """Return the floats around a number; comparing a ratio with a float takes much longer than its digits."""
    near = as_float(number)
    if type(number) is not Fraction:
        return near if near <= number else _next(near, -_INF), near if near >= number else _next(near, _INF)
    if math.isinf(near):
        return min(near, LARGEST), max(near, -LARGEST)
    above, below = near.as_integer_ratio()
    beyond = above * number.denominator - number.numerator * below
    return _next(near, -_INF) if beyond > 0 else near, _next(near, _INF) if beyond < 0 else near


def between(low: Number, high: Number, total: bool = True) -> Span:
    """Return the span between two numbers: exact where both are, else of floats around them."""
    if is_exact(low) and is_exact(high):
        return Span(low, high, total, exact=True)
    span = around(low, high)
    span.total = total
    return span


def is_exact(end: Number) -> bool:
    """Whether an end is an integer, a ratio or infinite."""
    return not isinstance(end, float) or math.isinf(end)


def are_same(left: Number, right: Number) -> bool:
    """Whether two numbers are equal and neither is rounded."""
    return left == right and is_exact(left) and is_exact(right)


def as_float(number: Number) -> float:
    """Return the nearest float, an infinity beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return _INF if number > 0 else -_INF


def as_span(value: Span | int) -> Span:
    """Return an integer of a compiled formula as a span, and a span as it is."""
    if isinstance(value, Span):
        return value
    return Span(value, value) if -_LARGEST_INTEGER <= value <= _LARGEST_INTEGER else around(value, value)


def _alike(left: Span, right: Span | int) -> tuple[Span, Span]:
    """Return two factors with ends of one kind: exact ends that meet floats are rounded outwards first.

    Where one is zero, so is the product, exactly.
    """
    if not isinstance(right, Span):
        right = Span(right, right, exact=True)
    if left.exact is right.exact:
        return left, right
    if left.low == left.high == 0 or right.low == right.high == 0:
        nothing = Span(0, 0, left.total and right.total, exact=True)
        return nothing, nothing
    return in_floats(left), in_floats(right)


def in_floats(span: Span) -> Span:
    """Return a span with float ends around its own."""
    if not span.exact and isinstance(span.low, float) and isinstance(span.high, float):
        return span
    if type(span.low) is type(span.high) is int and -_LARGEST_INTEGER <= span.low <= span.high <= _LARGEST_INTEGER:
        return Span(float(span.low), float(span.high), span.total)
    rounded = around(span.low, span.high)
    rounded.total = span.total
    return rounded


def outwards(low: Number, high: Number, total: bool, exact: bool = False) -> Span:  # the hot path
    """Return a span with float ends moved outwards by the last digit; anything if an end is NaN."""
    if exact:  # no product or quotient of exact ends is NaN
        return Span(low, high, total, exact=True)
    if low != low or high != high:  # noqa: PLR0124  # not a number
        return ANYTHING
    return Span(_next(low, -_INF) if low else low, _next(high, _INF) if high else high, total)


def loosely(low: Number, high: Number, total: bool) -> Span:
    """Return a span whose ends, where they are floats, are moved outwards by the error of a library function."""
    low, high = (LARGEST if low == _INF else low), (-LARGEST if high == -_INF else high)  # an overflow is a number
    if is_exact(low) and is_exact(high):
        return Span(low, high, total, exact=True)
    return Span(_loose(low, -1), _loose(high, 1), total)


def _loose(end: Number, way: int) -> float:
    """Return an end as a float, moved one way by the error of a library function unless it is exact."""
    value = as_float(end)
    if is_exact(end):
        return value if value == end else _next(value, way * _INF)
    return _next(value + way * max(LIBRARY * abs(value), SMALLEST), way * _INF)


def _times(left: Number, right: Number) -> Number:
    if not (left and right):
        return 0
    try:
        product = left * right or math.copysign(SMALLEST, left) * math.copysign(1, right)
    except OverflowError:  # infinity times a ratio that no float holds
        product = math.nan
    if product != product and left == left and right == right:  # noqa: PLR0124  # or times one that is zero as a float
        return _INF if (left > 0) == (right > 0) else -_INF
    return product


def divided(above: Span | int, below: Span | int) -> Span:
    """Return the bounds of a quotient."""
    below = as_span(below)
    low, high = below.low, below.high
    if low > 0 and isinstance(above, Span) and not (above.exact or below.exact):
        least, most = above.low, above.high
        least = (least / (high if least > 0 else low) or math.copysign(SMALLEST, least)) if least else least
        most = (most / (low if most > 0 else high) or math.copysign(SMALLEST, most)) if most else most
        return outwards(least, most, above.total and below.total)
    if low < 0 < high or low == high == 0:
        return ANYTHING
    if high < 0 and not below.exact:
        return divided(-as_span(above), -below)
    total = below.total and not low <= 0 <= high
    unity = Fraction(1) if below.exact else 1.0
    inverse = outwards(_over(unity, high) if high else -_INF, _over(unity, low) if low else _INF, total, below.exact)
    return as_span(above) * inverse


def _over(unity: Number, end: Number) -> Number:
    return 0 if math.inf in (end, -end) else unity / end


def float_ends(span: Span) -> tuple[Number, Number]:
    """Return ends that are ratios as the floats around them: a function of a float errs by that of the library alone.

    Ratios too large or too small for floats stay as they are.
    """
    low, high = span.low, span.high
    if isinstance(low, Fraction) and sys.float_info.min <= abs(low) <= LARGEST:
        low = _floats_around(low)[0]
    if isinstance(high, Fraction) and sys.float_info.min <= abs(high) <= LARGEST:
        high = _floats_around(high)[1]
    return low, high
