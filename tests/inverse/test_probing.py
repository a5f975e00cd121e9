"""Probing: a value at a point against a target, and whole numbers one by one against plain Python."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import ceil, exp, floor, log, mod, ratio, sqrt, tan
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.probing import FIRST_TRIED, Probing
from flopsheet.inverse.whole import MOST_TRIED
from flopsheet.numbers.sets import ABOVE_ZERO, ALL, EMPTY, Interval, RealSet, point, side

if TYPE_CHECKING:
    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")
ENDLESS = Interval(Fraction(1, 2), math.inf, upper_closed=False)
SMALL = Interval(1, 40)


def probing(domain: Interval = SMALL, *, integer: bool = True) -> Probing:
    return Probing(X, lambda: domain, {"a": 3, "unused": "name"}, integer=integer)


def wholes(numbers: RealSet | None) -> list[int]:
    assert numbers is not None
    return [number for part in numbers for number in range(int(part.lower), int(part.upper) + 1)]


@pytest.mark.parametrize(
    ("expression", "at", "target", "expected"),
    [
        (A * X, Fraction(1, 3), point(1), True),
        (A * X, Fraction(1, 3) + Fraction(1, 10**30), point(1), False),
        (A * X, 1 / 3 + 1e-15, point(1), True),
        (A * X, 1 / 3 + 1e-6, point(1), False),
        (sqrt(X), 16, side("<", 4), False),
        (X - X / A, 3, (Interval(0, 1), Interval(2, 3)), True),
        (1 / X, 0, ALL, False),
        (log(X), -1, ALL, False),
        (exp(X), 1e5, side(">", 5), True),
        (exp(X), 1e5, point(1e200), False),
        (X, 1, EMPTY, False),
    ],
    ids=str,
)
def test_a_probe_lies_in_the_target_or_has_no_value(
    expression: Any, at: Number, target: RealSet, expected: bool
) -> None:
    assert probing().probe(expression, at, target) is expected


def test_an_expression_as_a_function_on_floats() -> None:
    function = probing().function(A / X + sqrt(X))
    assert function(4.0) == 2.75
    assert all(math.isnan(function(at)) for at in (0.0, -1.0))


def test_the_domain_is_asked_for_once_and_may_be_narrowed() -> None:
    answers = iter([SMALL])
    looked = Probing(X, lambda: next(answers), {})
    assert looked.domain == looked.domain == SMALL
    looked.narrowed = Interval(3, 4)
    assert (looked.domain, looked.whole_domain) == (Interval(3, 4), SMALL)


@given(st.integers(-5, 5), st.integers(-9, 9), st.integers(2, 7), st.integers(0, 6), st.integers(1, 40))
@settings(deadline=None, max_examples=60)
def test_one_by_one_is_plain_python(factor: int, shift: int, divisor: int, level: int, last: int) -> None:
    expression = mod(X**2 + factor * X, divisor) + mod(X + shift, A)
    looked = probing()
    looked.narrowed = Interval(1, last)
    numbers = [
        number
        for number in range(1, last + 1)
        if (number**2 + factor * number) % divisor + (number + shift) % 3 <= level
    ]
    assert wholes(looked.one_by_one(expression, side("<=", level))) == numbers
    assert (looked.methods, looked.complete) == (["trial"], True)


def test_of_a_remainder_over_an_endless_domain_the_first_are_tried() -> None:
    looked = probing(ENDLESS)
    last = 1 + FIRST_TRIED
    assert wholes(looked.one_by_one(X * mod(X, 1000), point(0))) == [*range(1000, last + 1, 1000)]
    assert not looked.complete
    assert looked.one_by_one(X + mod(X, 2), side(">", last)) == point(last)


@pytest.mark.parametrize(
    ("expression", "target", "domain", "integer"),
    [
        (X * mod(X, 5), point(6), SMALL, False),
        (X**2 + log(X), side("<", 6), SMALL, True),
        (X * ceil(X / 7), point(6), SMALL, True),
        (X * floor(X / 7), side("<", 6), ABOVE_ZERO, True),
        (X * mod(X, 5), point(6), Interval(-math.inf, 9, lower_closed=False), True),
        (X * mod(X, 5), point(6), Interval(1, MOST_TRIED + 2), True),
    ],
    ids=str,
)
def test_what_is_not_tried(expression: Any, target: RealSet, domain: Interval, integer: bool) -> None:
    looked = probing(domain, integer=integer)
    assert looked.one_by_one(expression, target) is None
    assert (looked.methods, looked.complete) == ([], True)


def test_roundings_are_tried_against_ranges() -> None:
    looked = probing()
    result = looked.one_by_one(X * ceil(X / 7), side(">", 200))
    assert wholes(result) == [number for number in range(1, 41) if number * -(-number // 7) > 200]
    assert looked.tried(X * ceil(X / 7), point(24), Interval(5, 20)) == point(12)


@pytest.mark.parametrize(
    ("expression", "target", "misses", "fills"),
    [
        (A * X + 1 / X, side("<", 3), True, False),
        (A * X + 1 / X, side(">", 3), False, True),
        (A * X + 1 / X, point(10), False, False),
        (X + log(X - 2), side("<", 50), False, False),  # it has no value below
        (X + log(X), side("<", 50), False, True),
        (X ** (X - ratio(1, 2)), side(">", 0), False, True),
        ((X - 2) ** (X - ratio(1, 2)), ALL, False, False),  # its base is negative below
        (tan(3 * X), ALL, False, False),
        (log(X - 50), ALL, True, False),
    ],
    ids=str,
)
def test_a_target_that_is_missed_or_never_left(expression: Any, target: RealSet, misses: bool, fills: bool) -> None:
    assert probing().misses(expression, target) is misses
    assert probing().fills(expression, target) is fills


def test_bounds_follow_the_domain_as_it_is_narrowed() -> None:
    looked = probing()
    assert not looked.misses(X + 1 / X, point(30))
    looked.narrowed = Interval(2, 10)
    assert looked.misses(X + 1 / X, point(30))


def test_a_step_leaves_less_than_all_steps_do() -> None:
    looked, expression = probing(), X + A * ceil(X / 10)
    assert not looked.misses(expression, side("<", 10))
    assert looked.step_misses(expression, ceil(X / 10), 4, side("<", 10))
    assert not looked.step_misses(expression, ceil(X / 10), 2, side("<", 10))
