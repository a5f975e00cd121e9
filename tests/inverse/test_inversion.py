"""A divisor that cancels still excludes where it is zero, and an unknown that cancels may be anything."""

from __future__ import annotations

import pytest
import sympy

from flopsheet import Sheet, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.functions import symbol
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.inversion import Inversion
from flopsheet.inverse.method import Method
from flopsheet.numbers.sets import Interval, point
from flopsheet.sheets.cell import NOT_NEGATIVE, Cell


def chain(**formulas: str) -> Sheet:
    sheet = Sheet("cancelling")
    sheet.rows.add_cell(Cell("x", "An input"))
    sheet.rows.add_cell(Cell("zero", "A factor", bounds=NOT_NEGATIVE))
    for name, formula in formulas.items():
        sheet.rows.add_cell(
            Cell(name, "A formula", bounds=NOT_NEGATIVE, formula=parse_formula(formula, [*sheet.cells], name))
        )
    return sheet


@pytest.mark.parametrize("goal", ["rate = 3", "rate <= 3", "rate >= 2"])
def test_a_quotient_that_cancels_has_no_value_where_it_is_zero_by_zero(goal: str) -> None:
    sheet = chain(runs="floor(x/10)", work="3*runs", rate="work/runs")
    (part,) = solve(sheet, "x", [goal]).outcomes["x"].solutions
    assert (part.lower, part.lower_closed) == (10, True)


def test_a_divisor_within_its_bounds_excludes_nothing() -> None:
    sheet = chain(runs="x/10", work="3*runs", rate="work/runs")
    assert "Every value of x works" in str(solve(sheet, "x", ["rate = 3"]))


def test_a_product_with_a_given_factor_of_zero_is_zero_everywhere() -> None:
    sheet = chain(work="x**(1/2)/(1 + x)**(1/6)", lost="zero*work")
    assert "Every value of x works" in str(solve(sheet, "x", ["zero = 0", "lost = 0"]))


@pytest.mark.parametrize("off", [0, 10])
def test_an_unknown_that_cancels_at_numbers_is_a_constant(off: int) -> None:
    """Peeled, the level has few of its digits left where the rows cancel: what was asked is compared itself."""
    formulas = {
        name: parse_formula(text, ["n", "copies", "kept", *before], name)
        for name, text, before in (
            ("rows", "8192*n", ()),
            ("others", "29/7*(copies*(rows + 1/100) - rows)", ("rows",)),
            ("room", "80000000000 - 59/10*others - kept", ("others",)),
        )
    }
    values = {"copies": 1, "kept": 79957256406.3679698}
    chain = Chain("n", Interval(0, 10**9), formulas, values, integer=True)
    room = chain.at_or_none(3, symbol("room"))
    assert room is not None
    solution = Inversion(chain, point(room + off)).solution(symbol("room"), sympy.Integer(0))
    assert solution is not None
    assert solution.how is Method.CONSTANT
    assert solution.values == (() if off else (chain.domain,))
