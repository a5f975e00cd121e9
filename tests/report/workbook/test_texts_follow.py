"""Texts of a workbook after a change: they say what the cells hold, or that they are of the inputs as asked."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.workbook.test_trials import Grids
from tests.report.workbooks import by_soffice, recomputable

import flopsheet
from flopsheet import Sheet, choice, formula, given, indicator, limit, max_, select
from flopsheet.numbers.sets import Interval
from flopsheet.report import Extras
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.conclusion import HOLDS, NO_VALUE, NOTHING, UNVALUED
from flopsheet.report.workbook.live_texts import AS_ASKED, shown_number
from flopsheet.report.workbook.lost import FRACTION, LOST
from flopsheet.report.workbook.writer import COUNTS
from flopsheet.units import unit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from flopsheet import Answer

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl")


class Fleet(Sheet):
    """Chips that share work."""

    work = given("Work", "chip*hour", example=110)
    n_chips = given("Chips", "chip", integer=True, example=11)
    duty = given("Hours of use", "hour", example=3)
    time = formula(work / n_chips, "hour", "Time")
    use = formula(duty * n_chips, "chip*hour", "Use")
    lost = given("Time lost per chip", "hour/chip", default=0.1, source="a test")
    longest = formula(max_(work / n_chips, lost * n_chips), "hour", "Time to work or to wait")


class Tray(Sheet):
    """Things on a tray, with bounds that other inputs bring."""

    way = choice("rigid", "growing", doc="What a tray takes", default="rigid")
    size = given("Things", integer=True, minimum=0, example=5)
    room = given("Room", example=20)
    start = given("Length from which room counts", default=1)
    seen = formula(max_(size, 1), "", "Things that are seen")
    taken = formula(select(way, rigid=room, growing=3 * size), "", "Room that is taken")
    most = formula(8 + size * indicator(size + room > start), "", "Most things")
    enough = limit(size <= most, "There is room")


FFN = ("d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p")
HALF = f"{FRACTION}27.50 chips, between 27 and 28"  # 110 / 4
FITS = "device_memory <= chip.memory"


@dataclass(frozen=True)
class Case:
    """A question, inputs to change, and the texts of the sheet Answer before and after."""

    unknown: str
    where: tuple[str, ...]
    before: tuple[str, str]  # headline and verdict
    after: tuple[str, str]
    changes: Mapping[str, Any] = field(default_factory=dict)
    sheet: type[Sheet] | str = ""

    def answer(self) -> Answer:
        """Return the answer of the engine."""
        return flopsheet.solve(self.sheet or Fleet(), self.unknown or (), [*self.where])


SHIFT = ("duty = 3 hour", "use <= 6 chip*hour")
DAY = ("work = 8 chip*hour", "time <= 4 hour")
BOTH = ("work = 110 chip*hour", "time <= 10 hour", "n_chips <= 128")
TRAY = ("room = 20", "seen >= 5")
USED = ("n_chips = 4", "use >= 12 chip*hour", "duty < 8 hour")
CASES = {
    "no unknown": Case(
        *("", ("params = 70B", "dataset_tokens = 15T", "chip_rate = 400 TFLOP/s", "n_chips = 1000")),
        ("Time of the run (train_time): 182.3 days", HOLDS),
        ("Time of the run (train_time): 91.15 days", HOLDS),
        {"n_chips": 2000},
        "training_run",
    ),
    "every one": Case(
        *("n_chips", DAY, ("Chips (n_chips): at least 2 chips", HOLDS), ("Chips (n_chips): any value works", HOLDS)),
        {"goal time": 8},
    ),
    "singular": Case(
        *("n_chips", SHIFT, ("Chips (n_chips): at most 2 chips", HOLDS), ("Chips (n_chips): at most 1 chip", HOLDS)),
        {"goal use": 3},
    ),
    "both ends": Case(
        *("n_chips", BOTH, ("Chips (n_chips): 11 to 128 chips", HOLDS), ("Chips (n_chips): 20 to 64 chips", HOLDS)),
        {"work": 200, "goal n_chips": 64},
    ),
    "ends that meet": Case(
        *("n_chips", BOTH, ("Chips (n_chips): 11 to 128 chips", HOLDS), ("Chips (n_chips): 1 chip", HOLDS)),
        {"work": 10, "goal n_chips": 1},
    ),
    "both ends by searches": Case(
        *("n_chips", ("work = 110 chip*hour", "longest <= 10 hour"), ("Chips (n_chips): 11 to 100 chips", HOLDS)),
        ("Chips (n_chips): 8 to 140 chips", HOLDS),
        {"goal longest": 14},
    ),
    "unsolvable": Case(
        *("n_chips", BOTH, ("Chips (n_chips): 11 to 128 chips", HOLDS), (f"Chips (n_chips): {LOST}", NO_VALUE)),
        {"work": 2000},
    ),
    "an open end": Case(
        *("duty", USED, ("Hours of use (duty): at least 3 and less than 8 hours", HOLDS)),
        ("Hours of use (duty): at least 1.750 and less than 6.500 hours", HOLDS),
        {"goal use": 7, "goal duty": 6.5},
    ),
    "digits": Case(
        *("time", ("work = 12 chip*hour", "n_chips = 1"), ("Time (time): 12 hours", HOLDS)),
        ("Time (time): 12.70 hours", HOLDS),
        {"work": 12.7},
    ),
    "solvable again": Case(
        *("n_chips", (*BOTH[:2], "n_chips <= 5"), (f"Chips (n_chips): {LOST}", NO_VALUE)),
        ("Chips (n_chips): 2 chips, the smallest that works", HOLDS),
        {"work": 20},
    ),
    "never met": Case(
        *("n_fsdp", (*FFN, "replicated_activation_fraction = 1/2", FITS)),
        (f"Devices over which the training state is sharded (n_fsdp): {LOST}", NO_VALUE),
        ("Devices over which the training state is sharded (n_fsdp): 120, the smallest that works", HOLDS),
        *({"batch": 8}, "ffn_memory"),
    ),
    "no whole number": Case(
        *("n_chips", ("work = 110 chip*hour", "time = 4 hour"), (f"Chips (n_chips): {HALF}", NO_VALUE)),
        ("Chips (n_chips): 22 chips", HOLDS),
        {"goal time": 5},
    ),
    "a bound from the other side": Case(
        *("size", (*TRAY, "taken <= 24"), ("Things (size): 5, the smallest that works", HOLDS)),
        ("Things (size): 5, the smallest that works", HOLDS),
        {"way": "growing"},
        Tray,
    ),
    "an end that another relation sets": Case(
        *("size", (*TRAY, "seen <= 30"), ("Things (size): 5, one of the values that work", HOLDS)),
        ("Things (size): 5, one of the values that work", HOLDS),
        {"start": 1000},
        Tray,
    ),
    "no single value": Case(
        *("duty", ("n_chips = 4", "use < 12 chip*hour")),
        (f"{AS_ASKED}Hours of use (duty): less than 3 hours.", UNVALUED),
        (f"{AS_ASKED}Hours of use (duty): less than 3 hours.", UNVALUED),
        {"n_chips": 2},
    ),
}


def _shown(rows: list[tuple[Any, ...]]) -> tuple[Any, Any]:
    """Return headline and verdict of the sheet Answer."""
    return tuple(next(row[1] for row in rows if row[0] == name) for name in ("Answer", "Verdict"))


def _written(answer: Answer, extras: Extras | None = None) -> Any:
    return openpyxl.load_workbook(BytesIO(workbook(answer, extras)), data_only=True)


@pytest.mark.parametrize("name", CASES)
def test_a_workbook_begins_with_what_the_engine_says(name: str) -> None:
    case = CASES[name]
    assert _shown(list(_written(case.answer())["Answer"].values)) == case.before


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_libreoffice_says_what_the_cells_hold_after_a_change(tmp_path: Path) -> None:
    for name, case in CASES.items():
        for label, changes in (("before", {}), ("after", case.changes)):
            (tmp_path / f"{name} {label}.xlsx").write_bytes(recomputable(case.answer(), changes)[0])
    computed = by_soffice(sorted(tmp_path.glob("*.xlsx")), tmp_path)
    for name, case in CASES.items():
        assert _shown(computed[f"{name} before.xlsx"]["Answer"]) == case.before, name
        assert _shown(computed[f"{name} after.xlsx"]["Answer"]) == case.after, name


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_texts_on_a_record_are_of_the_one_that_is_picked(tmp_path: Path) -> None:
    answer = flopsheet.solve("ffn_memory", "n_fsdp", [*FFN, FITS])
    for name, chip in (("before", "tpu-v5p"), ("after", "h100-sxm")):
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(answer, {"chip": chip})[0])
    computed = by_soffice(sorted(tmp_path.glob("*.xlsx")), tmp_path)
    rows = {name: {row[0]: row for row in computed[f"{name}.xlsx"]["Model"]} for name in ("before", "after")}
    assert "TPU v5p" in rows["before"]["chip"][4]
    assert "H100" in rows["after"]["chip"][4]
    assert "google.yaml" in rows["before"]["chip.memory"][6]
    assert rows["after"]["chip.memory"][5:] == (None, "from the record picked as chip")


@pytest.mark.parametrize(("asked", "change"), [("taken <= 24", "way = growing"), ("seen <= 30", "start = 1000")])
def test_other_inputs_end_a_range_elsewhere(asked: str, change: str) -> None:
    """The engine's answers to these questions, which no text on one range would fit."""
    ends = [
        flopsheet.solve(Tray, "size", [*TRAY, asked, *more]).outcomes["size"].solutions[0].upper
        for more in ((), (change,))
    ]
    assert ends[0] in (30, math.inf)
    assert ends[1] == 8


def test_what_was_not_searched_to_its_end_claims_no_range() -> None:
    """A page says 'and perhaps others' of it, where a workbook said 'at least 2 chips'."""
    answer = CASES["singular"].answer()
    outcome = answer.outcomes["n_chips"]
    answer.outcomes["n_chips"] = replace(outcome, open=(Interval(1, 2, upper_closed=False),))
    texts = [str(row[1]) for row in _written(answer)["Answer"].values if row[0] == "Answer"]
    assert texts == ["Chips (n_chips): 2 chips, one of the values that work"]


def test_relations_name_the_demand_and_not_its_number() -> None:
    book = _written(CASES["both ends"].answer())
    texts = [str(row[1]) for row in book["Answer"].values]
    assert {"time <= goal time", "n_chips <= goal n_chips"} <= {*texts}
    assert not any("10 hour" in str(cell) for row in book["Search"].values for cell in row)


def test_several_values_are_listed_as_asked() -> None:
    answer = flopsheet.solve("ffn_memory", "batch", ["seq_len = 1024", "mod(12, batch) = 0", "batch <= 4"])
    rows = list(
        _written(answer, Extras(every=True, before=("It costs 3 USD.",), after=("So 4 USD.",)))["Answer"].values
    )
    texts = [str(row[1]) for row in rows]
    assert any(text.endswith("4 sequences, the largest that works") for text in texts)
    assert any(text.startswith(f"{AS_ASKED}Sequences") and "1, 2, 3, 4 sequences" in text for text in texts)
    assert "The sheet Values has the values at the inputs of the question." in texts
    assert (AS_ASKED.removesuffix(": "), "It costs 3 USD.") in [row[:2] for row in rows]
    assert f"{AS_ASKED}remarks" in [row[0] for row in rows]


def test_a_table_marks_remarks_that_stay() -> None:
    table = flopsheet.table("ffn_memory", "n_fsdp", [*FFN, FITS], vary={"replicated_activation_fraction": [0, "1/2"]})
    answer = flopsheet.solve("ffn_memory", "n_fsdp", [*FFN, FITS, "replicated_activation_fraction = 0"])
    rows = {row[0]: row for row in _written(answer, Extras(table=table))["Scenarios"].values}
    assert str(rows["remark"][3]).startswith(AS_ASKED)


def test_no_name_that_works_is_no_success() -> None:
    answer = flopsheet.solve("ffn_memory", "chip", [*FFN[:-1], "n_fsdp = 2", FITS])
    assert {row[0]: row[1] for row in _written(answer)["Answer"].values}["Verdict"] == NOTHING


@pytest.mark.parametrize(
    ("number", "of", "text"),
    [
        (1, "", "1"),
        (1234567, "", "1,234,567"),
        (45.76, "", "45.76"),
        (1071.25, "", "1,071.3"),
        (0.0163, "", "0.01630"),
        (1e-5, "", "1.000E-05"),
        (131072, "token", "131,072"),
        (70553706496, "param", "70.55B"),
        (15 * 10**12, "token", "15T"),
        (4e6, "token", "4M"),
        (2e15, "token", "2.000E+15"),
        (70553706496, "FLOP", "70,553,706,496"),
    ],
)
def test_numbers_of_texts_have_four_digits(number: float, of: str, text: str) -> None:
    assert shown_number(number, unit(of)) == text


def _rules(sheet: Any) -> dict[str, list[str]]:
    """Return the formulas by which cells are shown otherwise, by range."""
    return {str(cells.sqref): [rule.formula[0] for rule in cells.rules] for cells in sheet.conditional_formatting}


def test_counts_of_records_have_one_set_of_rules_in_each_column() -> None:
    where = ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_sequences = 32", "seq_len = 8192"]
    book = openpyxl.load_workbook(BytesIO(workbook(flopsheet.solve("decode", "token_time", where))))
    sheet = book["architectures"]
    counted = [cell.column_letter for cell in sheet[1] if str(cell.value).endswith(("[param]", "[token]"))]
    rules = _rules(sheet)
    assert counted
    assert sorted(rules) == sorted(f"{letters}2:{letters}{sheet.max_row}" for letters in counted)
    for cells, own in rules.items():
        assert len(own) == len(COUNTS)
        assert all(f"ISNUMBER({cells.partition(':')[0]})" in text for text in own)  # programs move it to each cell
    length = next(row for row in book["Model"].iter_rows() if row[0].value == "seq_len")
    assert length[1].coordinate in _rules(book["Model"])


def test_counts_of_scenarios_have_one_set_of_rules_in_each_row() -> None:
    sheet = _written(flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], [*FFN[:-1], FITS]))["Scenarios"]
    counted = [row for row in sheet.iter_rows() if row[1].value in ("param", "token")]
    assert counted
    wide = {f"C{row[0].row}:{row[-1].column_letter}{row[0].row}" for row in counted}
    assert wide <= {*_rules(sheet)}


def test_what_rests_on_a_cell_that_stays_is_as_asked() -> None:
    answer = flopsheet.solve(Grids, ["rows", "columns"], ["devices = 24", "rows <= 6"], best="min:edge")
    texts = [str(row[1]) for row in _written(answer)["Answer"].values if row[0] == "Answer"]
    assert len(texts) == 2
    assert all(text.startswith(AS_ASKED) for text in texts)


def test_options_that_nobody_chose_stand_behind_the_answer() -> None:
    where = ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_sequences = 32", "seq_len = 8192"]
    answer = flopsheet.solve("decode", "token_time", [*where, "precision = fp16"])
    rows = [row[0] for row in openpyxl.load_workbook(BytesIO(workbook(answer)))["Answer"].values]
    assert rows.index("precision") < rows.index("unknown") < rows.index("Options by default") < rows.index("overlap")
    assert len(rows) - rows[::-1].index("overlap") - 1 == rows.index("overlap")
