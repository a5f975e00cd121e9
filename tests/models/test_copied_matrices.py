"""Matrices that each tensor-parallel rank has whole: routers, latents of experts, and copies of key heads."""

from __future__ import annotations

import pytest
from tests.models.solved import cells

from flopsheet import records

# Nemotron 3 Super: layers with experts, its width, the latent width that experts read, and experts
LAYERS, D, LATENT, EXPERTS = 40, 4096, 1024, 512
WHOLE = LAYERS * D * (EXPERTS + 2 * LATENT)  # routers, and matrices into latents and back
SERVED = ("model = nemotron-3-super", "chip = h200-sxm", "seq_len = 4096 token", "n_sequences = 1")
TRAINED = ("model = nemotron-3-super", "chip = h200-sxm", "seq_len = 4096 token", "n_ep = 8", "n_dp = 8", "batch = 64")


@pytest.mark.parametrize("n_tp", [1, 2, 8])
@pytest.mark.parametrize("weight_format", ["bf16", "fp8"])
def test_a_step_reads_routers_and_latents_of_experts_whole(n_tp: int, weight_format: str) -> None:
    """The router of each layer has a number for each expert beside its matrix."""
    known = (*SERVED, f"n_tp = {n_tp}", "expert_imbalance = 1", f"weight_format = {weight_format}")
    found = cells("decode", *known)
    read = found["dense_memory_time"] * found["memory_rate"]
    mixers = records("architecture")["nemotron-3-super"].values
    heads, inner = mixers["state.n_heads"].si, mixers["state.n_heads"].si * mixers["state.d_head"].si
    mixed = inner + 2 * mixers["state.n_groups"].si * mixers["state.d_state"].si
    vectors = mixers["state.n_blocks"].si * (mixed * (4 + 1) + 3 * heads + inner)  # convolution, numbers, norm
    assert read == pytest.approx(
        found["rank_matrix_params"] * found["bytes_per_param"] + 2 * (WHOLE + LAYERS * EXPERTS + vectors / n_tp)
    )
    critical = found["critical_tokens"] * (found["dense_token_work"] + found["expert_token_work"])
    all_read = read + found["rank_expert_params"] * found["bytes_per_expert_param"]
    assert critical / found["sustained_matmul_rate"] == pytest.approx(all_read / found["memory_rate"])


@pytest.mark.parametrize("n_tp", [1, 2, 8])
def test_each_rank_computes_routers_and_latents_of_experts_whole(n_tp: int) -> None:
    found = cells("decode", *SERVED, f"n_tp = {n_tp}")
    divided = found["projection_work_per_token"] + found["mixer_work_per_token"] + found["ffn_work_per_token"]
    copied = 2 * WHOLE + found["copied_key_work"]
    assert found["dense_token_work"] == pytest.approx(divided / n_tp + copied)


def test_all_parts_of_the_weights_are_somewhere() -> None:
    """Chips of one stage hold the model once, and what they copy as often as there are more of them."""
    for model in ("gpt-oss-120b", "nemotron-3-super", "llama-3-8b", "kimi-k2", "gemma-3-27b"):
        known = (f"model = {model}", "chip = h200-sxm", "seq_len = 64 token", "n_sequences = 1")
        found = cells("decode", *known, "n_tp = 1", "latent_inputs = divided")
        assert found["served_memory"] == pytest.approx(found["format_memory"], rel=1e-12), model


def test_biases_of_experts_are_where_the_experts_are() -> None:
    """gpt-oss-120b: 128 experts in 36 layers, each with biases of 2 x 2880 and 2880, in bf16."""
    known = ("model = gpt-oss-120b", "chip = h200-sxm", "seq_len = 4096 token", "n_sequences = 1")
    one, eight = (cells("decode", *known, f"n_tp = {n_tp}") for n_tp in (1, 8))
    biases = 2 * 36 * 128 * 3 * 2880
    for found, ranks in ((one, 1), (eight, 8)):
        matrices = found["rank_expert_params"] * found["bytes_per_expert_param"]
        assert found["rank_expert_weights"] == pytest.approx(matrices + biases / ranks)


@pytest.mark.parametrize("sheet", ["decode", "prefill"])
def test_experts_are_sent_what_they_read(sheet: str) -> None:
    """A token and its result cross as latents: a quarter of the residual stream."""
    count = "n_sequences = 64" if sheet == "decode" else "n_prompts = 8"
    known = (SERVED[0], SERVED[1], SERVED[2], count, "n_adp = 8", "n_ep = 8")
    found = cells(sheet, *known)
    assert found["dispatch_payload"] == pytest.approx(found["sent_copies"] * LATENT * 2)


def test_training_copies_latents_of_experts() -> None:
    one, two = (cells("training_step", *TRAINED, f"n_tp = {n_tp}") for n_tp in (1, 2))
    stream, divided = (cells("training_step", *TRAINED, "n_tp = 2", f"sequence_parallel = {s}") for s in ("no", "yes"))
    whole = LAYERS / 88 * (D * (EXPERTS + 2 * LATENT) + EXPERTS) + D  # routers with a number an expert, latents, norm
    assert 2 * two["rank_block_params"] - one["rank_block_params"] == pytest.approx(whole, rel=1e-3)
    work = 2 * WHOLE / 88
    assert two["undivided_work"] == pytest.approx(work)
    moved = stream["layer_moves"] / stream["memory_rate"] - divided["layer_moves"] / divided["memory_rate"]
    saved = 4096 * work * (1 - 1 / 2) * 3 / stream["sustained_matmul_rate"]
    assert stream["layer_time"] - divided["layer_time"] - moved == pytest.approx(saved)


@pytest.mark.parametrize("sequence_parallel", ["no", "yes"])
def test_copied_keys_are_computed_for_all_tokens(sequence_parallel: str) -> None:
    """64 ranks of 8 heads: each computes a head of keys and values of all tokens, eight times its even share."""
    known = ("model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192 token", "n_tp = 64", "n_dp = 1", "batch = 16")
    tiny = ("forward_moves = 1e-9", "backward_moves = 1e-9", f"sequence_parallel = {sequence_parallel}")
    found = cells("training_step", *known, *tiny)
    heads, width, d_ff = 64, 8192, 28672
    matrices = width * 128 * 2 * heads / 64 + 2 * width * 128 + 3 * width * d_ff / 64
    products = 3 * 2 * 8192 * matrices / found["sustained_matmul_rate"]
    pairs = found["layer_pair_work"] * 8192 / 64 * 3 / found["sustained_attention_rate"]
    assert found["layer_time"] == pytest.approx(products + pairs, rel=1e-6)
