"""Tables of texts for terminal, Markdown and spreadsheets, whatever stands in them."""

from __future__ import annotations

import csv
import io

from flopsheet.report.tables import Grid

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
    assert GRID.text().splitlines()[-1] == "-1+cmd|' /C calc'!A0    [2Jx y"


def test_markdown_cannot_be_broken_by_a_text() -> None:
    lines = GRID.markdown().splitlines()
    assert lines[:2] == ["| name | value |", "| --- | --- |"]
    assert lines[2] == r"| a\|b | 1 |"
    assert lines[5] == r"| \<b> | a, b |"
    assert len(lines) == 2 + len(GRID.rows)


def test_a_spreadsheet_runs_no_text() -> None:
    rows = list(csv.reader(io.StringIO(GRID.csv())))
    assert rows[:5] == [["name", "value"], ["a|b", "1"], ["'=1+1", "-5.5e3"], ["'@x", "'+y"], ["<b>", "a, b"]]
    assert rows[5:] == [[f"'{BAD[0]}", BAD[1]]]
