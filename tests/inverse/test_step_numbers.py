"""Products with a rounded quotient, solved for the number of the step; and floats as goals, met within rounding."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import pytest

from flopsheet import Sheet, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import FROM_ONE, NOT_NEGATIVE, Cell

if TYPE_CHECKING:
    from flopsheet.answer.outcome import Outcome


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


def test_what_is_not_listed_of_very_many_values_is_open() -> None:
    outcome = asked("x * floor(1e9/x)", "999999000")
    assert outcome.proof is Proof.OPEN
    assert outcome.solutions[0].lower == Fraction(999999000, 999)
    assert [(part.lower, part.upper) for part in outcome.open] == [(Fraction(999999000, 999998), 999999)]


@pytest.mark.parametrize("goal", ["999999000", "999998999.99999999"])
def test_of_a_count_the_divisors_are_listed(goal: str) -> None:
    outcome = asked("x * floor(1e9/x)", goal, integer=True)
    met = [x for x in range(1, 10**6) if 999999000 % x == 0 and x * (10**9 // x) == 999999000]
    assert [part.lower for part in outcome.solutions if part.lower < 10**6] == met
    assert not outcome.open


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
