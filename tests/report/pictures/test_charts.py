"""Charts: bars are the elasticities, parts add up to the total, files are the same every time and stand alone."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_sheets import Exchange, Roofline

import flopsheet
from flopsheet.errors import FlopsheetError, QuestionError, UnknownNameError
from flopsheet.report.drivers import drivers
from flopsheet.report.pictures import KINDS, charts, picture
from flopsheet.report.pictures.charts import Bar, Line, sum_of, tornado, waterfall
from flopsheet.report.pictures.curves import against
from flopsheet.units import close

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer

WHERE = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
GOAL = "device_memory <= chip.memory"
STEP = {"work": "1200 TFLOP", "exchanged": "50 GB", "flop_rate": "400 TFLOP/s", "link_bandwidth": "50 GB/s"}


def _tree(text: str | bytes) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  # what is read was written here


@pytest.fixture(scope="module")
def answer() -> Answer:
    return flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL])


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    """Take the bars that would be drawn."""
    drawn: list[Bar] = []

    def render(_title: str, bars: list[Bar], _shape: str, _lines: list[Line] = ()) -> bytes:  # type: ignore[assignment]
        drawn.extend(bars)
        return b""

    monkeypatch.setattr(charts, "_render", render)
    return drawn


def test_bars_of_a_tornado_are_the_elasticities_of_what_can_be_turned(answer: Answer, bars: list[Bar]) -> None:
    tornado(answer)
    every = {name: value for name, value in answer.elasticities("n_fsdp").items() if abs(value) >= 0.0005}
    assert {bar.name: bar.length for bar in bars}.items() < every.items()
    assert [bar.name for bar in bars] == [name for name, _ in drivers(answer, "n_fsdp")]
    assert {*every} - {bar.name for bar in bars} == {
        name for name in every if "bytes_per" in name or name == "n_moments"
    }
    assert bars[0].text == "−1"
    assert {bar.start for bar in bars} == {0.0}


def test_a_tornado_of_another_cell(answer: Answer, bars: list[Bar]) -> None:
    tornado(answer, "params")
    assert sorted(bar.name for bar in bars) == ["d_ff", "d_model", "n_blocks"]


def test_bars_of_a_waterfall_begin_where_those_before_end(answer: Answer, bars: list[Bar]) -> None:
    waterfall(answer, "total_memory")
    assert [bar.name for bar in bars] == ["state_memory", "activation_memory", "total_memory"]
    assert bars[1].start == bars[0].length
    assert close(sum(bar.length for bar in bars[:-1]), bars[-1].length)
    assert [bar.text for bar in bars] == ["3276 GiB (60.5 %)", "2142 GiB (39.5 %)", "5418 GiB"]


def test_terms_that_are_zero_have_no_bar(bars: list[Bar]) -> None:
    answer = flopsheet.solve("transformer", (), {"model": "llama-3-8b"})
    waterfall(answer, "params")
    assert len(bars) < len(sum_of(answer, "params").terms)
    assert all(bar.length for bar in bars)
    assert close(sum(bar.length for bar in bars[:-1]), bars[-1].length)


def test_a_chart_follows_a_dark_page(answer: Answer) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    drawn, rules = tornado(answer).decode(), charts._dark_rules().decode()
    assert rules in drawn
    colours = {*re.findall(r"(?:fill|stroke): #[0-9a-f]{6}", drawn.replace(rules, ""))}
    assert colours
    assert all(f'[style*="{colour}"]' in rules for colour in colours)


@pytest.mark.parametrize(
    ("cell", "relations", "lines"),
    [
        ("device_memory", [GOAL], [("chip.memory, 95 GiB", 95.0)]),
        ("device_memory", [GOAL, "device_memory <= 64 GiB"], [("chip.memory, 95 GiB", 95.0), ("64 GiB", 64.0)]),
        ("device_memory", ["n_fsdp = 2", "device_memory <= 1e9 GiB"], [("chip.memory, 95 GiB", 95.0)]),
        ("total_memory", [GOAL], []),
    ],
)
def test_a_waterfall_has_lines_where_its_cell_is_bounded(
    cell: str, relations: list[str], lines: list[tuple[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Line] = []

    def render(_title: str, _bars: list[Bar], _shape: str, lines: list[Line]) -> bytes:
        drawn.extend(lines)
        return b""

    monkeypatch.setattr(charts, "_render", render)
    given = any(relation.startswith("n_fsdp") for relation in relations)
    waterfall(flopsheet.solve("ffn_memory", () if given else "n_fsdp", [*WHERE, *relations]), cell)
    assert [tuple(line) for line in drawn] == lines


def test_lines_are_drawn_with_their_labels(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.setitem(charts._SETTINGS, "svg.fonttype", "none")
    assert "chip.memory, 95 GiB" in waterfall(answer, "device_memory").decode()


def test_labels_are_clear_of_lines() -> None:
    figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")
    axes = figure.Figure().add_subplot()
    charts._draw(axes, "title", [Bar("term", 0.0, 71.0, "71 GiB (75 %)", "#3b6fb6")])
    bars = {*axes.lines}
    charts._draw_lines(axes, [Line("chip.memory, 95 GiB", 95.0)], 1)
    (line,) = (drawn for drawn in axes.lines if drawn not in bars)
    assert all(text.zorder > line.zorder for text in axes.texts)
    assert all(text.get_bbox_patch().get_boxstyle().pad > 0.2 for text in axes.texts)  # of the height of its letters


@pytest.mark.parametrize("name", ["", "total_memory", "state_memory", "device_memory", "activation_memory_per_token"])
def test_parts_add_up_to_the_cell(answer: Answer, name: str) -> None:
    total = sum_of(answer, name)
    assert close(sum(term.si for term in total.terms), total.si)
    assert close(answer.cells[total.cell.name].si, total.si)


def test_a_sum_in_a_product_is_laid_open(answer: Answer) -> None:
    assert [term.text for term in sum_of(answer).terms] == [
        "state_memory/n_fsdp",
        "activation_memory*replicated_activation_fraction",
        "activation_memory*sharded_activation_fraction/n_fsdp",
    ]


def test_the_unknown_comes_first_if_it_is_a_sum() -> None:
    answer = flopsheet.solve(Exchange(), "step_time", STEP)
    total = sum_of(answer)
    assert (total.cell.name, [(term.text, term.si) for term in total.terms]) == (
        "step_time",
        [("compute_time", 3), ("comm_time", 1)],
    )


def test_what_is_subtracted_is_negative() -> None:
    total = sum_of(flopsheet.solve(TOY, "hill", {"x": 3}))
    assert [(term.text, term.si) for term in total.terms] == [("4*x", 12), ("-x**2", -9)]
    assert total.si == 3


def test_what_is_no_sum_is_refused(answer: Answer) -> None:
    with pytest.raises(QuestionError, match=r"'params' is not a sum that has a value\. Choose device_memory"):
        sum_of(answer, "params")
    with pytest.raises(UnknownNameError, match="total_memory"):
        sum_of(answer, "total_memry")
    rates = {"traffic": "4 TB", "memory_bandwidth": "2 TB/s"}
    with pytest.raises(QuestionError, match="No cell on the way is a sum"):
        sum_of(flopsheet.solve(Roofline(), "step_time", {**STEP, **rates}))


def test_a_tornado_needs_one_cell_that_moves(answer: Answer) -> None:
    with pytest.raises(QuestionError, match="Name a cell"):
        tornado(flopsheet.solve("ffn_memory", (), WHERE))
    with pytest.raises(QuestionError, match="It has no derivative by any input"):
        tornado(answer, "replicated_activation_fraction")
    with pytest.raises(UnknownNameError):
        tornado(answer, "nothing")


def test_without_matplotlib_the_extra_is_named(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(FlopsheetError, match=rf"Install it:\n.*{re.escape(sys.executable)}.* matplotlib$"):
        tornado(answer)


@pytest.mark.parametrize("kind", ["tornado", "waterfall"])
def test_svg_stands_alone_and_is_the_same_every_time(answer: Answer, kind: str) -> None:
    pytest.importorskip("matplotlib")
    drawn = picture(answer, kind, "svg")
    assert drawn == picture(answer, kind, "svg")
    root = _tree(drawn)
    addresses = {value for element in root.iter() for name, value in element.attrib.items() if name.endswith("href")}
    assert all(address.startswith("#") for address in addresses)
    assert not {b"<script", b"<!DOCTYPE", b"<metadata"} & set(re.findall(rb"<[!\w]+", drawn))
    assert set(re.findall(rb"https?://[\w./]+", drawn)) <= {
        b"http://www.w3.org/2000/svg",
        b"http://www.w3.org/1999/xlink",
    }


@pytest.mark.parametrize("kind", ["tornado", "waterfall"])
def test_png_is_the_same_every_time_and_pyplot_is_not_touched(answer: Answer, kind: str) -> None:
    pytest.importorskip("matplotlib")
    drawn = picture(answer, kind, "png")
    assert drawn.startswith(b"\x89PNG")
    assert drawn == picture(answer, kind, "png")
    assert "matplotlib.pyplot" not in sys.modules


def test_settings_of_a_person_change_nothing_and_stay(answer: Answer) -> None:
    mpl = pytest.importorskip("matplotlib")
    before = waterfall(answer)
    with mpl.rc_context({"font.size": 30, "font.family": ["monospace"], "svg.hashsalt": "other"}):
        assert waterfall(answer) == before
        assert mpl.rcParams["font.size"] == 30


def test_no_text_is_read_as_a_formula_or_as_markup() -> None:
    pytest.importorskip("matplotlib")
    names = ["$\\frac{1}$", "<script>--></script>", "&amp;", "a_b^c"]
    bars = [Bar(name, 0.0, 1.0, "$1", "red") for name in names]
    root = _tree(charts._render("$\\undefined$", bars, "svg"))
    assert "script" not in {element.tag.rpartition("}")[2] for element in root.iter()}


@pytest.mark.parametrize(("kind", "shape"), [("graph", "png"), ("tornado", "mmd"), ("waterfall", "")])
def test_a_form_that_a_picture_has_not_is_refused(answer: Answer, kind: str, shape: str) -> None:
    with pytest.raises(QuestionError, match=f"name ends in .{KINDS[kind][0]} or .{KINDS[kind][1]}"):
        picture(answer, kind, shape)


def test_kinds_and_cells_that_are_not_there_are_refused(answer: Answer) -> None:
    with pytest.raises(UnknownNameError, match="tornado"):
        picture(answer, "tornadoes", "svg")
    with pytest.raises(QuestionError, match="whole answer"):
        picture(answer, "graph", "svg", "params")


def test_bars_and_curves_are_of_the_drivers_of_the_page(bars: list[Bar]) -> None:
    where = {"model": "llama-3-8b", "chip": "h100-sxm", "n_tp": 1, "seq_len": "1024 token", "context": "512 token"}
    where |= {"n_sequences": 8}
    answer = flopsheet.solve("decode", "token_time", where)
    named = [by for by, _ in drivers(answer, "token_time")]
    records = {name: answer.cells[name].record for name in answer.elasticities()}
    shape = {name for name, record in records.items() if record is not None and record.kind == "architecture"}
    assert shape
    tornado(answer)
    assert [bar.name for bar in bars] == named
    assert shape.isdisjoint(named)
    curve = against(answer, "")
    assert curve is None or curve.x.name in named
