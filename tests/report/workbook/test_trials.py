"""Several counts that work, and cells that follow them: in a workbook they are tried again when an input changes."""

from __future__ import annotations

import shutil
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.asked import answered
from tests.cases import but_slow
from tests.report.workbooks import by_formulas, by_soffice, recomputable

from flopsheet import Sheet, formula, given, read_question, solve
from flopsheet.registry.packs import packs
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.live import Live
from flopsheet.report.workbook.solved.way import RANKED
from flopsheet.report.workbook.solved.ways import way_of

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:formulas"),
]
STAGES = packs()[0].folder / "models" / "questions" / "layout-deepseek-v3-2048-h800.yaml"
LLAMA = ["model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192", "micro_batch = 1", "n_tp = 8", "batch = 512"]


class Grids(Sheet):
    """Devices in a grid."""

    rows = given("Rows", example=4, integer=True, minimum=1)
    columns = given("Columns", example=6, integer=True, minimum=1)
    devices = formula(rows * columns, doc="Devices")
    edge = formula(rows + columns, doc="Rows and columns")


def _grids(devices: int, near: int | None = None) -> Answer:
    at = {} if near is None else {"rows": near}
    return solve(Grids, ["rows", "columns"], [f"devices = {devices}", "rows <= 6"], near=at)


@pytest.mark.slow
@pytest.mark.parametrize("devices", but_slow([36, 20, 7], 20, 36))
def test_tuples_follow_a_changed_input(devices: int, tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    again, values = _grids(devices), by_formulas(_grids(24), tmp_path, {"goal devices": devices})
    assert {name: values[name] for name in again.outcomes} == {
        name: float(again.execution.values[name]) for name in again.outcomes
    }


def test_a_tuple_that_is_neither_first_nor_last_stays_and_says_so() -> None:
    answer = _grids(24, near=3)
    assert answer.execution.values["rows"] == 3
    live = Live(answer)
    assert [way_of(live, name).why for name in live.solved] == [RANKED]
    largest = Live(_grids(36, near=6))  # 6 by 6, the largest number of rows that works
    assert [way_of(largest, name).why for name in largest.solved] == [""]
    texts = [str(cell) for row in _book(answer)["Answer"].values for cell in row if cell is not None]
    assert any(f"does not follow the inputs: {RANKED}" in text for text in texts)


def _book(answer: Answer) -> Any:
    pytest.importorskip("xlsxwriter")
    return pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answer)))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_layouts_follow_a_changed_input(tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl"):
        pytest.importorskip(module)
    before = {"tuples": _layout(512), "stages": answered(STAGES)}
    (tmp_path / "stages.yaml").write_text(STAGES.read_text().replace("n_chips = 2048", "n_chips = 1536"))
    after = {"tuples": _layout(256), "stages": read_question(tmp_path / "stages.yaml").answer()}
    for name, count in {"tuples": 256, "stages": 1536}.items():
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(before[name], {"goal n_chips": count})[0])
    computed = by_soffice([tmp_path / f"{name}.xlsx" for name in after], tmp_path)
    for name, answer in after.items():
        values = {str(row[0]): row[1] for row in computed[f"{name}.xlsx"]["Model"]}
        numbers, earlier = answer.execution.values, before[name].execution.values
        assert numbers["n_dp"] != earlier["n_dp"]
        for cell in ("n_pp", "n_dp", "n_chips"):
            assert values[cell] == pytest.approx(float(numbers[cell]), rel=1e-9), (name, cell)


def _layout(count: int) -> Answer:
    where = [*LLAMA, f"n_chips = {count}", "device_memory <= chip.memory"]
    return solve("training_step", ["n_pp", "n_dp"], where, budget="20 s")
