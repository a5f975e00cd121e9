"""Three counts solved for together, and ranked ones: a workbook lists tuples of them, and takes the best that works."""

from __future__ import annotations

import shutil
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.workbooks import by_formulas, by_soffice, recomputable

from flopsheet import Sheet, formula, given, limit, solve, table
from flopsheet.report import Extras
from flopsheet.report.workbook import tuples, workbook
from flopsheet.report.workbook.live import Live
from flopsheet.report.workbook.tuples import MOST_CELLS, MOST_TUPLES, listed

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer
    from flopsheet.answer.table import Table

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:formulas"),
]
LLAMA = ["model = llama-3-70b", "seq_len = 8192", "micro_batch = 1"]
# What changes in the workbook, and what the question then says.
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "count": ({"goal n_chips": 384}, {"n_chips": 384}),
    "batch": ({"goal n_chips": 640, "batch": 640}, {"n_chips": 640, "batch": 640}),
    "chip": ({"chip": "h200-sxm"}, {"chip": "h200-sxm"}),
}


class Boxes(Sheet):
    """Blocks in a box."""

    rows = given("Rows", example=4, integer=True, minimum=1)
    columns = given("Columns", example=6, integer=True, minimum=1)
    layers = given("Layers", example=2, integer=True, minimum=1)
    highest = given("Most layers", default=6)
    blocks = formula(rows * columns * layers, doc="Blocks")
    surface = formula(2 * (rows * columns + columns * layers + rows * layers), doc="Faces outside")
    low = limit(layers <= highest, "It does not fall over")


class Switches(Sheet):
    """Parts of a machine that may be absent."""

    fans = given("Fans", example=1, integer=True, minimum=0, maximum=4)
    pumps = given("Pumps", example=1, integer=True, minimum=0, maximum=3)
    fan_power = given("Power of a fan", "W", default=20)
    pump_power = given("Power of a pump", "W", default=50)
    power = formula(fans * fan_power + pumps * pump_power, "W", "Power")
    cooling = formula(3 * fans + 7 * pumps, "", "Cooling")


def _box(blocks: int, best: str | None = "min:surface", *, highest: int = 6) -> Answer:
    where = [f"blocks = {blocks}", "rows >= 2", f"highest = {highest}"]
    return solve(Boxes, ["rows", "columns", "layers"], where, best=best)


@pytest.mark.parametrize(
    ("best", "most"),
    [
        ("min:surface", 48),
        *(pytest.param(best, MOST_TUPLES, marks=pytest.mark.slow) for best in ("min:surface", "max:surface", None)),
    ],
)
def test_three_counts_follow_changed_inputs(
    best: str | None, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    monkeypatch.setattr(tuples, "MOST_TUPLES", most)
    before, again = _box(48, best), _box(60, best, highest=3)
    values = by_formulas(before, tmp_path, {"goal blocks": 60, "highest": 3})
    assert before.execution.values["rows"] != again.execution.values["rows"]
    for name in (*again.outcomes, "surface"):
        assert values[name] == pytest.approx(float(again.execution.values[name]), rel=1e-9), name


@pytest.mark.slow
def test_two_ranked_counts_follow_changed_inputs(tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    before, again = (
        solve(Boxes, ["rows", "columns"], [f"blocks = {blocks}", "layers = 2"], best="min:surface")
        for blocks in (48, 72)
    )
    values = by_formulas(before, tmp_path, {"goal blocks": 72})
    assert {name: values[name] for name in again.outcomes} == {
        name: float(again.execution.values[name]) for name in again.outcomes
    }


@pytest.mark.parametrize("best", [None, pytest.param("max:cooling", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("change", "asked"), [("fan_power", 30), ("goal power", 60), ("goal cooling", 20)])
def test_counts_that_inequalities_leave_follow_changed_inputs(
    best: str | None, change: str, asked: int, tmp_path: Path
) -> None:
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    numbers = {"fan_power": 20, "goal power": 130, "goal cooling": 5}
    before, again = _switches(numbers, best), _switches({**numbers, change: asked}, best)
    assert len(before.tuples) > 1
    values = by_formulas(before, tmp_path, {change: asked})
    for name in ("fans", "pumps"):
        wanted = again.outcomes[name].si
        assert (values[name] == wanted) if wanted is not None else (str(values[name]) == "#N/A"), name


def _switches(numbers: dict[str, int], best: str | None) -> Answer:
    asked = [f"power <= {numbers['goal power']} W", f"cooling >= {numbers['goal cooling']}"]
    return solve(Switches, ["fans", "pumps"], [*asked, f"fan_power = {numbers['fan_power']} W"], best=best)


def test_a_workbook_says_how_many_tuples_it_lists() -> None:
    answer = _box(48)
    own = listed(Live(answer))
    assert own is not None
    assert len(own.rows) == MOST_TUPLES
    assert own.best == answer.question.best
    texts = [str(cell) for row in _book(answer)["Answer"].values for cell in row if cell is not None]
    working = sum(row.holds for row in own.rows)
    expected = f"of {MOST_TUPLES} tuples in the sheet Tuples, of which {working} work with these inputs"
    assert any(expected in text and "others are not tried" in text for text in texts)
    assert not any("does not follow the inputs" in text for text in texts)


def _book(answer: Answer) -> Any:
    pytest.importorskip("xlsxwriter")
    return pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answer)), data_only=True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
@pytest.mark.parametrize("best", ["min:step_time", None], ids=["ranked", "unranked"])
def test_layouts_of_three_degrees_follow_changed_inputs(best: str | None, tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl"):
        pytest.importorskip(module)
    before = _layout(best)
    own = listed(Live(before))
    assert own is not None
    assert len(own.rows) * (len(own.columns) + 2 * len(own.relations)) <= MOST_CELLS
    for name, (changes, _) in CHANGES.items():
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(before, changes)[0])
    computed = by_soffice([tmp_path / f"{name}.xlsx" for name in CHANGES], tmp_path)
    for name, (_, asked) in CHANGES.items():
        numbers = _layout(best, **asked).execution.values
        values = {str(row[0]): row[1] for row in computed[f"{name}.xlsx"]["Model"]}
        for cell in ("n_tp", "n_pp", "n_dp", "step_time"):
            assert values[cell] == pytest.approx(float(numbers[cell]), rel=1e-9), (name, cell)


def _layout(best: str | None, **asked: Any) -> Answer:
    given_here = {"n_chips": 512, "batch": 512, "chip": "h100-sxm", **asked}
    where = [*LLAMA, *(f"{name} = {value}" for name, value in given_here.items()), "device_memory <= chip.memory"]
    return solve("training_step", ["n_tp", "n_pp", "n_dp"], where, best=best, budget="20 s")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_tuples_follow_in_each_scenario(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    openpyxl, unknowns = pytest.importorskip("openpyxl"), ["rows", "columns", "layers"]

    def boxes(blocks: int, last: int) -> Table:
        return table(
            Boxes, unknowns, [f"blocks = {blocks}", "rows >= 2"], vary={"highest": (1, 2, last)}, best="min:surface"
        )

    before, after = boxes(48, 6), boxes(60, 3)
    book = openpyxl.load_workbook(BytesIO(workbook(_box(48, highest=1), Extras(table=before))))
    assert book.sheetnames[-3:] == ["Tuples", "Tuples_2", "Tuples_3"]
    next(row for row in book["Model"].iter_rows() if row[0].value == "goal blocks")[1].value = 60
    next(row for row in book["Scenarios"].iter_rows() if row[0].value == "highest")[4].value = 3
    book.save(tmp_path / "boxes.xlsx")
    computed = by_soffice([tmp_path / "boxes.xlsx"], tmp_path)["boxes.xlsx"]["Scenarios"]
    for name in unknowns:
        shown = next(row for row in computed if row[0] == name)[2:5]
        assert [*shown] == [row.answer.cells[name].si for row in after.rows if row.answer is not None]
        assert [*shown] != [row.answer.cells[name].si for row in before.rows if row.answer is not None]


def test_lists_of_scenarios_share_the_cells_of_one() -> None:
    own = Live(_box(48))
    every, third = listed(own), listed(own, MOST_CELLS // 300)
    assert every is not None
    assert third is not None
    assert len(third.rows) * (len(third.columns) + 2 * len(third.relations)) <= MOST_CELLS // 300
    assert len(third.rows) < len(every.rows)
    assert third.rows[third.chosen].counts == every.rows[every.chosen].counts
