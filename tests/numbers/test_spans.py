"""Spans: wherever the unknown is in its range, the value of a formula lies between the two bounds."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import acos, asin, atan, ceil, cos, exp, floor, indicator, log, max_, min_, mod, ratio, sin, sqrt, tan
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.functions.algebra import abs_
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import ALL, Interval, RealSet, point, side
from flopsheet.numbers.spans import NOTHING, Span, around, product_of
from flopsheet.numbers.within import is_inside, is_outside
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")
INF = math.inf
VALUES: dict[str, Number | str] = {"a": 3}
FEW_DIGITS = 1e-12


def span(expression: Any, low: Number, high: Number) -> Span:
    return Field(program_of(expression), "x", VALUES).bounds(around(low, high))


@pytest.mark.parametrize(
    ("expression", "ends", "bounds"),
    [
        (X, (1, 2), (1, 2)),
        (A * X - 1, (-1, 2), (-4, 5)),
        (A - X, (0, INF), (-INF, 3)),
        (X**2, (-3, 2), (0, 9)),
        (X**4, (-3, 2), (0, 81)),
        (X**5, (-2, 1), (-32, 1)),
        (1 / X, (2, 4), (0.25, 0.5)),
        (1 / X, (0, 4), (0.25, INF)),
        (1 / X, (-4, 0), (-INF, -0.25)),
        (1 / X, (-1, 1), (-INF, INF)),
        (X**-2, (0, 2), (0.25, INF)),
        (sqrt(X), (-4, 9), (0, 3)),
        (X ** ratio(1, 3), (8, 27), (2, 3)),
        (X**X, (1, 3), (1, 27)),
        (X ** (X - 2), (-1, 1), (-INF, INF)),
        (max_(X, A), (0, 5), (3, 5)),
        (min_(X, A), (0, 5), (0, 3)),
        (abs_(X), (-3, 2), (0, 3)),
        (ceil(X), (0.5, 2.5), (1, 3)),
        (floor(X), (-INF, 2.5), (-INF, 2)),
        (mod(X, A), (0, INF), (0, 3)),
        (mod(X, A), (7, 8), (1, 2)),
        (mod(A, X), (4, 14), (3, 3)),
        (mod(X, -A), (0, 9), (-3, 0)),
        (mod(A, X), (-1, 1), (-INF, INF)),
        (log(X), (0, 1), (-INF, 0)),
        (exp(X), (-INF, 0), (0, 1)),
        (sin(X), (0, 30), (0, 0.5)),
        (sin(X), (0, 100), (0, 1)),
        (cos(X), (100, 200), (-1, math.cos(math.radians(100)))),
        (cos(X), (0, INF), (-1, 1)),
        (tan(X), (-45, 45), (-1, 1)),
        (tan(X), (45, 100), (-INF, INF)),
        (atan(X), (0, 1), (0, 45)),
        (asin(X), (0, 1), (0, 90)),
        (acos(X), (0, 1), (0, 90)),
        (indicator(X > A), (0, 10), (0, 1)),
    ],
    ids=str,
)
def test_bounds_of_each_function(expression: Any, ends: tuple[Number, Number], bounds: tuple[float, float]) -> None:
    result = span(expression, *ends)
    assert (result.low, result.high) == pytest.approx(bounds, rel=1e-7, abs=1e-6)
    assert result.low <= bounds[0] + FEW_DIGITS
    assert result.high >= bounds[1] - FEW_DIGITS


@pytest.mark.parametrize("expression", [log(X - 9), sqrt(X - 9), (X - 9) ** (A / 2), X + log(A - 5)], ids=str)
def test_a_formula_without_values_is_outside_every_set(expression: Any) -> None:
    assert span(expression, 0, 5) is NOTHING
    assert is_outside(NOTHING, ALL)
    assert not is_inside(NOTHING, ALL)


PARTIAL = sqrt(X)  # which has no value below zero


@pytest.mark.parametrize(
    "expression",
    [
        *(PARTIAL + 1, 3 - PARTIAL, 2 * PARTIAL, PARTIAL * X, (PARTIAL + 1) ** 2, 2**PARTIAL, (PARTIAL + 1) ** (X + 2)),
        *(1 / (PARTIAL + 1), PARTIAL / A, max_(PARTIAL, A), min_(A, PARTIAL), abs_(PARTIAL), ceil(PARTIAL)),
        *(floor(PARTIAL), mod(PARTIAL, 3), mod(9, PARTIAL + 1), exp(PARTIAL), log(PARTIAL + 1), sin(PARTIAL)),
        *(cos(PARTIAL), tan(PARTIAL), asin(PARTIAL / 9), acos(PARTIAL / 9), atan(PARTIAL), indicator(PARTIAL > 1)),
        indicator(A > PARTIAL),
    ],
    ids=str,
)
def test_a_formula_has_a_value_everywhere_only_if_all_its_parts_do(expression: Any) -> None:
    assert not span(expression, -1, 4).total
    assert span(expression, 1, 4).total


@pytest.mark.parametrize("expression", [asin(X), acos(X), log(X), X ** ratio(1, 2), X**-1, X ** ratio(-1, 2)], ids=str)
def test_a_function_has_a_value_on_its_domain_only(expression: Any) -> None:
    assert span(expression, 0.5, 1).total
    assert not span(expression, -3, 3).total


def test_what_cannot_be_bounded_may_be_anything() -> None:
    assert span(exp(X) - exp(2 * X), 800, 900).low == -INF


@pytest.mark.parametrize("number", [Fraction(1, 3), 10**400, -(10**400), Fraction(-1, 10**400), 0.1, 7])
def test_a_number_of_any_kind_is_held(number: Number) -> None:
    result = around(number, number)
    assert result.low <= number <= result.high


@pytest.mark.parametrize(
    ("target", "outside", "inside"),
    [
        (side("<", 1), True, False),
        (side("<=", 2), False, False),
        (side("<=", 2 - 1e-10), False, False),  # within rounding
        (side("<", 3), False, False),
        (side("<=", 3 + 1e-10), False, False),
        (side("<", 4), False, True),
        (side(">", 1), False, True),
        (point(Fraction(5, 2)), False, False),
        ((Interval(0, 1), Interval(4, 5)), True, False),
        ((Interval(0, 1), Interval(Fraction(3, 2), 10**400)), False, True),
    ],
    ids=str,
)
def test_sides_are_decided_where_rounding_cannot_matter(target: RealSet, outside: bool, inside: bool) -> None:
    assert is_outside(Span(2.0, 3.0), target) is outside
    assert is_inside(Span(2.0, 3.0), target) is inside


def expression(chance: Random, depth: int) -> Any:
    if depth == 0 or chance.random() < 1 / 8:
        return X if chance.random() < 3 / 4 else ratio(chance.randint(-8, 8), chance.randint(1, 6))
    left, right = (expression(chance, depth - 1) for _ in range(2))
    pairs: list[Callable[..., Any]] = [operator.add, operator.sub, operator.mul, max_, min_]
    alone: list[Callable[..., Any]] = [lambda x: x**2, abs_, ceil, floor, lambda x: exp(x / 9), sin, cos]
    partial: list[Callable[..., Any]] = [sqrt, log, lambda x: x**-1, lambda x: mod(x, 3)] if left.has(X) else []
    function = chance.choice([*pairs, *alone, *partial])
    return function(left, right) if function in pairs else function(left)


@pytest.mark.parametrize("seed", range(150))
def test_a_value_is_within_the_bounds(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # the same every time
    formula = expression(chance, 4)
    low, high = sorted(Fraction(chance.randint(-40, 40), 7) for _ in range(2))
    result = span(formula, low, high)
    for place in range(21):
        at = low + (high - low) * Fraction(place, 20)
        value = value_or_none(formula, {"x": at})
        assert value is None or result.low - FEW_DIGITS <= value <= result.high + FEW_DIGITS


def test_infinity_times_a_ratio_that_no_float_holds_is_infinite() -> None:
    tiny = Fraction(1, 2**2000)
    product = Span(1, math.inf, exact=True) * Span(0, tiny, exact=True)
    assert (product.low, product.high) == (0, math.inf)
    product = Span(1, math.inf, exact=True) * Span(-tiny, 0, exact=True)
    assert (product.low, product.high) == (-math.inf, 0)


@pytest.mark.parametrize("other", [Span(1.0, 1.0), Span(0.1, 0.3), Span(0.0, 7.5)])
def test_a_product_with_one_is_exact(other: Span) -> None:
    one = Span(1.0, 1.0)
    for product in (one * other, other * one, product_of([one, other, one]), product_of([other, one])):
        assert (product.low, product.high) == (other.low, other.high)


def test_zero_times_floats_is_zero_and_takes_no_digits() -> None:
    """Bounds in floats stand for numbers: none of them times zero is anything else, but one may have no value."""
    zero, third, floats = Span(0, 0, exact=True), Span(Fraction(1, 3), Fraction(1, 3), exact=True), Span(0.1, INF)
    whole = third + zero * floats + floats * Span(0.0, 0.0)
    assert (whole.low, whole.high, whole.exact, whole.total) == (Fraction(1, 3), Fraction(1, 3), True, True)
    part = zero * Span(0.1, 0.2, total=False) + third
    assert (part.low, part.high, part.exact, part.total) == (Fraction(1, 3), Fraction(1, 3), True, False)
    rounded = third + Span(0.5, 0.5)
    assert rounded.low < Fraction(5, 6) < rounded.high
