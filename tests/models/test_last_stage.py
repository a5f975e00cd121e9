"""The last stage of a pipeline: what full stages before it leave, and one layer at least."""

from __future__ import annotations

import pytest

from flopsheet import solve

STEP = ["model = llama-3-70b", "system = dgx-h100", "n_tp = 8", "n_dp = 1", "batch = 512", "seq_len = 4096"]
N_BLOCKS = 80


@pytest.mark.parametrize(("n_pp", "last"), [(1, 80), (3, 26), (6, 10), (7, 8), (16, 5), (41, 1), (72, 1), (80, 1)])
def test_each_stage_has_a_layer(n_pp: int, last: int) -> None:
    answer = solve("training_step", (), [*STEP, f"n_pp = {n_pp}", "sharding = optimizer", "recomputation = full"])
    most = answer.cells["n_stage_blocks"].si
    assert most == -(-N_BLOCKS // n_pp)
    assert answer.cells["n_last_blocks"].si == last
    assert (n_pp - 1) * most + last >= N_BLOCKS >= n_pp - 1 + last  # others have between one layer and a full stage
    assert "stages_have_layers" not in {check.relation.name for check in answer.broken}
