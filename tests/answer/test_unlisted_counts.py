"""Whole numbers that too few equations leave: all of them, or else those that were found, and others as open."""

from __future__ import annotations

from math import isqrt
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.errors import UnderdeterminedError
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import is_in

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.answer.answer import Answer

COUNT: dict[str, Any] = {"integer": True}
FROM_ZERO: dict[str, Any] = {"integer": True, "minimum": 0}


def check(answer: Answer, expected: set[tuple[int, int]]) -> None:
    """Check that what is listed is true, and what is not is left open, if anything is lost."""
    got = {(int(own["x"]), int(own["y"])) for own in answer.tuples}
    assert got
    assert got <= expected
    for name, at in (("x", 0), ("y", 1)):
        outcome = answer.outcomes[name]
        assert (outcome.proof is Proof.OPEN) == bool(outcome.open)
        for lost in expected - got:
            value = lost[at]
            assert is_in(value, outcome.open) or is_in(value, outcome.listed)
    assert got == expected or any(own.open for own in answer.outcomes.values())


@pytest.mark.parametrize("seed", range(3))
def test_differences_of_squares(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)  # noqa: S311  # the same questions every time
    product = chance.choice((3, 5, 7)) * chance.choice((11, 13, 15)) * chance.choice((1, 3))
    factors = [(less, product // less) for less in range(1, isqrt(product) + 1) if product % less == 0]
    expected = {((less + more) // 2, (more - less) // 2) for less, more in factors if less < more}
    answer = solve(variables(tmp_path, {"x": COUNT, "y": COUNT}), ["x", "y"], f"x**2 - y**2 = {product}")
    assert {(own["x"], own["y"]) for own in answer.tuples} == expected
    assert all(outcome.proof is Proof.PROVEN for outcome in answer.outcomes.values())


@pytest.mark.slow
@pytest.mark.parametrize("factor", [2, 3])
def test_equations_of_pell(factor: int, tmp_path: Path) -> None:
    most = 3000
    bounded = {**COUNT, "maximum": most}
    answer = solve(variables(tmp_path, {"x": bounded, "y": bounded}), ["x", "y"], f"x**2 - {factor}*y**2 = 1")
    roots = ((isqrt(factor * y * y + 1), y) for y in range(1, most + 1))
    check(answer, {(x, y) for x, y in roots if x <= most and x * x == factor * y * y + 1})


@pytest.mark.slow
def test_more_tuples_than_are_listed_are_refused_for_that(tmp_path: Path) -> None:
    cells = dict.fromkeys("xyz", FROM_ZERO)
    with pytest.raises(UnderdeterminedError) as refused:  # any y goes with x = 0
        solve(variables(tmp_path, cells), ["x", "y", "z"], ["x*y + z = 4", "x <= 4"])
    assert "the time is over" not in str(refused.value)


def test_a_line_of_whole_numbers_is_too_little(tmp_path: Path) -> None:
    with pytest.raises(UnderdeterminedError):
        solve(variables(tmp_path, {"x": COUNT, "y": COUNT}), ["x", "y"], "2*x - 3*y = 1")
