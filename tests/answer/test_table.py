"""Tables: the same question at several values, one row for each combination."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.answer.toy import Toy

from flopsheet import table
from flopsheet.errors import FlopsheetError

TOY = Toy()


def test_rows_are_all_combinations_the_last_cell_changing_fastest() -> None:
    result = table(TOY, vary={"x": [1, 2], "y": ["3", "4"]}, show=["area"])
    assert [row.values for row in result.rows] == [("1", "3"), ("1", "4"), ("2", "3"), ("2", "4")]
    areas = [row.answer.cells["area"].si for row in result.rows if row.answer is not None]
    assert areas == [3, 4, 6, 8]


def test_the_unknown_is_shown_first_and_solved_in_each_row() -> None:
    result = table(TOY, "x", ["y = 2"], vary={"area": [6, 8]}, show=["y"])
    assert result.shown == ("x", "y")
    assert [row.answer.outcomes["x"].si for row in result.rows if row.answer is not None] == [3, 4]


def test_relations_may_be_given_by_cell() -> None:
    result = table(TOY, where={"y": Fraction(1, 2)}, vary={"x": [1]}, show=["area"])
    assert result.rows[0].answer is not None
    assert result.rows[0].answer.cells["area"].si == Fraction(1, 2)


def test_a_row_that_makes_no_sense_says_why_and_the_others_stand() -> None:
    result = table(TOY, where=["y = 2"], vary={"x": ["-1", "1"]}, show=["area"])
    assert result.rows[0].answer is None
    assert "positive" in result.rows[0].problem
    assert result.rows[1].answer is not None


@pytest.mark.parametrize(
    ("vary", "show", "problem"),
    [
        ({}, ["area"], "No cell takes several values"),
        ({"x": []}, ["area"], "'x' has no list of values"),
        ({"x": "12"}, ["area"], "'x' has no list of values"),
        ({"x": [1]}, [], "No cell is shown"),
        ({"x": list(range(1, 600))}, ["area"], "599 rows"),
        ({"z": [1]}, ["area"], "There is no cell 'z'"),
        ({"x": [1]}, ["arae"], "'area'"),
    ],
)
def test_a_table_that_cannot_be_made_is_refused(vary: dict[str, list[object]], show: list[str], problem: str) -> None:
    with pytest.raises(FlopsheetError, match=problem):
        table(TOY, vary=vary, show=show)
