"""Bars of names: what a table or a ranking has for each name, where no curve can be drawn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.asked import answered

from flopsheet import solve, table
from flopsheet.report import Extras
from flopsheet.report.pages import write_up
from flopsheet.report.pictures import plotted
from flopsheet.report.pictures.bars import MOST, MOST_LONG
from flopsheet.report.pictures.plots import WIDTH, Stroke, Words

if TYPE_CHECKING:
    from flopsheet.report.pictures.plots import Plot

STACK = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "batch = 64", "seq_len = 4096"]
CHIPS = ["h100-sxm", "h200", "b200", "mi300x"]


def _bars(plot: Plot) -> list[tuple[str, float]]:
    """Return the style of each bar, and its length in pixels."""
    strokes = [part for part in plot.parts if isinstance(part, Stroke)]
    return [(stroke.style, stroke.points[1][0] - stroke.points[0][0]) for stroke in strokes]


def _plot(**vary: list[str]) -> Plot:
    rows = table("ffn_memory", [], [*STACK, "n_fsdp = 16"], vary=vary, show=["chip.memory"])
    first = next(row.answer for row in rows.rows if row.answer is not None)
    plot = plotted(first, rows)
    assert plot is not None
    return plot


def test_a_table_over_names_has_a_bar_for_each_as_long_as_its_number() -> None:
    rows = table("ffn_memory", "n_fsdp", [*STACK, "device_memory <= chip.memory"], vary={"chip": CHIPS})
    first = rows.rows[0].answer
    assert first is not None
    plot = plotted(first, rows)
    assert plot is not None
    assert plot.about == "n_fsdp: h100-sxm 16; h200 10; b200 8; mi300x 7"
    lengths = [length for _, length in _bars(plot)]
    for length, number in zip(lengths, (16, 10, 8, 7), strict=True):
        assert abs(length / lengths[0] - number / 16) < 0.01
    assert all(part.x + 7 * len(part.text) <= WIDTH for part in plot.parts if isinstance(part, Words) and part.x > 100)


def test_bars_of_answers_that_break_a_limit_are_red() -> None:
    assert [style for style, _ in _bars(_plot(chip=["h100-sxm", "gb10", "rtx-4090"]))] == ["bar", "bar", "broken"]


def test_names_that_work_have_bars_of_what_ranks_them() -> None:
    answer = solve("ffn_memory", ["chip", "n_fsdp"], [*STACK, "device_memory <= chip.memory"])
    plot = plotted(answer, None)
    assert plot is not None
    assert answer.ranking is not None
    assert plot.about.startswith(f"n_fsdp, the best {MOST} of {len(answer.ranking.working)}: ")
    assert len(_bars(plot)) == MOST
    alone = plotted(solve("ffn_memory", "chip", [*STACK, "n_fsdp = 16"]), None)
    assert alone is not None
    assert alone.about.startswith("slack, the best ")


def test_labels_of_two_names_stand_above_their_bars_and_long_tables_have_the_largest() -> None:
    models = ["llama-3-8b", "qwen3-32b", "qwen3-30b-a3b"]
    where = ["n_tp = 1", "seq_len = 8192", "n_sequences = 1"]
    rows = table("inference_memory", "inference_memory", where, vary={"chip": CHIPS[1:], "model": models})
    first = rows.rows[0].answer
    assert first is not None
    plot = plotted(first, rows)
    assert plot is not None
    assert plot.about.startswith(f"inference_memory, the largest {MOST_LONG} of 9: ")
    assert len(_bars(plot)) == MOST_LONG
    assert any(isinstance(part, Words) and part.text == "h200, qwen3-30b-a3b" for part in plot.parts)


def test_a_long_table_stands_below_the_first_screen() -> None:
    rows = table("ffn_memory", [], STACK, vary={"n_fsdp": [*range(8, 22)], "chip": ["h200"]}, show=["device_memory"])
    first = rows.rows[0].answer
    assert first is not None
    page = write_up(first, "page", "html", Extras(table=rows))
    before, _, after = page.partition("<h2>All rows</h2>")
    assert '<table class="grid">' not in before
    assert 'class="chart"' in before
    assert after.count("h200</td>") == 14
    assert "What follows is for n_fsdp = 8, chip = h200." in before


def test_many_names_are_folded_in_the_headline_and_listed_below() -> None:
    answer = solve("ffn_memory", "chip", [*STACK, "n_fsdp = 16"])
    assert answer.ranking is not None
    count = len(answer.ranking.working)
    page = write_up(answer, "page", "html")
    assert f"and {count - 8} others" in page
    assert "..." not in page
    names = re.search(r"<p>(\d+) more: (.*)\.</p>", page)
    assert names is not None
    assert int(names[1]) == len(names[2].split(", ")) == count - 20


def test_models_are_compared_by_their_size_not_their_widths() -> None:
    answer = solve("inference_memory", "model", ["chip = h100-sxm", "n_tp = 1", "seq_len = 8192", "n_sequences = 1"])
    page = answer.derivation("page")
    head = next(line for line in page.splitlines() if line.startswith("| `model` |"))
    assert head == "| `model` | `fixed_memory` | `inference_memory` | `params` | `slack` |"  # all parameters are active


def test_numbers_that_are_bounded_themselves_are_bars_between_their_bounds() -> None:
    plot = plotted(answered("allowed-microbatches"), None)
    assert plot is not None
    assert plot.about == (
        "microbatch: min_microbatch 16 sequence; works 16 sequence; works 32 sequence; works 64 sequence; "
        "works 128 sequence; max_microbatch 136 sequence"
    )
    styles, lengths = zip(*_bars(plot), strict=True)
    assert styles == ("broken", "bar", "bar", "bar", "bar", "broken")
    assert [length / lengths[0] for length in lengths] == pytest.approx([1, 1, 2, 4, 8, 8.5], rel=0.01)


def test_numbers_without_a_bound_of_their_own_and_too_many_have_no_bars() -> None:
    divisors = ["seq_len = 1024", "mod(3840, batch) = 0"]
    assert plotted(solve("ffn_memory", "batch", divisors), None) is None
    assert plotted(solve("ffn_memory", "batch", [*divisors, "batch <= n_blocks", "n_blocks = 400"]), None) is None
