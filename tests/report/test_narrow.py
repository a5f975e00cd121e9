"""Tables of answers on a narrow terminal: the answer stays, what it is compared by goes first."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.report.test_headlines import Total

from flopsheet import solve, table
from flopsheet.report import Extras
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
