"""Tables as texts: units in the head, what has no value, remarks, and nothing that breaks out of Markdown."""

from __future__ import annotations

import csv
import io

import pytest
from tests.answer.toy import Toy

from flopsheet import table
from flopsheet.report.tables import Grid, grid_of, markdown_table, table_as_list

TOY = Toy()
RUN = {"params": "70e9 param", "chip_rate": "395.6 TFLOP/s", "n_chips": 4246}


def test_the_head_has_the_units_of_what_is_shown() -> None:
    grid = grid_of(table("training_run", where=RUN, vary={"tokens": ["4e6 token"]}, show=["n_steps", "train_time"]))
    assert grid.head == ["tokens", "n_steps [step]", "train_time [day]"]
    assert grid.rows == [["4M token", "350,000", "4.052"]]


def test_none_and_what_is_not_known_are_told_apart() -> None:
    grid = grid_of(table(TOY, "x", ["y = 2"], vary={"area": [6, "-1"]}, show=["x"]))
    assert grid.head[-1] == "remark"
    assert grid.rows[0] == ["6", "3", ""]
    assert grid.rows[1][1] in ("-", "none")
    assert grid.rows[1][2]


def test_a_choice_is_a_column_too() -> None:
    by_precision = table(
        "training_run", where={"chip": "h100-sxm"}, vary={"precision": ["bf16", "fp8"]}, show=["peak_rate"]
    )
    assert grid_of(by_precision).rows == [["bf16", "989.4"], ["fp8", "1978.9"]]


def test_markdown_stays_a_table_whatever_stands_in_it() -> None:
    areas = table(TOY, where=["y = 2"], vary={"x": ["1 | 2", "<script>", "2"]}, show=["area"])
    lines = markdown_table(areas).splitlines()
    bars = [line.replace("\\|", "").count("|") for line in lines]
    assert len(lines) == 5
    assert len(set(bars)) == 1
    assert "<script>" not in markdown_table(areas).replace("\\<", "")


def test_json_has_plain_numbers() -> None:
    rows = table_as_list(table(TOY, where=["y = 2"], vary={"x": [1, 3]}, show=["area"]))
    assert rows == [{"x": "1", "area": 2, "remark": ""}, {"x": "3", "area": 6, "remark": ""}]


@pytest.mark.parametrize("value", ["0", "nonsense"])
def test_a_row_without_an_answer_has_its_reason(value: str) -> None:
    (row,) = table_as_list(table(TOY, where=["y = 2"], vary={"x": [value]}, show=["area"]))
    assert row["area"] is None
    assert row["remark"]


BAD = ["-1+cmd|' /C calc'!A0", "\x1b[2Jx\ny"]
GRID = Grid(["name", "value"], [["a|b", "1"], ["=1+1", "-5.5e3"], ["@x", "+y"], ["<b>", "a, b"], BAD])


def test_columns_stand_below_each_other() -> None:
    assert Grid(["a", "long"], [["wide cell", "x"], ["y", ""]]).text().splitlines() == [
        "a           long",
        "────────────────",
        "wide cell   x",
        "y",
    ]


def test_an_empty_table_has_its_head() -> None:
    assert Grid(["a", "b"], []).text() == "a   b\n─────\n"


def test_a_terminal_is_not_changed_by_a_text() -> None:
    assert GRID.text().splitlines()[-1] == r"-1+cmd|' /C calc'!A0   \x1b[2Jx y"


def test_markdown_cannot_be_broken_by_a_text() -> None:
    lines = GRID.markdown().splitlines()
    assert lines[:2] == ["| name | value |", "|---|---|"]
    assert lines[2] == r"| a\|b | 1 |"
    assert lines[5] == r"| \<b> | a, b |"
    assert len(lines) == 2 + len(GRID.rows)


def test_a_spreadsheet_runs_no_text() -> None:
    rows = list(csv.reader(io.StringIO(GRID.csv())))
    assert rows[:5] == [["name", "value"], ["a|b", "1"], ["'=1+1", "-5.5e3"], ["'@x", "'+y"], ["<b>", "a, b"]]
    assert rows[5:] == [[f"'{BAD[0]}", BAD[1]]]


def test_columns_of_numbers_are_aligned_right_in_markdown() -> None:
    rows = [["a", "2T token", "8", "-", "8 to 9"], ["b", "107.8B param", "none", "...", "9"]]
    assert (
        Grid(["name", "size", "count", "nothing", "text"], rows).markdown().splitlines()[1] == "|---|---:|---:|---|---|"
    )


def test_columns_of_numbers_are_aligned_right_in_a_terminal() -> None:
    rows = [["a", "2T token", "-1.5×10⁻⁹ %"], ["b", "107.8B param", "-"], ["c", "5 GB (?)", "1e-09 %"]]
    lines = Grid(["name", "size", "share"], rows).text().splitlines()
    assert {len(line) for line in lines} == {len(lines[1])}


def test_a_column_has_one_notation_and_a_cell_the_spelling_of_its_page() -> None:
    runs = {"params": "70e9 param", "chip_rate": "395.6 TFLOP/s", "chip_price": "2 USD/hour", "n_chips": "4246 chip"}
    rows = table("training_run", where=runs, vary={"dataset_tokens": ["20e12 token", "9e15 token"]}, show="train_cost")
    head, column = grid_of(rows).head[-1], [row[-1] for row in grid_of(rows).rows]
    assert head == "train_cost [USD]"
    assert [text[-1] for text in column] == ["M", "B"]
    params = table("training_run", where=runs, vary={"dataset_tokens": ["2e12 token"]}, show=["params", "total_work"])
    assert (grid_of(params).head[1:], grid_of(params).rows[0][1:]) == (
        ["params [param]", "total_work [FLOP]"],
        ["70B", "8.4e23"],
    )
