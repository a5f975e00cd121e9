"""Tables: the same question at several values, one row for each combination."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.answer.toy import Toy

from flopsheet import table
from flopsheet.errors import FlopsheetError
from flopsheet.registry.store import records

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


STACK = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "batch = 256", "seq_len = 4096"]
FITTING = [*STACK, "device_memory <= chip.memory"]


def test_a_text_lists_the_records_that_have_it() -> None:
    result = table("ffn_memory", "n_fsdp", [*FITTING, "chip.kind = ASIC", "chip.vendor = Google"], vary={})
    assert result.varied == ("chip",)
    assert [row.values[0] for row in result.rows] == [key for key in records("chip") if key.startswith("tpu-")]
    assert all(row.answer is not None and row.answer.meets_question for row in result.rows)
    assert result.first == [f"chip = {result.rows[0].values[0]}"]


def test_of_a_list_the_records_that_have_a_text_are_kept() -> None:
    chips = ["h100", "tpu-v5p", "no-chip", "mi300x"]
    result = table("ffn_memory", "n_fsdp", [*FITTING, "chip.kind = GPU"], vary={"chip": chips})
    assert [row.values[0] for row in result.rows] == ["h100", "no-chip", "mi300x"]
    assert "There is no chip 'no-chip'" in result.rows[1].problem


def test_beside_another_list_the_records_that_have_a_text_vary_too() -> None:
    result = table(
        "ffn_memory", "n_fsdp", [*FITTING[:3], *FITTING[4:], "chip.vendor = Meta"], vary={"batch": [64, 128]}
    )
    assert [row.values for row in result.rows] == [("64", "mtia-v2"), ("128", "mtia-v2")]


def test_a_system_is_kept_by_a_text_of_its_chip() -> None:
    systems = ["dgx-h100", "mi300x-platform", "gb200-nvl72"]
    where = ["site_power = 100 MW", "pue = 1.2", "chip.vendor = NVIDIA"]
    result = table("site_capacity", "max_systems", where, vary={"system": systems})
    assert [row.values[0] for row in result.rows] == ["dgx-h100", "gb200-nvl72"]


def test_names_that_are_asked_for_are_filtered_in_each_row() -> None:
    where = [*STACK[:3], STACK[4], FITTING[-1], "n_fsdp <= 16", "chip.vendor = AMD"]
    result = table("ffn_memory", ["chip", "n_fsdp"], where, vary={"batch": [64, 128]})
    assert result.varied == ("batch",)
    for row in result.rows:
        assert row.answer is not None
        assert row.answer.ranking is not None
        assert {records("chip")[named.options["chip"]].vendor for named in row.answer.ranking.working} == {"AMD"}


def test_a_filter_that_leaves_nothing_of_a_list_is_an_error() -> None:
    with pytest.raises(FlopsheetError, match=r"None of it meets 'chip\.vendor = Google'"):
        table("ffn_memory", "n_fsdp", [*FITTING, "chip.vendor = google"], vary={"chip": ["h100", "h200"]})
