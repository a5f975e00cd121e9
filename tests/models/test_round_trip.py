"""The round trip over every sheet: what an output is worth gives back each input that it depends on."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.cases import check_each
from tests.models.points import SHEETS, example
from tests.models.round_trip import check_input
from tests.models.test_every_sheet import asked_back, pairs

from flopsheet.errors import FlopsheetError
from flopsheet.formulas.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.cases import Case, Record

    from flopsheet.units import Number

# (sheet, input, output): why this pair cannot be solved back.
EXCUSED: dict[tuple[str, str, str], str] = {}
MOST_SYSTEMS = 30
MOST_TRIED = 3000
QUICK = 3  # cases of one input in the quick suite; the slow one has the others
PARTS = 20  # the systems of a sheet are so many tests, which two workers can share
SHARE = Fraction(1, 10**6)
APART = 1e-3

every_input = pytest.mark.parametrize(("name", "free"), [*dict.fromkeys(pair[:2] for pair in pairs())])
quick_and_slow = pytest.mark.parametrize("suite", ["quick", pytest.param("slow", marks=pytest.mark.slow)])


def outputs_of(name: str, free: str) -> list[str]:
    """Return the cells that depend on an input, from which it can be solved back."""
    return [output for *pair, output in pairs() if pair == [name, free] and (name, free, output) not in EXCUSED]


def share_of(suite: str, cases: Sequence[Case], key: str) -> Sequence[Case]:
    """Return the cases that the quick suite takes of an input, others for each key, or those that it leaves."""
    first = sum(map(ord, key)) % max(len(cases), 1)
    turned = [*cases[first:], *cases[:first]]
    return turned[:QUICK] if suite == "quick" else turned[QUICK:]


@every_input
@quick_and_slow
def test_each_input_is_solved_back_from_each_output(name: str, free: str, suite: str, record_property: Record) -> None:
    def check(output: str) -> None:
        check_input(asked_back(name, [free], [output]), example(name), free)

    check_each(share_of(suite, outputs_of(name, free), name + free), check, record_property, "pairs")


@every_input
@quick_and_slow
def test_each_input_meets_a_bound_at_what_it_makes_of_each_output(
    name: str, free: str, suite: str, record_property: Record
) -> None:
    def check(case: tuple[str, str]) -> None:
        sign, output = case
        check_input(asked_back(name, [free], [output], sign), example(name), free)

    cases = [*product(("<=", ">="), outputs_of(name, free))]
    check_each(share_of(suite, cases, free + name), check, record_property, "bounds")


@cache
def slopes(name: str, free: str) -> Mapping[str, float]:
    """Return by what share each output grows per share of an input, at the example; 0 where it jumps or bends."""
    question, cells = example(name).answer.question, example(name).answer.cells
    points: list[dict[str, Number | str]] = []
    for factor in (1 - SHARE, 1, 1 + SHARE):
        values: dict[str, Number | str] = {**question.options, **{cell: value.si for cell, value in cells.items()}}
        values[free] = cells[free].si * factor
        for cell in question.sheet.cells.values():
            if cell.formula is not None:
                values[cell.name] = evaluate(question.formula(cell.name), values)
        points.append(values)
    below, here, above = points
    grown = {cell: [_share(below[cell], here[cell]), _share(here[cell], above[cell])] for cell in cells}
    return {cell: low if math.isclose(low, high, rel_tol=0.01) else 0.0 for cell, (low, high) in grown.items()}


def _share(before: Number | str, after: Number | str) -> float:
    left, right = Fraction(before), Fraction(after)
    return float((right - left) / right / SHARE) if right else 0.0


@cache
def systems(name: str) -> Sequence[tuple[tuple[str, str], tuple[str, str]]]:
    """Return (inputs, outputs) for some pairs of inputs of a sheet that two outputs tell apart, always the same."""
    above = example(name).users
    inputs = sorted({free for sheet, free, _ in pairs() if sheet == name})
    chance = Random(name)  # noqa: S311  # the same each time
    chosen: dict[tuple[tuple[str, str], tuple[str, str]], None] = {}
    choices = [
        (pair, both) for pair in combinations(inputs, 2) if len(both := sorted(above[pair[0]] & above[pair[1]])) > 1
    ]
    for _ in range(MOST_TRIED if choices else 0):
        unknowns, both = chance.choice(choices)
        first, second = sorted(chance.sample(both, 2))
        if len(chosen) < MOST_SYSTEMS and _distinguish(name, unknowns, (first, second)):
            chosen[unknowns, (first, second)] = None
    return [*chosen]


def _distinguish(name: str, inputs: tuple[str, str], outputs: tuple[str, str]) -> bool:
    try:
        (a, b), (c, d) = ([slopes(name, free)[output] for free in inputs] for output in outputs)
    except FlopsheetError:  # the sheet has no value at its example: another test says so
        return False
    return abs(a * d - b * c) > APART * max(abs(a * d), abs(b * c))


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))])
@pytest.mark.parametrize("name", SHEETS)
def test_two_inputs_are_solved_back_from_two_outputs(name: str, part: int, record_property: Record) -> None:
    def check(system: tuple[tuple[str, str], tuple[str, str]]) -> None:
        inputs, outputs = system
        assert asked_back(name, inputs, outputs).solved
        check_input(asked_back(name, inputs[1:], outputs), example(name), inputs[1])

    check_each(systems(name)[part::PARTS], check, record_property, "systems")


def test_excuses_are_pairs_that_exist_and_say_why() -> None:
    assert {*EXCUSED} <= {*pairs()}
    assert all(EXCUSED.values())
