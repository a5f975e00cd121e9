"""Tables of answers on a narrow terminal: the answer stays, what it is compared by goes first."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.report.test_headlines import Total
from tests.report.test_terminal import NUMBER, WIDE

from flopsheet import solve, table
from flopsheet.report import Detail, Extras
from flopsheet.report.terminal.screen import answer_lines

if TYPE_CHECKING:
    from flopsheet.answer.table import Table

WHERE = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "device_memory <= chip.memory"]


@cache
def chips() -> Table:
    """Return how many devices each of three chips needs at two lengths."""
    vary = {"chip": ["h100-sxm", "h200-sxm", "tpu-v5p"], "seq_len": ["1024 token", "2048 token"]}
    return table("ffn_memory", "n_fsdp", WHERE, vary=vary, show="device_memory")


def head_of(rows: Table, width: int) -> str:
    """Return the head of a table, the lines of which may be several, none longer than the width."""
    answer = rows.rows[0].answer
    assert answer is not None
    lines = [line.text for line in answer_lines(answer, width, Extras(table=rows))]
    assert max(map(len, lines)) <= width
    rule = [place for place, line in enumerate(lines) if line.startswith("─")][-1]
    first = max(place for place in range(rule) if not lines[place]) + 1
    return " ".join(lines[first:rule])


@pytest.mark.parametrize("width", [40, 50, 60, 70, 80, 100, 120])
def test_the_answer_is_kept_and_figures_of_records_go_first(width: int) -> None:
    head = head_of(chips(), width)
    assert head.startswith("chip ")
    assert "n_fsdp" in head
    assert width < 60 or {"device_memory", "slack"} <= {*head.split()}
    assert width < 80 or "chip.hourly_price" in head
    assert width < 120 or all(name in head for name in ("chip.memory", "chip.power"))
    assert width > 60 or "chip.power" not in head


def test_what_is_computed_is_kept_where_much_varies() -> None:
    long = {"each": ["1.23456789 GB", "2.23456789 GB"], "most": ["812.345678 TB", "912.345678 TB"]}
    head = head_of(table(Total, where=["count = 3"], vary=long, show=["half", "size"]), 34)
    assert [name in head.split() for name in ("each", "most", "size")] == [True, False, True]


def test_names_that_work_keep_slack_and_price() -> None:
    where = [*WHERE, "seq_len = 1024 token", "chip.vendor = NVIDIA", "chip.segment = data center"]
    answer = solve("ffn_memory", ["chip", "n_fsdp"], where)
    lines = [line.text for line in answer_lines(answer, 60)]
    head = next(line for line in lines if line.startswith("chip  "))
    assert [name in head for name in ("n_fsdp", "chip.power")] == [True, False]


CLUSTER = ["model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192", "batch = 512"]
DEGREES = ["n_pp", "n_dp", "n_tp"]
CROWDED = [*WHERE, "seq_len = 1024", "chip = tpu-v5p", "n_fsdp <= 16"]
SCREENS = {
    "tuples": ("training_step", DEGREES, [*CLUSTER, "n_chips = 64"], ""),
    "ranked tuples": ("training_memory", DEGREES, [*CLUSTER, "n_chips = 512"], "min:device_memory"),
    "conflict": ("ffn_memory", ["n_fsdp"], CROWDED, ""),
    "conflict of several": ("ffn_memory", ["n_fsdp", "d_ff"], [*WHERE[:1], *CROWDED[2:], "d_ff >= 50000"], ""),
    "ranked names": ("ffn_memory", ["chip", "n_fsdp"], [*WHERE, "seq_len = 1024", "chip.vendor = NVIDIA"], ""),
}
TUPLE = re.compile(r"\(\d+(?:, \d+)+\)")


@pytest.mark.parametrize("name", SCREENS)
def test_no_number_and_no_tuple_is_broken(name: str) -> None:
    """Compare each width with a very wide one, as for the questions that are stored."""
    sheet, unknowns, where, best = SCREENS[name]
    answer, detail = solve(sheet, unknowns, where, best=best or None), Detail(steps="used")
    known = [line.text for line in answer_lines(answer, WIDE, None, detail)]
    assert ("conflict" in name) == any("too much" in line for line in known)
    for width in (60, 80, 120):
        lines = [line.text for line in answer_lines(answer, width, None, detail)]
        assert max(map(len, lines)) <= width
        counted = [line for line in lines if "more" in line or "not shown" in line or "others" in line]
        shown = [number for line in lines if line not in counted for number in NUMBER.findall(line)]
        assert {*shown} <= {*NUMBER.findall(" ".join(known))}
        told = [line for line in known if "Together, (" in line or "with (" in line]
        assert {*TUPLE.findall(" ".join(told))} <= {*TUPLE.findall("\n".join(lines))}


def test_all_tuples_are_told_once() -> None:
    sheet, unknowns, where, _ = SCREENS["tuples"]
    lines = [line.text for line in answer_lines(solve(sheet, unknowns, where), 120)]
    assert sum("Together, (" in line for line in lines) == 1
    assert lines[-1].startswith("Together, (n_pp, n_dp, n_tp) is (1, 1, 64), ")
    assert any(line.startswith("n_blocks") and " llama-3-70b " in line for line in lines)
    assert any(line.startswith("chip.memory") and " h100-sxm " in line for line in lines)  # of the limit that excludes
