"""Powers of negative numbers: they have a value at whole exponents only, single numbers among those without one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from mpmath import iv

from flopsheet import Sheet, solve
from flopsheet.functions.powers import POWER
from flopsheet.inverse.method import Proof
from flopsheet.numbers.spans import NoValueError
from flopsheet.sheets.cell import ANY, Bounds, Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.outcomes.outcome import Outcome

MOST = 10
FORMULAS: dict[str, Callable[[int], Fraction]] = {
    "x**(-x)": lambda x: Fraction(x) ** -x,
    "(1 + x)**(-x)": lambda x: Fraction(1 + x) ** -x,
    "(-2)**(-x)": lambda x: Fraction(-2) ** -x,
    "(x - 20)**(2*x + 1)": lambda x: Fraction(x - 20) ** (2 * x + 1),
}


def asked(relation: str, *, integer: bool) -> Outcome:
    sheet = Sheet("numbers")
    bounds = Bounds(-MOST, MOST) if integer else ANY
    sheet.rows.add_cell(Cell("x", "A number", integer=integer, bounds=bounds))
    return solve(sheet, "x", [relation]).outcomes["x"]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("at", [-9, -5, -3, -2, 3])
def test_every_integer_at_which_a_power_has_a_value_is_found(formula: str, at: int) -> None:
    value_of = FORMULAS[formula]
    outcome = asked(f"{formula} = {value_of(at)}", integer=True)
    expected = [x for x in range(-MOST, MOST + 1) if (x or formula[0] != "x") and _value(value_of, x) == value_of(at)]
    assert [x for x in range(-MOST, MOST + 1) if any(x in part for part in outcome.listed)] == expected
    assert outcome.proof is not Proof.OPEN


def _value(value_of: Callable[[int], Fraction], x: int) -> Fraction | None:
    try:
        return value_of(x)
    except ZeroDivisionError:
        return None


@pytest.mark.parametrize(
    ("relation", "at"), [("(1 + x)**(-x) = -8", -3), ("x**(-x) = 256", -4), ("(1 + 2/x)**(2*x) = -27", Fraction(-3, 2))]
)
def test_of_all_numbers_none_is_excluded_that_is_one(relation: str, at: Fraction) -> None:
    outcome = asked(relation, integer=False)
    assert any(at in part for part in (*outcome.listed, *outcome.open))


def test_bounds_with_many_digits_hold_whole_exponents() -> None:
    around = POWER.precise(iv.mpf([-3.1, -2.9]), iv.mpf([2.9, 3.1]))
    assert around.a < -27 < around.b
    with pytest.raises(NoValueError):
        POWER.precise(iv.mpf([-3.1, -2.9]), iv.mpf([2.1, 2.9]))
