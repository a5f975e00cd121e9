"""Pairs of counts of which one is found for each value of the other, as in layouts: all are listed together."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.answer.several.own_tuples import own_tuples
from flopsheet.numbers.sets import Interval

if TYPE_CHECKING:
    from pathlib import Path

COUNT: dict[str, Any] = {"integer": True}


def layout(chance: Random) -> tuple[list[str], list[tuple[int, int]]]:
    """Return relations on two degrees of parallelism, and the pairs that meet them, by trying all."""
    while True:
        total, rounds, heads = chance.randint(40, 400), chance.randint(2, 9), chance.choice((12, 16, 24, 40, 64))
        most = chance.randint(4, 16)
        texts = [f"ceil({total}/(x*y)) = {rounds}", f"mod({heads}, x) = 0", f"y <= {most}"]
        divisors = [x for x in range(1, heads + 1) if heads % x == 0]
        pairs = [(x, y) for x, y in product(divisors, range(1, most + 1)) if -(-total // (x * y)) == rounds]
        if pairs:
            return texts, pairs


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("names", ["xy", "yx"])
def test_pairs_of_degrees_are_listed(seed: int, names: str, tmp_path: Path) -> None:
    texts, pairs = layout(Random(seed))  # noqa: S311  # the same layouts every time
    answer = solve(variables(tmp_path, {"x": COUNT, "y": COUNT}), [*names], texts)
    assert sorted((own["x"], own["y"]) for own in answer.tuples) == pairs
    listed = answer.as_dict()["tuples"]
    assert sorted((own["x"], own["y"]) for own in listed) == pairs


@pytest.mark.parametrize("seed", range(8))
def test_no_tuples_are_listed_of_a_slice(seed: int, tmp_path: Path) -> None:
    """Where both have several values, those of one at a value of the other are not all pairs."""
    chance = Random(seed)  # noqa: S311  # the same questions every time
    most, also = chance.randint(2, 12), chance.randint(3, 30)
    relations = [["x >= y", f"x <= {most}"], [f"x*y <= {also}", f"x >= {most}"], ["x >= 2*y", f"x <= {also}"]]
    texts = relations[seed % 3]
    answer = solve(variables(tmp_path, {"x": COUNT, "y": COUNT}), ["x", "y"], texts)
    numbers = range(1, 2 * (most + also))
    holds = (all(eval(text, {"x": x, "y": y}) for text in texts) for x, y in product(numbers, numbers))  # noqa: S307
    expected = [pair for pair, met in zip(product(numbers, numbers), holds, strict=True) if met]
    got = sorted((own["x"], own["y"]) for own in answer.tuples)
    assert got in ([], expected)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_no_tuple_has_a_value_that_is_found_at_another_one(count: int, tmp_path: Path) -> None:
    """As an answer may have it whose time was over before all unknowns were looked at together."""
    answer = solve(variables(tmp_path, {"x": COUNT, "y": COUNT}), ["x", "y"], ["x + y = 9", "x <= 8"])
    x, y = answer.outcomes["x"], answer.outcomes["y"]
    several = replace(x, kind="whole", listed=(Interval(1, count),), si=1, whole=1)
    beside = replace(y, kind="whole", listed=(Interval(8, 8),), si=8, whole=8)
    answer.outcomes |= {"x": several, "y": replace(beside, at=((x.cell, 1),))}
    assert own_tuples(answer) == []
    answer.outcomes["x"] = replace(several, listed=(Interval(1, 1),))
    assert own_tuples(answer) == [{"x": 1, "y": 8}]
