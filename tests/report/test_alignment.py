"""Numbers are aligned right in LaTeX too, and a chart is drawn large where there is room."""

from __future__ import annotations

import re
from functools import cache

import pytest
from tests.report.test_headlines import Total

from flopsheet import record, solve, table
from flopsheet.answer.table import Row
from flopsheet.errors import joined
from flopsheet.report import Extras
from flopsheet.report.numeric import markdown_rule
from flopsheet.report.pages import write_up
from flopsheet.report.tables import remark
from flopsheet.report.templating import environment
from flopsheet.report.terminal.columns import layout
from flopsheet.report.terminal.listings import print_record

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


def test_a_column_of_numbers_may_have_a_name() -> None:
    rows = [["chip", "tpu-v5p"], ["memory", "95 GiB"], ["tokens", "131,072 token"], ["rest", "-"]]
    shown = layout(["name", "value"], rows, 80)
    ends = {line.rstrip()[-3:]: len(line.rstrip()) for lines in (shown.head[:1], *shown.rows) for line in lines}
    assert {*ends.values()} == {len("memory   131,072 token")}
    assert markdown_rule(rows) == "|---|---:|"


def test_numbers_beside_texts_are_aligned_right_one_by_one() -> None:
    rows = [["topology", "all to all"], ["memory", "80 GiB"], ["power", "700 W"], ["price", "30,000 USD"], ["l2", "-"]]
    assert [lines[0] for lines in layout(["field", "nominal"], rows, 80).rows] == [
        "topology   all to all",
        "memory         80 GiB",
        "power           700 W",
        "price      30,000 USD",
        "l2                  -",
    ]
    rows[0][1] = "all to all by switch"
    assert layout(["field", "nominal"], rows, 80).rows[1] == ["memory                   80 GiB"]
    assert markdown_rule(rows) == "|---|---|"


def test_a_column_of_texts_has_its_few_numbers_on_the_left() -> None:
    rows = [["a", "80 GB"], ["b", "1,979 TFLOPS with sparsity"], ["c", "900 GB/s both directions"]]
    assert layout(["field", "vendor prints"], rows, 80).rows[0] == ["a       80 GB"]


@pytest.mark.parametrize("width", [120, 80])
def test_a_narrow_terminal_keeps_the_sources_of_a_record(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    print_record(record("chip", "h100-sxm"))
    head = capsys.readouterr().out.splitlines()[2].split()
    assert "source" in head
    assert ("prints" in head) == (width == 120)


def test_several_limits_that_do_not_hold_are_one_remark() -> None:
    where = ["model = gpt-oss-120b", "chip = apple-m4-pro", "seq_len = 8192", "n_sequences = 1", "n_tp = 1"]
    answer = solve("decode", where=[*where, "memory_utilization = 0.75"])
    assert len(answer.broken) > 1
    names = joined([check.relation.name for check in answer.broken])
    assert remark(Row((), answer, "")) == f"{names} do not hold"
