"""Golden cases of inference, backwards: with an output at its value, each number that the case gives is found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cases import check_each, sampled
from tests.golden.adapters import Adapter, adapter_of
from tests.golden.adapters.planning import planned, relations_of
from tests.golden.forms import read_cases, sub_cases
from tests.models.points import Point
from tests.models.round_trip import check_input

import flopsheet

if TYPE_CHECKING:
    from tests.cases import Record
    from tests.golden.adapters.base import Inputs

CALCS = ("inference_latency", "inference_roofline")
CASES = {str(case["id"]): case for case in read_cases("") if case["calc"] in CALCS}
PLANNED = "P24-aiconfigurator-qwen3-32b-fp8-h200"
ASKED = ("output_len", "arrival_rate", "n_tp")  # the length of prompts and the batch take up to a minute each
BUDGET = 60  # seconds, so that a busy machine leaves nothing open
LEAST = 4  # inputs that are found again from an output


def _points(adapter: Adapter, inputs: Inputs) -> dict[str, Point]:
    """Return the point of each output that is a cell, with all cells there."""
    points = dict[tuple[str, ...], Point]()
    found = dict[str, Point]()
    for probe in adapter.probes(inputs).values():
        sheet, relations = probe.sheet or adapter.sheet, (*adapter.relations(inputs), *probe.relations)
        point = points.setdefault((sheet, *relations), Point(flopsheet.solve(sheet, (), relations)))
        if point.sheet.cells[probe.cell].formula is not None:
            found.setdefault(probe.cell, point)
    return found


def _check_back(point: Point, free: str, output: str) -> None:
    lifted = [check.relation.name for check in point.answer.limits if not check.holds]
    relations = point.relations_back([free], [point.exactly(output)])
    answer = flopsheet.solve(point.sheet, free, relations, without=lifted, budget=BUDGET)
    check_input(answer, point, free, output)


def _check_given(point: Point, output: str, record: Record) -> None:
    given = [name for name in point.answer.question.pins if output in point.users.get(name, ()) and point.value(name)]
    assert len(given) >= LEAST, f"{output} rests on {given}"
    check_each(given, lambda name: _check_back(point, name, output), record, "golden, backwards")


@pytest.mark.parametrize("name", sampled(CASES))
def test_inputs_are_found_again(name: str, record_property: Record) -> None:
    adapter = adapter_of(CASES[name])
    assert adapter is not None
    for part in sub_cases(CASES[name], CASES.values()):
        for output, point in _points(adapter, part.inputs).items():
            _check_given(point, output, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("placement", ["together", "apart"])
def test_inputs_of_a_plan_are_found_again(placement: str, record_property: Record) -> None:
    [case] = [case for case in read_cases("") if case["id"] == PLANNED]
    [part] = sub_cases(case, [case])
    answer = planned(tuple(relations_of(part.inputs)), placement, part.inputs["tpot_max"])
    point, output = Point(answer), "chip_answer_rate"
    check_each(ASKED, lambda name: _check_back(point, name, output), record_property, "golden, backwards")
