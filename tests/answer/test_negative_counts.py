"""Counts that may be negative: divisors, quotients and roundings of both signs, against trial of all of them."""

from __future__ import annotations

from math import ceil, floor, inf
from typing import TYPE_CHECKING

import pytest
from tests.answer.by_trial import value_of
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from pathlib import Path

RANGE = range(-6, 7)
FORMULAS = (
    "mod(12, n)",
    "mod(12, 2*n)",
    "mod(-13, n)",
    "mod(n, -4)",
    "mod(n**2, 5)",
    "n*mod(7, n)",
    "n*floor(12/n)",
    "n*ceil(9/(2*n))",
    "abs(n)*ceil(7/n)",
    "n + floor(20/n)",
)


@pytest.mark.parametrize("level", [-4, -1, 0, 1, 2, 4, 12])
@pytest.mark.parametrize("formula", FORMULAS)
def test_counts_of_both_signs_are_all_found(tmp_path: Path, formula: str, level: int) -> None:
    cells = {"n": {"integer": True, "minimum": RANGE[0], "maximum": RANGE[-1]}}
    sheet = variables(tmp_path, cells | {"y": {"formula": formula, "signed": True}})
    outcome = solve(sheet, "n", [f"y = {level}"]).outcomes["n"]
    runs = [] if outcome.kind == "none" else [(ceil(part.lower), floor(part.upper)) for part in outcome.listed]
    assert [n for first, last in runs for n in range(first, last + 1)] == [
        n for n in RANGE if value_of(formula, {"n": n}) == level
    ]
    assert outcome.proof is not Proof.OPEN


@pytest.mark.parametrize("relations", [["n**2 + abs(n) >= 0"], ["mod(n, 7) >= 0"], ["mod(n, 7) + k = 17", "k <= 30"]])
def test_a_count_without_bounds_that_may_be_anything_is_any(tmp_path: Path, relations: list[str]) -> None:
    count = {"integer": True, "signed": True}
    outcome = solve(variables(tmp_path, {"n": count, "k": count}), "n", relations).outcomes["n"]
    assert (outcome.kind, outcome.whole) == ("range", 0)
    assert [(part.lower, part.upper) for part in outcome.listed] == [(-inf, inf)]


def test_endless_counts_of_both_signs_are_all_told(tmp_path: Path) -> None:
    sheet = variables(tmp_path, {"n": {"integer": True, "signed": True}})
    outcome = solve(sheet, "n", ["mod(n, 7) <= 3"]).outcomes["n"]
    assert (outcome.kind, outcome.proof) == ("whole", Proof.EXACT)
    assert all(n % 7 <= 3 for part in outcome.listed for n in range(ceil(part.lower), floor(part.upper) + 1))
    for n in (*range(-500, 500), *range(10**18, 10**18 + 20)):
        assert any(n in part for part in outcome.solutions) == (n % 7 <= 3)


@pytest.mark.parametrize("near", [None, 5, -7])
def test_parts_that_join_to_all_numbers_are_any_number(tmp_path: Path, near: int | None) -> None:
    sheet = variables(tmp_path, {"n": {"integer": True, "signed": True}})
    answer = solve(sheet, "n", ["floor(2**(-abs(1/(n + 0.5)))/3) = 0"], near)
    assert str(answer).startswith("any n works")
    assert answer.value == (near or 0)
