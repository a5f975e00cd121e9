"""Golden cases of a sharded linear layer and of its all-reduces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

from flopsheet.units import in_unit, unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Answer

BOUNDS = {"compute_time": "flop", "memory_time": "global_io", "network_time": "net"}


def chip_relations(inputs: Inputs) -> list[str]:
    """Return the relations of a device; the source's one width is that of weights, gradients and activations."""
    return [
        "rate_basis = scaled_int8",
        f"chip.flops.int8 = {inputs['flop_per_sec_8bit']} FLOP/s",
        f"chip.memory_bandwidth = {inputs['global_Bps']} byte/s",
        f"network_rate = {inputs['net_Bps']} byte/s",
        f"base_utilization = {inputs['base_util']}",
        f"bytes_per_param = {inputs['bytewidth']} byte/param",
        f"bytes_per_gradient = {inputs['bytewidth']} byte/param",
        f"bytes_per_activation = {inputs['bytewidth']} byte/token",
    ]


def words(cell: str, bytewidth: float) -> Probe:
    """Return the probe of traffic in words."""

    def read(answer: Answer) -> Any:
        traffic = answer.outcomes[cell].si
        return None if traffic is None else in_unit(traffic, unit("byte")) / bytewidth

    return Probe(cell, read=read)


def _bound(answer: Answer) -> str:
    deciding = next(binding for binding in answer.bindings if binding.cell.name == "layer_time")
    return BOUNDS[str(deciding.branch)]


def _layer_relations(inputs: Inputs) -> list[str]:
    return [
        *chip_relations(inputs),
        f"d_in = {inputs['d_in']}",
        f"d_out = {inputs['d_out']}",
        f"n_tp_in = {inputs['tp_in']}",
        f"n_tp_out = {inputs['tp_out']}",
        f"n_dp = {inputs['dp']}",
        f"microbatch_tokens = {inputs['microbatch_tokens']} token",
    ]


def _layer_probes(inputs: Inputs) -> dict[str, Probe]:
    width = inputs["bytewidth"]
    return {
        "fwd_bwd_secs": Probe("layer_time", "second"),
        "flop": Probe("local_work", "FLOP"),
        "global_io": words("memory_traffic", width),
        "net_io": words("network_traffic", width),
        "flop_secs": Probe("compute_time", "second"),
        "global_io_secs": Probe("memory_time", "second"),
        "net_io_secs": Probe("network_time", "second"),
        "bound": Probe("layer_time", read=_bound),
        "end_of_batch_secs": Probe("gradient_time", "second"),
        "end_of_batch_words": words("gradient_traffic", width),
    }


def _all_reduce_relations(inputs: Inputs) -> list[str]:
    return [
        f"local_params = {inputs['n']} param",
        f"n_dp = {inputs['p']}",
        "bytes_per_gradient = 1 byte/param",
    ]


def _all_reduce_probes(_: Inputs) -> dict[str, Probe]:
    return {"words": words("gradient_traffic", 1)}


def _shown(values: dict[str, Any]) -> str:
    return repr(float(values["fwd_bwd_secs"]))


PRINTED: dict[str, Callable[[Any], str]] = {"fwd_bwd_secs": _shown}

ADAPTERS: dict[str, Adapter] = {
    "linear_layer_time": Adapter("linear_layer", _layer_relations, _layer_probes, printed=PRINTED),
    "all_reduce_words": Adapter("linear_layer", _all_reduce_relations, _all_reduce_probes),
}
