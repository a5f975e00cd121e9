"""Whole-number search: divisors against trying all, and runs of numbers at which a condition holds."""

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
from flopsheet.inverse.whole import FEW, LARGEST_FACTORED, MOST_TRIED, divisor_set, tried
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, point, side, union

if TYPE_CHECKING:
    from flopsheet.numbers.spans import Span
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
    assert result(7, 1, point(7)) == (Interval(7, math.inf, lower_closed=False, upper_closed=False),)
    assert wholes(result(7, 2, point(7)), 9) == [4, 5, 6, 7, 8, 9]
    assert wholes(result(0, 3, point(0)), 4) == [1, 2, 3, 4]


def test_a_large_number_is_factored() -> None:
    ends = result(8191 * 131071, 1, point(0))
    assert ends == union(*(point(divisor) for divisor in (1, 8191, 131071, 8191 * 131071)))


@pytest.mark.parametrize(
    ("expression", "target", "values"),
    [
        (mod(A * X, C), point(0), {"a": 12, "c": 5}),
        (mod(A, X**2), point(0), {"a": 12}),
        (DIVIDED, side("<", 3), {"a": 12, "c": 1}),
        (DIVIDED, point(0), {"a": 12.0, "c": 1}),
        (DIVIDED, point(0), {"a": 12, "c": 0.5}),
        (DIVIDED, point(0), {"a": 12, "c": -1}),
        (DIVIDED, point(0), {"a": LARGEST_FACTORED * 2, "c": 1}),
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


@pytest.mark.parametrize(
    ("domain", "runs"),
    [
        (Interval(0, 20), [(3, 5), (13, 15)]),
        (Interval(4, 14), [(4, 5), (13, 14)]),
        (Interval(3, 15, lower_closed=False, upper_closed=False), [(4, 5), (13, 14)]),
        (Interval(Fraction(7, 2), Fraction(9, 2)), [(4, 4)]),
        (Interval(6, 12), []),
        (Interval(-17, -5), [(-17, -15), (-7, -5)]),
        (Interval(Fraction(1, 3), Fraction(2, 3)), []),
    ],
)
def test_runs_of_numbers_that_hold(domain: Interval, runs: list[tuple[int, int]]) -> None:
    assert tried(lambda number: number % 10 in (3, 4, 5), domain) == tuple(Interval(*ends) for ends in runs)


def test_nothing_outside_the_domain_is_tried() -> None:
    asked: list[int] = []

    def refused(number: int) -> bool:
        asked.append(number)
        return False

    assert tried(refused, Interval(2, 5)) == EMPTY
    assert asked == [2, 3, 4, 5]


@pytest.mark.parametrize("domain", [Interval(0, math.inf), Interval(-math.inf, 0), Interval(1, MOST_TRIED + 2)])
def test_too_many_are_not_tried(domain: Interval) -> None:
    assert tried(lambda number: number > 0, domain) is None


@given(st.integers(-60, 60), st.integers(0, 300), st.integers(2, 90))
@settings(deadline=None, max_examples=60)
def test_a_verdict_over_a_range_spares_trials_and_changes_nothing(first: int, count: int, divisor: int) -> None:
    asked: list[int] = []

    def holds(number: int) -> bool:
        asked.append(number)
        return number // divisor % 2 == 0

    def verdict(span: Span) -> bool | None:
        return span.low // divisor % 2 == 0 if span.low // divisor == span.high // divisor else None

    domain = Interval(first, first + count)
    plain = tried(holds, domain)
    assert len(asked) == count + 1
    asked.clear()
    assert tried(holds, domain, verdict) == plain
    assert len(asked) <= count + 1
    assert divisor < 40 or len(asked) <= FEW * (count // divisor + 2) * 2
