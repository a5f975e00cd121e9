"""Defects of the script that the sheet does not share unless it is told to."""

from __future__ import annotations

import pytest

from flopsheet import solve

LLAMA_3_70B = (
    *("d_model = 8192", "n_blocks = 80", "n_heads = 64", "kv_fraction = 1/8", "ffn_ratio = 3.5", "ffn_matrices = 3"),
    *("vocab = 128256", "sequence_positions = 8192", "micro_batch = 1"),
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


@pytest.mark.parametrize(
    ("model", "ffn", "matrices", "experts"),
    [("llama-3-70b", 28672, 3, 1), ("pythia-6.9b", 16384, 2, 1), ("mixtral-8x7b", 14336, 3, 8)],
)
def test_the_shape_is_that_of_a_record(model: str, ffn: int, matrices: int, experts: int) -> None:
    answer = solve("cookbook_estimate", "held_params", [f"model = {model}", "sequence_positions = 4096"])
    width, blocks, words, heads, shared = (
        int(answer.cells[name].si) for name in ("d_model", "n_blocks", "vocab", "n_heads", "n_kv_heads")
    )
    layer = 2 * width * width * (1 + shared / heads) + experts * matrices * width * ffn + 8 * width
    assert answer.outcomes["held_params"].si == (2 * words + 4096 + 2) * width + blocks * layer
