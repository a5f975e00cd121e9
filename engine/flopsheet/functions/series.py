"""The sum of a geometric series: 1 + r + r**2 + ... of n terms, n where r is 1.

It is (r**n - 1)/(r - 1), whose digits are lost near r = 1, and which extends the sum from whole numbers of terms to all
n >= 1. There it rises with both terms, and so do its relative changes by them, so ends of intervals give bounds.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import mpmath
import sympy
from mpmath import iv
from mpmath.libmp import prec_to_dps

from flopsheet.functions.enclosed import ZERO, wider
from flopsheet.functions.excel import excel_power
from flopsheet.functions.spec import Function, FunctionNode, Trait
from flopsheet.functions.symbols import formula_function
from flopsheet.layout.nodes import Call, Node, comma_separated
from flopsheet.numbers import many_digits
from flopsheet.numbers.arithmetic import divided as quotient
from flopsheet.numbers.geometric import (
    by_count,
    by_ratio,
    count_of,
    error_of,
    precisely,
    ratio_error,
    ratio_of,
    slope_of,
    summed,
)
from flopsheet.numbers.sets import NOT_NEGATIVE, Interval, RealSet, mapped, meet, side
from flopsheet.numbers.spans import LARGEST, NoValueError, Span, as_span, divided, in_floats, is_exact, sum_of
from flopsheet.tolerances import BESIDE_ONE, BESIDE_ONE_IN_EXCEL, in_spreadsheets
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

_COUNTS = side(">=", 1)
_GUARD = 30  # digits beyond those that are asked for


class _GeometricSum(Function):
    """The sum of a geometric series, by the ratio of a term to the one before it and the number of terms."""

    name, arity, unique = "geometric_sum", 2, False
    traits = Trait.INEXACT | Trait.FLAT
    definition = r"\operatorname{GeometricSum}(r, n) = \sum_{k=0}^{n-1} r^{k}"
    range = _COUNTS[0]

    def __init__(self) -> None:
        self.node = GeometricSum

    def exact(self, ratio: Number, n_terms: Number) -> Number:
        """Return the sum: exact for a ratio and a whole number of terms.

        Raises:
            ValueError: the ratio is negative, or there is less than one term.
        """
        if ratio < 0 or n_terms < 1:
            raise ValueError("a negative ratio, or less than one term")
        return summed(ratio, n_terms)

    def demands(self, node: Expr) -> Iterator[tuple[Expr, RealSet]]:
        """Yield both arguments: no negative ratio, and one term or more."""
        yield node.args[0], NOT_NEGATIVE
        yield node.args[1], _COUNTS

    # --- intervals ---

    def bounds(self, *spans: Span) -> Span:
        """Return the sums of the fewest terms with the least ratio, and of the most with the largest."""
        ratio, count, total = _inside(spans)
        if ratio.exact and count.exact and is_finite(ratio.high) and is_finite(count.high):
            low, high = summed(ratio.low, count.low), summed(ratio.high, count.high)
            if is_exact(low) and is_exact(high):
                return Span(low, high, total, exact=True)
        ratio, count = _floats(ratio, count)
        return Span(_end(ratio.low, count.low, -1), _end(ratio.high, count.high, 1), total)

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        """Whether no ratio is negative, and there is one term or more."""
        return bool(terms[0].low >= 0 and terms[1].low >= 1)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return the derivatives: by the ratio at its ends, by the terms as a share of the value."""
        ratio, count = _floats(*_inside(spans)[:2])
        least = [slope_of(end, count.low) for end in (ratio.low, ratio.high)]
        most = [slope_of(end, count.high) for end in (ratio.low, ratio.high)]
        slope = Span(_under(min(least)), _over(max(most)))
        return slope, divided(self.bounds(ratio, count) * _by_count(ratio, count), count)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the relative changes by both terms times theirs."""
        ratio, count = _floats(*_inside(terms)[:2])
        changes = (
            Span(_under(by_ratio(ratio.low, count.low)), _over(by_ratio(ratio.high, count.high))),
            _by_count(ratio, count),
        )
        return sum_of(
            [by * growth for by, growth in zip(changes, growths, strict=True) if growth is not None] or [ZERO]
        )

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return a span around the term, by the inverse at both ends of the other term."""
        if target.high < 1:
            return None
        other, low = as_span(terms[1 - place]), max(target.low, 1)
        if place == 1:
            least, most = max(other.low, 0), max(other.high, 0)
            return wider(count_of(most, low), count_of(least, target.high) if least or target.high > 1 else math.inf)
        fewest, most = max(other.low, 1), max(other.high, 1)
        if most == 1:
            only: Span | None = terms[0] if low <= 1 else None
            return only
        least = ratio_of(most, low) * (1 - ratio_error(most))
        return wider(least, math.inf if fewest == 1 else ratio_of(fewest, target.high) * (1 + ratio_error(fewest)))

    def precise(self, *terms: Any) -> Any:
        """Return the values at the ends of intervals, to many digits."""
        ratio, count = terms
        if ratio.b < 0 or count.b < 1:
            raise NoValueError
        low = _many_digits(max(ratio.a, iv.mpf(0)), max(count.a, iv.mpf(1)))
        return iv.mpf([low.a, _many_digits(ratio.b, count.b).b])

    # --- inverse ---

    def rest(self, node: Expr, place: int) -> Expr:
        return node.args[1 - place]

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        other = 0 if rest is None else rest
        holds_one = any(1 in part for part in target)
        if place == 0:
            if other <= 1:
                return NOT_NEGATIVE if other == 1 and holds_one else ()
            return tuple(mapped(part, partial(ratio_of, other), rising=True) for part in meet(target, _COUNTS))
        if other <= 0:
            return _COUNTS if other == 0 and holds_one else ()
        # Below a ratio of 1, even endlessly many terms sum up to no more than 1/(1 - r).
        reached = Interval(1, quotient(1, 1 - other), upper_closed=False) if other < 1 else _COUNTS[0]

        def count(end: Number) -> Number:
            return math.inf if end == reached.upper else count_of(other, end)

        return tuple(mapped(part, count, rising=True) for part in meet(target, (reached,)))

    # --- derivative and printed forms ---

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr | None:
        """Return the sum beside a ratio of 0 or 1 as the first terms of a series, elsewhere as a quotient."""
        ratio, count = node.args
        at, terms = value(ratio), value(count)
        beside = ratio - 1
        if abs(at - 1) * terms < BESIDE_ONE:
            third = 1 + (count - 3) * beside / 4
            return count * (1 + (count - 1) * beside / 2 * (1 + (count - 2) * beside / 3 * third))
        if at == 0:
            return 1 + ratio if terms >= 2 else None
        return (ratio**count - 1) / beside

    def layout(self, *terms: Node) -> Node:
        return Call("GeometricSum", comma_separated(*terms))

    def excel(self, *terms: str) -> str:
        ratio, count = (f"({term})" for term in terms)
        near = f"{count}*(1+({count}-1)*({ratio}-1)/2*(1+({count}-2)*({ratio}-1)/3))"
        far = f"({excel_power(ratio, count)}-1)/({ratio}-1)"
        return f"IF(ABS({ratio}-1)*{count}<{in_spreadsheets(BESIDE_ONE_IN_EXCEL)},{near},{far})"


def _inside(spans: Sequence[Any]) -> tuple[Span, Span, bool]:
    """Return the parts of both terms for which there is a value, and whether these are all.

    Raises:
        NoValueError: there is none.
    """
    ratio, count = map(as_span, spans)
    if ratio.high < 0 or count.high < 1:
        raise NoValueError
    total = ratio.total and count.total and ratio.low >= 0 and count.low >= 1
    ratio = Span(max(ratio.low, 0), ratio.high, exact=ratio.exact)
    return ratio, Span(max(count.low, 1), count.high, exact=count.exact), total


def _floats(ratio: Span, count: Span) -> tuple[Any, Any]:
    """Return the spans of both terms with float ends, which rounding does not move out of the domain."""
    spans = zip(map(in_floats, (ratio, count)), (0.0, 1.0), strict=True)
    ratio, count = (Span(max(float(span.low), least), float(span.high)) for span, least in spans)
    return ratio, count


def _end(ratio: float, count: float, way: int) -> float:
    """Return a sum, moved one way by as much as it may be off."""
    value = float(summed(ratio, count))
    moved = value * (1 + way * error_of(ratio, count)) if math.isfinite(value) else value
    return max(math.nextafter(moved, way * math.inf), 1.0)


def _under(known: tuple[float, float]) -> float:
    value, off = known
    return max(math.nextafter(value - off, 0), 0.0) if value < math.inf else LARGEST


def _over(known: tuple[float, float]) -> float:
    value, off = known
    return math.nextafter(value + off, math.inf) if value or off else value


def _by_count(ratio: Any, count: Any) -> Span:
    """Return the relative change by the terms, at the ends: it falls with them below a ratio of 1."""
    low = by_count(ratio.low, count.low if ratio.low > 1 else count.high)
    return Span(_under(low), _over(by_count(ratio.high, count.high if ratio.high > 1 else count.low)))


def _many_digits(ratio: Any, count: Any) -> Any:
    """Return bounds of the sum at two ends of intervals."""
    if ratio == 0:
        return iv.mpf(1)
    base, terms = map(many_digits.lower_end, (ratio, count))
    if mpmath.isinf(base) or mpmath.isinf(terms) or abs(terms * mpmath.log(base)) > many_digits.LARGEST_ARGUMENT:
        return iv.mpf([1, iv.inf])
    value = precisely(base, terms, prec_to_dps(iv.prec))
    return many_digits.around_value(value)


class GeometricSum(FunctionNode):
    """The sum of a geometric series in sympy trees."""

    nargs = 2

    def _eval_evalf(self, precision: int) -> Any:
        ratio, count = (term.evalf(prec_to_dps(precision) + _GUARD) for term in self.args)
        if not (ratio.is_number and count.is_number) or not (ratio.is_real and count.is_real):
            return None
        if ratio < 0 or count < 1:
            return sympy.nan
        digits = prec_to_dps(precision)
        base, terms = (mpmath.make_mpf(sympy.Float(term, digits + _GUARD)._mpf_) for term in (ratio, count))
        return sympy.Float(precisely(base, terms, digits), precision=precision)

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative, which has no value where the ratio is 1."""
        ratio, count = self.args
        if argindex == 1:
            return (count * ratio ** (count - 1) - self) / (ratio - 1)
        return ratio**count * sympy.log(ratio) / (ratio - 1)


GEOMETRIC_SUM = _GeometricSum()
GeometricSum.entry = GEOMETRIC_SUM
ENTRIES = (GEOMETRIC_SUM,)


@formula_function
def geometric_sum(ratio: Any, n_terms: Any) -> Expr:
    """Return the sum of a geometric series, 1 + r + r**2 + ... of n terms: (1 - r**n)/(1 - r), and n where r is 1.

    The ratio is 0 or more. Between whole numbers of terms, of which there is at least one, it is that quotient.
    """
    return GeometricSum(ratio, n_terms)
