"""Golden cases of a GPT model: its size, its layout on chips, its training time, its depth and width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet import Answer

    Printed = Mapping[str, Callable[[Mapping[str, Any]], str]]

# What the note calls two models whose size it does not print as the formula gives it.
_NAMES = {(64, 11600): "104B-ml", (80, 12288): "145B"}

# The parts of the 18 bytes of a parameter's state; of other bytes, parts of the same shares.
STATES = {"bytes_per_param": 2, "bytes_per_master": 4, "bytes_per_gradient": 4, "bytes_per_moment": 4}


def _gpt_relations(inputs: Inputs) -> list[str]:
    relations = [f"d_model = {inputs['hidden']}", f"n_blocks = {inputs['layers']}", f"vocab = {inputs['vocab']}"]
    return relations + ([f"n_positions = {inputs['seq_len']}"] if "seq_len" in inputs else ["variant = bloom"])


def _gpt_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "params_per_layer": Probe("layer_params", "param"),
        "embedding_params": Probe("embedding_params", "param"),
        "total_params": Probe("params", "param"),
        "total_billions": Probe("params", "gigaparam"),
        "hidden_over_layers": Probe("aspect_ratio"),
    }


def _per_gpu_relations(inputs: Inputs) -> list[str]:
    return [
        f"d_model = {inputs['hidden']}",
        f"vocab = {inputs['vocab']}",
        f"n_tp = {inputs['tp']}",
        f"stage_blocks = {inputs['layers_per_gpu']}",
        f"stage_embeddings = {inputs['embedding_shards_on_gpu']}",
        *(f"{name} = {share} * {inputs['bytes_per_param']} byte/param / 18" for name, share in STATES.items()),
    ]


def _per_gpu_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "embedding_params": Probe("embedding_params", "param"),
        "embedding_params_per_gpu": Probe("embedding_shard", "param"),
        "layer_params": Probe("layer_params", "param"),
        "layer_params_per_gpu": Probe("layer_shard", "param"),
        "params_per_gpu": Probe("device_params", "param"),
        "bytes_per_gpu": Probe("device_state_memory", "byte"),
        "layer_bytes_no_tp": Probe("", read=lambda answer: _product(answer, "layer_shard_memory", "n_tp")),
        "layer_bytes_tp": Probe("layer_shard_memory", "byte"),
        "embedding_bytes_no_tp": Probe("", read=lambda answer: _product(answer, "embedding_shard_memory", "n_tp")),
    }


def _product(answer: Answer, left: str, right: str) -> object:
    return answer.cells[left].si * answer.cells[right].si


def _layout_relations(inputs: Inputs) -> list[str]:
    return [
        f"n_blocks = {inputs['layers']}",
        f"embedding_blocks = {inputs['extra_blocks']}",
        f"n_pp = {inputs['pp']}",
        f"n_tp = {inputs['tp']}",
        f"n_chips = {inputs['gpus']}",
    ]


def _divides(answer: Answer) -> bool:
    return next(check.holds for check in answer.limits if check.relation.name == "divides")


def _layout_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "blocks_per_stage": Probe("stage_blocks"),
        "divides": Probe("", read=_divides),
        "gpus_per_replica": Probe("replica_chips"),
        "dp": Probe("n_dp"),
        "gpus_used": Probe("used_chips"),
    }


def _replicas(values: Mapping[str, Any]) -> str:
    used, held = values["gpus_used"], values["gpus"]
    return f"{values['dp']}" if used == held else f"{values['dp']} ({used}/{held})"


def _kernel_relations(inputs: Inputs) -> list[str]:
    return [f"kernels = {str(inputs['gpu']).lower()}"]


def _kernel_probes(_: Inputs) -> dict[str, Probe]:
    return {"overhead": Probe("kernel_memory", "MiB"), "overhead_bytes": Probe("kernel_memory", "byte")}


def _activation_relations(inputs: Inputs) -> list[str]:
    return [
        f"device_state_memory = {inputs['static_bytes']} byte",
        f"kernel_memory = {inputs['cuda_kernels']} MiB",
        f"device_memory = {inputs['observed_allocation']} GB",
    ]


def _activation_probes(_: Inputs) -> dict[str, Probe]:
    return {"activation_bytes": Probe("device_activation_memory", "byte")}


def _reserve_relations(inputs: Inputs) -> list[str]:
    return [
        f"total_chips = {inputs['gpus_total']}",
        f"reserved_nodes = {inputs['reserved_nodes']}",
        f"chips_per_node = {inputs['gpus_per_node']}",
    ]


def _reserve_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "gpus_usable": Probe("n_chips"),
        "nodes": Probe("n_nodes"),
        "initial_gpus": Probe("", read=lambda answer: answer.cells["first_chips"].si),
    }


def _time_relations(inputs: Inputs) -> list[str]:
    factor = inputs.get("factor", 8)
    named = {8: "recomputation = full", 6: "recomputation = none"}
    return [
        f"dataset_tokens = {inputs['tokens']} token",
        f"params = {inputs['params']} param",
        f"n_chips = {inputs['gpus']}",
        f"chip_rate = {inputs['tflops_per_gpu']} TFLOP/s",
        named.get(factor, f"work_per_param_token = {factor} FLOP/param/token"),
    ]


def _time_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "seconds": Probe("train_time", "second"),
        "days": Probe("train_time", "day"),
        "gpu_hours": Probe("chip_time", "hour"),
    }


def _rate_relations(inputs: Inputs) -> list[str]:
    return [
        f"params = {inputs['params_B']} * 1e9 param",
        f"seq_len = {inputs['seq_len']} token",
        f"batch = {inputs['global_batch']}",
        f"step_time = {inputs['sec_per_iter']} second",
        f"n_chips = {inputs['gpus']}",
    ]


def _rate_probes(_: Inputs) -> dict[str, Probe]:
    return {"hardware_tflops": Probe("chip_rate", "TFLOP/s"), "model_tflops": Probe("model_rate", "TFLOP/s")}


def _depth_relations(inputs: Inputs) -> list[str]:
    return [f"n_blocks = {inputs['layers']}", f"width_offset = {inputs['a']}", f"width_growth = {inputs['b']}"]


def _depth_probes(_: Inputs) -> dict[str, Probe]:
    return {"params": Probe("params", "param")}


# Not compared: ratios (rounded this way and that), bytes (with and without GB), days (34 and 84 for 33.9 and 83.2).
SIZE_PRINTED: Printed = {
    "size": lambda values: _NAMES.get((values["layers"], values["hidden"]), f"{values['total_params'] / 10**9:.0f}B"),
    "one_layer": lambda values: f"{int(values['params_per_layer']):_}",
    "embedding": lambda values: f"{int(values['embedding_params']):_}",
}

PER_GPU_PRINTED: Printed = {
    "embedding": lambda values: f"{int(values['embedding_params']):_}",
    "embedding_per_gpu": lambda values: f"{int(values['embedding_params_per_gpu']):_}",
    "layer": lambda values: f"{int(values['layer_params']):_}",
    "layer_per_gpu": lambda values: f"{int(values['layer_params_per_gpu']):_}",
    "params": lambda values: f"{int(values['params_per_gpu']):_}",
    "emb": lambda values: _printed_part(values, "embedding"),
    "blk": lambda values: _printed_part(values, "layer"),
}


def _printed_part(values: Mapping[str, Any], name: str) -> str:
    """Return a part of the model as a later revision prints it, millions of bytes as GB."""
    counts = (values[f"{name}_params"] / 1e6, values[f"{name}_params_per_gpu"] / 1e6)
    return ", per gpu ".join(f"{count:.2f}M/{count * values['bytes_per_param']:.2f}GB" for count in counts)


LAYOUT_PRINTED: Printed = {
    "layers_per_gpu": lambda values: f"{float(values['blocks_per_stage']):.0f}",
    "blocks": lambda values: f"{float(values['blocks_per_stage']):.0f} per gpu",
    "replica": lambda values: f"{values['gpus_per_replica']} gpus",
    "dp": _replicas,
}

ADAPTERS: dict[str, Adapter] = {
    "gpt_model_size": Adapter("gpt_size", _gpt_relations, _gpt_probes, printed=SIZE_PRINTED),
    "bloom_model_size (no position embeddings, extra embedding layernorm)": Adapter(
        "gpt_size", _gpt_relations, _gpt_probes, printed=SIZE_PRINTED
    ),
    "params_per_gpu": Adapter("gpt_layout", _per_gpu_relations, _per_gpu_probes, printed=PER_GPU_PRINTED),
    "layout": Adapter("gpt_layout", _layout_relations, _layout_probes, printed=LAYOUT_PRINTED),
    "cuda_context_overhead": Adapter(
        "gpt_layout",
        _kernel_relations,
        _kernel_probes,
        printed={"overhead": lambda values: f"{values['overhead']}MiB"},
    ),
    "activation_estimate": Adapter(
        "gpt_layout",
        _activation_relations,
        _activation_probes,
        printed={"activations": lambda values: f"{float(values['activation_bytes']) / 1e9:.0f}GB"},
    ),
    "cluster_reserve": Adapter(
        "gpt_layout",
        _reserve_relations,
        _reserve_probes,
        printed={"usable": lambda values: str(values["gpus_usable"])},
    ),
    "train_time_8TP_over_nX": Adapter(
        "gpt_training",
        _time_relations,
        _time_probes,
        printed={"compute_hours": lambda values: f"{float(values['gpu_hours']):.2f}"},
    ),
    "achieved_tflops": Adapter("gpt_training", _rate_relations, _rate_probes),
    "optimal_params_for_depth": Adapter("gpt_depth_law", _depth_relations, _depth_probes),
}
