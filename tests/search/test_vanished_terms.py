"""A term that a question makes zero takes nothing from a sum: no range is excluded by it."""

from __future__ import annotations

import pytest
import sympy

from flopsheet import solve
from flopsheet.functions import BY_NODE
from flopsheet.numbers.spans import Span, divided, sum_of
from flopsheet.sheets.yaml_sheet import parse_sheet

# Time of a step: work that ranks share, hops that grow with them, and experts, of which there may be none.
STEP = """sheet: step
title: Time of a step by its ranks.
cells:
  n_ranks: {example: 128, integer: true}
  experts: {default: 0, minimum: 0}
  compute: {formula: 600/n_ranks + 5/8}
  dense: {formula: 9*(1 - 1/n_ranks)}
  hops: {formula: (ceil(n_ranks/8) - 1)*experts + (n_ranks - 1)/1000}
  exchange: {formula: dense + hops + experts*(1 - 1/n_ranks)*8}
  exposed: {formula: "exchange - min(exchange, 70/n_ranks)"}
  step_time: {formula: compute + exposed}
"""


@pytest.mark.parametrize("level", [8, 10, 11, 12, 14, 20, 60, 700])
def test_ranges_are_those_of_plain_evaluation(level: int) -> None:
    model = parse_sheet(STEP, "step")
    outcome = solve(model, "n_ranks", [f"step_time <= {level}"]).outcomes["n_ranks"]
    for ranks in (*range(1, 40), *range(40, 30000, 97)):
        holds = float(solve_at(ranks)) <= level
        known = any(ranks in part for part in outcome.listed)
        assert known == holds or any(ranks in part for part in outcome.open), ranks


def test_a_sum_is_no_multiple_of_a_term_that_is_zero() -> None:
    terms = [Span(-1, 565), Span(-2, 9), Span(0, 0)]
    bounds = sum_of(terms)
    told = BY_NODE[sympy.Add].compared(bounds, terms, lambda place, other: divided(terms[place], terms[other]))
    assert told.low <= -3  # as no term is far from the others, all values of the sum are left
    assert told.high >= 574


def solve_at(ranks: int) -> float:
    """Return the time of a step without experts, by hand."""
    exchange = 9 * (1 - 1 / ranks) + (ranks - 1) / 1000
    return 600 / ranks + 5 / 8 + exchange - min(exchange, 70 / ranks)
