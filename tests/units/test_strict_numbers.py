"""A number is read the same way wherever it is written: in questions, records, sheets, budgets and quantities."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from flopsheet import quantity, solve
from flopsheet.errors import FlopsheetError, FormulaError
from flopsheet.formulas.parser import parse_formula
from flopsheet.question.ask import ask, near_values
from flopsheet.registry.strict_yaml import Reader, parse
from flopsheet.sheets.catalogue import sheet
from flopsheet.sheets.statements import read_number
from flopsheet.units import Number, unit

if TYPE_CHECKING:
    from collections.abc import Callable

GB = unit("GB")
SEVERAL, DATE = "can be read as several numbers", "is a date, and no number"
REFUSED = {
    **dict.fromkeys(("010", "00", "07.5", "1__0", "1_", "0_1", "1.5_0", "1_.5", "1._5", "٣", "5٣", "５", "𝟗"), SEVERAL),
    **dict.fromkeys(("2024-01-01", "2024-10-11", "1999-1-1"), DATE),
}
ACCEPTED: dict[str, Number] = {
    "0.5": Fraction(1, 2), ".5": Fraction(1, 2), "5.": 5, "16_384": 16384, "1_0": 10, "1e05": 100_000, "1e+5": 100_000,
    "5e-05": Fraction(1, 20_000), "0e5": 0, "2/16": Fraction(1, 8), "1.5/.5": 3,
}  # fmt: skip


def _asked(text: str) -> Number:
    return ask(sheet("ffn_memory"), (), [f"total_memory = {text}"]).pins["total_memory"].value


def _near(text: str) -> Number:
    question = ask(sheet("ffn_memory"), "total_memory", ())
    return near_values(question, {"total_memory": text})["total_memory"]


READERS: dict[str, Callable[[str], Number]] = {
    "quantity": lambda text: quantity(text).si,
    "question": _asked,
    "near": _near,
    "record": lambda text: Reader(parse(f"a: '{text}'", "f.yaml")).quantity("a", GB).si,
    "sheet": lambda text: read_number(text, GB, "here"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("text", "problem"), REFUSED.items())
def test_an_ambiguous_number_is_refused_everywhere(reader: str, text: str, problem: str) -> None:
    with pytest.raises(FlopsheetError, match=problem if reader != "near" else "no value of"):
        READERS[reader](f"{text} GB")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("text", "value"), ACCEPTED.items())
def test_a_clear_number_is_the_same_everywhere(reader: str, text: str, value: Number) -> None:
    assert READERS[reader](f"{text} GB") == value * 10**9


@pytest.mark.parametrize(("text", "problem"), REFUSED.items())
def test_formulas_and_budgets_refuse_them_too(text: str, problem: str) -> None:
    with pytest.raises(FormulaError, match=problem):
        parse_formula(f"2 * a + {text}", ["a"])
    with pytest.raises(FormulaError, match=problem):
        solve("ffn_memory", (), (), budget=text)


@pytest.mark.parametrize("side", ["3 * 1/2 GB", "1/2 GB + 3 GB", "1/2 GB * n_fsdp", "2^1/2 GB", "-(1/2 GB)"])
def test_a_ratio_before_a_unit_inside_a_formula_is_refused(side: str) -> None:
    """`3 / 1/2 GB` could be 6 / GB or 1.5 / GB."""
    with pytest.raises(FormulaError, match="A ratio before the unit 'GB' can be read in two ways"):
        ask(sheet("ffn_memory"), (), [f"total_memory = {side}"])


def test_a_quantity_below_a_bar_may_have_brackets() -> None:
    model = sheet("ffn_memory")
    assert ask(model, (), ["total_memory = 1 / (2 / (4 GB))"]).pins["total_memory"].value == 2 * 10**9
    assert ask(model, (), ["bytes_per_param = 2/16 byte/param"]).pins["bytes_per_param"].value == Fraction(1, 8)
