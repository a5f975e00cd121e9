"""Golden cases of llm-analysis: time and memory of a GPT run, and the FLOP efficiency for a time.

llm-analysis leaves the bubble out, so the schedule is one that never waits. It counts all pairs of tokens, computes the
output layer again too, and has one efficiency for all products. Its memory has the full bandwidth.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe, cell_value, command_options, record_like

from flopsheet import records

if TYPE_CHECKING:
    from flopsheet import Answer

CLOSE, EXACT = 0.1, 1e-9
PACKAGED_FULL = 2
NAMES = {"d_model": "h", "n_blocks": "L", "n_heads": "heads", "vocab": "V", "seq_len": "s"}
AS_CODED = (
    "attention_span = full",
    "head_recomputed = yes",
    "schedule = zb_v",
    "last_batch = drop",
    "memory_efficiency = 1",
    "recipe = mixed_18",
    "sequence_parallel = yes",
)
SHARDING = ("none", "optimizer", "gradients", "weights")
RECOMPUTED = {"attn_compute": "selective"}
ONE_TIME = "the sheet has one time for all passes over a layer"
GATHERED = "gathers all weights for each micro-batch, sharded or not, and few tokens do not hide that"
TIMES = ("latency_per_micro_batch", "latency_per_iter", "total_training_latency", "gpu_hours")
# Bytes that a layer keeps for a value of the residual stream
KEPT_SELECTIVE = {"activation_memory_per_gpu": "37, not 32: inputs of both norms in fp32 (4) and a dropout mask (1)"}
KEPT_ALL = {
    "activation_memory_per_gpu": "9 more: inputs of both norms in fp32 (4), two copies for flash attention (4), a mask "
    "(1); heads that share keys count as if none did, and a gated part keeps two tensors of its width, not three"
}
REASONS = {
    "latency_fwd": ONE_TIME,
    "latency_fwd_attn": ONE_TIME,
    "latency_fwd_mlp": ONE_TIME,
    "latency_fwd_layernorm": "1 % of the traffic of activations: the sheet moves those of a whole layer",
}


def _shape(inputs: Inputs) -> list[str]:
    figures = dict(re.findall(r"(\w+)=(\d+)", str(inputs["model"])))
    cells = {ours: figures[theirs] for ours, theirs in NAMES.items()}
    # GPT models state no width of the hidden layer: it is four times theirs. The package knows no gates.
    is_gated = "ffn" in figures and not _is_package(inputs)
    return [
        *(f"{name} = {value}" for name, value in cells.items()),
        f"n_kv_heads = {figures.get('kv', figures['heads'])}",
        f"d_ff = {figures.get('ffn', 4 * int(cells['d_model']))}",
        f"ffn_matrices = {3 if is_gated else 2}",
        "embedding_matrices = 1",  # it counts one, tied or not
    ]


def _chip(label: str) -> list[str]:
    """Return the relations of a chip with the rates that its label states: `A100-SXM 40 GB: 312 TFLOP/s, 1555 GB/s`."""
    name, _, rates = label.partition(":")
    family, _, size = name.partition(" ")
    spelled = (family, re.sub(r"SXM", "SXM4", family), re.sub(r"SXM", "SXM5", family), re.sub(r"SXM", "SXM2", family))
    found = [record_like("chip", text) for each in spelled for text in (f"{each}-{size}", each)]
    chip = next((text for text in found if text in records("chip")), None)
    assert chip is not None, f"'{label}' is a chip that the adapter does not know"
    rate, bandwidth = re.search(r"[\d.]+ TFLOP/s", rates), re.search(r"[\d.]+ [GT]B/s", rates)
    stated = {"chip.flops.bf16": rate, "chip.memory_bandwidth": bandwidth}
    return [f"chip = {chip}", *(f"{cell} = {match[0]}" for cell, match in stated.items() if match)]


def _relations(inputs: Inputs) -> list[str]:
    """Return the relations of a run."""
    return [
        *AS_CODED,
        f"sharding = {SHARDING[int(inputs.get('zero', inputs.get('ds_zero', 0)))]}",
        *_shape(inputs),
        *_chip(str(inputs["gpu"])),
        f"n_tp = {inputs['tp']}",
        f"n_pp = {inputs['pp']}",
        f"n_dp = {inputs['dp']}",
        f"batch = {inputs['global_batch']}",
        f"micro_batch = {inputs['microbatch']}",
        f"recomputation = {RECOMPUTED.get(inputs['recompute'], inputs['recompute'])}",
        f"dataset_tokens = {inputs['tokens']} token",
        "attention_efficiency = matmul_efficiency",
    ]


def _forward_exchanges(answer: Answer) -> float:
    """Return the part of the time of tensor parallelism that one of its passes has."""
    return float(answer.cells["stage_tp_time"].si / answer.cells["exchange_passes"].si)


def _probes(inputs: Inputs) -> dict[str, Probe]:
    rate = f"{inputs['achieved_flops']} FLOP/s"
    work = ("attention_span = full", "head_recomputed = yes", "counted = hardware")
    one = (
        *_shape(inputs),
        *work,
        f"batch = {inputs['microbatch']}",
        f"recomputation = {RECOMPUTED.get(inputs['recompute'], inputs['recompute'])}",
    )
    efficiency = (f"sustained_matmul_rate = {rate}",)
    depth = max(inputs.get("gradient_accumulation", 1), inputs["pp"])
    full = f"batch = {inputs['microbatch'] * inputs['dp'] * depth}"
    filled = tuple(full if text.startswith("batch =") else text for text in _relations(inputs))

    def computed(cell: str, unit: str) -> Probe:
        """Ask for a cell where products reach the stated rate."""
        read = cell_value(cell, unit)
        return Probe("matmul_efficiency", extra=efficiency, read=read, band=CLOSE)

    def counted(cell: str, unit: str) -> Probe:
        """Ask for a cell where a step, with all that it waits for, reaches the stated rate."""
        read = cell_value(cell, unit)
        return Probe("matmul_efficiency", extra=(f"hardware_rate = {rate}",), read=read, band=EXACT)

    def step_part(answer: Answer) -> float:
        return float(answer.cells["step_time"].si / answer.cells["n_microbatches"].si)

    probes = {
        "num_params_total": Probe("params", "param", extra=efficiency, band=EXACT),
        "num_flops_total_per_micro_batch": Probe("step_work", "FLOP", sheet="transformer", instead=one, band=EXACT),
        "weight_memory_per_gpu": computed("param_memory", "byte"),
        "gradient_memory_per_gpu": computed("gradient_memory", "byte"),
        "optimizer_state_memory_per_gpu": computed("optimizer_memory", "byte"),
        "activation_memory_per_gpu": replace(computed("activation_memory", "byte"), instead=filled),
        "weight_plus_op_state_plus_grad_memory_per_gpu": computed("model_memory", "byte"),
        "latency_per_micro_batch": computed("microbatch_time", "second"),
        "latency_fwd_tp_comm": Probe("stage_tp_time", read=_forward_exchanges, band=CLOSE),
        "latency_per_iter": computed("step_time", "second"),
        "latency_per_iter_using_flops": counted("step_time", "second"),
        "total_training_latency": computed("train_time", "second"),
        "total_training_latency_using_flops": counted("train_time", "second"),
        "gpu_hours": computed("chip_time", "hour"),
    }
    if not _is_package(inputs):
        return probes
    part = Probe("matmul_efficiency", extra=(f"hardware_rate = {rate}",), read=step_part, band=EXACT)
    return probes | {
        "latency_per_micro_batch": part,
        "latency_per_iter": probes["latency_per_iter_using_flops"],
        "total_training_latency": probes["total_training_latency_using_flops"],
        "gpu_hours": counted("chip_time", "hour"),
    }


def _is_package(inputs: Inputs) -> bool:
    """Whether the package was run: it has times of a stated rate alone, and its 2 is full recomputation."""
    number = command_options(inputs.get("cmd")).get("activation_recomputation")
    return "package" in inputs or (number == PACKAGED_FULL and inputs["recompute"] == "full")


def _inverse_probes(inputs: Inputs) -> dict[str, Probe]:
    target = inputs.quantity("target", "day")
    return {"flops_efficiency": Probe("matmul_efficiency", "", f"train_time = {target}", band=CLOSE)}


def _days_at(_: Inputs, teraflops: float) -> Probe:
    rate = f"sustained_matmul_rate = {teraflops} TFLOP/s"
    return Probe("matmul_efficiency", extra=(rate,), read=cell_value("train_time", "day"), band=CLOSE)


def _reasons(inputs: Inputs) -> dict[str, str]:
    few = not _is_package(inputs) and inputs["dp"] > 1 and inputs["microbatch"] == 1
    kept = {"full": {}, "none": KEPT_ALL}.get(inputs["recompute"], KEPT_SELECTIVE)
    return {**REASONS, **(dict.fromkeys(TIMES, GATHERED) if few else {}), **kept}


PEERS: dict[str, Adapter] = {
    "training_time_and_memory": Adapter("training_step", _relations, _probes, deviating=_reasons),
    "required_mfu": Adapter("training_step", _relations, _inverse_probes, patterns={r"days_at_(\d+)_TFLOPs": _days_at}),
}
