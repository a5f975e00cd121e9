"""Numbers as intervals of mpmath, which have any number of digits, and back as exact numbers."""

from __future__ import annotations

import math
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import mpmath
from mpmath import iv
from mpmath.libmp import (
    finf,
    fnan,
    fninf,
    from_int,
    mpf_div,
    mpf_sign,
    round_ceiling,
    round_floor,
    round_nearest,
    to_float,
    to_rational,
)

from flopsheet.numbers.spans import Span, around, is_exact
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    from flopsheet.units import Number

PRECISION = 160  # bits that mostly tell
PRECISIONS = (PRECISION, 500, 1300)
ENOUGH = 2**60  # an interval this many times narrower than its numbers are large has the digits of a float
ENDS, MIDDLE = 0, -1  # no precisions: what ratios around a number, and the one between them, are kept by
LARGEST_EXPONENT = 4096  # of two: larger and smaller numbers are bounded by it
SETTLED_BITS = 4200  # a number that so many bits do not tell from another is taken for it
UNKNOWN_BITS = 200  # of them, which rounding may have lost
MODERATE_EXPONENT = 132  # of two, below the next number
MODERATE_SIZE = 40  # bits of the exponents of two of usual numbers
LARGEST_ARGUMENT = 10**40  # of functions: mpmath computes with all digits before the point


class Irrational(float):
    """A number that is no ratio, rounded to a float, and what computes it again to the digits that are asked for."""

    __slots__ = ("compute", "known", "rests_on")
    rests_on: Sequence[Irrational]
    compute: Callable[[], Any]
    known: dict[int, Any]  # by precision, and its ratios

    def __new__(cls, rounded: float, rests_on: Sequence[Irrational], compute: Callable[[], Any]) -> Self:
        """Return a number.

        Args:
            rounded: the float nearest to it, or beside that.
            rests_on: the irrational numbers from which it is computed.
            compute: returns an interval of mpmath around it, at the precision that is set.
        """
        number = super().__new__(cls, rounded)
        number.rests_on, number.compute, number.known = rests_on, compute, {}
        return number

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        """Copy and pickle it as its float."""
        return float, (float(self),)

    def in_digits(self) -> Any:
        """Return an interval of mpmath around it, at the precision that is set.

        Raises:
            ArithmeticError, ValueError: it has no bounds.
        """
        waiting = [self]  # in place of recursion, as chains of cells are long
        while waiting:
            missing = [number for number in waiting[-1].rests_on if iv.prec not in number.known]
            if missing:
                waiting += missing
                continue
            number = waiting.pop()
            if iv.prec not in number.known:
                number.known[iv.prec] = number.compute()
        return self.known[iv.prec]

    def nearest(self) -> Irrational | None:
        """Return the same number with the float nearest to it; None where digits do not soon tell that."""
        try:
            for bits in PRECISIONS:
                with precision(bits):
                    low, high = (to_float(end, rnd=round_nearest) for end in self.in_digits()._mpi_)  # its ends
                if low == high:
                    break
        except (ArithmeticError, ValueError):
            return None
        if not low == high != 0 or not math.isfinite(low):
            return None
        if low == self:
            return self
        number = Irrational(low, self.rests_on, self.compute)
        number.known = self.known
        return number

    def ratio(self) -> Number:
        """Return a ratio that has more digits of it than a float.

        Raises:
            ArithmeticError, ValueError: it has no bounds.
        """
        if MIDDLE not in self.known:
            self.known[MIDDLE] = sum(self.ends()) / 2
        return self.known[MIDDLE]  # type: ignore[no-any-return]

    def ends(self) -> tuple[Number, Number]:
        """Return ratios around it with the digits of a float between them, or as near as most digits bring them.

        Raises:
            ArithmeticError, ValueError: it has no bounds.
        """
        if ENDS not in self.known:
            for bits in (*PRECISIONS, SETTLED_BITS):
                with precision(bits):
                    low, high = self.known[ENDS] = ends_of(self.in_digits())
                if (high - low) * ENOUGH <= max(low, -high):
                    break
        return self.known[ENDS]  # type: ignore[no-any-return]


def is_rounded(number: Any) -> bool:
    """Whether a number is known as a float only."""
    return isinstance(number, float) and not isinstance(number, Irrational)


def is_same(value: Any, before: Any) -> bool:
    """Whether formulas give the same for two numbers; equal floats may stand for numbers of other digits."""
    return value is before or (type(value) is type(before) is not Irrational and bool(value == before))


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute on intervals of mpmath with a number of bits inside a `with` block."""
    before, iv.prec = iv.prec, bits
    try:
        yield
    finally:
        iv.prec = before


def is_interval(value: Any) -> bool:
    """Whether a value is an interval of mpmath."""
    return isinstance(value, iv.mpf)


def folded(operation: Callable[..., Any], intervals: Iterable[Any]) -> Any:
    """Return intervals joined by an operation of `mpmath.libmp`, without what `+` and `*` ask of their types."""
    bits = iv.prec
    return iv.make_mpf(reduce(lambda left, right: operation(left, right, bits), (own._mpi_ for own in intervals)))


def interval_of(number: Any) -> Any:
    """Return an interval of mpmath around an exact or irrational number, or at a float."""
    if isinstance(number, Irrational):
        return number.in_digits()
    if isinstance(number, float):
        return iv.mpf(number)
    above, below, bits = from_int(int(number.numerator)), from_int(int(number.denominator)), iv.prec
    return iv.make_mpf(tuple(mpf_div(above, below, bits, way) for way in (round_floor, round_ceiling)))


def span_at(number: Number) -> Span:
    """Return a number as a span: of an irrational one the floats around it, for which its own float may be off."""
    if not isinstance(number, Irrational):
        return Span(number, number, exact=is_exact(number))
    try:
        with precision(PRECISION):
            return around(*ends_of(number.in_digits()))
    except (ArithmeticError, ValueError):
        return Span(-math.inf, math.inf)


def loosely(interval: Any) -> Any:
    """Return an interval wider by its last digit: mpmath rounds its functions to the nearest number at times."""
    return interval * _about_one(iv.prec)


@cached(maxsize=16)
def _about_one(bits: int) -> Any:
    """Return an interval of the numbers within one unit of the last place of 1, which takes long to make."""
    with precision(bits):
        return iv.mpf([1 - iv.eps, 1 + iv.eps])


def exponential(term: Any) -> Any:
    """Return the exponential of an interval, bounded where the term has too many digits."""
    if _is_moderate(term):
        return loosely(iv.exp(term))
    low = iv.exp(min(term.a, LARGEST_ARGUMENT)).a if term.a > -LARGEST_ARGUMENT else 0
    high = iv.exp(max(term.b, -LARGEST_ARGUMENT)).b if term.b < LARGEST_ARGUMENT else iv.inf
    return loosely(iv.mpf([low, high]))


def has_moderate_power(base: Any, exponent: Any) -> bool:
    """Whether sizes tell that the logarithm of a power of a positive interval has a usual number of digits."""
    ends = *base._mpi_, *exponent._mpi_
    sizes = [abs(scale + bits) if mantissa else math.inf for _, mantissa, scale, bits in ends]
    return max(sizes[:2]) < 2**MODERATE_SIZE and max(sizes[2:]) + MODERATE_SIZE <= MODERATE_EXPONENT


def is_beyond(term: Any) -> bool:
    """Whether an interval reaches to arguments with too many digits before the point."""
    return not _is_moderate(term) and bool(term.a < -LARGEST_ARGUMENT or term.b > LARGEST_ARGUMENT)


def _is_moderate(term: Any) -> bool:
    """Whether the exponents of both ends, which are read faster than ends are compared, tell that they are usual."""
    ends = term._mpi_  # the only way to its ends
    return all(mantissa and exponent + bits <= MODERATE_EXPONENT for _, mantissa, exponent, bits in ends)


def is_settled(interval: Any) -> bool:
    """Whether an interval is as narrow as most digits make it."""
    return iv.prec >= SETTLED_BITS and bool(interval.delta * 2 ** (SETTLED_BITS - UNKNOWN_BITS) <= abs(interval).b)


def is_settled_zero(total: Any, terms: Sequence[Any]) -> bool:
    """Whether most digits do not tell the sum of intervals from zero."""
    if iv.prec < SETTLED_BITS or signs_of(total) != (-1, 1):
        return False
    return bool(total.delta * 2 ** (SETTLED_BITS - UNKNOWN_BITS) <= max(abs(term).b for term in terms))


def signs_of(interval: Any) -> tuple[int, int]:
    """Return the signs of the ends of an interval, which takes a tenth of comparing them.

    Raises:
        ValueError: an end is not a number.
    """
    low, high = interval._mpi_  # the only way to its ends
    if fnan in (low, high):
        raise ValueError("not a number")
    return mpf_sign(low), mpf_sign(high)


def sign_of(interval: Any) -> int | None:
    """Return the sign of all numbers in an interval, 0 where it is zero; None where they differ or are none."""
    try:
        low, high = signs_of(interval)
    except ValueError:
        return None
    return low if low == high else None


def lower_end(interval: Any) -> Any:
    """Return the lower end of an interval as a number of mpmath, which is not rounded."""
    return mpmath.make_mpf(interval._mpi_[0])


def around_value(value: Any) -> Any:
    """Return an interval around a value of mpmath that may be off by its last digit."""
    return loosely(iv.make_mpf((value._mpf_, value._mpf_)))


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
