"""The round trip over every sheet: what an output is worth gives back each input that it depends on."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, islice
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.cases import check_each
from tests.models.points import SHEETS, example
from tests.models.round_trip import check_input
from tests.models.sampling import both_ways, in_turn, parts_of, quick, rest
from tests.models.test_every_sheet import asked_back

from flopsheet import sheet
from flopsheet.errors import FlopsheetError, NotInvertibleError, UnderdeterminedError
from flopsheet.formulas.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tests.cases import Record

    from flopsheet.units import Number

# (sheet, input, output): why this pair cannot be solved back.
EXCUSED: dict[tuple[str, str, str], str] = {}
MOST_SYSTEMS, MANY_CELLS = 3, 200  # one system of a sheet with more cells, which takes several times as long
MOST_TRIED = 3000
QUICK_SYSTEMS, QUICK_CELLS = 2, 50
AT_EXAMPLE = 2  # of the questions that random points ask of a sheet, one in so many is asked at the example
PARTS = 3  # the systems of a sheet are so many tests, which two workers can share
SHARE = Fraction(1, 10**6)
APART, SURELY_APART = 1e-3, 0.1
NOISE = 1e-8  # slopes that rounding makes of none: an ulp over SHARE, some times
SHARP = 1e-6  # slopes below it are known to few digits: systems of such are not asked

every_sheet = pytest.mark.parametrize("name", SHEETS)
every_part = pytest.mark.parametrize(("name", "part"), parts_of(SHEETS))


@cache
def ordered(name: str) -> list[tuple[str, str]]:
    """Return the (input, output) pairs of a sheet that can be solved back, in the order in which they are asked."""
    return in_turn([pair for pair in example(name).pairs if (name, *pair) not in EXCUSED], name)


def bounds(name: str) -> list[tuple[str, str, str]]:
    """Return (input, output, sign) for all pairs and both signs, in the order in which they are asked."""
    return both_ways(ordered(name), ("<=", ">="))


def check_pairs(name: str, pairs: Sequence[tuple[str, str]], record: Record) -> None:
    """Check that the value of an output at the example gives an input back, for several of one sheet."""

    def check(pair: tuple[str, str]) -> None:
        free, output = pair
        check_input(asked_back(name, [free], [output]), example(name), free)

    check_each(pairs, check, record, "pairs")


def check_bounds(name: str, cases: Sequence[tuple[str, str, str]], record: Record) -> None:
    """Check that an input meets a bound at what it makes of an output at the example, for several of one sheet."""

    def check(case: tuple[str, str, str]) -> None:
        free, output, sign = case
        check_input(asked_back(name, [free], [output], sign), example(name), free)

    check_each(cases, check, record, "bounds")


@every_sheet
def test_inputs_are_solved_back_from_outputs(name: str, record_property: Record) -> None:
    """The quick sample: 3 pairs, of as many inputs."""
    check_pairs(name, quick(ordered(name)), record_property)


@every_sheet
def test_inputs_meet_bounds_at_what_they_make_of_outputs(name: str, record_property: Record) -> None:
    """The quick sample of bounds, of the same pairs."""
    check_bounds(name, quick(bounds(name)), record_property)


@pytest.mark.slow
@every_part
def test_each_input_is_solved_back_from_each_output(
    name: str, part: int, record_property: Record, most_asked: int
) -> None:
    """All other pairs of a sheet, or a sample of half of `--pairs`, spread over its inputs."""
    check_pairs(name, rest(ordered(name), name, part, most_asked // AT_EXAMPLE, record_property), record_property)


@pytest.mark.slow
@every_part
def test_each_input_meets_a_bound_at_what_it_makes_of_each_output(
    name: str, part: int, record_property: Record, most_asked: int
) -> None:
    """All other bounds, first one of each pair, then the opposite one: at most half of `--pairs` of a sheet."""
    check_bounds(name, rest(bounds(name), name, part, most_asked // AT_EXAMPLE, record_property), record_property)


@cache
def slopes(name: str, free: str) -> Mapping[str, float]:
    """Return by what share each output grows per share of an input, at the example; 0 where it jumps or bends.

    0 for a default too, which says nothing of what it is computed from once it is given.
    """
    question, cells = example(name).answer.question, example(name).answer.cells
    here: dict[str, Number | str] = {**question.options, **{cell: value.si for cell, value in cells.items()}}
    users = {cell: form for cell, form in example(name).formulas.items() if cell in example(name).users[free]}
    points = [here]
    for factor in (1 - SHARE, 1 + SHARE):
        values = {**here, free: cells[free].si * factor}
        for cell, form in users.items():
            values[cell] = evaluate(form, values)
        points.append(values)
    formed = {cell: question.sheet.cells[cell].formula is not None for cell in cells}
    grown = {cell: [_share(points[1][cell], here[cell]), _share(here[cell], points[2][cell])] for cell in cells}
    return {
        cell: low if formed[cell] and abs(low) > NOISE and math.isclose(low, high, rel_tol=0.01) else 0.0
        for cell, (low, high) in grown.items()
    }


def _share(before: Number | str, after: Number | str) -> float:
    left, right = Fraction(before), Fraction(after)
    return float((right - left) / right / SHARE) if right else 0.0


def systems(name: str) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Yield (inputs, outputs) for some pairs of inputs of a sheet that two outputs tell apart, always the same."""
    above = example(name).users
    inputs = sorted({free for free, _ in ordered(name)})
    chance = Random(name)  # noqa: S311  # the same each time
    choices = [
        (pair, both) for pair in combinations(inputs, 2) if len(both := sorted(above[pair[0]] & above[pair[1]])) > 1
    ]
    most = MOST_SYSTEMS if len(sheet(name).cells) <= MANY_CELLS else 1
    chosen = set[tuple[tuple[str, str], tuple[str, str]]]()
    for _ in range(MOST_TRIED if choices else 0):
        unknowns, both = chance.choice(choices)
        first, second = sorted(chance.sample(both, 2))
        system = unknowns, (first, second)
        if system not in chosen and _distinguish(name, *system):
            chosen.add(system)
            if all(not 0 < abs(slopes(name, free)[output]) < SHARP for free in unknowns for output in (first, second)):
                yield system
        if len(chosen) == most:
            return


def _distinguish(name: str, inputs: tuple[str, str], outputs: tuple[str, str], apart: float = APART) -> bool:
    try:
        (a, b), (c, d) = ([slopes(name, free)[output] for free in inputs] for output in outputs)
    except FlopsheetError:  # the sheet has no value at its example: another test says so
        return False
    return abs(a * d - b * c) > apart * max(abs(a * d), abs(b * c))


def check_systems(name: str, cases: Iterable[tuple[tuple[str, str], tuple[str, str]]], record: Record) -> None:
    """Check that the values of two outputs at the example give two inputs back, or leave them open, of one sheet.

    Of a question with more values on the way than are followed, the refusal is the answer; so is it of two outputs of
    which one follows from the other, which slopes of floats may tell apart.
    """

    def check(system: tuple[tuple[str, str], tuple[str, str]]) -> None:
        inputs, outputs = system
        try:
            answer, alone = (asked_back(name, free, outputs) for free in (inputs, inputs[1:]))
        except UnderdeterminedError:
            assert not _distinguish(name, inputs, outputs, SURELY_APART), "two outputs tell the inputs apart"
            return
        except NotInvertibleError as refusal:
            if "Too many values are possible on the way" in str(refusal):
                return
            raise
        is_open = all(outcome.open for outcome in answer.outcomes.values())
        assert answer.solved or is_open, "no values, but not open"
        check_input(alone, example(name), inputs[1])

    check_each(cases, check, record, "systems")


@pytest.mark.parametrize("name", [name for name in SHEETS if len(sheet(name).cells) <= QUICK_CELLS])
def test_two_inputs_are_solved_back(name: str, record_property: Record) -> None:
    """The first systems of a small sheet."""
    check_systems(name, islice(systems(name), QUICK_SYSTEMS), record_property)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@every_sheet
def test_two_inputs_are_solved_back_from_two_outputs(name: str, part: int, record_property: Record) -> None:
    """All systems, up to 3 of a sheet, 1 of a large one."""
    check_systems(name, islice(systems(name), part, None, PARTS), record_property)


@pytest.mark.slow
def test_excuses_are_pairs_that_exist_and_say_why() -> None:
    assert {*EXCUSED} <= {(name, *pair) for name in SHEETS for pair in example(name).pairs}
    assert all(EXCUSED.values())
