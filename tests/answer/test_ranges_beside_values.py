"""Ranges at each of several values of another unknown: they are told at one of them, ranked or not."""

from __future__ import annotations

import pytest

from flopsheet import solve

GIVEN = ["model = llama-3.1-70b", "chip = h100-sxm", "n_dp = 8", "seq_len = 8192"]
BUDGET = 8  # seconds: the ranks, which stay open, are searched as long as there is time
STAGES = (1, 7, 8, 24, 25, 27, 33, 34, 40, 51, 52, 72, 79, 80)


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("best", [None, "min:n_chips"])
def test_the_stages_are_those_that_fit_beside_each_number_of_ranks(best: str | None) -> None:
    """Forward, stage by stage: layers that do not divide evenly leave gaps, elsewhere for each number of ranks."""
    asked = ["device_memory <= chip.memory", "n_pp <= n_blocks"]
    answer = solve("training_memory", ["n_tp", "n_pp"], [*GIVEN, *asked], best=best, budget=BUDGET)
    n_tp = int(answer.tuples[0]["n_tp"])
    listed = {int(own["n_pp"]) for own in answer.tuples if own["n_tp"] == n_tp}
    forward = {n: solve("training_memory", (), [*GIVEN, f"n_tp = {n_tp}", f"n_pp = {n}"]) for n in STAGES}
    fitting = [n for n, own in forward.items() if own.cells["device_memory"].si <= own.cells["chip.memory"].si]
    assert [n for n in STAGES if n in listed] == fitting
