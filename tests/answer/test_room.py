"""How much room an inequality leaves: none where its sides differ by rounding alone."""

from __future__ import annotations

import math

from flopsheet import solve
from flopsheet.answer.verification.checks import Check, with_room
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol

BELOW = Relation(symbol("a"), "<=", symbol("b"), "a <= b")


def test_rounding_leaves_no_room() -> None:
    assert Check(BELOW, 1.0, math.nextafter(1.0, 2), {}, holds=True).slack == 0
    assert Check(BELOW, 1, 2, {}, holds=True).slack == 1 / 2
    assert Check(BELOW, 2, 1, {}, holds=False).slack == -1


def test_a_number_that_is_no_multiple_is_told_with_both() -> None:
    broken = solve("training_memory", (), ["n_heads = 64", "n_tp = 3"]).broken
    text = next(check.failure for check in broken if check.relation.name == "heads_divide")
    assert text.endswith("does not hold: 64 is no multiple of 3")


def test_limits_of_options_have_no_room() -> None:
    where = ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_dp = 64", "seq_len = 8192", "dataset_tokens = 1T"]
    answer = solve("training_plan", (), where)
    limits = {check.relation.name for check in answer.limits if check.holds}
    roomy = {check.relation.name for check in with_room(answer, answer.limits)}
    assert {"synchronized", "stages_have_layers"} <= limits
    assert roomy & {"synchronized", "stages_have_layers"} == {"stages_have_layers"}
