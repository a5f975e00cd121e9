"""Tables of texts for terminal, Markdown and spreadsheets, whatever stands in them."""

from __future__ import annotations

import csv

from flopsheet.render.grid import Grid

GRID = Grid(["name", "value"], [["a|b", "1"], ["=1+1", "-5 W"], ["@x", "+y"], ["<b>", "a, b"]])


def test_columns_stand_below_each_other() -> None:
    assert Grid(["a", "long"], [["wide cell", "x"], ["y", ""]]).text().splitlines() == [
        "a           long",
        "────────────────",
        "wide cell   x",
        "y",
    ]


def test_an_empty_table_has_its_head() -> None:
    assert Grid(["a", "b"], []).text() == "a   b\n─────\n"


def test_markdown_cannot_be_broken_by_a_text() -> None:
    lines = GRID.markdown().splitlines()
    assert lines[:2] == ["| name | value |", "| --- | --- |"]
    assert lines[2] == r"| a\|b | 1 |"
    assert lines[5] == r"| \<b> | a, b |"


def test_a_spreadsheet_runs_no_text() -> None:
    rows = list(csv.reader(GRID.csv().splitlines()))
    assert rows == [["name", "value"], ["a|b", "1"], ["'=1+1", "-5 W"], ["'@x", "'+y"], ["<b>", "a, b"]]
