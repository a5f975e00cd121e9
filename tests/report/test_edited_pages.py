"""What a careful editor marks on a page: counts that are rounded, ranges that may go on, tall exponents, long lists."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import flopsheet
from flopsheet import Sheet, ceil, exp, formula, given, solve
from flopsheet.numbers.sets import Interval
from flopsheet.report import Extras
from flopsheet.report.drivers import before_rounding, drivers
from flopsheet.report.entries import cited
from flopsheet.report.forms.html import breakable
from flopsheet.report.pages import write_up
from flopsheet.report.pictures.curves import FAILS, curve_of
from flopsheet.report.steps.used import used_steps
from flopsheet.report.tables import grid_of
from flopsheet.report.texts.tables import table_text

LOAD = {
    "prompt_len": "1000 token",
    "output_len": "500 token",
    "arrival_rate": "20 request/second",
    "first_token_time": "120 ms",
    "token_time": "25 ms",
    "n_sequences": "64",
    "replica_chips": "8 chip",
}
SHARDS = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
FITS = "device_memory <= chip.memory"


QUESTION = {
    "n_chips": "16384",
    "params": "405e9 param",
    "chip_mtbf": "50677 hour",
    "write_bandwidth": "2 TB/s",
    "restart_time": "30 second",
    "detection_time": "10 minute",
}


class Stages(Sheet):
    """Blocks on stages, and what is left of a signal."""

    n_blocks = given("Blocks", integer=True, example=80)
    n_pp = given("Stages", integer=True, default=1)
    wait = given("Wait", "ms", default=3)
    decay_time = given("Time of decay", "ms", default=7)
    n_stage_blocks = formula(ceil(n_blocks / n_pp), "", "Blocks of the largest stage", integer=True)
    left = formula(n_stage_blocks * exp(-wait / decay_time), "", "What is left")
    lost = formula(n_stage_blocks * exp(-n_pp), "", "What is lost")


def _load(**changed: str) -> flopsheet.Answer:
    return solve("serving_load", ["answer_replicas", "n_chips"], LOAD | changed)


def _unrounded(answer: flopsheet.Answer) -> float:
    load, prompts, target = (answer.cells[name].si for name in ("answer_load", "prompt_load", "target_load"))
    return float((load + prompts) / target)


@pytest.mark.parametrize("name", ["answer_replicas", "n_chips"])
def test_a_count_that_is_rounded_up_has_the_drivers_of_what_is_rounded(name: str) -> None:
    answer = _load()
    known = dict(drivers(answer, name))
    assert answer.cells["answer_replicas"].si == math.ceil(_unrounded(answer))
    for by, more in (
        ("arrival_rate", "20.02 request/second"),
        ("output_len", "500.5 token"),
        ("token_time", "25.025 ms"),
    ):
        change = math.log(_unrounded(_load(**{by: more})) / _unrounded(answer)) / math.log(1.001)
        assert known[by] == pytest.approx(change, rel=1e-3)
    assert not answer.elasticities("answer_replicas")


def test_pages_say_that_these_are_before_rounding() -> None:
    page = write_up(_load(), "page")
    assert "1 % more unrounded `answer_replicas`" in page
    assert not before_rounding(solve("ffn_memory", "n_fsdp", [*SHARDS, FITS]), "n_fsdp")


def test_a_range_that_ends_at_a_rounding_has_the_drivers_of_what_is_rounded() -> None:
    """Its cache takes many whole blocks, and grows as if it took parts of them too."""

    def longest(share: float) -> flopsheet.Answer:
        fits = "inference_memory <= memory_utilization*chip.memory"
        asked = ["model = qwen3-32b", "chip = rtx-5090", "weight_format = int4", "n_sequences = 1", "n_tp = 1", fits]
        return solve("inference_memory", "seq_len", [*asked, f"memory_utilization = {share}"])

    answer = longest(0.9)
    lengths = [float(longest(share).outcomes["seq_len"].boundary or 0) for share in (0.88, 0.92)]
    change = (lengths[1] - lengths[0]) / float(answer.outcomes["seq_len"].boundary or 0) / (0.04 / 0.9)
    assert dict(drivers(answer, "seq_len"))["memory_utilization"] == pytest.approx(change, rel=0.01)
    assert answer.elasticities("seq_len")["memory_utilization"] == pytest.approx(change, rel=0.01)
    assert "more `seq_len`" in write_up(answer, "page")


def test_a_count_that_is_rounded_up_is_drawn_as_steps() -> None:
    drawn = curve_of(_load())
    assert drawn is not None
    assert drawn.x.name == "arrival_rate"
    heights = [height for line in drawn.lines for _, height in line.points]
    assert len({*heights}) > 5
    assert all(height == int(height) for height in heights)


def test_what_ends_a_search_moves_nothing_and_excludes_nothing() -> None:
    """Compare a range whose end is its boundary with one that may go on beyond its end, where no equality holds."""
    for end, is_open in ((46, False), (60, True)):
        answer = solve("ffn_memory", "n_fsdp", [*SHARDS, FITS, "n_fsdp <= 100"])
        own = answer.outcomes["n_fsdp"]
        if is_open:
            beyond = (Interval(1, end - 1),)
            answer.outcomes["n_fsdp"] = replace(own, boundary=end, si=end, whole=end, open=beyond)
        assert bool(answer.elasticities("n_fsdp")) is not is_open
        drawn = curve_of(answer)
        assert drawn is not None
        assert any(mark.kind == FAILS for mark in drawn.marks) is not is_open


def test_a_rounding_of_a_whole_number_is_no_step() -> None:
    for stages, steps in (("1", ["left"]), ("3", ["n_stage_blocks", "left"])):
        answer = solve(Stages(), [], {"n_blocks": "80", "n_pp": stages})
        assert [step.cell.name for step in used_steps(answer, ["left"]).steps] == steps


def test_an_exponent_with_a_bar_is_an_argument() -> None:
    page = write_up(solve(Stages(), [], {"n_blocks": "80"}))
    assert r"\exp\left(-\frac" in page.replace(" ", "")
    assert "e^{-" in page.replace(" ", "").replace(r"\exp\left(-\frac", "")


def test_zero_is_its_own_result() -> None:
    where = ["model = llama-3.1-8b", "chip = l40s", "n_tp = 1", "n_sequences = 1", "output_len = 256 token"]
    page = write_up(solve("serving", "prompt_len", [*where, "first_token_time <= 2 s"]), "page")
    assert r"s_{\text{hit}} &= 0\,\mathrm{token}" in page


@pytest.mark.parametrize(
    ("name", "markup"),
    [("chip.memory_bandwidth", "chip.<wbr>memory_<wbr>bandwidth"), ("a<b_", "a&lt;b_"), ("3.5", "3.5")],
)
def test_names_break_behind_dots_and_underscores(name: str, markup: str) -> None:
    assert breakable(name) == markup


def test_a_continued_line_is_indented_in_a_document() -> None:
    """A blank had its code in its place: `[U+2003] - 1`."""
    document = write_up(solve("goodput", [], QUESTION), "page", "latex")
    assert r"\\ \quad \cdot" in document
    assert "U+2003" not in document


def test_drivers_are_apart_in_a_document() -> None:
    document = write_up(solve("ffn_memory", "n_fsdp", [*SHARDS, FITS]), "page", "latex")
    assert document.count("; 1") >= 2
    assert ";1" not in document


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([2, 1], "1, 2"), ([3, 1, 2], "1–3"), ([9, 1, 4, 5, 6, 8], "1, 4–6, 8, 9")]
)
def test_references_in_a_row_are_folded(numbers: list[int], text: str) -> None:
    assert cited(numbers) == text


def test_a_table_is_named_by_what_varies() -> None:
    table = flopsheet.table("ffn_memory", "n_fsdp", [*SHARDS[:-1], FITS], vary={"chip": ["tpu-v5p", "h200"]})
    answer = solve("ffn_memory", "n_fsdp", [*SHARDS, FITS])
    title = "# Devices over which the training state is sharded: by chip\n"
    assert title in write_up(answer, "compare", extras=Extras(table=table))
    assert title not in write_up(answer, "page")


def test_a_row_that_may_have_more_values_says_so() -> None:
    """A row whose time was over had its smallest value told as that of the whole table."""
    table = flopsheet.table("ffn_memory", "n_fsdp", [*SHARDS[:-1], FITS], vary={"chip": ["tpu-v5p", "h200"]})
    grid, text = grid_of(table), table_text(table)
    assert "remark" not in grid.head
    assert text.endswith("(n_fsdp): at least 31 (h200) to 46 (tpu-v5p).")
    answer = table.rows[1].answer
    assert answer is not None
    answer.outcomes["n_fsdp"] = replace(answer.outcomes["n_fsdp"], open=(Interval(1, 30),))
    assert [row[-1] for row in grid_of(table).rows] == ["", "Other values of n_fsdp are not excluded."]
    text = table_text(table)
    assert "31" not in text
    assert text.endswith("1 of 2 rows has other values not excluded.")
