"""Formulas with symbols and with numbers: brackets where they are needed, and one value for what does not decide."""

from __future__ import annotations

from fractions import Fraction

import pytest

import flopsheet
from flopsheet import Sheet, formula, given, max_, min_, sqrt
from flopsheet.render.latex import Formulas


class Stage(Sheet):
    """A stage of a pipeline."""

    work = given("Computation", "TFLOP")
    rate = given("Rate of computation", "TFLOP/s")
    traffic = given("Memory traffic", "GB")
    bandwidth = given("Bandwidth of the memory", "GB/s")
    overhead = given("Time that is saved elsewhere", "second", minimum="-100 second", default=0)
    busy = formula(max_(work / rate, traffic / bandwidth), "second", "Time of the stage")
    total = formula(busy - overhead, "second", "All of the time")
    square = formula(overhead**2 + sqrt(busy) * sqrt(busy) * overhead, "second**2", "To show exponents")
    idle = formula(1 - min_(work / rate, busy) / busy, "", "Share of the time without computation")


MODEL = Stage()


def printed(name: str, **values: float) -> str:
    """Return a formula with numbers; values in the unit of each cell."""
    si = {each: Fraction(str(value)) * MODEL.cells[each].unit.factor for each, value in values.items()}
    return Formulas(MODEL.cells, si, {}).numbers(MODEL.cells[name].formula)


@pytest.mark.parametrize(
    ("traffic", "text"),
    [
        (300, r"\max\left(\frac{100\,\mathrm{TFLOP}}{50\,\mathrm{TFLOP/s}}, 0.3 \mathrm{second}\right)"),
        (3000, r"\max\left(2 \mathrm{second}, \frac{3000\,\mathrm{GB}}{1000\,\mathrm{GB/s}}\right)"),
    ],
)
def test_what_decides_is_shown_and_the_other_is_its_value(traffic: int, text: str) -> None:
    found = printed("busy", work=100, rate=50, traffic=traffic, bandwidth=1000)
    assert found == text.replace(r" \mathrm{second}", r"\,\mathrm{second}")


def test_where_a_term_has_no_value_all_are_shown() -> None:
    assert r"0\,\mathrm{GB/s}" in printed("busy", work=100, rate=50, traffic=1, bandwidth=0)


def test_symbols_show_the_whole_law() -> None:
    shown = Formulas(MODEL.cells, {}, {}).symbols(MODEL.cells["busy"].formula)
    assert shown.count(r"\frac") == 2


def test_negative_numbers_stand_in_brackets_behind_an_operator() -> None:
    assert printed("total", busy=3, overhead=-1) == r"3\,\mathrm{second} - \left(-1\,\mathrm{second}\right)"
    assert printed("total", busy=-3, overhead=1).startswith("-3")


def test_a_quantity_with_a_unit_stands_in_brackets_below_an_exponent_and_not_below_a_root() -> None:
    found = printed("square", busy=4, overhead=-1)
    assert r"\left(-1\,\mathrm{second}\right)^{2}" in found
    assert Formulas(MODEL.cells, {"busy": 4}, {}).numbers(sqrt(MODEL.cells["busy"].symbol)) == (
        r"\sqrt{4\,\mathrm{second}}"
    )


def test_what_a_question_gives_and_no_unknown_moves_is_not_derived() -> None:
    question = ["work = 100 TFLOP", "traffic = 300 GB", "bandwidth = 1 TB/s", "busy = 2 second"]
    forward = flopsheet.solve(MODEL, ["rate"], question)
    assert [step.cell.name for step in forward.steps] == ["rate", "busy"]  # busy is put to the test
    given_rate = flopsheet.solve(MODEL, [], [*question, "rate = 50 TFLOP/s"])
    assert "busy" not in [step.cell.name for step in given_rate.steps]
    assert "busy" in given_rate.cells
