"""Roots at which a formula is steep or its parts overflow: a root that is proven is an answer, whatever floats say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import mpmath
import pytest

import flopsheet
from flopsheet import Sheet, solve, unit
from flopsheet.formulas.parser import parse_formula
from flopsheet.inverse.method import Proof
from flopsheet.report.as_json import all_as_dict
from flopsheet.report.pages import write_up
from flopsheet.sheets.cell import ANY, Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.answer import Answer

MP = mpmath.MPContext()
MP.dps = 60


def asked(formula: str, *relations: str) -> Answer:
    sheet = Sheet("steep")
    sheet.rows.add_cell(Cell("x", "An input", bounds=ANY))
    sheet.rows.add_cell(Cell("turn", "An angle", unit("degree"), bounds=ANY))
    parsed = parse_formula(formula, ["x", "turn"], "y")
    sheet.rows.add_cell(Cell("y", "A formula", bounds=ANY, formula=parsed))
    return solve(sheet, "x", [*relations, "turn = 1 degree"])


def sine(degrees: mpmath.mpf) -> mpmath.mpf:
    return MP.sin(degrees * MP.pi / 180)


STEEP: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
    "sin(turn*x**2) + sin(turn*x**3)*log(x) + exp(-x)*x": lambda x: (
        sine(x**2) + sine(x**3) * MP.log(x) + MP.exp(-x) * x
    ),
    "sin(turn*x**5)*x**2 + x": lambda x: sine(x**5) * x**2 + x,
}


@pytest.mark.parametrize(("formula", "low"), [(formula, low) for formula in STEEP for low in (398, 39)])
def test_a_root_between_two_floats_is_a_value(formula: str, low: int) -> None:
    answer = asked(formula, "y = 0.9", f"x >= {low}", f"x <= {low + 4 / low}")
    (outcome, value_of) = answer.outcomes["x"], STEEP[formula]
    assert outcome.kind in ("value", "values")
    assert all(check.holds for check in answer.checks)
    for part in outcome.solutions:
        low, high = (MP.mpf(math.nextafter(part.lower, way)) for way in (-math.inf, math.inf))
        assert (value_of(low) - MP.mpf("0.9")) * (value_of(high) - MP.mpf("0.9")) <= 0


def test_a_jump_over_a_level_is_no_value() -> None:
    outcome = asked("1e12*ceil(x*1e15 - 0.3) + x", "y = 0.5e12", "x >= 0", "x <= 1").outcomes["x"]
    assert outcome.kind == "none"


@pytest.mark.parametrize("formula", ["x**1000*exp(-x)", "exp(-x)*x**1000", "exp(1000*log(x) - x)"])
def test_parts_that_overflow_do_not_keep_a_value_from_being_checked(formula: str) -> None:
    sheet = Sheet("large")
    sheet.rows.add_cell(Cell("x", "An input", bounds=ANY))
    outcome = solve(sheet, "x", [f"{formula} = 1", "x > 0"]).outcomes["x"]
    assert [float(part.lower) for part in outcome.solutions] == pytest.approx([1.0010015026718857, 9118.00647040274])
    assert outcome.proof is Proof.PROVEN


WITHOUT_VALUES = [
    ("gpt_batch_ramp", "harmonic_reached", ["stages_reached=0"]),
    ("ffn_memory", "d_ff", ["max(d_ff, 4*d_model) = 65536", "2*d_model = 32768"]),
    ("critical_batch", "critical_batch", ["total_work = 12345.678 EFLOP", "params >= 7e10 param"]),
]


@pytest.mark.parametrize(("sheet", "unknown", "relations"), WITHOUT_VALUES)
def test_cells_without_a_value_on_the_way_end_in_no_slope(sheet: str, unknown: str, relations: list[str]) -> None:
    """Equations of these answers hold cells that nothing determines; every form of the answer can be written."""
    answer = solve(sheet, unknown, relations)
    assert all(isinstance(answer.elasticities(name), dict) for name in flopsheet.sheet(sheet).cells)
    for form in ("markdown", "html", "latex"):
        assert write_up(answer, "derivation", form)
    assert all_as_dict(answer)
