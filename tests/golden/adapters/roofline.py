"""Golden cases of the inverse roofline: the bandwidth and the rate that use all weights once in a given time."""

from __future__ import annotations

from tests.golden.adapters.base import Adapter, Inputs, Probe

EXACT = 1e-9


def _relations(inputs: Inputs) -> list[str]:
    weights = f"{inputs['params']} * {inputs['bytes_per_param']} byte"
    return ["operator = stated", f"stated_work = 2 * {inputs['params']} FLOP", f"stated_traffic = {weights}"]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    latency = inputs.quantity("target_latency", "ms")
    pipeline = (f"n_pp = {inputs['pp']}", f"n_microbatches = {inputs['microbatches']}")
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
    }


PEERS: dict[str, Adapter] = {"inverse_roofline_and_distributed_step": Adapter("roofline", _relations, _probes)}
