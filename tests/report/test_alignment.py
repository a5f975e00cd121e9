"""Numbers are aligned right in LaTeX too, and a chart is drawn large where there is room."""

from __future__ import annotations

import re
from functools import cache

from tests.report.test_headlines import Total

from flopsheet import solve, table
from flopsheet.answer.table import Row
from flopsheet.errors import joined
from flopsheet.report import Extras
from flopsheet.report.pages import write_up
from flopsheet.report.tables import remark
from flopsheet.report.templating import environment
from flopsheet.report.terminal.columns import layout

_TABLE = re.compile(r"\\begin\{longtable\}\{@\{\}(.*)@\{\}\}\n\\toprule\n(.*?) \\\\\n")
_COLUMN = re.compile(r">\{\\ragged(left|right)\s*\\arraybackslash\}p\{[^{}]*\}|(?:(?<=[}lr])|^)([lr])(?=[>lr]|$)")
NUMBERS = ("value", "left", "right", "slack")


@cache
def page(template: str) -> list[dict[str, str]]:
    """Return the head of each column of each table on a LaTeX page, with the side that its texts are not flush with."""
    rows = table(Total, "count", ["size <= 7 GB"], vary={"each": ["1 GB", "2 GB"]}, show=["half"])
    answer = solve(Total, "count", ["each = 2 GB", "size <= 7 GB"])
    text = write_up(answer, template, "latex", Extras(table=rows))
    short = {"l": "right", "r": "left"}
    shown = []
    for spec, head in _TABLE.findall(text):
        sides = [long or short[letter] for long, letter in _COLUMN.findall(spec)]
        names = [
            re.sub(r"\\textbf\{(.*)\}", r"\1", name.strip()).replace("\\_\\allowbreak{}", "_")
            for name in head.split("&")
        ]
        shown.append(dict(zip(names, sides, strict=True)))
    return shown


def test_columns_of_numbers_are_aligned_right() -> None:
    for template in ("page", "derivation"):
        fixed = [(name, side) for head in page(template) for name, side in head.items() if name in NUMBERS]
        assert {name for name, _ in fixed} == {*NUMBERS}
        assert {side for _, side in fixed} == {"left"}
        assert {head["meaning"] for head in page(template) if "meaning" in head} == {"right"}


def test_so_are_those_of_a_table_of_answers() -> None:
    (shown,) = [head for head in page("page") if "each" in head]
    assert shown == {"each": "left", "count": "left", "half {[}GB{]}": "left"}
    names = {"value": "right", "number": "left", "gaps": "left", "none": "right"}
    rows = [["h100", "3 GB", "-", "-"], ["4 chips of 8", "1.2e9", "7", "none"]]
    text = render_table([*names], rows)
    spec, head = _TABLE.findall(text)[0]
    assert [long for long, _ in _COLUMN.findall(spec)] == [*names.values()]
    assert head.count("&") == 3


def render_table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table as the LaTeX pages write it."""
    source = '{% from "flopsheet/_shared.tex.j2" import table %}{{ table(head, rows) }}'
    return environment("latex").from_string(source).render(head=head, rows=rows)


def test_a_chart_is_large_where_there_is_room_and_scales_where_there_is_not() -> None:
    answer = solve(Total, "count", ["each = 2 GB", "size <= 7 GB"])
    page = write_up(answer, "page", "html")
    width, height, box = re.findall(r'class="plot" width="(\d+)" height="(\d+)" viewBox="0 0 (\d+ \d+)"', page)[0]
    assert int(width) >= 500
    assert int(width) / int(height) == float(box.split()[0]) / float(box.split()[1])
    assert ".chart svg { max-width: 100%; height: auto; }" in page


def test_a_first_column_of_numbers_is_aligned_right_in_a_terminal() -> None:
    lines = layout(["n_tp", "n_pp"], [["8", "16"], ["128", "2"]], 80).rows
    assert lines == [["   8     16"], [" 128      2"]]


def test_several_limits_that_do_not_hold_are_one_remark() -> None:
    where = ["model = gpt-oss-120b", "chip = apple-m4-pro", "seq_len = 8192", "n_sequences = 1", "n_tp = 1"]
    answer = solve("decode", where=[*where, "memory_utilization = 0.75"])
    assert len(answer.broken) > 1
    names = joined([check.relation.name for check in answer.broken])
    assert remark(Row((), answer, "")) == f"{names} do not hold"
