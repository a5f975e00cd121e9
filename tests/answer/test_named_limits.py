"""Limits that are named as those that shape tuples exclude something: without one of them there are more."""

from __future__ import annotations

import pytest

from flopsheet import solve

CLUSTER = ["model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192", "batch = 512"]


@pytest.mark.parametrize(
    ("sheet", "unknowns", "where", "named"),
    [
        ("training_step", ["n_pp", "n_dp", "n_tp"], [*CLUSTER, "n_chips = 64"], ("fits",)),
        ("training_memory", ["n_pp", "n_dp", "n_tp"], [*CLUSTER, "n_chips = 512"], ("fits", "heads_divide")),
    ],
)
def test_without_a_limit_that_is_named_there_are_more_tuples(
    sheet: str, unknowns: list[str], where: list[str], named: tuple[str, ...]
) -> None:
    answer = solve(sheet, unknowns, where)
    limits = {limit for outcome in answer.outcomes.values() for limit in outcome.limits}
    assert {*named} <= limits
    assert "states_fit" not in limits  # what it excludes does not fit either
    for limit in limits:
        more = solve(sheet, unknowns, where, without=[limit])
        assert len(more.tuples) > len(answer.tuples), limit
