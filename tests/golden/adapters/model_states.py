"""Golden cases of model states in training and of what their ranks exchange: DeepSpeed, EleutherAI, ml-engineering."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from tests.golden.adapters import megatron
from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from flopsheet import Answer

REPLICA = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")

# DeepSpeed counts 16-bit weights, 32-bit gradients and Adam's state, and no layer gathered ahead.
DEEPSPEED = ("recipe = mixed_18", "n_prefetched = 0")
# How its functions call what cases give.
NAMES = {
    "total_params": "params",
    "num_gpus_per_node": "gpus_per_node",
    "num_nodes": "nodes",
    "additional_buffer_factor": "buffer_factor",
}
STATED = {"gpus_per_node", "nodes"}
COUNTED_TWICE = "bytes_per_gradient = 6 byte/param"  # its estimator of ZeRO 2 has gradients in 16 and in 32 bits
LARGEST = ("largest_layer_params", "largest_layer")


def _named(given: Inputs) -> Inputs:
    units = {NAMES.get(name, name): text for name, text in given.units.items()}
    return Inputs({NAMES.get(name, name): value for name, value in given.items()}, units)


def _estimator_relations(given: Inputs) -> list[str]:
    """Return the relations of an estimate; with an optimizer on the host, that of ZeRO 2 has all ranks on one host."""
    inputs = _named(given)
    largest = next((inputs.quantity(name, "param") for name in LARGEST if name in inputs), None)
    offload = ("none", "optimizer", "all")[
        bool(inputs.get("cpu_offload")) * (1 + bool(inputs.get("cpu_offload_params")))
    ]
    is_shared_host = largest is None and offload != "none"
    chips, nodes = inputs.get("gpus_per_node", 1), inputs.get("nodes", 1)
    hosts = nodes if is_shared_host else 1
    is_divided = largest is not None and inputs.get("zero_init", True)  # offloaded, it counts no layer that is loaded
    loading = ("layer" if offload == "none" else "shard") if is_divided else "model"
    return [
        *DEEPSPEED,
        f"params = {inputs.quantity('params', 'param')}",
        f"sharding = {'gradients' if largest is None else 'weights'}",
        *([] if largest is None else [f"largest_layer_params = {largest}"]),
        *([COUNTED_TWICE] if largest is None and offload == "none" else []),
        f"offload = {offload}",
        f"loading = {loading}",
        *([f"n_dp = {chips * nodes}", f"chips_per_node = {chips * hosts}"] if STATED.intersection(inputs) else []),
        *([f"host_buffer_factor = {inputs['buffer_factor']}"] if "buffer_factor" in inputs else []),
    ]


def _estimator_probes(inputs: Inputs) -> dict[str, Probe]:
    offloaded = _offloaded(inputs)
    return {
        "gpu": _whole("model_memory"),
        "cpu": _whole("host_memory"),
        "gpu_with_offload": _whole("model_memory", offloaded),
        "cpu_with_offload": _whole("host_memory", offloaded),
        "largest_layer": _whole("gathered_memory"),
    }


def _whole(cell: str, instead: tuple[str, ...] | None = None) -> Probe:
    """Return the probe of a memory in whole bytes: DeepSpeed leaves out the rest."""
    return Probe(cell, "byte", read=lambda answer: int(answer.cells[cell].si), instead=instead)


def _offloaded(inputs: Inputs) -> tuple[str, ...]:
    return tuple(_estimator_relations(Inputs({**inputs, "cpu_offload": True}, inputs.units)))


def _capacity_relations(inputs: Inputs) -> list[str]:
    """Return the relations of a question for ranks: of Megatron-LM's options, or of DeepSpeed's."""
    if "hidden_size" in inputs:
        filled = {name: value for name, value in inputs.items() if name != "global_batch_size"}
        known = megatron.relations_of(Inputs({"use_distributed_optimizer": True, "world_size": 1, **filled}))
        return [text for text in known if not text.startswith(("n_dp =", "n_shard ="))]
    return [text for text in _estimator_relations(inputs) if not text.startswith("n_dp =")]


def _capacity_probes(inputs: Inputs) -> dict[str, Probe]:
    capacity = inputs.quantity("capacity", "byte")
    if "hidden_size" not in inputs:
        return _least_ranks(f"model_memory <= {capacity}")
    asked = str(inputs.get("solve_for", ""))
    in_chips = not re.search(r"\bdp\b|data.parallel", asked)
    replica = prod(inputs.get(name, 1) for name in REPLICA) if in_chips else 1
    return _least_ranks(
        f"device_memory <= {capacity}", "megatron_estimate", tuple(_capacity_relations(inputs)), replica
    )


def _least_ranks(
    fits: str, sheet: str = "", instead: tuple[str, ...] | None = None, replica: int = 1
) -> dict[str, Probe]:
    """Return the probes of the least data-parallel ranks at which all fits, times the chips of a replica."""

    def bound(answer: Answer) -> float:
        return replica * float(answer.outcomes["n_dp"].solutions[0].lower)

    def whole(answer: Answer) -> int:
        return replica * round(float(answer.cells["n_dp"].si))

    return {
        "n_real": Probe("n_dp", goal=fits, read=bound, sheet=sheet, instead=instead),
        "n_integer": Probe("n_dp", goal=fits, read=whole, sheet=sheet, instead=instead),
    }


def _exchange_relations(inputs: Inputs) -> list[str]:
    return [
        f"params = {inputs.quantity('params', 'param')}",
        f"bytes_per_param = {inputs.quantity('bytes_per_param', 'byte/param')}",
        f"bytes_per_gradient = {inputs.quantity('bytes_per_param', 'byte/param')}",
        f"n_gathers = {_first(inputs, 'comm_multiplier') - 1}",
        f"n_dp = {inputs['gpus']}",
        "sharding = weights",
        "own_part = sent",
    ]


def _exchange_probes(inputs: Inputs) -> dict[str, Probe]:
    bandwidth = f"exchange_bandwidth = {inputs.quantity('inter_node_throughput', 'GB/s')}"
    work = _first(inputs, "n_passes") * inputs.get("flop_per_param_per_pass", 2)
    tokens = inputs["seq_len"] * inputs["global_batch"]
    computed = f"{work} FLOP/param/token * params * {tokens} token / (n_chips * {inputs['achievable_flops']} FLOP/s)"
    return {
        "comms_time": Probe("exchange_time", "s", extra=(bandwidth,)),
        "compute_time": _computed(inputs, inputs.quantity("achievable_flops", "FLOP/s")),
        "throughput_for_comm_equals_compute": Probe("exchange_bandwidth", "GB/s", goal=f"exchange_time = {computed}"),
    }


def _first(inputs: Inputs, start: str) -> float:
    """Return the input whose name starts so: `n_passes`, `n_passes_with_recompute`, `comm_multiplier_ddp`."""
    return next(float(value) for name, value in inputs.items() if name.startswith(start))


def _computed(inputs: Inputs, rate: str) -> Probe:
    work = _first(inputs, "n_passes") * inputs.get("flop_per_param_per_pass", 2)
    step = (
        f"params = {inputs.quantity('params', 'param')}",
        f"tokens = {inputs['seq_len'] * inputs['global_batch']}",
        f"n_chips = {inputs['gpus']}",
        f"work_per_param_token = {work} FLOP/param/token",
        f"chip_rate = {rate}",
    )
    return Probe("step_time", "s", sheet="training_time", instead=step)


def _computed_at(inputs: Inputs, teraflops: float) -> Probe:
    return _computed(inputs, f"{teraflops} TFLOP/s")


RATES = {r"compute_time_at_(\d+)_TFLOPs": _computed_at}
MEASURED = {"measured_iteration": "measured by the document, beside the two times"}

PEERS: dict[str, Adapter] = {
    "model_state_memory": Adapter("model_states", _estimator_relations, _estimator_probes),
    "required_chips": Adapter("model_states", _capacity_relations, _capacity_probes),
    "fsdp_comm_and_compute_time": Adapter(
        "state_traffic", _exchange_relations, _exchange_probes, MEASURED, patterns=RATES
    ),
    "required_inter_node_bandwidth": Adapter("state_traffic", _exchange_relations, _exchange_probes),
}
