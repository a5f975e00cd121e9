"""Activations of a layer: bytes of one token counted by hand, the published estimates, and what recomputation saves."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from flopsheet import records, solve

# Bytes of one token in a layer: bf16 values as (times, width), then what is in fp32.
BY_HAND = {
    # two norms in and out, queries, keys, values, output of the heads, gate, up and product; a logsumexp a head
    "llama-3-8b": 2 * (4 * 4096 + 4096 + 2 * 1024 + 4096 + 3 * 14336) + 4 * 32,
    # norms of queries and keys beside them
    "qwen3-8b": 2 * (4 * 4096 + 2 * 4096 + 2 * 1024 + 1024 + 4096 + 3 * 12288) + 4 * 32,
    # four norms; parts read two of them
    "gemma-3-27b": 2 * (4 * 5376 + 2 * 5376 + 2 * 4096 + 2 * 2048 + 2048 + 4096 + 3 * 21504) + 4 * 32,
    # one norm that attention and the feed-forward part read, one key and value head
    "falcon-7b": 2 * (2 * 4544 + 4544 + 2 * 64 + 4544 + 2 * 18176) + 4 * 71,
    # two of eight experts, and two scores of each
    "mixtral-8x7b": 2 * (4 * 4096 + 4096 + 2 * 1024 + 4096 + 2 * (4096 + 3 * 14336)) + 4 * 32 + 2 * 4 * 8,
    # one mixer: groups of keys and queries and the values before and after the convolution, gate, output and product
    "mamba-2-2.7b": 2 * (2 * 2560 + 2 * (2 * 128 + 5120) + 3 * 5120) + 4 * 80,
}
PLAIN = ("dropout = yes", "attention_kernel = unfused", "micro_batch = 2 sequence", "seq_len = 1024 token")
SAVINGS = {
    ("no", "none"): "tensor_parallel",
    ("yes", "none"): "sequence_parallel",
    ("no", "selective"): "selective",
    ("yes", "selective"): "sequence_parallel_selective",
    ("no", "full"): "full",
}


def values(sheet: str, *relations: str) -> dict[str, Any]:
    """Return the cells of a sheet by name [base units]."""
    return {name: cell.si for name, cell in solve(sheet, (), relations).cells.items()}


@pytest.mark.parametrize("name", BY_HAND)
def test_bytes_of_a_token(name: str) -> None:
    found = values("activation_memory", f"model = {name}", "seq_len = 4096 token")
    assert found["layer_memory"] / 4096 == BY_HAND[name]


def test_latent_attention_and_shared_experts() -> None:
    latent = 2 * (2 * (1536 + 512) + 64 + 3 * 128 * 192 - 128 * 64 + 128 * 128) + 4 * 128
    dense = 2 * (4 * 7168 + 3 * 18432)
    sparse = 2 * (4 * 7168 + 8 * (7168 + 3 * 2048) + 3 * 2048) + 2 * 4 * 256
    found = values("activation_memory", "model = deepseek-v3", "seq_len = 4096 token")
    assert found["layer_memory"] * 61 == 4096 * (61 * latent + 3 * dense + 58 * sparse)


def test_what_deepseek_v3_keeps_in_eight_and_twelve_bits() -> None:
    """Section 3.3.3 of its report: inputs of experts and SwiGLU in fp8, those of the output matrix in E5M6."""
    small = ["bytes_per_matmul_input", "bytes_per_nonlinear_input"]
    given = [*(f"{name} = 1 byte/token" for name in small), "bytes_per_head_output = 1.5 byte/token"]
    again = [f"recompute_{part} = yes" for part in ("norms", "heads", "products")]
    latent = 2 * (1536 + 512 + 64) + 1.5 * 128 * 128 + 4 * 128
    sparse = 8 * (7168 + 2 * 2048) + 2 * 2048 + 2 * 4 * 256
    found = values("activation_memory", "model = deepseek-v3", "seq_len = 4096 token", *given, *again)
    assert found["layer_memory"] * 61 == 4096 * (61 * (2 * 2 * 7168 + latent) + 3 * 2 * 18432 + 58 * sparse)


@pytest.mark.parametrize(("shared", "recomputed"), SAVINGS)
@pytest.mark.parametrize(("model", "n_tp"), [("megatron-22b", 8), ("megatron-530b", 4), ("opt-6.7b", 2)])
def test_the_estimates_of_korthikanti(model: str, n_tp: int, shared: str, recomputed: str) -> None:
    given = [f"model = {model}", f"n_tp = {n_tp}", *PLAIN[2:]]
    kept = [*PLAIN[:2], f"sequence_parallel = {shared}", f"recomputation = {recomputed}"]
    tensors = values("activation_memory", *given, *kept)
    estimate = values("activation_estimates", *given, f"saving = {SAVINGS[shared, recomputed]}")
    assert tensors["layer_memory"] == estimate["layer_memory"]
    if shared == "yes":
        assert tensors["head_memory"] == estimate["end_memory"]


@pytest.mark.slow
def test_every_model_keeps_less_the_more_it_computes_again() -> None:
    savings = [(), ("recompute_products = yes",), ("recompute_products = yes", "recompute_norms = yes")]
    savings += [("recomputation = full",)]
    for name in records("architecture"):
        kept = [
            values("activation_memory", f"model = {name}", "seq_len = 4096 token", *saving)["activation_memory"]
            for saving in savings
        ]
        assert kept == sorted(kept, reverse=True), name
        assert kept[-1] < kept[0], name


@pytest.mark.parametrize(("cell", "shares"), [*product(["layer_memory", "logit_memory"], ["n_tp", "n_cp"])])
def test_chips_that_share_a_layer(cell: str, shares: str) -> None:
    alone = values("activation_memory", "model = llama-3-8b", "seq_len = 8192 token")
    four = values(
        "activation_memory", "model = llama-3-8b", "seq_len = 8192 token", "sequence_parallel = yes", f"{shares} = 4"
    )
    assert four[cell] == alone[cell] / 4


@pytest.mark.parametrize("schedule", ["zb_v", "dualpipe"])
def test_chips_with_both_ends_keep_the_logits_too(schedule: str) -> None:
    relations = ["model = llama-3-8b", "seq_len = 8192 token", "n_pp = 4", f"schedule = {schedule}"]
    found = values("activation_memory", *relations)
    assert found["activation_memory"] == found["stage_memory"] + found["head_memory"]


@pytest.mark.parametrize(("n_pp", "layers"), [(1, 32), (3, 11), (5, 7), (31, 2), (32, 1)])
def test_the_most_loaded_stage_has_whole_layers(n_pp: int, layers: int) -> None:
    cells = values("activation_memory", "model = llama-3-8b", "seq_len = 8192 token", f"n_pp = {n_pp}")
    assert cells["n_stage_blocks"] == layers
    assert cells["stage_memory"] == cells["n_in_flight"] * layers * cells["layer_memory"]
