"""Products with a rounded quotient, solved for the number of the step; and floats as goals, met within rounding."""

from __future__ import annotations

import math
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.inverse.method import Proof
from flopsheet.numbers.progressions import FIRST_LISTED
from flopsheet.sheets.cell import FROM_ONE, NOT_NEGATIVE, Bounds, Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.outcomes.outcome import Outcome


def asked(formula: str, goal: str, *, integer: bool = False, where: tuple[str, ...] = ()) -> Outcome:
    sheet = Sheet("steps")
    sheet.rows.add_cell(Cell("x", "An input", integer=integer, bounds=FROM_ONE))
    sheet.rows.add_cell(Cell("y", "A formula", bounds=NOT_NEGATIVE, formula=parse_formula(formula, ["x"], "y")))
    return solve(sheet, "x", [f"y = {goal}", *where]).outcomes["x"]


@pytest.mark.parametrize("goal", ["990", "989.999999999999999", "1009"])
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 2)])
def test_every_value_of_a_product_with_a_rounded_quotient_is_listed(goal: str, shift: Fraction) -> None:
    outcome = asked(f"x * floor(1000/x + {shift})", goal)
    level = round(Fraction(goal))
    values = [Fraction(level, step) for step in range(1, level + 1)]
    met = sorted(value for value in values if value * floor(1000 / value + shift) == level)
    assert met or shift == 0
    assert [part.lower for part in outcome.solutions] == pytest.approx(met)
    assert outcome.proof is Proof.EXACT


def test_very_many_values_are_quotients_by_the_numbers_of_the_steps() -> None:
    outcome = asked("x * floor(1e9/x)", "999999000")
    assert (outcome.proof, outcome.open) == (Proof.EXACT, ())
    assert outcome.listed[0].lower == Fraction(999999000, FIRST_LISTED)
    (quotients,) = outcome.progressions
    assert (quotients.first, quotients.last) == (1, 999998)
    assert all(Fraction(999999000, step) in quotients for step in (1, 77777, 999998))
    assert Fraction(999999000, 999999) not in quotients


@pytest.mark.parametrize("goal", ["999999000", "999998999.99999999", "333333333.333333"])
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 2)])
def test_the_first_and_the_last_quotient_hold_and_the_next_ones_do_not(goal: str, shift: Fraction) -> None:
    level = float(goal) if goal.startswith("333") else round(Fraction(goal))
    outcome = asked(f"x * floor(1e9/x + {shift})", goal)

    def holds(step: int) -> bool:
        at = Fraction(level) / step
        return math.isclose(at * floor(10**9 / at + shift), level, rel_tol=1e-12)

    for quotients in outcome.progressions:
        first, last = int(quotients.first), int(quotients.last)
        assert holds(first)
        assert holds(last)
        assert not holds(last + 1)
        assert first == 1 or not holds(first - 1)
    assert outcome.progressions or not holds(1)


@pytest.mark.parametrize(
    ("formula", "goal", "holds"),
    [
        ("mod(3*x + 1, 7)", "4", lambda x: (3 * x + 1) % 7 == 4),
        ("mod(7/x, 2)", "1/3", lambda x: Fraction(7) / x % 2 == Fraction(1, 3)),
        (
            "(2*x + 3) * floor(1e9/(2*x + 3))",
            "999999000",
            lambda x: (2 * x + 3) * floor(10**9 / (2 * x + 3)) == 999999000,
        ),
    ],
)
def test_members_follow_through_sums_products_and_quotients(
    formula: str, goal: str, holds: Callable[[Fraction], bool]
) -> None:
    outcome = asked(formula, goal)
    assert not outcome.open
    assert all(holds(Fraction(part.lower)) for part in outcome.listed)
    for part in outcome.progressions:
        assert all(holds(Fraction(number)) for number in part.begin.numbers())


def test_the_member_nearest_to_a_number_is_taken() -> None:
    sheet = Sheet("near")
    sheet.rows.add_cell(Cell("x", "An input", bounds=NOT_NEGATIVE))
    sheet.rows.add_cell(Cell("y", "A formula", bounds=NOT_NEGATIVE, formula=parse_formula("mod(x, 12)", ["x"], "y")))
    outcome = solve(sheet, "x", ["y = 5"], near={"x": "1e9"}).outcomes["x"]
    assert outcome.si == 10**9 + 1
    assert "nearest" in outcome.why


@pytest.mark.parametrize("goal", ["999999000", "999998999.9999999"])
def test_of_a_count_the_divisors_are_listed(goal: str) -> None:
    outcome = asked("x * floor(1e9/x)", goal, integer=True)
    met = [x for x in range(1, 10**6) if 999999000 % x == 0 and x * (10**9 // x) == 999999000]
    assert [part.lower for part in outcome.solutions if part.lower < 10**6] == met
    assert not outcome.open


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("x / ceil(x/32)", lambda x: Fraction(x, math.ceil(Fraction(x, 32))) == 32),
        ("3*x / ceil(x/10) + 2", lambda x: Fraction(3 * x, math.ceil(Fraction(x, 10))) == 30),
    ],
)
def test_of_a_count_every_one_that_fills_its_blocks_is_told(formula: str, holds: Callable[[int], bool]) -> None:
    outcome = asked(formula, "32", integer=True)
    assert (outcome.proof, outcome.open) == (Proof.EXACT, ())
    for x in (*range(1, 200), 123456, 123457, 10**12, 10**12 + 2):
        assert any(x in part for part in outcome.solutions) is holds(x), x


def test_the_step_at_which_any_value_works_is_a_range() -> None:
    outcome = asked("x * floor(10/x)", "0")
    assert [(part.lower, part.lower_closed) for part in outcome.solutions] == [(10, False)]


def test_no_integer_is_listed_that_meets_a_float_within_a_part_in_a_billion_only() -> None:
    outcome = asked("3 * x * floor(5e9/x)", "4013129259.3333335", integer=True)
    assert all(part.lower * floor(5 * 10**9 / Fraction(part.lower)) * 3 == 4013129259 for part in outcome.solutions)


@pytest.mark.parametrize("formula", ["7*x/3", "x/10 + 30/(7*x)", "max(x/3, 1/x - 1)", "(x + 1)**2/49"])
def test_a_float_is_met_at_an_end_of_the_bounds(formula: str) -> None:
    at_one = {"7*x/3": 7 / 3, "x/10 + 30/(7*x)": 0.1 + 30 / 7, "max(x/3, 1/x - 1)": 1 / 3, "(x + 1)**2/49": 4 / 49}
    for ulps in (-1, 0, 1):
        goal = at_one[formula] * (1 + ulps * 2.2e-16)
        outcome = asked(formula, f"{goal:.17g}")
        assert outcome.kind != "none", goal
        assert outcome.solutions[0].lower == pytest.approx(1, rel=1e-15)


def test_a_float_that_a_formula_hardly_leaves_is_met_at_one_value_only() -> None:
    outcome = asked("1 + 1e-10/x", repr(float(1 + Fraction(1, 3 * 10**10))))
    assert [part.is_point for part in outcome.solutions] == [True]
    assert outcome.solutions[0].lower == pytest.approx(3, rel=1e-5)


def test_in_a_branch_of_a_maximum_the_members_of_its_region_are_taken() -> None:
    outcome = asked("floor(1e9/x) * max(x, 2*x - 1e6)", "999999000")
    assert not outcome.open
    (quotients,) = outcome.progressions
    assert (quotients.first, quotients.last) == (1000, 999998)  # with fewer steps x is above a million
    larger = ((Fraction(999999000, step) + 10**6) / 2 for step in range(1, 1000))
    met = sorted(x for x in larger if floor(10**9 / x) * (2 * x - 10**6) == 999999000)
    assert [part.lower for part in outcome.listed if part.lower > 10**6] == met


@pytest.mark.parametrize("divisor", ["x", "max(x, 3/7)", "2*x + 1/3"])
@settings(max_examples=20, deadline=None)
@given(number=st.fractions(-30, 30, max_denominator=12), rest=st.fractions(-6, 6, max_denominator=12))
def test_the_divisors_that_leave_a_remainder_are_parts_of_a_number(
    divisor: str, number: Fraction, rest: Fraction
) -> None:
    sheet = Sheet("steps")
    bounds = Bounds(Fraction(-40), Fraction(40))
    sheet.rows.add_cell(Cell("x", "An input", bounds=bounds))
    formula = parse_formula(f"mod({number}, {divisor})", ["x"], "y")
    sheet.rows.add_cell(Cell("y", "A formula", bounds=Bounds(Fraction(-100), Fraction(100)), formula=formula))
    outcome = solve(sheet, "x", [f"y = {rest}"]).outcomes["x"]

    def by(x: Fraction) -> Fraction:
        return {"x": x, "max(x, 3/7)": max(x, Fraction(3, 7)), "2*x + 1/3": 2 * x + Fraction(1, 3)}[divisor]

    parts = [(number - rest) / step for step in (*range(-40, 0), *range(1, 40))]
    tried = [
        *parts,
        *((part - Fraction(1, 3)) / 2 for part in parts),
        *(Fraction(at, 7) for at in range(-280, 281, 11)),
    ]
    assert not outcome.open
    for x in filter(by, tried):
        if abs(x) <= 40:
            assert any(x in part for part in outcome.solutions) is (number % by(x) == rest), x


def test_a_remainder_by_what_a_branch_makes_zero_has_no_value_there() -> None:
    """Each part of 1000 is listed once, though two methods of the ladder find it."""
    sheet = Sheet("branches")
    sheet.rows.add_cell(Cell("x", "An input", bounds=FROM_ONE))
    formula = parse_formula("mod(1000, [x <= 7/3]**2 * x) * [x <= 7/3]**2", ["x"], "y")
    sheet.rows.add_cell(Cell("y", "A formula", bounds=NOT_NEGATIVE, formula=formula))
    outcome = solve(sheet, "x", ["y = 0"]).outcomes["x"]
    found = [part.lower for part in outcome.solutions]
    assert (outcome.open, found) == ((), [Fraction(1000, step) for step in range(1000, 428, -1)])
