"""Probing: the domain of an expression, and whether its bounds decide a target."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from flopsheet import ceil, log, ratio, tan
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.probing import Probing
from flopsheet.numbers.sets import ALL, Interval, RealSet, point, side
from flopsheet.numbers.within import is_inside, is_outside

X, A = symbol("x"), symbol("a")
ENDLESS = Interval(Fraction(1, 2), math.inf, upper_closed=False)
SMALL = Interval(1, 40)


def probing(domain: Interval = SMALL, *, integer: bool = True) -> Probing:
    return Probing(X, lambda: domain, {"a": 3, "unused": "name"}, integer=integer)


def wholes(numbers: RealSet | None) -> list[int]:
    assert numbers is not None
    return [number for part in numbers for number in range(int(part.lower), int(part.upper) + 1)]


def test_the_domain_is_asked_for_once_and_may_be_narrowed() -> None:
    answers = iter([SMALL])
    looked = Probing(X, lambda: next(answers), {})
    assert looked.domain == looked.domain == SMALL
    looked.narrowed = Interval(3, 4)
    assert (looked.domain, looked.whole_domain) == (Interval(3, 4), SMALL)


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
    assert is_outside(probing().bounds(expression), target) is misses
    assert is_inside(probing().bounds(expression), target) is fills


def test_bounds_follow_the_domain_as_it_is_narrowed() -> None:
    looked = probing()
    assert not is_outside(looked.bounds(X + 1 / X), point(30))
    looked.narrowed = Interval(2, 10)
    assert is_outside(looked.bounds(X + 1 / X), point(30))


def test_a_step_leaves_less_than_all_steps_do() -> None:
    looked, expression = probing(), X + A * ceil(X / 10)
    assert not is_outside(looked.bounds(expression), side("<", 10))
    assert looked.step_misses(expression, ceil(X / 10), 4, side("<", 10))
    assert not looked.step_misses(expression, ceil(X / 10), 2, side("<", 10))
