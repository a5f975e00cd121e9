"""The curve of a workbook: what a page draws, by formulas over the sheet Model, with the answer as its own point."""

from __future__ import annotations

import shutil
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.workbooks import by_soffice, places_by_formulas, recomputable

from flopsheet import Answer, Sheet, ceil, floor, formula, given, limit, solve, sqrt, table
from flopsheet.report import Extras
from flopsheet.report.pictures.curves import curve_of
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.columns import BAND
from flopsheet.report.workbook.curves.drawn import AT_ANSWER, PLACES

if TYPE_CHECKING:
    from pathlib import Path

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl")

STACK = ("d_model = 16384", "d_ff = 53248", "n_blocks = 126", "seq_len = 1024", "chip = tpu-v5p")
FITS = "device_memory <= chip.memory"
FIRST = BAND + 3  # the line of the first place, below the chart and the heads


class Stages(Sheet):
    """Layers in stages of equal depth."""

    layers = given("Layers", integer=True, example=60)
    n_stages = given("Stages", integer=True, example=6)
    depth = formula(ceil(layers / n_stages), "", "Layers of a stage", integer=True)
    divides = limit(floor(layers / n_stages) >= layers / n_stages, "Stages are of equal depth")


class Root(Sheet):
    """A time that few chips do not have."""

    n_chips = given("Chips", example=5)
    least = given("Chips that do nothing", example=4)
    time = formula(sqrt(n_chips - least), "", "Time")


@cache
def fleet(batch: int = 128) -> Answer:
    """Return how many devices a stack needs."""
    return solve("ffn_memory", "n_fsdp", [*STACK, f"batch = {batch}", FITS])


def read(answer: Answer, extras: Extras | None = None, *, values: bool = False) -> Any:
    """Return a workbook, with the results in place of formulas if wanted."""
    return openpyxl.load_workbook(BytesIO(workbook(answer, extras)), data_only=values)


def rows(answer: Answer) -> list[tuple[Any, ...]]:
    """Return the results in the rows of a curve."""
    return [*read(answer, values=True)["Curve"].iter_rows(min_row=FIRST, values_only=True)]


def expected(heads: list[Any], numbers: list[Any], batch: int) -> list[Any]:
    """Return the memory of a device at each number of them, and that of the chip, as the engine has them [GiB]."""
    assert heads[:3] == ["n_fsdp", "device_memory [GiB]", "chip.memory [GiB]"]
    where = [*STACK, f"batch = {batch}"]
    found = table("ffn_memory", (), where, vary={"n_fsdp": numbers}, show=["device_memory", "chip.memory"])
    answers = [row.answer for row in found.rows if row.answer is not None]
    return [[float(own.cells[name].value) for name in ("device_memory", "chip.memory")] for own in answers]


def test_a_curve_is_what_a_page_draws_and_refers_to_cells() -> None:
    sheet = read(fleet())["Curve"]
    (chart,) = sheet._charts  # openpyxl has no other way to them
    assert chart.tagname == "scatterChart"
    last, at = FIRST + PLACES - 1, FIRST + AT_ANSWER
    places = [(series.xVal.numRef.f, series.yVal.numRef.f) for series in chart.series]
    assert places == [
        (f"Curve!$A${FIRST}:$A${last}", f"Curve!$B${FIRST}:$B${last}"),
        (f"Curve!$A${FIRST}:$A${last}", f"Curve!$C${FIRST}:$C${last}"),
        (f"Curve!$A${at}", f"Curve!$B${at}"),
    ]
    assert sheet.max_row == last
    assert all(str(cell.value).startswith("=") for line in sheet.iter_rows(min_row=FIRST) for cell in line)
    covered = range(chart.anchor._from.row + 1, chart.anchor.to.row + 2)
    assert all(cell.value is None for place in covered for cell in sheet[place])


def test_its_numbers_are_those_of_the_engine() -> None:
    lines = rows(fleet())
    heads = [cell.value for cell in read(fleet())["Curve"][FIRST - 1]]
    assert [list(line[1:3]) for line in lines] == [
        pytest.approx(own, rel=1e-12) for own in expected(heads, [line[0] for line in lines], 128)
    ]
    assert lines[AT_ANSWER][0] == 46
    assert (lines[0][0], lines[-1][0]) == (15, 138)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_it_follows_a_changed_input(tmp_path: Path) -> None:
    data, _ = recomputable(fleet(), {"batch": 256})
    (tmp_path / "book.xlsx").write_bytes(data)
    found = by_soffice([tmp_path / "book.xlsx"], tmp_path)["book.xlsx"]["Curve"]
    lines = found[FIRST - 1 :]
    after = fleet(256)
    assert lines[AT_ANSWER][0] == after.outcomes["n_fsdp"].whole != 46
    wanted = expected([*found[FIRST - 2]], [line[0] for line in lines], 256)
    assert [list(line[1:3]) for line in lines] == [pytest.approx(own, rel=1e-12) for own in wanted]


def test_what_a_number_is_compared_with_follows_its_goal() -> None:
    answer = solve("run_cost", "n_chips", ["chip_price=2 USD/hour/chip", "train_cost <= 1e6 USD", "train_time=30 day"])
    sheet = read(answer)["Curve"]
    assert [cell.value for cell in sheet[FIRST - 1]][:3] == [
        "n_chips [chip]",
        "train_cost [USD]",
        "goal train_cost [USD]",
    ]
    assert sheet.cell(FIRST, 3).value == "=goal_train_cost"


def test_an_answer_is_drawn_against_its_main_driver() -> None:
    answer = solve("run_cost", (), ["chip_price=2 USD/hour/chip", "n_chips=1000 chip", "train_time=30 day"])
    drawn, lines = curve_of(answer), rows(answer)
    assert drawn is not None
    assert drawn.x.name == "train_time"
    assert [line[:2] for line in lines] == [
        (pytest.approx(30 * (3 + at) / 9), pytest.approx(48000 * line[0])) for at, line in enumerate(lines)
    ]


def test_a_line_has_gaps_where_a_limit_beside_it_does_not_hold() -> None:
    lines = rows(solve(Stages, "n_stages", ["layers = 60", "depth <= 10"]))
    assert lines[AT_ANSWER][:2] == (6, 10)
    assert all((line[1] == "#N/A") == (60 % line[0] > 0) for line in lines)
    assert {"#N/A"} < {line[1] for line in lines}


def test_a_place_without_a_value_is_a_gap_to_programs(tmp_path: Path) -> None:
    """Excel draws #N/A as a gap, and another error, such as that of a root of a negative number, as zero."""
    pytest.importorskip("formulas")
    answer = solve(Root, "n_chips", ["least = 4", "time >= 1"])
    computed = places_by_formulas(recomputable(answer)[0], tmp_path)
    shown = [str(computed["CURVE", f"B{FIRST + at}"]) for at in range(PLACES)]
    numbers = [5 * (3 + at) / 9 for at in range(PLACES)]
    assert [text == "#N/A" for text in shown] == [number < 4 for number in numbers]
    assert [float(text) for text in shown if text != "#N/A"] == pytest.approx(
        [(number - 4) ** 0.5 for number in numbers if number >= 4]
    )


def test_tables_and_names_have_charts_of_scenarios_in_its_place() -> None:
    answers = table("ffn_memory", "n_fsdp", [*STACK, FITS], vary={"batch": [64, 128]})
    assert "Curve" not in read(fleet(), Extras(table=answers)).sheetnames
    named = solve("ffn_memory", ("chip", "n_fsdp"), [*STACK[:4], "batch = 128", FITS, "chip.vendor = Meta"])
    assert "Curve" not in read(named).sheetnames
