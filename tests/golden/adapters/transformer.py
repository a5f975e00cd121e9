"""Golden cases of the parameters and the computation of a transformer: Megatron-LM, EleutherAI, DeepSeek LLM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Answer

MEGATRON = ("attention_span = half", "router_counted = no", "latent_norms_counted = yes")
ELEUTHER = ("attention_span = full", "head_counted = forward", "lookup_work_per_value = 4 FLOP/token")
MEMORY = (
    "weight_and_optimizer_memory_most_loaded_rank",
    "activation_memory_first_stage",
    "total_memory",
    "weight_and_optimizer_memory_MiB",
    "activation_memory_MiB",
)
OF_TOOL = "the tool ignores the width that it is given and takes four times that of the residual stream"


def _megatron_relations(inputs: Inputs) -> list[str]:
    width = inputs["hidden_size"]
    relations = [
        *MEGATRON,
        f"d_model = {width}",
        f"n_blocks = {inputs['num_layers']}",
        f"n_heads = {inputs['num_attention_heads']}",
        f"d_ff = {inputs.get('ffn_hidden_size', 4 * width)}",
        f"ffn_matrices = {3 if inputs.get('swiglu') else 2}",
        f"norm_vectors = {1 if inputs.get('normalization') == 'RMSNorm' else 2}",
        f"embedding_matrices = {2 if inputs.get('untie_embeddings_and_output_weights') else 1}",
        f"vocab = {inputs['padded_vocab_size']}",
        f"seq_len = {inputs.quantity('seq_length', 'token')}",
        f"batch = {inputs['global_batch_size']}",
    ]
    return [*relations, *_latent(inputs), *_experts(inputs)]


def _latent(inputs: Inputs) -> list[str]:
    """Return what the inputs say of latent attention: a head there is as wide as its two parts."""
    if not inputs.get("multi_latent_attention"):
        return []
    return [
        f"q_rank = {inputs['q_lora_rank']}",
        f"kv_rank = {inputs['kv_lora_rank']}",
        f"d_rope = {inputs['qk_pos_emb_head_dim']}",
        f"d_head = {inputs['qk_head_dim'] + inputs['qk_pos_emb_head_dim']}",
        f"d_value = {inputs['v_head_dim']}",
    ]


def _experts(inputs: Inputs) -> list[str]:
    if "num_experts" not in inputs:
        return []
    dense, _, sparse = str(inputs["moe_layer_pattern"]).removesuffix(" MoE").partition(" dense then ")
    assert int(dense) + int(sparse) == inputs["num_layers"]
    return [
        f"n_moe_blocks = {sparse}",
        f"n_experts = {inputs['num_experts']}",
        f"n_routed = {inputs['moe_router_topk']}",
        f"d_expert = {inputs['moe_ffn_hidden_size']}",
        f"d_shared = {inputs['moe_shared_expert_intermediate_size']}",
    ]


def _megatron_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "model_flop_per_iteration": Probe("step_work", "FLOP"),
        "model_flop_per_token": Probe("train_work_per_token", "FLOP/token"),
        "total_parameters": Probe("params", "param"),
        "active_parameters": Probe("active_params", "param"),
    }


def _eleuther_relations(inputs: Inputs) -> list[str]:
    width = inputs["hidden_size"]
    # The tool knows no heads: any number of them gives the same, here one per unit of the ratio of keys to queries.
    return [
        *ELEUTHER,
        f"d_model = {width}",
        f"n_blocks = {inputs['num_layers']}",
        "n_heads = 64",
        f"n_kv_heads = {int(64 * inputs.get('kv_ratio', 1))}",
        f"d_ff = {inputs.get('ffn_hidden_size', 4 * width)}",
        f"ffn_matrices = {inputs.get('mlp_linears', 2)}",
        f"vocab = {inputs['vocab_size']}",
        f"seq_len = {inputs.quantity('seq_len', 'token')}",
        f"dataset_tokens = {inputs['tokens']} token",
        f"recomputation = {'full' if inputs['recompute_full'] else 'none'}",
        "counted = hardware",
    ]


def _eleuther_probes(inputs: Inputs) -> dict[str, Probe]:
    passes = 4 if inputs["recompute_full"] else 3
    total = Probe("total_work", "FLOP")
    ffn = Probe("", read=_work("ffn_work_per_token", times=passes))
    return {
        "total": total,
        "total_as_printed_by_tool": total,
        "qkv": Probe(
            "", read=_work("projection_work_per_token", times=passes, of="output_matrix_params", without=True)
        ),
        "out_proj": Probe("", read=_work("projection_work_per_token", times=passes, of="output_matrix_params")),
        "attention_scores_plus_values": Probe("", read=_work("pair_work_per_token", times=passes)),
        "ffn": ffn,
        "ffn_as_printed_by_tool": ffn,
        "ffn_from_ffn_hidden_size_28672": ffn,
        "embedding": Probe("", read=_work("single_pass_work")),
    }


def _work(part: str, *, times: int = 1, of: str = "", without: bool = False) -> Callable[[Answer], object]:
    """Return what reads the computation of a part in a run, or of one matrix of attention, or of all others."""

    def read(answer: Answer) -> object:
        value = {name: answer.cells[name].si for name in (part, "dataset_tokens")}
        share = answer.cells[of].si / answer.cells["attention_matrix_params"].si if of else 1
        return times * value[part] * value["dataset_tokens"] * (1 - share if without else share)

    return read


def _scale_relations(inputs: Inputs) -> list[str]:
    return [
        "work_rule = deepseek",
        f"n_blocks = {inputs['n_layer']}",
        f"d_model = {inputs['d_model']}",
        f"seq_len = {inputs['l_seq']} token",
    ]


def _scale_probes(_: Inputs) -> dict[str, Probe]:
    return {"M": Probe("train_work_per_token", "FLOP/token")}


ADAPTERS: dict[str, Adapter] = {"deepseek_model_scale": Adapter("transformer", _scale_relations, _scale_probes)}

PEERS: dict[str, Adapter] = {
    "training_memory_and_flops": Adapter(
        "transformer",
        _megatron_relations,
        _megatron_probes,
        deviating=dict.fromkeys(MEMORY, "this sheet counts no memory"),
    ),
    "training_flops": Adapter(
        "transformer",
        _eleuther_relations,
        _eleuther_probes,
        deviating=dict.fromkeys(("total_as_printed_by_tool", "ffn_as_printed_by_tool"), OF_TOOL),
    ),
}
