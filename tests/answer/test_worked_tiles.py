"""Whole numbers where a relation jumps without end: the first 20,000 are tested one by one."""

from __future__ import annotations

import math

import pytest

from flopsheet import Sheet, ceil, formula, given, log, solve

FIRST = 20_000


class Tiles(Sheet):
    """How full tiles of a fixed size are, times a logarithm: it jumps without end, and no closed form inverts it."""

    n = given("Rows", integer=True, example=5)
    tile = given("Rows of a tile", example=128)
    filled = formula(n / (ceil(n / tile) * tile) * log(n), doc="Filled share, weighted")


@pytest.mark.parametrize("tile", [128, 8, 7.5])
@pytest.mark.parametrize("relation", ["filled >= 9", "filled >= 9.9", "filled <= 4.6"])
def test_where_a_relation_jumps_the_first_whole_numbers_are_tested_one_by_one(tile: float, relation: str) -> None:
    _, sign, level = relation.split()
    wanted = {
        n
        for n in range(1, FIRST + 1)
        if (n / (math.ceil(n / tile) * tile) * math.log(n) >= float(level)) == (sign == ">=")
    }
    solutions = solve(Tiles(), "n", [f"tile = {tile}", relation]).outcomes["n"].solutions
    runs = (range(math.ceil(run.lower), math.floor(min(run.upper, FIRST)) + 1) for run in solutions)
    assert {n for run in runs for n in run} == wanted
