"""Whole numbers of either sign that leave a remainder, against trying all that can."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import is_in

if TYPE_CHECKING:
    from pathlib import Path

CHANCE = Random(23)  # noqa: S311  # the same questions every time
SIGNED, FROM_MINUS_FIVE = ({"integer": True, "signed": True}, {"integer": True, "minimum": -5})


def question(bounds: dict[str, Any]) -> tuple[int, int, int, dict[str, Any]]:
    """Return a dividend that leaves a remainder by multiples of a factor, not all of them, and the unknown's bounds."""
    dividend, factor, remainder = (
        CHANCE.randint(-60, 60),
        CHANCE.choice((-3, -2, -1, 1, 1, 2, 3)),
        CHANCE.randint(-4, 4),
    )
    return dividend, factor, remainder if remainder != dividend else remainder + 5, bounds


QUESTIONS = [question(bounds) for bounds in (SIGNED, FROM_MINUS_FIVE) for _ in range(15)]


@pytest.mark.parametrize(("dividend", "factor", "remainder", "bounds"), QUESTIONS)
def test_divisors_of_either_sign(
    dividend: int, factor: int, remainder: int, bounds: dict[str, Any], tmp_path: Path
) -> None:
    tried = [number for number in range(bounds.get("minimum", -100), 101) if number]
    expected = [number for number in tried if dividend % (factor * number) == remainder]
    answer = solve(variables(tmp_path, {"x": bounds}), "x", f"mod({dividend}, {factor}*x) = {remainder}")
    outcome = answer.outcomes["x"]
    assert [number for number in tried if is_in(number, outcome.listed)] == expected
    assert outcome.proof in (Proof.EXACT, Proof.PROVEN)
    below = solve(variables(tmp_path, {"x": bounds}), "x", [f"mod({dividend}, {factor}*x) = {remainder}", "x <= -1"])
    assert [number for number in tried if is_in(number, below.outcomes["x"].listed)] == [
        number for number in expected if number < 0
    ]
