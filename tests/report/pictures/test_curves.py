"""Curves of answers: what is drawn, that it is what the sheet computes, and that a chart is read on any page."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from tests.answer.toy import TOY

import flopsheet
from flopsheet import Sheet, formula, given, limit, mod
from flopsheet.errors import QuestionError, UnknownNameError
from flopsheet.registry.packs import packs
from flopsheet.report.pictures import picture, plotted
from flopsheet.report.pictures import traced as pictures_traced
from flopsheet.report.pictures.curves import CHOSEN, FAILS, WORKS, Curve, curve, curve_of
from flopsheet.report.pictures.drawn import STYLES, plot_svg, plot_tikz
from flopsheet.report.pictures.plots import WIDTH, Dot, Stroke, Words, plot
from flopsheet.report.pictures.scales import Scale, tick_text
from flopsheet.report.pictures.table_curves import table_curve
from flopsheet.report.pictures.traced import MOST_PLACES

if TYPE_CHECKING:
    from pathlib import Path

STACK = {"d_model": 16384, "d_ff": 53248, "n_blocks": 126, "batch": 128, "seq_len": 1024, "chip": "tpu-v5p"}
FITS = "device_memory <= chip.memory"
WHERE = [*(f"{name} = {value}" for name, value in STACK.items()), FITS]
GIVEN_STACK = [text for text in WHERE if text != FITS and not text.startswith("chip")]
WAIT = "tail_wait <= 300 ms"
SHARDS = flopsheet.solve("ffn_memory", "n_fsdp", WHERE)
QUESTIONS = sorted((packs()[0].folder / "models" / "questions").glob("*.yaml"))


def _drawn(**changes: object) -> Curve:
    drawn = curve_of(SHARDS)
    assert drawn is not None
    return replace(drawn, **changes) if changes else drawn  # type: ignore[arg-type]


def test_a_bound_is_drawn_against_the_unknown_with_its_limit() -> None:
    drawn = _drawn()
    assert drawn.title == "device_memory against n_fsdp"
    memory, limit = drawn.lines
    assert (memory.is_limit, limit.is_limit, limit.name) == (False, True, "chip.memory, 95 GiB")
    assert {height for _, height in limit.points} == {95 * 2**30}
    assert [(mark.kind, mark.text) for mark in drawn.marks] == [(CHOSEN, "46: 94.5 GiB"), (FAILS, "45: 96.6 GiB")]


def test_points_are_what_the_sheet_computes() -> None:
    memory = _drawn().lines[0]
    assert len(memory.points) > 40
    for n_fsdp, height in memory.points[::12]:
        again = flopsheet.solve("ffn_memory", "device_memory", [*WHERE[:-1], f"n_fsdp = {n_fsdp:.0f}"])
        assert math.isclose(again.cells["device_memory"].si, height, rel_tol=1e-12)


def test_no_point_breaks_another_limit() -> None:
    queue = flopsheet.solve("queueing", "n_servers", ["arrival_rate = 50 request/s", "service_time = 46 ms", WAIT])
    drawn = curve_of(queue)
    assert drawn is not None
    assert min(at for at, _ in drawn.lines[0].points) == queue.outcomes["n_servers"].si == 3
    assert [mark.kind for mark in drawn.marks] == [CHOSEN]


def test_an_answer_is_drawn_against_an_input() -> None:
    drawn = curve(SHARDS, "n_blocks")
    assert drawn.title == "n_fsdp against n_blocks"
    for n_blocks, height in drawn.lines[0].points[::15]:
        where = [text for text in WHERE if not text.startswith("n_blocks")]
        again = flopsheet.solve("ffn_memory", "n_fsdp", [*where, f"n_blocks = {n_blocks:.0f}"])
        assert again.value == height
    assert drawn.marks[0].at == (126, 46)


def test_a_forward_answer_is_drawn_against_what_it_is_most_sensitive_to() -> None:
    answer = flopsheet.solve("ffn_memory", [], [*WHERE[:-1], "n_fsdp = 64"], show="device_memory")
    drawn = curve_of(answer)
    assert drawn is not None
    assert drawn.title == "device_memory against n_fsdp"


def test_the_level_of_an_equation_is_a_target() -> None:
    drawn = curve_of(flopsheet.solve("loss_fit", "dataset_tokens", ["params = 8e9", "loss = 2.1"]))
    assert drawn is not None
    texts = [part.text for part in plot(drawn).parts if isinstance(part, Words)]
    assert "target 2.1" in texts
    assert not any(text.startswith("limit ") for text in texts)


def test_a_limit_that_breaks_is_drawn_and_its_inputs_are_listed() -> None:
    answer = flopsheet.solve("ffn_memory", (), {**STACK, "n_fsdp": 40})
    drawn = curve_of(answer)
    assert drawn is not None
    assert [line.name for line in drawn.lines if line.is_limit] == ["chip.memory, 95 GiB"]
    assert "`chip.memory` | 95 GiB |" in answer.derivation("page").partition("## Inputs")[2]
    kept = curve_of(flopsheet.solve("ffn_memory", (), {**STACK, "n_fsdp": 64}))
    assert kept is not None
    assert not any(line.is_limit for line in kept.lines)


def test_numbers_that_are_listed_one_by_one_have_no_curve() -> None:
    assert curve_of(flopsheet.solve("ffn_memory", "batch", ["seq_len = 1024", "mod(3840, batch) = 0"])) is None


def test_whole_numbers_that_work_are_marked_on_the_inequality_that_was_asked() -> None:
    where = ["n_blocks = 96", "d_model = 12288", "vocab = 50257", "n_tp = 8", "chip = a100-sxm4-80gb"]
    answer = flopsheet.solve("gpt_layout", "n_pp", [*where, "device_activation_memory = 4 GB", FITS])
    assert answer.outcomes["n_pp"].kind == "whole"
    drawn = curve_of(answer)
    assert drawn is not None
    assert drawn.title == "device_memory against n_pp"
    assert [mark.at[0] for mark in drawn.marks if mark.kind == CHOSEN] == [6]
    assert sorted(mark.at[0] for mark in drawn.marks if mark.kind == WORKS)[:2] == [8, 12]
    assert any(line.is_limit for line in drawn.lines)


def test_where_every_other_number_breaks_a_limit_a_line_goes_through_those_that_keep_it() -> None:
    class Evens(Sheet):
        """Shares of an even count."""

        total = given("What is shared", default=96)
        n = given("A count", integer=True)
        share = formula(total / n, "", "Share of one")
        even = limit(mod(n, 2) <= 0, "It is even")

    answer = flopsheet.solve(Evens, "n", ["share <= 20", "mod(24, n) = 0"])
    assert answer.outcomes["n"].kind == "whole"
    drawn = curve_of(answer)
    assert drawn is not None
    assert drawn.lines[0].points[:4] == ((2, 48), (4, 24), (6, 16), (8, 12))
    assert [(mark.at[0], mark.kind) for mark in drawn.marks] == [(6, CHOSEN), (8, WORKS), (12, WORKS), (24, WORKS)]


def test_a_curve_keeps_what_is_given_although_a_formula_gives_it_too() -> None:
    where = ["start_batch = 512", "final_batch = 2048", "ramp_tokens = 500e9", "ramp_growth = per_sequence"]
    drawn = curve(flopsheet.solve("batch_ramp", "ramp_steps", [*where, "seq_len = 8192"]), "seq_len")
    for seq_len, height in drawn.lines[0].points[::20]:
        again = flopsheet.solve("batch_ramp", "ramp_steps", [*where, f"seq_len = {seq_len:.0f}"])
        assert again.value == pytest.approx(height, rel=1e-12)


@pytest.mark.parametrize("by", ["total_work", "overtraining"])
def test_a_curve_follows_cells_that_depend_on_each_other(by: str) -> None:
    """The formula of each holds the other fixed: ten times the work is not ten times the parameters."""
    where = {"total_work": "3e25 FLOP", "overtraining": "1", "optimum": "approach_3", "loss_fit": "epoch"}
    answer = flopsheet.solve("scaling_law", ["params", "dataset_tokens"], where)
    points = curve(answer, by).lines[0].points
    assert len(points) >= MOST_PLACES
    for at, height in points:
        changed = where | {by: f"{at!r} FLOP" if by == "total_work" else f"{at!r}"}
        again = flopsheet.solve("scaling_law", ["params", "dataset_tokens"], changed)
        assert float(again.cells["params"].si) == pytest.approx(height, rel=1e-12)


def test_there_is_no_curve_through_blocks_of_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    where = ["total_work = 3e25 FLOP", "overtraining = 1", "optimum = approach_3", "loss_fit = epoch"]
    answer = flopsheet.solve("scaling_law", ["params", "dataset_tokens"], where)
    monkeypatch.setattr(pictures_traced, "MOST_CELLS", 3)
    with pytest.raises(QuestionError, match="No formula gives 'params' from 'total_work' alone"):
        curve(answer, "total_work")


@pytest.mark.parametrize("name", ["device_memory", "n_fsdp"])
def test_there_is_no_curve_against_what_is_no_input(name: str) -> None:
    with pytest.raises(QuestionError, match=f"'{name}' is no input of the answer"):
        curve(SHARDS, name)


def test_an_unknown_input_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="n_blocks"):
        curve(SHARDS, "n_block")


def test_a_limit_is_drawn_no_farther_than_the_curve() -> None:
    """Where another limit is broken the curve ends, and the axis with it."""
    where = ["system = dgx-h100", "model = llama-3-70b", "n_tp = 8", "seq_len = 8192", "token_time <= 30 ms"]
    drawn = curve_of(flopsheet.solve("decode", "n_sequences", where))
    assert drawn is not None
    line, bound = (next(own for own in drawn.lines if own.is_limit is wanted) for wanted in (False, True))
    assert line.points[-1][0] < 3 * 108
    assert [bound.points[end][0] for end in (0, -1)] == [line.points[end][0] for end in (0, -1)]


def test_a_table_is_drawn_with_a_line_for_each_other_value() -> None:
    stack = {"d_model": 8192, "d_ff": 28672, "n_blocks": 80, "seq_len": 4096}
    vary = {"n_fsdp": [64, 128], "batch": [128, 256, 512]}
    drawn = table_curve(flopsheet.table("ffn_memory", where=stack, vary=vary, show=["tokens", "device_memory"]))
    assert drawn is not None
    assert drawn.title == "device_memory against batch"
    assert [(line.name, len(line.points)) for line in drawn.lines] == [("64", 3), ("128", 3)]
    assert [mark.kind for mark in drawn.marks] == [WORKS] * 3 + [f"{WORKS}2"] * 3


def test_a_table_is_drawn_for_what_is_asked() -> None:
    stack = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "seq_len = 4096", "device_memory <= 80 GiB"]
    vary = {"batch": [128, 256, 512]}
    drawn = table_curve(flopsheet.table("ffn_memory", "n_fsdp", stack, vary=vary, show=["tokens"]))
    assert drawn is not None
    assert drawn.title == "n_fsdp against batch"


def test_a_table_of_two_values_or_of_names_has_no_curve() -> None:
    stack = {"d_model": 8192, "d_ff": 28672, "n_blocks": 80, "seq_len": 4096, "n_fsdp": 64}
    two = flopsheet.table("ffn_memory", where=stack, vary={"batch": [128, 256]}, show="device_memory")
    chips = ["h100-sxm", "tpu-v5p", "b200-sxm"]
    names = flopsheet.table("ffn_memory", where={**stack, "batch": 8}, vary={"chip": chips}, show="chip.memory")
    assert table_curve(two) is None
    assert table_curve(names) is None


@pytest.mark.parametrize("file", QUESTIONS, ids=[file.stem for file in QUESTIONS])
def test_every_chart_is_inside_its_frame_and_legible(file: Path) -> None:
    svg = file.with_suffix(".svg")
    if not svg.exists():
        pytest.skip("the page of this question has no curve")
    text = svg.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314  # our own file
    assert "font:12px" in text
    height = float(root.attrib["viewBox"].split()[3])
    assert WIDTH <= 358  # a telephone of 390 px without its margins
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        wide = 6.6 * len(element.text or "")
        before = {"start": 0.0, "middle": wide / 2, "end": wide}[element.attrib["text-anchor"]]
        assert float(element.attrib["x"]) - before >= -4, element.text
        assert float(element.attrib["x"]) - before + wide <= WIDTH + 12, element.text
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.attrib["d"])]
        assert all(-1 <= x <= WIDTH + 1 for x in numbers[::2])
        assert all(-1 <= y <= height + 1 for y in numbers[1::2])


def test_colours_follow_a_dark_page() -> None:
    text = plot_svg(plot(_drawn()))
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"(?:fill|stroke)=", text)  # a colour outside of the style would stay
    assert "<script" not in text
    used = {part.style for part in plot(_drawn()).parts}
    assert used <= STYLES.keys()


def test_no_text_breaks_out_of_a_chart() -> None:
    drawn = _drawn()
    hostile = replace(drawn, y=drawn.y._replace(name="<script>&\"'$_{}\\"))
    svg, tikz = plot_svg(plot(hostile)), plot_tikz(plot(hostile))
    ET.fromstring(svg)  # noqa: S314  # a text with markup would not parse
    assert "<script" not in svg
    assert r"\textbackslash{}" in tikz


def test_the_picture_is_written_as_svg_and_for_latex() -> None:
    assert picture(SHARDS, "curve", "svg").startswith(b"<svg")
    assert picture(SHARDS, "curve", "tex", "n_blocks").startswith(b"\\begin{tikzpicture}")
    assert plotted(SHARDS, None) == plot(_drawn())


@pytest.mark.parametrize(
    ("numbers", "ticks"),
    [
        ([0.0, 100.0], [0, 20, 40, 60, 80, 100]),
        ([1.0, 1000.0], [1, 10, 100, 1000]),
        ([9.0, 10.0], [9, 9.2, 9.4, 9.6, 9.8, 10]),
        ([2.0, 100.0], [2, 5, 10, 20, 50, 100]),
    ],
)
def test_ticks_are_round_and_on_the_axis(numbers: list[float], ticks: list[float]) -> None:
    scale = Scale.over(numbers, room=0.0)
    assert scale.ticks() == pytest.approx(ticks)
    assert all(-1e-9 <= scale.part(tick) <= 1 + 1e-9 for tick in scale.ticks())


def test_an_axis_that_counts_has_whole_ticks() -> None:
    scale = Scale.over([1.0, 4.0], room=0.0)
    assert any(tick % 1 for tick in scale.ticks(8))
    assert not any(tick % 1 for tick in scale.ticks(8, whole=True))


def test_a_level_line_has_an_axis() -> None:
    for number in (0.0, 5.0, -5.0):
        scale = Scale.over([number, number])
        assert scale.low < scale.high
        assert 0 < scale.part(number) < 1


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (0.5, "0.5"), (2500.0, "2500"), (5e4, "50k"), (2e6, "2M"), (1.5e12, "1.5T"), (1e18, "1e18")],
)
def test_ticks_are_short(number: float, text: str) -> None:
    assert tick_text(number) == text


def test_parts_are_drawn_in_both_forms() -> None:
    parts = plot(_drawn()).parts
    assert {type(part) for part in parts} == {Stroke, Words, Dot}
    assert plot_tikz(plot(_drawn())).count("\n") == len(parts) + 1


@pytest.mark.parametrize(
    ("sheet", "unknown", "where", "by", "problem"),
    [
        ("ffn_memory", "chip", [*GIVEN_STACK, "n_fsdp = 64", FITS], "", "Only names are asked for"),
        ("ffn_memory", "chip", [*GIVEN_STACK, "n_fsdp = 64", FITS], "n_blocks", "Only names are asked for"),
        ("ffn_memory", "n_fsdp", [*WHERE, "device_memory <= 0.1 GiB", "n_fsdp <= 50"], "", "'n_fsdp' has no value"),
        ("serving_cost", [], ["chip = h100-sxm"], "", "No number that is asked for has a value"),
        (TOY, "n", ["mod(30, n) = 0"], "", "No input moves 'n'"),
    ],
)
def test_each_cause_has_its_reason(sheet: Any, unknown: Any, where: list[str], by: str, problem: str) -> None:
    """It was always that no relation bounds a number."""
    with pytest.raises(QuestionError, match=problem):
        curve(flopsheet.solve(sheet, unknown, where), by)


def test_the_values_beyond_the_one_that_is_used_are_drawn_too() -> None:
    """A curve ended at three times the first of them, where the limit was far."""
    given = [text for text in WHERE if not text.startswith("batch")]
    answer = flopsheet.solve("ffn_memory", "batch", [*given, "n_fsdp = 64", "mod(256, batch) = 0", "batch >= 2"])
    drawn = curve_of(answer)
    assert drawn is not None
    assert [mark.at[0] for mark in drawn.marks] == [2, 4, 8, 16]
    assert drawn.lines[0].points[-1][0] == 16
