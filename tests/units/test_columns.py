"""Columns of a table: one unit and one notation for all numbers, where these allow it."""

from __future__ import annotations

import pytest

from flopsheet.units import unit
from flopsheet.units.columns import column_unit, format_column

USD, SECOND, PARAM = unit("USD"), unit("second"), unit("param")


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((1.592e9, 3_183_231.5, 0), ["1.592B", "3.183M", "0"]),
        ((1.592e9, 0.25), ["1.592B", "0.25"]),
        ((3.5e-7, 0.0012), ["3.5×10⁻⁷", "1.2×10⁻³"]),
        ((3.5e-7, 0.5), ["3.5×10⁻⁷", "0.5"]),
        ((1911.5, 825_749.9), ["1911.5", "825,749.9"]),
        ((), []),
    ],
)
def test_a_column_has_one_notation_where_its_values_allow(values: tuple[float, ...], texts: list[str]) -> None:
    assert format_column(values, USD) == texts


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((0.03, 0.05), "ms"),
        ((0.03, 2, 3), "second"),
        ((), "second"),
        ((0, 0.002), "ms"),
    ],
)
def test_a_column_has_one_unit(values: tuple[float, ...], text: str) -> None:
    assert column_unit(values, SECOND).text == text


def test_a_column_of_counts_has_the_letters_of_the_field() -> None:
    assert format_column((70_553_706_496, 5_711_982_912), PARAM) == ["70.55B", "5.712B"]


def test_a_unit_that_reads_well_for_most_is_taken() -> None:
    rates = [4e12, 9.36e11, 3.35e12]
    shown = column_unit(rates, unit("TB/s"))
    assert format_column(rates, shown) == ["4", "0.936", "3.35"]
