"""Formulas with symbols and with numbers: brackets where they are needed, and one value for what does not decide."""

from __future__ import annotations

from fractions import Fraction

import pytest

import flopsheet
from flopsheet import Chip, Sheet, formula, given, max_, min_, part, sqrt
from flopsheet.formulas.parser import parse_formula, parse_relation
from flopsheet.layout.latex import latex
from flopsheet.report.formulas import Formulas
from flopsheet.report.sentences import origin_text
from flopsheet.sheets.cell import Cell


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
    si = {name: Fraction(str(value)) * MODEL.cells[name].unit.factor for name, value in values.items()}
    return latex(Formulas(MODEL.cells, si, {}).numbers(MODEL.cells[name].formula))


@pytest.mark.parametrize(
    ("traffic", "text"),
    [
        (300, r"\max\left(\frac{100\,\mathrm{TFLOP}}{50\,\mathrm{TFLOP/s}}, 0.3\,\mathrm{second}\right)"),
        (3000, r"\max\left(2\,\mathrm{second}, \frac{3000\,\mathrm{GB}}{1000\,\mathrm{GB/s}}\right)"),
    ],
)
def test_what_decides_is_shown_and_the_other_is_its_value(traffic: int, text: str) -> None:
    formula = printed("busy", work=100, rate=50, traffic=traffic, bandwidth=1000)
    assert formula == text


def test_where_a_term_has_no_value_all_are_shown() -> None:
    assert r"0\,\mathrm{GB/s}" in printed("busy", work=100, rate=50, traffic=1, bandwidth=0)


def test_symbols_show_the_whole_law() -> None:
    shown = Formulas(MODEL.cells, {}, {}).symbols(MODEL.cells["busy"].formula)
    assert latex(shown).count(r"\frac") == 2


def test_negative_numbers_stand_in_brackets_behind_an_operator() -> None:
    assert printed("total", busy=3, overhead=-1) == r"3\,\mathrm{second} - \left(-1\,\mathrm{second}\right)"
    assert printed("total", busy=-3, overhead=1).startswith("-3")


def test_a_quantity_with_a_unit_stands_in_brackets_below_an_exponent_and_not_below_a_root() -> None:
    formula = printed("square", busy=4, overhead=-1)
    assert r"\left(-1\,\mathrm{second}\right)^{2}" in formula
    root = Formulas(MODEL.cells, {"busy": 4}, {}).numbers(sqrt(MODEL.cells["busy"].symbol))
    assert latex(root) == r"\sqrt{4\,\mathrm{second}}"


def test_what_a_question_gives_and_no_unknown_moves_is_not_derived() -> None:
    question = ["work = 100 TFLOP", "traffic = 300 GB", "bandwidth = 1 TB/s", "busy = 2 second"]
    forward = flopsheet.solve(MODEL, ["rate"], question)
    assert [step.cell.name for step in forward.steps] == ["rate", "busy"]  # busy is put to the test
    given_rate = flopsheet.solve(MODEL, [], [*question, "rate = 50 TFLOP/s"])
    assert "busy" not in [step.cell.name for step in given_rate.steps]
    assert "busy" in given_rate.cells


class Fleet(Sheet):
    """Memory of many chips."""

    chip = part(Chip, "Holds it", example="h100-sxm")
    n_chips = given("Number of chips", "chip", integer=True)
    total_memory = formula(n_chips * chip.memory, "GiB", "Memory of all")


def test_what_a_name_moves_is_derived_though_it_is_given() -> None:
    answer = flopsheet.solve(Fleet(), ["chip"], ["n_chips = 8", "total_memory = 760 GiB"])
    assert answer.value == "tpu-v5p"
    assert "total_memory" in [step.cell.name for step in answer.steps]


def test_what_was_given_is_told_with_its_digits_and_its_sign() -> None:
    answer = flopsheet.solve(MODEL, [], ["busy = 0.1234567890123 second", "overhead = -80000 ms"])
    origins = {name: origin_text(answer.cells[name]) for name in ("busy", "overhead")}
    assert origins == {"busy": "given as 0.1234567890123 second", "overhead": "given as -80000 ms"}


NAMES = ("x", "y")
PLAIN = {name: Cell(name, "a number", latex=name) for name in NAMES}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("max(x, y)**2", r"\max\left(x, y\right)^{2}"),
        ("1/min(x, y)**2", r"\frac{1}{\min\left(x, y\right)^{2}}"),
        ("mod(x, y)**2", r"\left(x \bmod y\right)^{2}"),
        ("mod(x + 1, y*2)", r"\left(\left(x + 1\right) \bmod \left(2 y\right)\right)"),
        ("2*mod(x*y, 3) + 1", r"2 \left(\left(x y\right) \bmod 3\right) + 1"),
        ("[x > y]**2", r"\left[x > y\right]^{2}"),
        ("x**(-y)", "x^{- y}"),
        ("0.897*x", "0.897 x"),
        ("0.05*x", "0.05 x"),
        ("x/128", r"\frac{x}{128}"),
        ("-0.0078125*x + y", r"y - \frac{x}{128}"),
        ("5*x/64", r"\frac{5 x}{64}"),
        ("33*x/16", "2.0625 x"),
        ("x/1024**2", r"\frac{x}{1{,}048{,}576}"),
        ("-17.5*x + y", "y - 17.5 x"),
        ("x/2 + y/3", r"\frac{x}{2} + \frac{y}{3}"),
        ("1e12*x", r"1{,}000{,}000{,}000{,}000 x"),
        ("6.02214076e23*x", r"6.02214076 \times 10^{23} x"),
        ("180 - asin(x)", r"180\,\mathrm{degree} - \arcsin\left(x\right)"),
    ],
)
def test_symbols(text: str, shown: str) -> None:
    assert latex(Formulas(PLAIN, {}, {}).symbols(parse_formula(text, NAMES))) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x**2 + y", r"\left(-5\right)^{2} + \left(-3\right)"),
        ("max(x, y)", r"\max\left(-5, -3\right)"),
        ("mod(x, y)", r"\left(\left(-5\right) \bmod \left(-3\right)\right)"),
        ("1/x**2", r"\frac{1}{\left(-5\right)^{2}}"),
    ],
)
def test_numbers_below_zero(text: str, shown: str) -> None:
    assert latex(Formulas(PLAIN, {"x": -5, "y": -3}, {}).numbers(parse_formula(text, NAMES))) == shown


@pytest.mark.parametrize(
    ("relation", "shown"),
    [
        ("[x > 3 GB]*y = 1", r"\left[x > 3\,\mathrm{GB}\right] y"),
        ("[3 GB < x]*y = 1", r"\left[3\,\mathrm{GB} < x\right] y"),
        ("[x >= 3 GB] = 1", r"\left[x \ge 3\,\mathrm{GB}\right]"),
        ("mod(x, 4 GB) = 1", r"\left(x \bmod 4\,\mathrm{GB}\right)"),
        ("4 GB * x * y = 1", r"4\,\mathrm{GB} \cdot x y"),
        ("x * 4 GB / y = 1", r"\frac{4\,\mathrm{GB} \cdot x}{y}"),
    ],
)
def test_quantities_of_a_relation_have_a_dot_only_between_factors(relation: str, shown: str) -> None:
    read = parse_relation(relation, NAMES)
    assert latex(Formulas(PLAIN, {}, read.literals).symbols(read.left)) == shown


def test_words_have_a_dot_between_them() -> None:
    cells = {name: Cell(name, "word") for name in ("long_word", "other")}
    shown = Formulas(cells, {}, {}).symbols(cells["long_word"].symbol * cells["other"].symbol)
    assert latex(shown) == r"\text{long word} \cdot \text{other}"
