"""Each scenario of a workbook follows changed inputs as the engine does, and charts read its cells."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.cases import but_slow
from tests.report.workbooks import by_soffice, places_by_formulas

import flopsheet
from flopsheet import Sheet, formula, given
from flopsheet.report import Extras
from flopsheet.report.workbook import columns, workbook

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flopsheet.answer.table import Table

pytest.importorskip("xlsxwriter")
openpyxl = pytest.importorskip("openpyxl")
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:formulas"),
]
STACK = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "seq_len = 1024"]
FITS, CHIP, BATCH = "device_memory <= chip.memory", "chip = tpu-v5p", "batch = 128"
SITES = ["model = llama-3.1-405b", "step_time = 26 s", "site_distance = 1000 km", "sync_method = every_step"]
CLOSE = 1e-9


@dataclass(frozen=True)
class Asked:
    """A table with one input that does not vary, at two values, and a varied value to change."""

    sheet: str
    unknown: str
    where: tuple[str, ...]
    vary: tuple[str, tuple[object, ...]]
    fixed: tuple[str, Any, str, str]  # row in Model, its new number, the relation before and after
    other: tuple[Any, object]  # the new number or name of the last column, and how a question states it

    def answers(self, *, changed: bool) -> Table:
        """Return the table of the engine, before or after both changes."""
        name, values = self.vary
        where = [text if not changed or text != self.fixed[2] else self.fixed[3] for text in self.where]
        values = (*values[:-1], self.other[1]) if changed else values
        return flopsheet.table(self.sheet, self.unknown, where, vary={name: values})

    def book(self, *, changed: bool) -> bytes:
        """Return the workbook without results, with both changes or none."""
        name, values = self.vary
        book = _read(_written(self.sheet, self.unknown, self.where, (self.vary,)))
        if changed:
            for row in book["Model"].iter_rows():
                if row[0].value == self.fixed[0]:
                    row[1].value = self.fixed[1]
            book["Scenarios"].cell(2, columns.FIRST + len(values)).value = self.other[0]
            assert book["Scenarios"]["A2"].value == name
        buffer = BytesIO()
        book.save(buffer)
        return buffer.getvalue()


ASKED = {
    "closed form": Asked(
        *("ffn_memory", "n_fsdp", (*STACK, CHIP, FITS), ("batch", (64, 128, 256))),
        *(("d_ff", 28672, "d_ff = 53248", "d_ff = 28672"), (1024, 1024)),
    ),
    "search": Asked(
        *("site_sync", "site_bandwidth", (*SITES, "sync_fraction <= 10 %"), ("n_sites", (3, 5))),
        *(("goal sync_fraction", 0.15, "sync_fraction <= 10 %", "sync_fraction <= 15 %"), (8, 8)),
    ),
    "names": Asked(
        *("ffn_memory", "n_fsdp", (*STACK, BATCH, FITS), ("chip", ("h100-sxm", "b200-sxm"))),
        *(("seq_len", 4096, "seq_len = 1024", "seq_len = 4096 token"), ("mi300x", "mi300x")),
    ),
}


@cache
def _written(
    sheet: str,
    unknown: str | tuple[str, ...],
    where: tuple[str, ...],
    vary: tuple[tuple[str, tuple[object, ...]], ...],
    show: str = "",
) -> bytes:
    table = flopsheet.table(sheet, unknown, where, vary=dict(vary), show=show or None)
    answer = flopsheet.solve(sheet, unknown, [*where, *(f"{name} = {values[0]}" for name, values in vary)])
    return workbook(answer, Extras(table=table))


def _read(data: bytes) -> Any:
    return openpyxl.load_workbook(BytesIO(data))


def _rows(data: bytes) -> dict[str, list[Any]]:
    return {str(row[0]): list(row[1:]) for row in _read(data)["Scenarios"].values if row[0] is not None}


def _ffn(vary: Mapping[str, Sequence[object]], where: Sequence[str] = (), show: str = "") -> bytes:
    lists = tuple((name, tuple(values)) for name, values in vary.items())
    return _written("ffn_memory", "n_fsdp", (*STACK, FITS, *where), lists, show)


def _far_off(values: Mapping[str, Sequence[Any]], table: Table) -> dict[tuple[str, int], tuple[Any, float]]:
    """Return the computed cells of each column that differ from those of the engine, with both."""
    differing = {}
    for at, row in enumerate(table.rows):
        assert row.answer is not None
        for name, value in row.answer.cells.items():
            shown = values[name][at]
            if not isinstance(shown, int | float) or abs(shown - value.value) > CLOSE * abs(value.value):
                differing[name, at] = (shown, value.value)
    return differing


def _by_formulas(data: bytes, folder: Path) -> dict[str, list[Any]]:
    pytest.importorskip("formulas")
    computed, values = places_by_formulas(data, folder), dict[str, list[Any]]()
    for row in _read(data)["Scenarios"].iter_rows():
        if row[0].value is not None:
            values[str(row[0].value)] = [computed.get(("SCENARIOS", cell.coordinate)) for cell in row[columns.FIRST :]]
    return values


@pytest.mark.slow
@pytest.mark.parametrize("name", but_slow(ASKED, "search"))
def test_each_scenario_follows_a_changed_input_and_a_changed_value(name: str, tmp_path: Path) -> None:
    asked = ASKED[name]
    before, after = asked.answers(changed=False), asked.answers(changed=True)
    values = _by_formulas(asked.book(changed=True), tmp_path)
    assert _far_off(values, after) == {}
    unknowns = {(asked.unknown, at) for at in range(len(after.rows))}
    assert unknowns <= _far_off(values, before).keys()
    assert values["relations and limits hold"] == [True] * len(after.rows)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_libreoffice_computes_each_scenario_as_the_engine_does(tmp_path: Path) -> None:
    for name, asked in ASKED.items():
        for changed in (False, True):
            (tmp_path / f"{name}{changed}.xlsx").write_bytes(asked.book(changed=changed))
    computed = by_soffice(sorted(tmp_path.glob("*.xlsx")), tmp_path)
    for name, asked in ASKED.items():
        for changed in (False, True):
            rows = computed[f"{name}{changed}.xlsx"]["Scenarios"]
            values = {str(row[0]): list(row[columns.FIRST :]) for row in rows}
            assert _far_off(values, asked.answers(changed=changed)) == {}, (name, changed)


def test_each_input_has_one_place() -> None:
    data = _ffn({"batch": [64, 128]}, [CHIP])
    rows, model = _rows(data), {row[0]: row for row in _read(data)["Model"].values}
    assert rows["batch"] == ["sequence", 64, 128]
    assert model["batch"][1] == "=Scenarios!C2"
    assert model["batch"][6] == "given, in the sheet Scenarios"
    assert rows["d_ff"] == [None, "=d_ff", "=d_ff"]
    assert rows["chip"] == [None, "=chip", "=chip"]
    assert rows["n_fsdp"][1] == "=n_fsdp"
    assert rows["total_memory"][2].count("D") == 2  # a formula over the cells of its own column


def test_varied_names_are_lists() -> None:
    sheet = _read(_ffn({"chip": ["h100-sxm", "b200-sxm"]}, [BATCH]))["Scenarios"]
    lists = {str(rule.sqref): rule.formula1 for rule in sheet.data_validations.dataValidation}
    assert set(lists) == {"C2", "D2"}
    assert all(source.startswith("chips!$A$2:") for source in lists.values())
    assert sheet["C2"].font.color.rgb == "FF0000FF"


def test_several_demands_are_inputs_of_one_row() -> None:
    vary = (("device_memory", ("60 GiB", "80 GiB")),)
    rows = _rows(_written("ffn_memory", (), (*STACK, CHIP, "n_fsdp = 64"), vary, "batch"))
    assert rows["goal device_memory"] == ["GiB", 60, 80]
    assert "(D2*D49-D43)*" in rows["batch"][2]
    assert rows["device_memory = goal device_memory"][2].count("D") > 1


def test_a_chart_over_one_cell_refers_to_cells() -> None:
    sheet = _read(_ffn({"batch": [64, 128, 256]}, [CHIP], "total_memory"))["Scenarios"]
    charts = sheet._charts  # openpyxl has no other way to them
    assert [chart.tagname for chart in charts] == ["scatterChart", "scatterChart"]
    for line, chart in zip((3, 4), charts, strict=True):
        (series,) = chart.series
        assert series.xVal.numRef.f == "Scenarios!$C$2:$E$2"
        assert series.yVal.numRef.f == f"Scenarios!$C${line}:$E${line}"
        assert series.tx.strRef.f == f"Scenarios!$A${line}"
        covered = range(chart.anchor._from.row + 1, chart.anchor.to.row + 2)
        assert all(cell.value is None for place in covered for cell in sheet[place])
    titles = ["".join(run.t for run in axis.title.tx.rich.p[0].r) for axis in (charts[1].x_axis, charts[1].y_axis)]
    assert titles == ["batch [sequence]", "total_memory [GiB]"]
    assert charts[0].x_axis.scaling.logBase is None


def test_an_axis_over_decades_is_logarithmic() -> None:
    sheet = _read(_ffn({"batch": [1, 100, 10000]}, [CHIP], "activation_memory"))["Scenarios"]
    memory = sheet._charts[1]
    assert memory.x_axis.scaling.logBase == 10
    assert memory.y_axis.scaling.logBase == 10


def test_columns_stand_over_labels_where_several_cells_vary() -> None:
    sheet = _read(_ffn({"batch": [64, 128], "chip": ["h100-sxm", "b200-sxm"]}))["Scenarios"]
    (chart,) = sheet._charts
    assert chart.tagname == "barChart"
    assert chart.series[0].cat.strRef.f == "Scenarios!$C$1:$F$1"
    assert sheet["D1"].value == '="batch = "&IF(ABS(D2)<1000000,D2,TEXT(D2,"0.0##E+0"))&" sequence"&", "&"chip = "&D3'


def test_a_row_without_an_answer_has_its_remark_and_follows() -> None:
    rows = _rows(_ffn({"replicated_activation_fraction": [0, "1/2"]}, [BATCH, CHIP]))
    assert "MAX(" in str(rows["n_fsdp"][2])
    assert rows["replicated_activation_fraction"][2] == 0.5
    assert "At the inputs of the question: " in rows["remark"][2]
    assert "1071 GiB remain" in rows["remark"][2]
    assert rows["d_ff"][2] == "=d_ff"
    refused = _rows(_ffn({"batch": [64, -1]}, [CHIP]))
    assert refused["scenario"][2] == "batch = -1"
    assert "batch" in refused["remark"][2]
    assert refused["batch"] == ["sequence", 64, None]
    first = _read(_ffn({"replicated_activation_fraction": ["1/2", 0]}, [BATCH, CHIP]))
    place = next(row for row in first["Scenarios"].values if row[0] == "d_ff")
    assert place[2:] == ("=d_ff", "=d_ff")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_libreoffice_finds_a_value_in_a_row_that_had_none(tmp_path: Path) -> None:
    book = _read(_ffn({"replicated_activation_fraction": [0, "1/2"]}, [BATCH, CHIP]))
    rows = {row[0].value: row for row in book["Scenarios"].iter_rows() if row[0].value}
    rows["replicated_activation_fraction"][3].value = 0.01
    book.save(tmp_path / "book.xlsx")
    computed = by_soffice([tmp_path / "book.xlsx"], tmp_path)["book.xlsx"]["Scenarios"]
    values = {row[0]: row[2:4] for row in computed if row[0]}
    changed = flopsheet.solve(
        "ffn_memory", "n_fsdp", [*STACK, BATCH, CHIP, FITS, "replicated_activation_fraction = 0.01"]
    )
    assert values["n_fsdp"] == (46, changed.value)
    assert values["relations and limits hold"] == (1, 1)


def test_a_broken_limit_is_told_and_follows() -> None:
    data = _written("ffn_memory", (), (*STACK, CHIP, "n_fsdp = 64"), (("batch", (64, 512)),), "device_memory")
    remark = _rows(data)["remark"]
    assert '"fits does not hold. "' in remark[2]
    shown = openpyxl.load_workbook(BytesIO(data), data_only=True)["Scenarios"]
    verdicts = next(row for row in shown.values if row[0] == "relations and limits hold")
    assert verdicts[2:] == (True, False)


def test_chosen_names_are_said_not_to_follow() -> None:
    table = flopsheet.table("ffn_memory", "chip", [*STACK, "n_fsdp = 64", FITS], vary={"batch": [64, 128]})
    answer = flopsheet.solve("ffn_memory", "chip", [*STACK, "n_fsdp = 64", FITS, "batch = 64"])
    rows = _rows(workbook(answer, Extras(table=table)))
    assert all("chip was chosen by flopsheet and is not chosen again here" in text for text in rows["remark"][1:])


def test_rows_beyond_those_that_are_live_are_told() -> None:
    book = _read(_ffn({"batch": range(1, 31)}, [CHIP]))
    texts = [cell for row in book["Scenarios"].values for cell in row[:1] if cell]
    assert any(text.startswith("Not live: rows 25 to 30 of 30") for text in texts)
    assert book["Scenarios"].max_column == columns.FIRST + columns.MOST_SCENARIOS
    assert [row[0] for row in book["Table"].values] == ["batch [sequence]", *range(25, 31)]


def test_scenarios_with_many_cells_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_CELLS", 70)
    table = flopsheet.table("ffn_memory", "n_fsdp", [*STACK, CHIP, FITS], vary={"batch": [1, 2, 3, 4]})
    answer = flopsheet.solve("ffn_memory", "n_fsdp", [*STACK, CHIP, FITS, "batch = 1"])
    book = _read(workbook(answer, Extras(table=table)))
    assert book["Scenarios"].max_column == columns.FIRST + 2
    assert book["Table"].max_row == 3


def test_the_same_table_gives_the_same_file() -> None:
    data = _ffn({"batch": [64, 128]}, [CHIP])
    _written.cache_clear()
    assert _ffn({"batch": [64, 128]}, [CHIP]) == data


class Rest(Sheet):
    """What is left of a head."""

    head = given("Head", integer=True, example=192)
    bearing = given("Part that bears the position", integer=True, example=64)
    rest = formula(head - bearing, "", "What is left")
    cost = formula(1000 - bearing, "", "Cost", signed=True)


def test_a_computed_cell_outside_its_bounds_is_told_of_its_column(tmp_path: Path) -> None:
    """A head that is smaller than the part of it in the last column leaves less than nothing there."""
    table = flopsheet.table(Rest, "cost", ["head = 192"], vary={"bearing": [64, 100]})
    first = table.rows[0].answer
    assert first is not None
    book = _read(workbook(first, Extras(table=table)))
    lines = {name: line for line, (name, *_) in enumerate(book["Scenarios"].values, 1)}
    for head, verdicts in ((150, (True, True)), (90, (True, False)), (50, (False, False))):
        next(row for row in book["Model"].iter_rows() if row[0].value == "head")[1].value = head
        buffer = BytesIO()
        book.save(buffer)
        computed = places_by_formulas(buffer.getvalue(), tmp_path)
        for column, is_within in zip("CD", verdicts, strict=True):
            remark, verdict = (f"{column}{lines[name]}" for name in ("remark", "relations and limits hold"))
            assert bool(computed["SCENARIOS", verdict]) is is_within
            assert ("outside its bounds" in str(computed["SCENARIOS", remark])) is not is_within
