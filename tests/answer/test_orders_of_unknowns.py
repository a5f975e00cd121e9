"""Systems whose unknowns have several values each: the same tuples in whatever order the unknowns are asked for."""

from __future__ import annotations

import math
from itertools import pairwise, permutations
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import Answer, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from flopsheet.units import Number

NAMES = ["x", "y", "z", "w"]
WIDEST = 4  # the size of each unknown
# Each relation of one more unknown and one before it, and the values of the former by those of the latter.
LATER: dict[str, Callable[[float], Sequence[float]]] = {
    "{}*{} = -3/8": lambda b: (-3 / 8 / b,) if b else (),
    "{}**2 + {}**2 = 3": lambda b: _signed(3 - b * b),
    "{} = {} + 5/8": lambda b: (b + 5 / 8,),
    "{}**2 = {}**2/4": lambda b: _signed(b * b / 4),
    "abs({}) = abs({})/2": lambda b: _signed(b * b / 4),
    "{}**2 - {} = 3/8": lambda b: _signed(b + 3 / 8),
    "{} + {}**3 = 5/4": lambda b: (5 / 4 - b**3,),
}
FIRST = "{}**2 = 5/2"


def _signed(square: float) -> tuple[float, ...]:
    """Return the numbers with a square."""
    return () if square < 0 else (-math.sqrt(square), math.sqrt(square))


def system(draw: int) -> tuple[list[str], list[str], set[tuple[float, ...]]]:
    """Return the unknowns of a random system, its relations, and the tuples that meet them."""
    chance = Random(draw)  # noqa: S311  # the same each time
    names = NAMES[: chance.choice((2, 3, 3, 4))]
    relations = [FIRST.format(names[0])]
    points: list[tuple[float, ...]] = [(root,) for root in _signed(5 / 2)]
    for at, name in enumerate(names[1:], 1):
        before = chance.randrange(at)
        relation = chance.choice([*LATER])
        relations.append(relation.format(name, names[before]))
        points = [(*point, value) for point in points for value in LATER[relation](point[before])]
    chance.shuffle(relations)
    return names, relations, {point for point in points if all(abs(value) <= WIDEST for value in point)}


def asked(folder: Path, cells: Iterable[str], unknowns: Iterable[str], relations: Iterable[str]) -> Answer:
    bounds = {name: {"minimum": -WIDEST, "maximum": WIDEST} for name in cells}
    return solve(variables(folder, bounds), [*unknowns], [*relations])


def rounded(points: Iterable[Iterable[Number]]) -> set[tuple[float, ...]]:
    return {tuple(round(float(value), 9) + 0.0 for value in point) for point in points}


@pytest.mark.slow
@pytest.mark.parametrize("draw", range(25))
def test_tuples_are_the_same_in_every_order_of_the_unknowns(draw: int, tmp_path: Path) -> None:
    names, relations, points = system(draw)
    for order in permutations(names):
        answer = asked(tmp_path, names, order, relations)
        found = [[values[name] for name in names] for values in answer.tuples]
        assert rounded(found) == rounded(points)
        assert len(found) == len(points)


@pytest.mark.slow
@pytest.mark.parametrize("draw", range(25))
def test_what_is_not_asked_for_hides_no_value(draw: int, tmp_path: Path) -> None:
    names, relations, points = system(draw)
    for left_out in names[1:]:
        kept = [name for name in names if name != left_out]
        answer = asked(tmp_path, names, kept, relations)
        wanted = {tuple(point[names.index(name)] for name in kept) for point in points}
        several = len(kept) > 1
        (first, *_) = answer.outcomes.values()
        found = [[values[name] for name in kept] for values in answer.tuples] if several else _listed(answer)
        assert rounded(found) <= rounded(wanted)
        assert rounded(found) == rounded(wanted) or any(own.open for own in answer.outcomes.values()), first


def _listed(answer: Answer) -> list[list[Number]]:
    (outcome,) = answer.outcomes.values()
    return [[part.lower] for part in outcome.listed] if outcome.kind != "none" else []


def test_many_unknowns_with_two_values_each_are_followed(tmp_path: Path) -> None:
    names = ["a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1"]
    pairs = [f"{name}*{before} = 1/4" for before, name in pairwise(names)]
    answer = asked(tmp_path, names, names[::-1], ["a1**2 = 1", *pairs])
    assert rounded(values.values() for values in answer.tuples) == {
        tuple(sign * size for size in (0.25, 1) * 4) for sign in (-1, 1)
    }


def test_unknowns_that_are_all_independent_are_followed(tmp_path: Path) -> None:
    names = [f"x{number}" for number in range(7)]
    relations = [f"{name}**2 = {number + 1}/4" for number, name in enumerate(names)]
    answer = asked(tmp_path, names, names, relations)
    assert len(rounded(values.values() for values in answer.tuples)) == 2**7
    why = f"The relations hold together for 128 tuples of {', '.join(names[:-1])} and x6."
    assert {own.why for own in answer.outcomes.values()} == {why}


@pytest.mark.parametrize("order", [*permutations("xyz"), *permutations("xz")])
def test_what_a_block_of_equations_gives_is_no_contradiction_by_rounding(order: Sequence[str], tmp_path: Path) -> None:
    relations = ["z + y**3 = 5/4", "x**2 = 5/2", "y*exp(x) - 2 + 2*(z + y**3 - 5/4) = 0", "x >= 1"]
    x = math.sqrt(5 / 2)
    point = {"x": x, "y": 2 * math.exp(-x), "z": 5 / 4 - 8 * math.exp(-3 * x)}
    tuples = asked(tmp_path, point, order, relations).tuples
    assert rounded([values[name] for name in order] for values in tuples) == rounded([[point[name] for name in order]])


@pytest.mark.slow
@pytest.mark.parametrize("order", [*permutations("ncr")])
def test_counts_that_need_another_first_are_solved_in_any_order(
    order: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flopsheet.answer.several.together.LISTED", 1 / 100)  # too little to list thousands of tuples
    counts = {name: {"minimum": 1, "maximum": 10**9, "integer": True} for name in "cnr"}
    relations = ["exp(n/100) <= 9.17", "n*r >= 1000", "c = 8*r"]
    outcomes = solve(variables(tmp_path, counts), [*order], relations).outcomes
    assert {name: outcome.si for name, outcome in outcomes.items()} == {"n": 221, "r": 5, "c": 40}
