"""Whole numbers without bounds of their own that an equation ties: the tuples are those that trying all finds."""

from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import solve

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Sheet

NAMES = ("x", "y", "z")
TIES = (
    *("{a}*x + {b}*y = {n}", "x + y = {n}", "x + {a}*y <= {n}", "x*y = {n}", "x**2 + y = {n}"),
    "ceil(x/{a}) + y = {n}",
)
REMAINDERS = ("mod(x, y) = 0", "mod(y, {a}) = 0", "mod(x, {b}) = 1", "mod({n}, x) = 0", "mod(x + y, {a}) = 0")
MOST = 128  # of the sum or product
CASES = (*range(40), 68, 147, 171, 207)  # with those in which one number alone has many values


def drawn(draw: Random) -> list[str]:
    """Return a relation that bounds both numbers, and one or two of remainders."""
    numbers = {"a": draw.randint(2, 7), "b": draw.randint(2, 5), "n": draw.choice((24, 60, 97, MOST))}
    tie, *others = draw.choice(TIES), *draw.sample(REMAINDERS, k=draw.choice((1, 1, 2)))
    return [text.format(**numbers) for text in draw.sample([tie, *others], k=1 + len(others))]


def counts(names: tuple[str, ...], folder: Path) -> Sheet:
    return variables(folder, {name: {"integer": True} for name in names})


def by_trial(relations: list[str]) -> set[tuple[int, int]]:
    """Return the numbers at which relations hold, x up to seven times as many as y."""
    test = compile(" and ".join(text.replace(" = ", " == ") for text in relations), "relations", "eval")
    words = {"mod": lambda value, by: value % by, "ceil": math.ceil}
    points = product(range(1, 7 * MOST + 1), range(1, MOST + 1))
    return {(x, y) for x, y in points if eval(test, {**words, "x": x, "y": y})}  # noqa: S307  # of tests


@pytest.mark.parametrize("seed", CASES)
def test_all_tuples_are_listed(seed: int, tmp_path: Path) -> None:
    relations = drawn(Random(seed))  # noqa: S311  # the same each time
    answer = solve(counts(("x", "y"), tmp_path), ["x", "y"], relations)
    assert {tuple(map(int, own.values())) for own in answer.tuples} == by_trial(relations), relations
    assert not any(outcome.open for outcome in answer.outcomes.values()), relations


def test_three_numbers_of_which_equations_give_two(tmp_path: Path) -> None:
    relations = ["x + y + z = 96", "y = 2*z + 1", "mod(x, z) = 0"]
    expected = {(95 - 3 * z, 2 * z + 1, z) for z in range(1, 32) if (95 - 3 * z) % z == 0}
    assert {tuple(own.values()) for own in solve(counts(NAMES, tmp_path), [*NAMES], relations).tuples} == expected
