"""What a model is on one chip, and without dense blocks, where neither collectives nor dense layers exist."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.errors import ValueOutOfBoundsError

CARD = ["model = qwen3-32b", "weight_format = int4", "chip = rtx-5090", "context = 8192", "n_sequences = 1"]
MIXTURE = ["d_model = 2048", "n_blocks = 24", "n_heads = 16", "n_kv_heads = 4", "d_head = 128", "vocab = 50000"]
EXPERTS = ["n_moe_blocks = 24", "n_experts = 64", "n_routed = 6", "d_expert = 1024"]


def test_one_chip_has_no_buffers_of_collectives() -> None:
    assert solve("decode", "user_token_rate", CARD).cells["communication_memory"].value == 0
    assert solve("decode", "user_token_rate", [*CARD, "n_tp = 2"]).cells["communication_memory"].value == 1024
    assert solve("decode", "user_token_rate", [*CARD, "n_dp = 2"]).cells["communication_memory"].value == 0
    given = solve("decode", "user_token_rate", [*CARD, "communication_memory = 300 MiB"])
    assert given.cells["communication_memory"].value == 300


def test_a_model_of_experts_alone_has_no_dense_blocks() -> None:
    params = solve("model_size", "params", [*MIXTURE, *EXPERTS, "d_ff = 0"]).cells["params"].value
    attention = 2 * 2048 * 16 * 128 + 2 * 2048 * 4 * 128
    by_hand = 24 * (attention + 3 * 64 * 2048 * 1024 + 2048 * 64) + 2 * 50000 * 2048
    assert params == pytest.approx(by_hand, rel=1e-3)  # by hand without norms
    with pytest.raises(ValueOutOfBoundsError):
        solve("model_size", "params", [*MIXTURE, "d_ff = -1"])
