"""Answers of workbooks follow their inputs: recalculated after a change, they are what the engine answers anew."""

from __future__ import annotations

import re
import shutil
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.asked import answered
from tests.cases import but_slow
from tests.report.workbooks import by_formulas, by_soffice, recomputable

import flopsheet
from flopsheet.registry.packs import packs
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.goals import with_goals
from flopsheet.report.workbook.solved.way import FOLLOWS, TRIALS
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer
    from flopsheet.question.question import Question

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:formulas"),
]
QUESTIONS = {file.stem: file for file in (packs()[0].folder / "models" / "questions").glob("*.yaml")}
CLOSE = 1e-9
# Cells in a question that no workbook computes: these have their value, and the workbook says in red that it stays.
# The layout rests on n_dp, which is solved with n_pp in its formula.
NOTHING_TO_CHANGE = ("serve-llama-3-70b-h100", "latency-to-lyon")


def _change(question: Question) -> tuple[str, Any, str, str]:
    """Return an input that can change: its row, its new value, and the relation that states it before and after."""
    goals = [goal for goal in with_goals(question)[0] if goal.label.startswith("goal ") and goal.si]
    for goal in goals:
        about, new = goal.label.removeprefix("goal "), 1.25 * float(in_unit(goal.si, goal.unit))
        relation = next((own for own in question.stated if own.text == goal.text), None)
        if relation is not None and question.sheet.cells[about].bounds.upper != 1:
            return goal.label, new, goal.text, f"{about} {relation.operator} {new!r} {goal.unit.text}"
    for name, pin in question.pins.items():
        cell = question.sheet.cells[name]
        if cell.formula is None and not cell.integer:
            new = 0.9 * float(in_unit(pin.value, cell.unit))
            return name, new, pin.relation.text, f"{name} = {new!r} {cell.unit.text}"
    name, pin = next((name, pin) for name, pin in question.pins.items() if question.sheet.cells[name].formula is None)
    shown = int(in_unit(pin.value, question.sheet.cells[name].unit)) * 2
    return name, shown, pin.relation.text, f"{name} = {shown} {question.sheet.cells[name].unit.text}"


def _anew(before: Answer, old: str, new: str) -> Answer:
    """Return the answer to a question with one relation changed; names that were chosen are given."""
    question = before.question
    texts = [*(pin.relation.text for pin in question.pins.values()), *(own.text for own in question.relations)]
    parts = question.sheet.parts
    named = {key: record.key for key, record in question.records.items() if parts[key].of not in question.records}
    given = [f"{key} = {value}" for key, value in (named | question.choices).items()]
    where = [*(new if text == old else text for text in texts), *given]
    unknowns, without = list(before.outcomes), question.without
    return flopsheet.solve(question.sheet, unknowns, where, without=without, figures=question.figures, budget="60 s")


def _differing(values: dict[str, Any], after: Answer) -> dict[str, tuple[Any, Any]]:
    """Return the unknowns whose recalculated value is not that of the engine, with both."""
    wanted = {unknown: after.cells[unknown].value for unknown in after.outcomes if unknown in after.cells}
    return {
        unknown: (values.get(unknown), value)
        for unknown, value in wanted.items()
        if (not isinstance(values.get(unknown), int | float) or abs(values[unknown] - value) > CLOSE * abs(value))
    }


@pytest.mark.parametrize(
    "name", but_slow(["diloco-inner-steps", "bandwidth-ten-sites", "ramp-to-16m-tokens"], "diloco-inner-steps")
)
def test_an_answer_follows_a_changed_input(name: str, tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    row, value, old, new = _change(answered(name).question)
    after = _anew(answered(name), old, new)
    assert _differing(by_formulas(answered(name), tmp_path, {row: value}), after) == {}
    assert _differing(by_formulas(answered(name), tmp_path), after) != {}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_limits_that_hold_a_choice_are_kept(tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl"):
        pytest.importorskip(module)
    rest = ["model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192", "inference_memory <= 90 % * chip.memory"]
    answers = {at: flopsheet.solve("inference_memory", "n_tp", [*rest, f"n_sequences = {at}"]) for at in (64, 200)}
    for at in answers:
        (tmp_path / f"{at}.xlsx").write_bytes(recomputable(answers[64], {"n_sequences": at})[0])
    computed = by_soffice([tmp_path / f"{at}.xlsx" for at in answers], tmp_path)
    for at, after in answers.items():
        assert _differing({row[0]: row[1] for row in computed[f"{at}.xlsx"]["Model"]}, after) == {}


@pytest.mark.slow
def test_a_count_follows_an_unknown_that_another_relation_sets() -> None:
    pytest.importorskip("xlsxwriter")
    where = ["model = qwen3-32b", "chip = h100-sxm", "seq_len = 8192", "n_sequences >= 64"]
    answer = flopsheet.solve("inference_memory", ["n_tp", "n_sequences"], [*where, "inference_memory <= chip.memory"])
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answer)))
    rows = {row[0]: row for row in book["Model"].values}
    assert rows["n_tp"][6] == FOLLOWS[TRIALS]
    assert "goal_n_sequences" in rows["n_sequences"][1]
    assert not any("does not follow" in str(cell) for row in book["Answer"].values for cell in row)


@pytest.mark.slow
@pytest.mark.xdist_group("workbooks of questions")  # each is answered and written once
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_libreoffice_answers_changed_questions_as_the_engine_does(tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl"):
        pytest.importorskip(module)
    valued = [
        name for name in sorted(QUESTIONS) if any(cell in answered(name).cells for cell in answered(name).outcomes)
    ]
    asked: dict[str, Answer] = {}
    for name in valued:
        if name in NOTHING_TO_CHANGE:
            continue
        row, value, old, new = _change(answered(name).question)
        asked[name] = _anew(answered(name), old, new)
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(answered(name), {row: value})[0])
    computed = by_soffice([tmp_path / f"{name}.xlsx" for name in asked], tmp_path)
    wrong = {}
    for name, after in asked.items():
        values = {row[0]: row[1] for row in computed[f"{name}.xlsx"]["Model"]}
        wrong[name] = _differing(values, after)
    assert {name: differing for name, differing in wrong.items() if differing} == {}


def _texts(name: str) -> list[str]:
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answered(name))))
    return [str(cell) for row in book["Answer"].values for cell in row if cell is not None]


@pytest.mark.slow  # four questions to answer
def test_what_stays_is_said() -> None:
    pytest.importorskip("xlsxwriter")
    assert not any("does not follow" in text for text in _texts("law-for-10000-h100"))
    assert "Not live" not in _texts("layout-deepseek-v3-2048-h800")
    assert "Best chip now" in _texts("chip-for-2m-usd")
    assert "Not live" not in _texts("fsdp-shards")


def test_without_a_closed_form_the_answer_is_searched() -> None:
    pytest.importorskip("xlsxwriter")
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answered("bandwidth-three-sites"))))
    rows = {row[0]: row for row in book["Model"].values}
    assert re.search(r"Search!\$D\$\d+\)+$", rows["site_bandwidth"][1])  # behind limits that it cannot change
    assert rows["goal sync_fraction"][1] == 0.1
    goal = "sync_fraction <= goal sync_fraction"
    assert book["Search"]["A2"].value == f"site_bandwidth: the smallest value for which {goal}, by bisection"


def test_a_demand_gives_a_cell_whose_formula_has_no_value() -> None:
    pytest.importorskip("xlsxwriter")
    answer = flopsheet.solve("scaling_law", "optimal_params", ["total_work = 3e24 FLOP"])
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answer)))
    rows = {row[0]: row for row in book["Model"].values}
    assert rows["total_work"][1] == "=goal_total_work"


@pytest.mark.slow
def test_what_nothing_meets_is_searched_on_the_side_that_was_asked() -> None:
    pytest.importorskip("xlsxwriter")
    where = ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_dp = 16", "seq_len = 4096"]
    answer = flopsheet.solve("training_memory", "micro_batch", [*where, "device_memory <= 78 GiB"])
    assert answer.outcomes["micro_batch"].kind == "none"
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answer)), data_only=True)
    assert str(book["Search"]["A2"].value).startswith("micro_batch: the largest whole number for which")
    assert {row[0]: row[1] for row in book["Model"].values}["micro_batch"] == "#N/A"
