"""Golden cases of mlsysim: an inverse roofline, and a training step whose parts it adds up.

It counts 6 FLOP per parameter and token, a quarter more with recomputation, and an all-reduce as one message for all
micro-batches. Tensor parallelism is compared without recomputation, as it leaves out what that sends again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe, cell_value, model_like

from flopsheet import records

if TYPE_CHECKING:
    from flopsheet import Answer

NODE = 8  # chips
EXACT, CLOSE = 1e-9, 0.05
REASONS = {
    "memory_per_chip": "16 bytes per parameter in equal shares: no logits, and no end of the model beside a stage",
}


def _relations(inputs: Inputs) -> list[str]:
    weights = f"{inputs['params']} * {inputs['bytes_per_param']} byte"
    return ["operator = stated", f"stated_work = 2 * {inputs['params']} FLOP", f"stated_traffic = {weights}"]


def _model(inputs: Inputs) -> str:
    """Return the model that a case names, or the Llama whose parameters are nearest to those that it states."""
    if "model" in inputs:
        return model_like(str(inputs["model"]))
    sizes = {
        name: float(record.values["params"].quantity.exact)
        for name, record in records("architecture").items()
        if name.startswith(("llama-2-", "llama-3-", "llama-3.1-")) and "params" in record.values
    }
    return min(sizes, key=lambda name: abs(sizes[name] - inputs["params"]))


def _step(inputs: Inputs) -> tuple[str, ...]:
    """Return the relations of a step with plain sums of all parts and one message of gradients."""
    label = str(inputs["chip"])
    rate, send = (re.search(pattern, label) for pattern in (r"([\d.]+) TFLOP/s", r"NVLink ([\d.]+) GB/s"))
    port = re.search(r"([\d.]+) Gbit/s", str(inputs["fabric"]))
    assert rate is not None
    assert send is not None
    assert port is not None
    return (
        f"model = {_model(inputs)}",
        "parallel_blocks = 0",  # two sums a layer, whatever the model
        "chip = h100-sxm",
        f"chip.flops.bf16 = {rate[1]} TFLOP/s",
        f"scale_up_bandwidth = {send[1]} GB/s",
        f"scale_out_bandwidth = {port[1]} Gbit/s",
        f"domain_chips = {max(inputs['tp'], NODE // inputs['pp'])}",  # of its replicas, nodes have as many as have room
        "levels = in_turn",
        "dp.algorithm = hierarchical",
        f"seq_len = {inputs['seq_len']} token",
        f"batch = {inputs['global_batch']}",
        f"n_tp = {inputs['tp']}",
        f"n_pp = {inputs['pp']}",
        f"n_dp = {inputs['dp']}",
        f"n_microbatches = {inputs['microbatches']}",
        "n_buckets = 1",
    )


def _even_exchange(answer: Answer) -> float:
    """Return the time of an exchange of equal shares of the gradients: no stage has an end of the model [s]."""
    even = answer.cells["params"].si / (answer.cells["n_tp"].si * answer.cells["n_pp"].si)
    return float(answer.cells["dp_time"].si * even / answer.cells["rank_params"].si)


def _step_probes(inputs: Inputs) -> dict[str, Probe]:
    known, repeated = _step(inputs), "recomputation = full"
    chips = f"{inputs['tp']} * {inputs['pp']} * {inputs['dp']}"
    passes = 8 if inputs.get("activation_recomputation", True) else 6
    work = f"{passes} * {inputs['params']} * {inputs['global_batch']} * {inputs['seq_len']} FLOP"
    computed = f"n_microbatches * stage_compute_time = {work} / ({chips} * {inputs['efficiency']} * peak_rate)"

    def asked(cell: str, unit: str = "", extra: tuple[str, ...] = (), factor: str = "") -> Probe:
        read = cell_value(cell, unit, factor)
        relations = ("attention_efficiency = matmul_efficiency", computed, *extra)
        return Probe("matmul_efficiency", extra=relations, read=read, sheet="training_step", instead=known, band=CLOSE)

    return {
        "step_latency": asked("step_time", "ms", ("overlap = none",)),
        "replica_compute_time": asked("stage_compute_time", "ms", factor="n_microbatches"),
        "pipeline_bubble_time": asked("bubble_time", "ms", ("overlap = full",)),
        "tp_comm_time": asked("stage_tp_time", "second", factor="n_microbatches"),
        "dp_comm_time": replace(asked("dp_time", "second"), read=_even_exchange),
        "scaling_efficiency": asked("step_compute_share", extra=("overlap = none",)),
        "memory_per_chip": Probe(
            "device_memory", "GB", extra=(repeated,), sheet="training_step", instead=known, band=CLOSE
        ),
    }


def _probes(inputs: Inputs) -> dict[str, Probe]:
    latency = inputs.quantity("target_latency", "ms")
    given = {"n_pp": inputs.get("pp", 1), "n_microbatches": inputs.get("microbatches", 1)}
    pipeline = tuple(f"{name} = {value}" for name, value in given.items())
    return {
        "required_hbm_bandwidth": Probe("operand_bandwidth", "GB/s", f"memory_time = {latency}", band=EXACT),
        "required_flops": Probe(
            "peak_rate",
            "TFLOP/s",
            f"compute_time = {latency}",
            extra=(f"compute_share = {inputs['efficiency']}",),
            band=EXACT,
        ),
        "required_memory": Probe("operator_traffic", "GB", band=EXACT),
        "bubble_fraction": Probe("bubble_share", sheet="pipeline_schedule", instead=pipeline, band=EXACT),
        **(_step_probes(inputs) if "global_batch" in inputs else {}),
    }


PEERS: dict[str, Adapter] = {
    "inverse_roofline_and_distributed_step": Adapter("roofline", _relations, _probes, deviating=REASONS),
}
