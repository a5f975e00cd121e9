"""Defects of the script that the sheet does not share unless it is told to."""

from __future__ import annotations

import pytest

from flopsheet import solve

LLAMA_3_70B = (
    *("d_model = 8192", "n_blocks = 80", "n_heads = 64", "kv_fraction = 1/8", "ffn_ratio = 3.5", "ffn_matrices = 3"),
    *("vocab = 128256", "n_positions = 8192", "micro_batch = 1"),
)
PARAMS = 70624755712
LAYOUTS = [
    (("n_tp = 8", "n_pp = 4", "n_dp = 8", "sharding = optimizer"), "gradient_memory", 4 * PARAMS / 32, 4 * PARAMS),
    (("n_tp = 8", "n_dp = 4", "sharding = none"), "optimizer_memory", 12 * PARAMS / 8, 12 * PARAMS),
    (("n_tp = 8", "n_dp = 8", "sharding = weights"), "param_memory", 2 * PARAMS / 64, 2 * PARAMS / 512),
]


@pytest.mark.parametrize(("layout", "cell", "right", "script"), LAYOUTS, ids=[row[1] for row in LAYOUTS])
def test_states_are_divided_once_by_all_chips_that_share_them(
    layout: tuple[str, ...], cell: str, right: float, script: float
) -> None:
    for division, expected in (("even", right), ("script", script)):
        answer = solve("cookbook_estimate", cell, [*LLAMA_3_70B, *layout, f"division = {division}"])
        assert answer.outcomes[cell].si == pytest.approx(expected, rel=1e-12)
