"""Questions of serving, asked backwards: with the answer given, each of three inputs is found again."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.asked import answered
from tests.asked import asked as question_of
from tests.cases import sampled
from tests.models.points import Point, pin
from tests.models.round_trip import check_input
from tests.models.sampling import in_turn

from flopsheet import solve
from flopsheet.formulas.relation import cells_of
from flopsheet.registry.packs import packs

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer
    from flopsheet.units import Number

SHEETS = (
    *("serving", "disaggregated_serving", "decode", "prefill", "hardware_wish", "speculative_decoding"),
    *("inference_memory", "kv_cache", "tco"),
)
FILES = sorted((packs()[0].folder / "models" / "questions").glob("*.yaml"))
LEAST = 3  # inputs of a question that are asked back
BUDGET = 60  # seconds, so that a busy machine leaves nothing open

of_serving = [file for file in FILES if file.read_text(encoding="utf-8").split("sheet: ")[1].split()[0] in SHEETS]


def value_of(answer: Answer, name: str) -> Number:
    """Return the value of an unknown; of a whole number between two of them, the smaller one."""
    return answer.cells[name].si if name in answer.cells else answer.outcomes[name].neighbours[0]


@cache
def asked(file: Path) -> tuple[Point, list[tuple[str, str]]]:
    """Return the point of a question at its answer, and (input, output) for inputs that its cells depend on.

    The outputs are the unknowns that a formula computes, and what the relations bound. Inputs that the question gives
    come first, with outputs of few inputs; whole numbers come last.
    """
    question, answer = question_of(file).question, answered(file)
    model = question.sheet
    known = [f"{name} = {key}" for name, key in question.choices.items()]
    known += [f"{part} = {record.key}" for part, record in answer.question.records.items()]
    known += [given.text for name, given in question.pins.items() if model.cells[name].formula is None]
    cells = [model.cells[name] for name in question.unknowns if name in model.cells]
    known += [pin(cell, value_of(answer, cell.name)) for cell in cells if cell.formula is None]
    goals = {name for name in (*question.pins, *(cell.name for cell in cells)) if model.cells[name].formula is not None}
    for relation in question.relations:
        goals |= {name for name in cells_of(relation.left) if model.cells[name].formula is not None}
    point = Point(solve(model, (), known, without=[*model.limits], figures=question.figures))
    pairs = in_turn([pair for pair in point.pairs if pair[1] in goals], file.stem)
    inputs_of = {goal: sum(goal in users for users in point.users.values()) for goal in goals}
    pairs.sort(key=lambda pair: (model.cells[pair[0]].integer, pair[0] not in question.pins, inputs_of[pair[1]]))
    return point, pairs


def is_told(answer: Answer, point: Point, free: str) -> bool:
    """Whether an answer tells an input, so that twice of it does not work too."""
    return not any(2 * point.value(free) in interval for interval in answer.outcomes[free].solutions)


@pytest.mark.parametrize("file", sampled(of_serving), ids=lambda file: file.stem)
def test_inputs_are_found_again(file: Path) -> None:
    point, pairs = asked(file)
    lifted = [check.relation.name for check in point.answer.limits if not check.holds]
    told = set[str]()
    for free, output in pairs:
        if len(told) < LEAST and free not in told and point.value(free):
            relations = point.relations_back([free], [point.exactly(output)])
            answer = solve(point.sheet, free, relations, without=lifted, budget=BUDGET)
            assert answer.solved, (free, output)
            check_input(answer, point, free)
            if is_told(answer, point, free):
                told.add(free)
    assert len(told) == LEAST
