"""An unknown that an equation gives from another one follows it in a workbook, and its bounds hold for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cases import but_slow
from tests.report.workbooks import by_formulas

from flopsheet import Sheet, formula, given, limit, solve
from flopsheet.report.workbook.model.model import Model
from flopsheet.report.workbook.records import Records

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:formulas"),
]


class Machine(Sheet):
    """A machine that is rented or bought."""

    share = given("Share of the time in use", maximum=0.9, example=0.5)
    rest = given("Power while idle, as a share", maximum=1, example=0.4)
    draw = given("Power in use", "W", example=1000)
    price = given("Price of energy", "USD/kWh", default=0.1)
    power = formula(draw * (share + rest * (1 - share)), "W", "Mean power")
    cost = formula(draw * rest * (1 + share) * price, "USD/hour", "Cost of what idles, more of a machine in use")
    bounded = limit(cost <= price * draw, "It saves something while idle")


class Stack(Sheet):
    """Blocks of one width."""

    width = given("Width", integer=True, minimum=1, example=100)
    blocks = given("Blocks", integer=True, minimum=1, example=10)
    bytes_each = given("Bytes of a number", "byte", default=2)
    room = given("Memory", "MB", default=2)
    shape = formula(width / blocks, "", "Width of each block")
    memory = formula(width**2 * blocks * bytes_each, "MB", "Memory of all")
    fits = limit(memory <= room, "It is in memory")


# A sheet, the unknowns, what is given, and what changes with its number before and after.
CASES: dict[str, tuple[type[Sheet], list[str], dict[str, str], str, float, float]] = {
    "cost": (
        Machine,
        ["share", "rest"],
        {"draw": "= {} W", "power": "= {} W", "cost": "<= {} USD/hour"},
        "cost",
        0.06,
        0.05,
    ),
    "power": (
        Machine,
        ["share", "rest"],
        {"draw": "= {} W", "power": "= {} W", "cost": "<= {} USD/hour"},
        "power",
        700,
        750,
    ),
    "limit": (Stack, ["blocks", "width"], {"shape": "= {}"}, "shape", 10, 20),
    "least": (Stack, ["blocks", "width"], {"shape": "= {}", "memory": ">= {} MB"}, "memory", 0.5, 1.1),
}
NUMBERS = {"draw": 1000, "power": 700, "cost": 0.06, "shape": 10, "memory": 0.5}


def _answer(name: str, *, changed: bool = False) -> Answer:
    sheet, unknowns, where, key, before, after = CASES[name]
    numbers = {**NUMBERS, key: after if changed else before}
    return solve(sheet, unknowns, [f"{cell} {text.format(numbers[cell])}" for cell, text in where.items()])


@pytest.mark.parametrize("name", CASES)
def test_everything_is_live(name: str) -> None:
    answer = _answer(name)
    assert not Model(answer, Records([answer])).stale


@pytest.mark.parametrize("name", but_slow(CASES, "limit", "least"))
def test_both_follow_a_changed_input(name: str, tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    _, unknowns, _, key, _, number = CASES[name]
    before, after = (_answer(name, changed=changed) for changed in (False, True))
    values = by_formulas(before, tmp_path, {f"goal {key}": number})
    assert {own: before.outcomes[own].si for own in unknowns} != {own: after.outcomes[own].si for own in unknowns}
    for own in unknowns:
        wanted = after.outcomes[own].si
        assert wanted is not None
        assert values[own] == pytest.approx(float(wanted), rel=1e-9)
