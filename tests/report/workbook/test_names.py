"""Names that were asked for in a workbook: each is a live column, and the best of them follows the inputs."""

from __future__ import annotations

import shutil
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.workbooks import by_soffice, places_by_formulas, recomputable

from flopsheet import Sheet, choice, formula, given, select, solve
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.columns import MOST_SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl")
STACK = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "seq_len = 4096"]
RUN = ["model = llama-3-8b", "tokens = 4M", "n_chips = 512"]
SERVED = ["chip = h100-sxm", "n_tp = 1", "seq_len = 8192"]
CHIPS = "chip.vendor = NVIDIA"
# A sheet, what is asked, what is given, by what names are ranked; then an input before and after, and its row.
CASES: dict[str, tuple[str, list[str], list[str], str | None, str, str, str]] = {
    "by room": ("ffn_memory", ["chip"], [*STACK, "n_fsdp = 16", CHIPS], None, "batch = 8", "batch = 64", "batch"),
    "by count": ("ffn_memory", ["chip", "n_fsdp"], [*STACK, CHIPS, "device_memory <= chip.memory"], None,
                 "batch = 64", "batch = 96", "batch"),
    "by cost": ("training_run", ["chip"], [*RUN, CHIPS], "min:train_cost",
                "dataset_tokens = 1T", "dataset_tokens = 3T", "goal dataset_tokens"),
    "by size": ("inference_memory", ["model"], SERVED, "max:params", "n_sequences = 1", "n_sequences = 64",
                "n_sequences"),
}  # fmt: skip


class Picked(Sheet):
    """A space in one of two ways."""

    mode = choice("low", "high", doc="How it is built")
    rooms = given("Rooms", example=9)
    low = given("Space of a room that is low", example=2)
    high = given("Space of a room that is high", example=9)
    space = formula(rooms * select(mode, low=low, high=high), "", "Space")


NUMBERS = {"batch = 64": 64, "batch = 96": 96, "dataset_tokens = 3T": 3e12, "n_sequences = 64": 64}


def _answer(name: str, *, changed: bool = False) -> Answer:
    sheet, unknowns, where, best, before, after, _ = CASES[name]
    return solve(sheet, unknowns, [*where, after if changed else before], best=best, budget="30 s")


def _book(answer: Answer) -> Any:
    pytest.importorskip("xlsxwriter")
    return pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answer)))


def test_names_beside_each_other_are_live_and_nothing_is_said_to_stay() -> None:
    answer = _answer("by room")
    assert answer.ranking is not None
    book = _book(answer)
    head = [cell for cell in next(book["Scenarios"].iter_rows(values_only=True)) if cell is not None]
    assert len(head) - 2 == min(MOST_SCENARIOS, len(answer.ranking.working) + len(answer.ranking.rejected))
    texts = [str(cell) for row in book["Answer"].values for cell in row if cell is not None]
    assert "Best chip now" in texts
    assert not any("is not chosen again" in text for text in texts)
    assert any(text.startswith(f"Found among {MOST_SCENARIOS} of the ") for text in texts)
    rest = len(answer.ranking.working) + len(answer.ranking.rejected) - MOST_SCENARIOS
    red = next(str(row[1]) for row in book["Answer"].values if row[0] == "Not live")
    assert red.startswith(f"The other {rest} were tried at the inputs of the question only")


def test_names_that_nothing_ranks_are_picked_by_hand() -> None:
    book = _book(solve("ffn_memory", ["chip", "batch"], [*STACK, "n_fsdp = 16", "device_memory = chip.memory"]))
    texts = [str(cell) for row in book["Answer"].values for cell in row if cell is not None]
    assert "Best chip now" not in texts
    assert any(text.startswith("chip was chosen by flopsheet") for text in texts)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_the_best_name_follows_a_changed_input(tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl"):
        pytest.importorskip(module)
    answers = {name: _answer(name) for name in CASES}
    for name, answer in answers.items():
        *_, after, row = CASES[name]
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(answer, {row: NUMBERS[after]})[0])
    computed = by_soffice([tmp_path / f"{name}.xlsx" for name in CASES], tmp_path)
    best, moved, places = {}, [], list[int]()
    for name, answer in answers.items():
        rows = computed[f"{name}.xlsx"]["Answer"]
        best[name] = next(row[1] for row in rows if str(row[0]).startswith("Best "))
        asked_again = _answer(name, changed=True).ranking
        assert asked_again is not None
        assert answer.ranking is not None
        assert best[name] == asked_again.working[0].text, name
        places += _expect_places(computed[f"{name}.xlsx"]["Scenarios"], name)
        moved.append(asked_again.working[0].text != answer.ranking.working[0].text)
    assert any(moved)
    assert places


def test_the_only_name_that_works_is_the_best(tmp_path: Path) -> None:
    """It leaves the same room as itself in every relation, and so do all that work where none differ."""
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    where = ["rooms = 9", "low = 2", "high = 9"]
    answers = {most: solve(Picked, "mode", [*where, f"space <= {most}"]) for most in (40, 90)}
    data, _ = recomputable(answers[40], {"goal space": 90})
    for own, wanted in ((data, 90), (recomputable(answers[40])[0], 40)):
        ranking = answers[wanted].ranking
        assert ranking is not None
        best = next(row[0].row for row in _sheet(own, "Answer").iter_rows() if str(row[0].value).startswith("Best "))
        assert places_by_formulas(own, tmp_path)["ANSWER", f"B{best}"] == ranking.working[0].text == "low"


def _sheet(data: bytes, name: str) -> Any:
    return pytest.importorskip("openpyxl").load_workbook(BytesIO(data))[name]


def test_equal_names_share_a_place() -> None:
    pytest.importorskip("xlsxwriter")
    data = BytesIO(workbook(_answer("by count")))
    rows = [*pytest.importorskip("openpyxl").load_workbook(data, data_only=True)["Scenarios"].values]
    places = _expect_places(rows, "by count")
    assert len({*places}) < len(places)


def _expect_places(rows: list[tuple[Any, ...]], name: str) -> list[int]:
    """Return the places of a sheet, each one more than the number of names that are better."""
    ranks = next([*row[2:]] for row in rows if str(row[0]).startswith("ranked by"))
    places = next([*row[2:]] for row in rows if str(row[0]).startswith("place"))
    known = [(rank, place) for rank, place in zip(ranks, places, strict=True) if isinstance(place, int | float)]
    smallest = {"by count", "by cost"}
    for rank, place in known:
        better = [other for other, _ in known if (other < rank if name in smallest else other > rank)]
        assert place == len(better) + 1, name
    return [int(place) for _, place in known]
