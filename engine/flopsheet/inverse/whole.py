"""Whole-number search: divisors, and trying numbers one by one where no inverse is at hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.numbers.arithmetic import divided
from flopsheet.numbers.sets import Interval, RealSet, point, union, whole_ends
from flopsheet.numbers.spans import around
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.functions import Expr
    from flopsheet.numbers.spans import Span
    from flopsheet.units import Number

LARGEST_FACTORED = 10**15
MOST_TRIED = 200_000
FEW = 16  # are tried one by one


def divisor_set(expression: Expr, unknown: Expr, target: RealSet, values: Values) -> RealSet | None:
    """Return the whole numbers x at which mod(a, c * x) is one of a few values; None where that is not the question.

    Args:
        expression: the remainder.
        unknown: x, a whole number.
        target: the values.
        values: all other cells.
    """
    dividend, divisor = expression.args
    scale = divisor / unknown
    if dividend.has(unknown) or scale.has(unknown) or not all(each.is_point for each in target):
        return None
    factor = evaluate(scale, values)
    found = [_with_rest(evaluate(dividend, values), each.lower, factor) for each in target]
    return None if factor <= 0 or any(part is None for part in found) else union(*filter(None, found))


def _with_rest(dividend: Number, rest: Number, factor: Number) -> RealSet | None:
    """Return the whole x with mod(dividend, factor * x) = rest."""
    if not isinstance(dividend, int | Fraction) or not isinstance(rest, int | Fraction) or isinstance(factor, float):
        return None
    if rest < 0:
        return ()
    multiple = divided(dividend - rest, factor)
    smallest = divided(rest, factor)
    if multiple == 0:
        return (Interval(smallest, math.inf, lower_closed=False, upper_closed=False),)
    whole = Fraction(multiple)
    if whole.denominator != 1:
        return ()
    if size(whole) > LARGEST_FACTORED:
        return None
    divisors = (int(each) for each in sympy.divisors(abs(whole.numerator)))
    return union(*(point(each) for each in divisors if each > smallest))


def tried(
    holds: Callable[[int], bool], domain: Interval, verdict: Callable[[Span], bool | None] = lambda _: None
) -> RealSet | None:
    """Return the runs of whole numbers of a domain at which a condition holds; None for too many.

    Args:
        holds: tries one number.
        domain: the numbers.
        verdict: tells of a range whether the condition holds everywhere there or nowhere; None where it cannot tell.
    """
    first, last = whole_ends(domain)
    if not (is_finite(first) and is_finite(last)) or last - first > MOST_TRIED:
        return None
    found: list[Interval] = []
    for low, high in _runs(holds, verdict, int(first), int(last)):
        beside = found and found[-1].upper == low - 1
        found.append(Interval(found.pop().lower if beside else low, high))
    return tuple(found)


def _runs(
    holds: Callable[[int], bool], verdict: Callable[[Span], bool | None], first: int, last: int
) -> Iterator[tuple[int, int]]:
    """Return runs that work, each beside or after the one before; a range is halved until its verdict is clear."""
    many = last - first >= FEW
    known = verdict(around(first, last)) if many else None
    if known:
        yield first, last
    elif known is None and many:
        middle = (first + last) // 2
        yield from _runs(holds, verdict, first, middle)
        yield from _runs(holds, verdict, middle + 1, last)
    elif known is None:
        yield from ((number, number) for number in range(first, last + 1) if holds(number))
