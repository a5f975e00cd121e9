"""Golden cases of model states in training and of what their ranks exchange: DeepSpeed, EleutherAI, ml-engineering."""

from __future__ import annotations

from tests.golden.adapters.base import Adapter, Inputs, Probe

# DeepSpeed counts 16-bit weights, 32-bit gradients and Adam's state, and no layer gathered ahead.
DEEPSPEED = ("recipe = mixed_18", "n_prefetched = 0")
COUNTED_TWICE = "bytes_per_gradient = 6 byte/param"  # its estimator of ZeRO 2 has gradients in 16 and in 32 bits
LARGEST = ("largest_layer_params", "largest_layer")


def _estimator_relations(inputs: Inputs) -> list[str]:
    largest = next((inputs[name] for name in LARGEST if name in inputs), None)
    offloads = [name for name in ("cpu_offload", "cpu_offload_params") if inputs.get(name)]
    return [
        *DEEPSPEED,
        f"params = {inputs.quantity('params', 'param')}",
        f"sharding = {'gradients' if largest is None else 'weights'}",
        *([COUNTED_TWICE] if largest is None else [f"largest_layer_params = {largest} param"]),
        f"offload = {('none', 'optimizer', 'all')[len(offloads)]}",
        f"loading = {'layer' if inputs.get('zero_init') else 'model'}",
        *([f"n_dp = {inputs['gpus_per_node'] * inputs['nodes']}"] if "nodes" in inputs else []),
        *([f"chips_per_node = {inputs['gpus_per_node']}"] if "nodes" in inputs else []),
        *([f"host_buffer_factor = {inputs['buffer_factor']}"] if "buffer_factor" in inputs else []),
    ]


def _estimator_probes(inputs: Inputs) -> dict[str, Probe]:
    return {
        "gpu": Probe("model_memory", "byte"),
        "cpu": Probe("host_memory", "byte"),
        "gpu_with_offload": Probe("model_memory", "byte", instead=_offloaded(inputs)),
        "largest_layer": Probe("gathered_memory", "byte"),
    }


def _offloaded(inputs: Inputs) -> tuple[str, ...]:
    return tuple(_estimator_relations(Inputs({**inputs, "cpu_offload": True}, inputs.units)))


def _capacity_probes(inputs: Inputs) -> dict[str, Probe]:
    fits = f"model_memory <= {inputs.quantity('capacity', 'byte')}"
    return {
        "n_real": Probe("n_dp", goal=fits, read=lambda answer: float(answer.outcomes["n_dp"].solutions[0].lower)),
        "n_integer": Probe("n_dp", goal=fits),
    }


def _exchange_relations(inputs: Inputs) -> list[str]:
    return [
        f"params = {inputs.quantity('params', 'param')}",
        f"bytes_per_param = {inputs.quantity('bytes_per_param', 'byte/param')}",
        f"bytes_per_gradient = {inputs.quantity('bytes_per_param', 'byte/param')}",
        f"n_gathers = {inputs['comm_multiplier_zero3'] - 1}",
        f"n_dp = {inputs['gpus']}",
        "sharding = weights",
        "own_part = sent",
    ]


def _exchange_probes(inputs: Inputs) -> dict[str, Probe]:
    bandwidth = f"exchange_bandwidth = {inputs.quantity('inter_node_throughput', 'GB/s')}"
    work = inputs["n_passes_with_recompute"] * inputs["flop_per_param_per_pass"]
    tokens = inputs["seq_len"] * inputs["global_batch"]
    step = (
        f"params = {inputs['params']}",
        f"tokens = {tokens}",
        f"n_chips = {inputs['gpus']}",
        f"work_per_param_token = {work} FLOP/param/token",
    )
    rate = f"chip_rate = {inputs.quantity('achievable_flops', 'FLOP/s')}"
    computed = f"{work} FLOP/param/token * params * {tokens} token / (n_chips * {inputs['achievable_flops']} FLOP/s)"
    return {
        "comms_time": Probe("exchange_time", "s", extra=(bandwidth,)),
        "compute_time": Probe("step_time", "s", sheet="training_time", instead=(*step, rate)),
        "compute_time_at_90_TFLOPs": Probe(
            "step_time", "s", sheet="training_time", instead=(*step, "chip_rate = 90 TFLOP/s")
        ),
        "throughput_for_comm_equals_compute": Probe("exchange_bandwidth", "GB/s", goal=f"exchange_time = {computed}"),
    }


MEASURED = {"measured_iteration": "measured by the document, beside the two times"}

PEERS: dict[str, Adapter] = {
    "model_state_memory": Adapter("model_states", _estimator_relations, _estimator_probes),
    "required_chips": Adapter("model_states", _estimator_relations, _capacity_probes),
    "fsdp_comm_and_compute_time": Adapter("state_traffic", _exchange_relations, _exchange_probes, MEASURED),
    "required_inter_node_bandwidth": Adapter("state_traffic", _exchange_relations, _exchange_probes),
}
