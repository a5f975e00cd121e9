"""Divisors that leave a remainder, against trying all numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import mod, ratio
from flopsheet.functions.rounding import REMAINDER
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.step_numbers import divisor_set
from flopsheet.numbers.sets import Interval, RealSet, point, side, union

if TYPE_CHECKING:
    from flopsheet.units import Number

X, A, C = symbol("x"), symbol("a"), symbol("c")
DIVIDED = mod(A, C * X)


def result(dividend: Number, factor: Number, target: RealSet) -> RealSet | None:
    return divisor_set(DIVIDED, X, target, {"a": dividend, "c": factor})


def wholes(numbers: RealSet | None, last: int) -> list[int]:
    assert numbers is not None
    return [number for number in range(1, last + 1) if any(number in part for part in numbers)]


@pytest.mark.parametrize(
    ("dividend", "factor", "rest", "divisors"),
    [
        (12, 1, 0, [1, 2, 3, 4, 6, 12]),
        (12, 2, 0, [1, 2, 3, 6]),
        (12, Fraction(3, 2), 0, [1, 2, 4, 8]),
        (Fraction(15, 2), Fraction(1, 2), 0, [1, 3, 5, 15]),
        (17, 1, 2, [3, 5, 15]),
        (17, 4, 1, [1, 2, 4]),
        (7, 1, 8, []),
        (12, 1, -1, []),
        (Fraction(1, 2), 1, 0, []),
        (-12, 5, 0, []),
        (-12, 1, 3, [5, 15]),
    ],
)
def test_divisors(dividend: Number, factor: Number, rest: Number, divisors: list[int]) -> None:
    assert wholes(result(dividend, factor, point(rest)), 60) == divisors


def test_what_is_smaller_than_its_divisor_is_its_own_rest() -> None:
    assert result(-7, 1, point(-7)) == (Interval(-math.inf, -7, lower_closed=False, upper_closed=False),)
    assert result(7, 1, point(7)) == (Interval(7, math.inf, lower_closed=False, upper_closed=False),)
    assert wholes(result(7, 2, point(7)), 9) == [4, 5, 6, 7, 8, 9]
    assert wholes(result(0, 3, point(0)), 4) == [1, 2, 3, 4]


def test_a_large_number_is_factored() -> None:
    ends = result(8191 * 131071, 1, point(0))
    signed = (sign * divisor for divisor in (1, 8191, 131071, 8191 * 131071) for sign in (1, -1))
    assert ends == union(*map(point, signed))


@pytest.mark.parametrize(
    ("expression", "target", "values"),
    [
        (mod(A * X, C), point(0), {"a": 12, "c": 5}),
        (mod(A, X**2), point(0), {"a": 12}),
        (DIVIDED, side("<", 3), {"a": 12, "c": 1}),
        (DIVIDED, point(0), {"a": 12.0, "c": 1}),
        (DIVIDED, point(0), {"a": 12, "c": 0.5}),
        (DIVIDED, point(0), {"a": 12, "c": 0}),
        (DIVIDED, point(0), {"a": (10**9 + 7) * (10**12 + 39), "c": 1}),
    ],
    ids=str,
)
def test_what_is_no_question_of_divisors_is_left_to_others(
    expression: Any, target: RealSet, values: dict[str, Number | str]
) -> None:
    assert divisor_set(expression, X, target, values) is None


factors = st.fractions(min_value=Fraction(1, 4), max_value=5, max_denominator=4)
halves = st.integers(0, 60).map(lambda half: Fraction(half, 2))


@given(st.integers(-240, 240).map(lambda half: Fraction(half, 2)), factors, st.lists(halves, min_size=1, max_size=3))
@settings(deadline=None, max_examples=70)
def test_divisors_are_all_and_only_those_that_trying_finds(
    dividend: Fraction, factor: Fraction, rests: list[Fraction]
) -> None:
    numbers = result(dividend, factor, union(*(point(rest) for rest in rests)))
    expected = [number for number in range(1, 200) if REMAINDER.exact(dividend, factor * number) in rests]
    assert wholes(numbers, 199) == expected


def test_a_dividend_of_its_own_formula() -> None:
    assert wholes(divisor_set(mod(A + 2, ratio(1, 2) * X), X, point(0), {"a": 1}), 9) == [1, 2, 3, 6]
