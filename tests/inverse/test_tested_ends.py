"""Whole numbers decided exactly: what inversion in floats finds next to an integer is no integer."""

from __future__ import annotations

import operator
from random import Random

import pytest
import sympy

from flopsheet import Sheet, given, solve
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Proof
from flopsheet.inverse.tested_ends import held_by
from flopsheet.numbers.sets import Interval

SIGNS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
LARGEST = 10**30


class Count(Sheet):
    """A count."""

    n = given("", example=3, minimum=1, maximum=LARGEST, integer=True)


def holding(relation: str, *numbers: int) -> list[bool]:
    """Return which numbers are in the answer to a relation of n; the answer must be proven."""
    result = solve(Count(), "n", [relation]).outcomes["n"]
    assert result.proof is not Proof.OPEN
    values = () if result.kind == "none" else result.solutions
    return [any(number in part for part in values) for number in numbers]


@pytest.mark.parametrize(
    ("relation", "beside", "holds"),
    [
        ("n**2 = 100000000000001", 10**7, False),
        ("n**2 - 1 = 1e12", 10**6, False),
        ("n**2 - 1 = 999999999999", 10**6, True),
        ("5*n**3 - 8*n = 469740780311", 4546, False),
        ("n**2 + 1 > 1e24", 10**12, True),
        ("n**2 - 1 < 1e16", 10**8, True),
        ("sqrt(n**2 + 1) > 1e6", 10**6, True),
        ("log(n) = 6.30261897574", 546, False),
        ("log(n) = 6.302618975744905", 546, True),  # a float that was computed, and pasted
        ("n**1.5 + log(n) = 1e18", 10**12, False),
        ("n**1.5 >= 1e30", 10**20, True),
        ("n**1.5 >= 1e30", 10**20 - 1, False),
        ("log2(n) >= 60", 2**60, True),
        ("log2(n) >= 60", 2**60 - 1, False),
        ("n**(1/3) >= 1e6", 10**18 - 1, False),
        ("n + sqrt(n) <= 1e18 + 1e9", 10**18, True),
        ("n + sqrt(n) <= 1e18 + 1e9", 10**18 + 1, False),
    ],
)
def test_the_number_beside_a_root(relation: str, beside: int, holds: bool) -> None:
    assert holding(relation, beside) == [holds]


@pytest.mark.parametrize("seed", range(10))
def test_polynomials_next_to_a_level(seed: int) -> None:
    """Compare with plain integers: the level is what a number gives, or a few more or less."""
    random = Random(seed)  # noqa: S311  # no secret
    for _ in range(30):
        number, degree = int(10 ** random.uniform(1.1, 11)), random.choice([2, 3])
        factor, slope, sign = random.randint(1, 5), random.randint(-9, 9), random.choice([*SIGNS])
        level = factor * number**degree + slope * number + random.choice([0, 1, -1, random.randint(-9, 9)])
        relation = f"{factor}*n**{degree} {slope:+}*n {sign} {level}"
        near = [number - 1, number, number + 1]
        truth = [SIGNS[sign](factor * at**degree + slope * at, level) for at in near]
        assert holding(relation, *near) == truth, relation


def test_whole_numbers_without_time_are_open_together(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, relation = (
        Chain("x", Interval(1, 9000), {}, {}, integer=True),
        Relation(symbol("x"), ">=", sympy.Integer(3), ""),
    )
    times = iter([False] * 4)
    monkeypatch.setattr("flopsheet.inverse.tested_ends.is_over", lambda: next(times, True))
    solution = held_by(chain, range(1, 2001), relation)
    assert [part.lower for part in solution.values] == [3, 4]
    assert solution.open == (Interval(5, 2000),)


@pytest.mark.parametrize(
    ("relation", "first"),
    [
        ("exp(max(n, 1)) >= 2.718281829", 2),
        ("exp(max(n, 1)) >= 2.71828182845905", 2),
        ("log(max(n, 100)) >= 4.605170186", 101),
        ("log(max(n, 100)) >= 4.60517018599", 101),
        ("select(n < 50, sqrt(2), n) >= 1.4142135624", 50),
        ("log(max(n, 100)) <= 4.605170185", LARGEST),
    ],
)
def test_a_plateau_that_misses_a_level_by_less_than_rounding_does_not_meet_it(relation: str, first: int) -> None:
    assert holding(relation, 1, first - 1) == [False, False]
    assert holding(relation, first) == [first < LARGEST]
