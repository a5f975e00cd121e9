"""Golden cases of Megatron-LM: memory and computation of a configuration, by the names of its options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Answer

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
        "n_moe_blocks": sum(_moe_layers(inputs)),
        "n_experts": inputs["num_experts"],
        "n_routed": inputs["moe_router_topk"],
        "d_expert": inputs.get("moe_ffn_hidden_size") or hidden,
        "router_bias": int(inputs.get("add_bias_linear", True)),
    }


def _moe_layers(inputs: Inputs) -> list[int]:
    """Return 1 for each layer with experts: of `3 dense then 58 MoE`, `[0]*3+[1]*58`, a list, every n-th layer, or all.

    Every n-th layer begins with the first, as in Megatron-LM.
    """
    layers = int(inputs["num_layers"])
    pattern = inputs.get("moe_layer_pattern", inputs.get("moe_layer_freq", 1))
    every = re.match(r"every (?:(\d+)\w{2} )?layer", str(pattern))
    if isinstance(pattern, list):
        return [int(number) for number in pattern]
    if isinstance(pattern, int) or every:
        step = int(every[1] or 1) if every else pattern
        return [int(index % step == 0) for index in range(layers)]
    text = re.sub(r"\[([01])\] ?\* ?(\d+)", lambda match: f"{match[2]} {('dense', 'moe')[int(match[1])]}", str(pattern))
    text = re.sub(r"^all", str(layers), text)
    counts = re.findall(r"(\d+) (dense|moe)", text, re.IGNORECASE)
    assert sum(int(count) for count, _ in counts) == layers, f"'{pattern}' is no pattern of {layers} layers"
    return [number for count, kind in counts for number in int(count) * [int(kind.lower() == "moe")]]


def _shape(inputs: Inputs) -> list[str]:
    cells = {ours: inputs[theirs] for theirs, ours in SHAPE.items() if inputs.get(theirs)}
    cells |= {ours: int(inputs[theirs]) for theirs, ours in FLAGS.items() if theirs in inputs}
    cells |= _attention(inputs) | _feed_forward(inputs)
    cells["norm_vectors"] = 1 if inputs.get("normalization") == "RMSNorm" else 2
    cells["embedding_matrices"] = 2 if inputs.get("untie_embeddings_and_output_weights") else 1
    if inputs.get("mtp_num_layers"):
        has_experts = _moe_layers(inputs)[-1] if "n_experts" in cells else 0
        cells |= {"mtp.n_modules": inputs["mtp_num_layers"], "mtp.experts": has_experts, "mtp.norms": 3}
    return [*(f"{name} = {value}" for name, value in cells.items()), f"seq_len = {inputs['seq_length']} token"]


def _chunks(inputs: Inputs) -> int | None:
    """Return the model chunks of a stage, None without interleaving."""
    if inputs.get("virtual_pipeline_model_parallel_size"):
        return int(inputs["virtual_pipeline_model_parallel_size"])
    layers = inputs.get("num_layers_per_virtual_pipeline_stage")
    return int(inputs["num_layers"] // inputs["pipeline_model_parallel_size"] // layers) if layers else None


def _form(inputs: Inputs) -> str:
    """Return which estimate of activations Megatron-LM takes; a case that says nothing has the default one."""
    selective = inputs.get("recompute_granularity", "selective") == "selective"
    return "sequence_parallel" if inputs.get("sequence_parallel", True) and selective else "tensor_parallel"


def relations_of(inputs: Inputs) -> list[str]:
    """Return the relations of the memory.

    Megatron-LM's estimate leaves out the gates of heads and context parallelism, and takes interleaved pipelines for
    full ones.
    """
    layout = {ours: inputs[theirs] for theirs, ours in LAYOUT.items() if theirs in inputs}
    layout.setdefault("n_etp", layout.get("n_tp", 1))  # as Megatron-LM does
    replica = layout.get("n_tp", 1) * layout.get("n_pp", 1) * layout.get("n_cp", 1)
    layout["n_dp"] = inputs.get("data_parallel_size") or inputs["world_size"] // replica
    micro_batch, chunks = inputs.get("micro_batch_size", 1), _chunks(inputs)
    if "global_batch_size" in inputs:
        microbatches = inputs["global_batch_size"] // (micro_batch * layout["n_dp"])
        layout["n_microbatches"] = max(microbatches, 2 * layout.get("n_pp", 1)) if chunks else microbatches
    return [
        *_shape(Inputs({**inputs, "attention_output_gate": False})),
        *([f"n_shard = {layout['n_dp']}"] if layout.get("n_cp", 1) > 1 else []),
        *(f"{name} = {value}" for name, value in layout.items()),
        f"micro_batch = {micro_batch} sequence",
        f"megatron_form = {_form(inputs)}",
        f"sharding = {'optimizer' if inputs.get('use_distributed_optimizer') else 'none'}",
        *(["schedule = interleaved", f"n_interleave = {chunks}"] if chunks else []),
    ]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    batch = [f"batch = {inputs['global_batch_size']} sequence"] if "global_batch_size" in inputs else []
    counted = [*AS_CODED, *(["mtp_counted = yes"] if inputs.get("mtp_num_layers") else [])]
    shape = (*_shape(inputs), *batch, *counted)
    return {
        **{f"{name}{end}": Probe(cell, unit) for name, cell in MEMORIES.items() for end, unit in UNITS.items()},
        "total_parameters": Probe("", read=_with_modules("params")),
        "active_parameters": Probe("", read=_with_modules("active_params")),
        "model_flop_per_iteration": Probe("step_work", "FLOP", sheet="transformer", instead=shape),
        "model_flop_per_token": Probe("train_work_per_token", "FLOP/token", sheet="transformer", instead=shape),
    }


def _with_modules(cell: str) -> Callable[[Answer], object]:
    """Return what reads a count with the layers of modules that predict further tokens, all of their experts."""

    def value(answer: Answer) -> object:
        return answer.cells[cell].si + answer.cells["mtp.n_modules"].si * answer.cells["mtp_block_params"].si

    return value


PEERS: dict[str, Adapter] = {
    "training_memory_and_flops": Adapter("megatron_estimate", relations_of, _probes),
}
