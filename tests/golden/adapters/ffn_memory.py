"""Golden cases of the feed-forward stack."""

from __future__ import annotations

from tests.golden.adapters.base import Adapter, Inputs, Probe


def _ffn_relations(inputs: Inputs) -> list[str]:
    moments = (inputs["static_bytes_per_param"] - 8) / 2  # the sources keep 4 bytes of weight and 4 of gradient
    return [
        f"d_model = {inputs['d_model']}",
        f"d_ff = {inputs['d_ff']}",
        f"n_blocks = {inputs['num_blocks']}",
        f"batch = {inputs['batch_size']}",
        f"seq_len = {inputs['seq_len']}",
        f"bytes_per_moment = {moments} byte/param",
        f"bytes_per_activation = {inputs['activation_dtype_bytes']} byte/token",
    ]


def _ffn_probes(inputs: Inputs) -> dict[str, Probe]:
    gpu = (f"chip.memory = {inputs['gpu_memory']} GiB",)
    fits = f"device_memory <= {inputs['tpu_memory']} GiB"
    replicated = ("replicated_activation_fraction = 1/2",)
    return {
        "params": Probe("params", "param"),
        "param_bytes": Probe("param_memory", "byte"),
        "param_GiB": Probe("param_memory", "GiB"),
        "accum_grad_GiB": Probe("gradient_memory", "GiB"),
        "optimizer_GiB": Probe("optimizer_memory", "GiB"),
        "static_bytes": Probe("state_memory", "byte"),
        "static_GiB": Probe("state_memory", "GiB"),
        "tokens": Probe("tokens", "token"),
        "activation_bytes_per_token": Probe("activation_memory_per_token", "byte/token"),
        "activation_GiB_per_token": Probe("activation_memory_per_token", "GiB/token"),
        "activation_bytes": Probe("activation_memory", "byte"),
        "activation_GiB": Probe("activation_memory", "GiB"),
        "n_gpu": Probe("n_chips", "", extra=gpu),
        "part_b_total_GiB": Probe("device_memory", "GiB", extra=("n_fsdp = 1",)),
        "n_fsdp_as_coded": Probe("n_fsdp", goal=fits),
        "n_fsdp_unsharded_half_replicated": Probe("n_fsdp", goal=fits, extra=replicated),
    }


ADAPTERS: dict[str, Adapter] = {
    "ffn_memory_accounting": Adapter("ffn_memory", _ffn_relations, _ffn_probes),
}
