"""Golden cases of Megatron-LM: memory and computation of a configuration, by the names of its options."""

from __future__ import annotations

import re
from typing import Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

SHAPE = {
    "hidden_size": "d_model",
    "num_layers": "n_blocks",
    "padded_vocab_size": "vocab",
    "num_attention_heads": "n_heads",
    "moe_latent_size": "d_latent",
    "moe_shared_expert_intermediate_size": "d_shared",
}
FLAGS = {"moe_shared_expert_gate": "shared_gate", "attention_output_gate": "output_gate"}
LAYOUT = {
    "tensor_model_parallel_size": "n_tp",
    "pipeline_model_parallel_size": "n_pp",
    "context_parallel_size": "n_cp",
    "expert_model_parallel_size": "n_ep",
    "expert_tensor_parallel_size": "n_etp",
}
MEMORIES = {
    "weight_and_optimizer_memory": "state_memory",
    "weight_and_optimizer_memory_most_loaded_rank": "state_memory",
    "activation_memory": "megatron_memory",
    "activation_memory_first_stage": "megatron_memory",
    "total_memory": "device_memory",
}
UNITS = {"": "byte", "_MiB": "MiB", "_GiB": "GiB"}
# How Megatron-LM counts computation.
AS_CODED = ("attention_span = half", "router_counted = no", "latent_norms_counted = yes")


def _attention(inputs: Inputs) -> dict[str, Any]:
    heads, width = inputs["num_attention_heads"], inputs["hidden_size"]
    if inputs.get("multi_latent_attention"):
        return {
            "n_kv_heads": heads,
            "q_rank": inputs.get("q_lora_rank") or 0,
            "kv_rank": inputs["kv_lora_rank"],
            "d_rope": inputs["qk_pos_emb_head_dim"],
            "d_head": inputs["qk_head_dim"] + inputs["qk_pos_emb_head_dim"],
            "d_value": inputs["v_head_dim"],
        }
    head = inputs.get("kv_channels") or width // heads
    groups = inputs.get("num_query_groups") if inputs.get("group_query_attention", True) else heads
    return {"n_kv_heads": groups or heads, "d_head": head, "d_value": head}


def _feed_forward(inputs: Inputs) -> dict[str, Any]:
    width, is_gated = inputs["hidden_size"], bool(inputs.get("swiglu"))
    default = int(4 * width * 2 / 3 / 64) * 64 if is_gated else 4 * width
    hidden = inputs.get("ffn_hidden_size") or default
    cells = {"d_ff": hidden, "ffn_matrices": 3 if is_gated else 2}
    if not inputs.get("num_experts"):
        return cells
    return cells | {
        "n_moe_blocks": _moe_blocks(inputs),
        "n_experts": inputs["num_experts"],
        "n_routed": inputs["moe_router_topk"],
        "d_expert": inputs.get("moe_ffn_hidden_size") or hidden,
        "router_bias": int(inputs.get("add_bias_linear", True)),
    }


def _moe_blocks(inputs: Inputs) -> int:
    """Return the layers with experts: of `3 dense then 58 MoE`, `[0]*3+[1]*58`, a list, every n-th layer, or all."""
    layers = int(inputs["num_layers"])
    pattern = inputs.get("moe_layer_pattern", inputs.get("moe_layer_freq", 1))
    if isinstance(pattern, list):
        return sum(map(int, pattern))
    if isinstance(pattern, int):
        return -(-layers // pattern)
    text = re.sub(r"\[([01])\] ?\* ?(\d+)", lambda match: f"{match[2]} {('dense', 'moe')[int(match[1])]}", str(pattern))
    text = re.sub(r"^all", str(layers), text)
    counts = re.findall(r"(\d+) (dense|moe)", text, re.IGNORECASE)
    assert sum(int(count) for count, _ in counts) == layers, f"'{pattern}' is no pattern of {layers} layers"
    return sum(int(count) for count, kind in counts if kind.lower() == "moe")


def _shape(inputs: Inputs) -> list[str]:
    cells = {ours: inputs[theirs] for theirs, ours in SHAPE.items() if inputs.get(theirs)}
    cells |= {ours: int(inputs[theirs]) for theirs, ours in FLAGS.items() if theirs in inputs}
    cells |= _attention(inputs) | _feed_forward(inputs)
    cells["norm_vectors"] = 1 if inputs.get("normalization") == "RMSNorm" else 2
    cells["embedding_matrices"] = 2 if inputs.get("untie_embeddings_and_output_weights") else 1
    if inputs.get("mtp_num_layers"):
        cells |= {"mtp.n_modules": inputs["mtp_num_layers"], "mtp.experts": int("n_experts" in cells)}
    return [*(f"{name} = {value}" for name, value in cells.items()), f"seq_len = {inputs['seq_length']} token"]


def _chunks(inputs: Inputs) -> int | None:
    """Return the model chunks of a stage, None without interleaving."""
    if inputs.get("virtual_pipeline_model_parallel_size"):
        return int(inputs["virtual_pipeline_model_parallel_size"])
    layers = inputs.get("num_layers_per_virtual_pipeline_stage")
    return int(inputs["num_layers"] // inputs["pipeline_model_parallel_size"] // layers) if layers else None


def _relations(inputs: Inputs) -> list[str]:
    layout = {ours: inputs[theirs] for theirs, ours in LAYOUT.items() if theirs in inputs}
    layout.setdefault("n_etp", layout.get("n_tp", 1))  # as Megatron-LM does
    replica = layout.get("n_tp", 1) * layout.get("n_pp", 1) * layout.get("n_cp", 1)
    layout["n_dp"] = inputs.get("data_parallel_size") or inputs["world_size"] // replica
    micro_batch, chunks = inputs.get("micro_batch_size", 1), _chunks(inputs)
    if "global_batch_size" in inputs:
        layout["n_microbatches"] = inputs["global_batch_size"] // (micro_batch * layout["n_dp"])
    return [
        *_shape(inputs),
        *(f"{name} = {value}" for name, value in layout.items()),
        f"micro_batch = {micro_batch} sequence",
        f"sharding = {'optimizer' if inputs.get('use_distributed_optimizer') else 'none'}",
        *(["schedule = interleaved", f"n_interleave = {chunks}"] if chunks else []),
    ]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    batch = [f"batch = {inputs['global_batch_size']} sequence"] if "global_batch_size" in inputs else []
    counted = [*AS_CODED, *(["mtp_counted = yes"] if inputs.get("mtp_num_layers") else [])]
    shape = (*_shape(inputs), *batch, *counted)
    return {
        **{f"{name}{end}": Probe(cell, unit) for name, cell in MEMORIES.items() for end, unit in UNITS.items()},
        "total_parameters": Probe("params", "param"),
        "active_parameters": Probe("active_params", "param"),
        "model_flop_per_iteration": Probe("step_work", "FLOP", sheet="transformer", instead=shape),
        "model_flop_per_token": Probe("train_work_per_token", "FLOP/token", sheet="transformer", instead=shape),
    }


PEERS: dict[str, Adapter] = {
    "training_memory_and_flops": Adapter("megatron_estimate", _relations, _probes),
}
