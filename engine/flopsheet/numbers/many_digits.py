"""Numbers as intervals of mpmath, which have any number of digits, and back as exact numbers."""

from __future__ import annotations

import math
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import iv
from mpmath.libmp import finf, fnan, fninf, to_rational

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.units import Number

LARGEST_EXPONENT = 4096  # of two: larger and smaller numbers are bounded by it
SETTLED_BITS = 4200  # a number that so many bits do not tell from another is taken for it
UNKNOWN_BITS = 200  # of them, which rounding may have lost
LARGEST_ARGUMENT = 10**40  # of functions: mpmath computes with all digits before the point


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute on intervals of mpmath with a number of bits inside a `with` block."""
    before, iv.prec = iv.prec, bits
    try:
        yield
    finally:
        iv.prec = before


def interval_of(number: Any) -> Any:
    """Return an interval of mpmath around an exact number, or at a float."""
    if isinstance(number, float):
        return iv.mpf(number)
    above, below = int(number.numerator), int(number.denominator)
    return iv.mpf(above) if below == 1 else iv.mpf(above) / iv.mpf(below)


def loosely(interval: Any) -> Any:
    """Return an interval wider by its last digit: mpmath rounds its functions to the nearest number at times."""
    return interval * iv.mpf([1 - iv.eps, 1 + iv.eps])


def exponential(term: Any) -> Any:
    """Return the exponential of an interval, bounded where the term has too many digits."""
    low = iv.exp(min(term.a, LARGEST_ARGUMENT)).a if term.a > -LARGEST_ARGUMENT else 0
    high = iv.exp(max(term.b, -LARGEST_ARGUMENT)).b if term.b < LARGEST_ARGUMENT else iv.inf
    return loosely(iv.mpf([low, high]))


def is_beyond(term: Any) -> bool:
    """Whether an interval reaches to arguments with too many digits before the point."""
    return bool(term.a < -LARGEST_ARGUMENT or term.b > LARGEST_ARGUMENT)


def is_settled(interval: Any) -> bool:
    """Whether an interval is as narrow as most digits make it."""
    return iv.prec >= SETTLED_BITS and bool(interval.delta * 2 ** (SETTLED_BITS - UNKNOWN_BITS) <= abs(interval).b)


def ends_of(interval: Any) -> tuple[Number, Number]:
    """Return the ends of an interval of mpmath as exact numbers, those beyond all sizes rounded outwards."""
    low, high = interval._mpi_  # the only way to its ends
    return _number(low, -1), _number(high, 1)


def is_beyond_sizes(end: Number) -> bool:
    """Whether an end stands for numbers beyond all sizes, large or small."""
    return abs(end) in (math.inf, 2**LARGEST_EXPONENT, Fraction(1, 2**LARGEST_EXPONENT))


def _number(end: Any, way: int) -> Number:
    sign, mantissa, exponent, bits = end
    if not mantissa:
        return -math.inf if end == fninf else math.inf if end == finf else way * math.inf if end == fnan else 0
    outwards = (way < 0) == bool(sign)
    if exponent + bits > LARGEST_EXPONENT:
        return way * math.inf if outwards else -way * 2**LARGEST_EXPONENT
    if exponent + bits < -LARGEST_EXPONENT:
        return Fraction(way, 2**LARGEST_EXPONENT) if outwards else 0
    above, below = to_rational(end)
    return Fraction(int(above), int(below))
