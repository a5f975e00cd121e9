"""What one chip holds of unusual parts of a model: adapters, empty experts, and embeddings that single layers have."""

from __future__ import annotations

import pytest
from tests.models.solved import cells

V3 = ("model = deepseek-v3", "chip = h200", "n_tp = 1", "n_pp = 1", "seq_len = 4096 token", "batch = 64")


def matrices_of_v3() -> tuple[int, int, int]:
    """Return inputs and outputs of the matrices of DeepSeek-V3: of attention, of one routed expert, and of the rest."""
    attention = [(7168, 1536), (1536, 128 * 192), (7168, 576), (512, 128 * 256), (128 * 128, 7168)]
    expert = [(7168, 2048), (7168, 2048), (2048, 7168)]
    dense = [(7168, 18432), (7168, 18432), (18432, 7168)]
    widths = [sum(sum(shape) for shape in shapes) for shapes in (attention, expert, dense)]
    return 61 * widths[0], widths[1], 58 * widths[1] + 3 * widths[2]


@pytest.mark.parametrize("n_ep", [1, 8, 64])
@pytest.mark.parametrize("adapted", ["attention", "all"])
def test_expert_parallel_ranks_divide_adapters_of_experts_alone(adapted: str, n_ep: int) -> None:
    found = cells(
        "training_memory", *V3, "n_dp = 64", f"n_ep = {n_ep}", "recipe = lora", "lora_rank = 16", f"adapted = {adapted}"
    )
    attention, expert, rest = matrices_of_v3()
    ours = 16 * (attention + (rest if adapted == "all" else 0))
    of_experts = 16 * 58 * 256 * expert / n_ep if adapted == "all" else 0
    assert found["rank_adapter_params"] == pytest.approx(ours)
    assert found["rank_expert_adapter_params"] == pytest.approx(of_experts)
    assert found["gradient_memory"] == pytest.approx(4 * (ours + of_experts))


@pytest.mark.parametrize("n_ep", [8, 64])
def test_adapters_of_experts_are_shared_with_ranks_that_have_the_same_experts(n_ep: int) -> None:
    known = (*V3, "n_dp = 64", f"n_ep = {n_ep}", "recipe = lora", "lora_rank = 16", "sharding = optimizer")
    found = cells("training_step", *known)
    attention, expert, rest = matrices_of_v3()
    ours, of_experts, copies = 16 * (attention + rest), 16 * 58 * 256 * expert / n_ep, 64 // n_ep
    assert found["optimizer_memory"] == pytest.approx(8 * (ours / 64 + of_experts / copies))
    sent = 4 * 2 * (ours * (1 - 1 / 64) + of_experts * (1 - 1 / copies))  # fp32 gradients out, fp32 weights back
    assert found["reduce_traffic"] + found["gather_traffic"] == pytest.approx(sent)
    held = 4 * (ours + of_experts) + 4 * (ours + of_experts) + 8 * (ours / 64 + of_experts / copies)
    assert found["optimizer_time"] == pytest.approx(2 * held / (0.8 * 4.8e12))


@pytest.mark.parametrize(("recipe", "size"), [("lora", 2), ("qlora", (4 + 8 / 64 + 32 / (64 * 256)) / 8)])
def test_a_gathered_vocabulary_is_in_its_own_format(recipe: str, size: float) -> None:
    """QLoRA quantizes the layers of Llama 3 70B; embedding and output matrix stay in bf16."""
    known = ("model = llama-3-70b", "chip = h200", "n_tp = 1", "n_pp = 1", "n_dp = 8", "batch = 8", "seq_len = 2048")
    found = cells("training_memory", *known, f"recipe = {recipe}", "sharding = weights", "n_prefetched = 0")
    layer = 2 * 8192 * (8192 + 1024) + 3 * 8192 * 28672 + 2 * 8192
    assert found["gathered_memory"] == pytest.approx(max(size * layer, 2 * 128256 * 8192))


def test_copies_of_a_token_for_empty_experts_go_nowhere() -> None:
    """LongCat-Flash routes 12 copies of a token over 512 experts and 256 that return the token itself."""
    known = ("model = longcat-flash", "chip = h200", "n_tp = 1", "n_pp = 1", "n_dp = 64", "n_ep = 64", "batch = 64")
    found = cells("training_step", *known, "seq_len = 8192 token")
    copies = 12 * 512 / (512 + 256) * 8192
    assert found["routed_tokens"] == copies
    assert found["routed_input_memory"] == copies * 6144 * 2
    assert found["expert_hidden_memory"] == copies * 2048 * 3 * 2
    assert found["ep.payload"] == copies * 6144 * 2
    served = cells("inference_memory", "model = longcat-flash", "seq_len = 8192 token", "n_sequences = 1", "n_tp = 1")
    assert served["widest_hidden"] == 8 * 2048


@pytest.mark.parametrize("n_tp", [1, 2])
@pytest.mark.parametrize("n_pp", [1, 5, 7])
def test_embeddings_of_single_layers_are_with_the_first_stage(n_pp: int, n_tp: int) -> None:
    """Gemma 3n has as many for each of 35 layers, 256 wide; the rest of its parameters is that of its layers."""
    known = ("model = gemma-3n-e4b", "chip = h200", f"n_tp = {n_tp}", f"n_pp = {n_pp}", "seq_len = 1024 token")
    tables = 262144 * 35 * 256 + 262400 * 2048
    served = cells("inference_memory", *known, "n_sequences = 1")
    trained = cells("training_memory", *known, "n_dp = 1")
    ends = (tables, 262400 * 2048 + 2048)
    layers = (served["params"] - tables - 2048) / n_pp
    for found in (served["served_memory"] / 2, trained["rank_params"]):
        least = (layers + max(ends)) / n_tp
        assert least <= found * (1 + 1e-12)
        assert found == pytest.approx(least, rel=0.02)  # norms, which ranks copy


@pytest.mark.parametrize(
    "model", ["gopher-280b", "gemma-3n-e2b", "gpt3-175b", "llama-3-70b", "bloom-176b", "jamba-1.5-large"]
)
@pytest.mark.parametrize("n_pp", [2, 4])
def test_stages_hold_the_whole_model(model: str, n_pp: int) -> None:
    known = (f"model = {model}", "chip = h200", "n_tp = 1", f"n_pp = {n_pp}", "seq_len = 1024 token")
    served = cells("inference_memory", *known, "n_sequences = 1", "weight_format = bf16")
    assert n_pp * served["served_memory"] / 2 >= served["params"] * (1 - 1e-12)
    trained = cells("training_memory", *known, "n_dp = 1")
    assert n_pp * (trained["rank_params"] + trained["rank_expert_params"]) >= trained["params"] * (1 - 1e-12)


@pytest.mark.parametrize("n_ep", [1, 4])
def test_full_sharding_holds_gradients_of_two_layers(n_ep: int) -> None:
    """FSDP2: a layer computes its gradients while those of the layer before it are reduced, of experts too."""
    known = ("model = mixtral-8x7b", "chip = h200", "n_tp = 1", "n_pp = 1", "n_dp = 8", f"n_ep = {n_ep}", "batch = 8")
    found = cells("training_memory", *known, "seq_len = 4096 token", "sharding = weights", "n_prefetched = 1")
    attention = 2 * 4096 * (4096 + 1024)
    layer = attention + 8 // n_ep * 3 * 4096 * 14336 + 8 * 4096 + 2 * 4096
    whole = found["gathered_memory"] + found["new_gradient_memory"]
    assert whole == pytest.approx(2 * 2 * layer + 2 * 2 * layer)  # weights of two layers, and gradients of two
