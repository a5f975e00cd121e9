"""One of the many values of an unknown, beside which another has none, does not exclude all others."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet

STAGES = """sheet: stages
title: Memory of the first and the last of several stages.
cells:
  n_stages: {example: 16, integer: true}
  vocab: {example: 1000, maximum: 2000}
  in_flight: {formula: "min(n_stages, 64)"}
  first: {formula: in_flight*960/n_stages}
  last: {formula: 960/n_stages + vocab/100}
  largest: {formula: "max(first, last)"}
"""


@pytest.mark.parametrize(("stages", "vocab"), [(16, 1000), (2, 100), (40, 1999)])
def test_both_unknowns_are_found_as_tuples(stages: int, vocab: int) -> None:
    model = parse_sheet(STAGES, "stages")
    there = solve(model, (), [f"n_stages = {stages}", f"vocab = {vocab}"])
    goals = [f"{name} = {there.cells[name].value!r}" for name in ("largest", "last")]
    answer = solve(model, ["n_stages", "vocab"], goals)
    for name, value in (("n_stages", stages), ("vocab", vocab)):
        outcome = answer.outcomes[name]
        beside = any(cell.name == "n_stages" and at != stages for cell, at in outcome.at)  # a slice of the tuples
        assert beside or outcome.proof is Proof.OPEN or any(value in part for part in outcome.listed), name
        assert outcome.kind != "none" or outcome.open, outcome.why
    alone = solve(model, "vocab", [*goals, f"n_stages = {stages}"]).outcomes["vocab"]
    assert any(vocab in part for part in alone.listed)
