"""Golden cases of the memory of a transformer: training, whole chips by memory, and keys and values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

AS_CODED = ("division = notebook", "in_flight = stages", "sequence_parallel = no")


def _model(layers: int, width: int, heads: int, kv_heads: int, seq_len: int) -> list[str]:
    return [
        f"n_blocks = {layers}",
        f"d_model = {width}",
        f"d_ff = {4 * width}",
        f"n_heads = {heads}",
        f"n_kv_heads = {kv_heads}",
        f"seq_len = {seq_len} token",
    ]


def _activations(inputs: Inputs) -> list[str]:
    recomputation = "selective" if inputs["checkpoint_activations"] else "none"
    return [f"micro_batch = {inputs['batch_size_per_replica']} sequence", f"recomputation = {recomputation}"]


def _training(inputs: Inputs) -> list[str]:
    heads = inputs["n_heads"]  # here the source has as many key and value heads as query heads
    return [
        *AS_CODED,
        *_model(inputs["n_layers"], inputs["hidden_size"], heads, heads, inputs["ctx_length"]),
        *_activations(inputs),
        f"n_tp = {inputs['tp']}",
        f"n_pp = {inputs['pp']}",
        f"n_dp = {inputs['num_gpus']}",  # the source shards over all chips
        f"sharding = {'weights' if inputs['zero1'] else 'none'}",
        f"bytes_per_param = {inputs['weight_dtype_bytes']} byte/param",
        f"bytes_per_cached = {inputs['weight_dtype_bytes']} byte/token",
        f"bytes_per_gradient = {inputs['gradient_dtype_bytes']} byte/param",
        f"bytes_per_mean = {inputs['optim_first_bytes']} byte/param",
        f"bytes_per_variance = {inputs['optim_second_bytes']} byte/param",
        f"bytes_per_master = {inputs['master_weight_bytes']} byte/param",
    ]


MEMORIES = {
    "model_mem": Probe("param_memory", "byte"),
    "activation_mem": Probe("activation_memory", "byte"),
    "grad_mem": Probe("gradient_memory", "byte"),
    "optim_mem": Probe("optimizer_memory", "byte"),
    "total_training_mem": Probe("device_memory", "byte"),
}


def _training_probes(_: Inputs) -> dict[str, Probe]:
    return {
        **MEMORIES,
        "n_params": Probe("params", "param"),
        "kv_cache_mem": Probe("cache_memory", "byte"),
        "total_inference_mem": Probe("inference_memory", "byte"),
        "model_mem_pct": Probe("param_share", "percent", digits=2),
        "activation_mem_pct": Probe("activation_share", "percent", digits=2),
        "grad_mem_pct": Probe("gradient_share", "percent", digits=2),
        "optim_mem_pct": Probe("optimizer_share", "percent", digits=2),
        "training_mem_in_h100_80GiB": Probe("memory_fill", extra=("chip = h100-sxm",)),
    }


def _gpu_count(inputs: Inputs) -> list[str]:
    match = re.search(r"(\d+) layers, h (\d+), (\d+) heads", inputs["model"])
    assert match is not None
    layers, width, heads = map(int, match.groups())
    return [*AS_CODED, *_model(layers, width, heads, heads, inputs["ctx_length"]), *_activations(inputs)]


def _gpu_count_probes(inputs: Inputs) -> dict[str, Probe]:
    def chips(memory: str, rounding: str) -> Probe:
        return Probe("memory_chips", "chip", extra=(f"chip.memory = {inputs[memory]} byte", f"rounding = {rounding}"))

    return {
        **MEMORIES,
        "h100_floor": chips("h100_memory", "down"),
        "a100_64_floor": chips("a100_memory", "down"),
        "v100_16_floor": chips("v100_memory", "down"),
        "mi250x_floor": chips("mi250x_memory", "down"),
        "h100_ceil_corrected": chips("h100_memory", "up"),
    }


def _cache(inputs: Inputs) -> list[str]:
    heads, kv_heads = inputs["n_heads"], inputs["n_key_value_heads"]
    return [
        *_model(inputs["n_layers"], inputs["hidden_size"], heads, kv_heads, inputs["ctx_length"]),
        f"bytes_per_cached = {inputs['dtype_bytes']} byte/token",
    ]


def _cache_probes(_: Inputs) -> dict[str, Probe]:
    return {"kv_cache_per_sequence": Probe("sequence_cache", "byte")}


def _terabytes(name: str) -> Callable[[Mapping[str, Any]], str]:
    def text(values: Mapping[str, Any]) -> str:
        share = round(100 * float(values[name]) / float(values["total_training_mem"]), 2)
        return f"{float(values[name]) / 1e12:.3f} TB - {share:g}%"

    return text


COUNTS = ("h100_floor", "a100_64_floor", "v100_16_floor", "mi250x_floor")
PRINTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "activation_mem": _terabytes("activation_mem"),
    "total_training_mem": _terabytes("total_training_mem"),
    "gpus": lambda values: f"({', '.join(str(values[name]) for name in COUNTS)})",
}

ADAPTERS: dict[str, Adapter] = {
    "training_memory": Adapter("notebook_memory", _training, _training_probes),
    "training_memory_gpu_count": Adapter("notebook_memory", _gpu_count, _gpu_count_probes, printed=PRINTED),
    "kv_cache_gqa": Adapter("notebook_memory", _cache, _cache_probes),
}
