"""Golden cases of SimuMax: memory of a Llama model, and the rates of a step whose time it measures.

Its time comes from efficiencies that were measured shape by shape; here it is that of its MFU. It counts all pairs.
"""

from __future__ import annotations

import re

from tests.golden.adapters.base import Adapter, Inputs, Probe, cell_value

CLOSE, ROUNDED = 0.03, 2e-5
MEASURED = "its efficiencies were measured shape by shape, on this chip; with those of the sheet a step takes 6 % less"
REASONS = {
    **dict.fromkeys(("iteration_time", "tokens_per_s_per_chip", "tflops_per_chip", "mfu"), MEASURED),
    "peak_last_stage": "the sheet adds up the memory of the most loaded chip",
}
SHARDING = ("none", "optimizer", "gradients", "weights")
NAMES = {"d_model": "h", "d_ff": "ffn", "n_blocks": "L", "n_heads": "heads", "n_kv_heads": "kv"}


def _relations(inputs: Inputs) -> list[str]:
    label = str(inputs["model"])
    figures = dict(re.findall(r"(\w+)=(\d+)", label))
    padded = re.search(r"padded to (\d+)", label)
    return [
        *(f"{ours} = {figures[theirs]}" for ours, theirs in NAMES.items()),
        f"vocab = {padded[1] if padded else figures['V']}",
        "ffn_matrices = 3",
        "embedding_matrices = 2",
        "norm_vectors = 1",
        "chip = a100-pcie-80gb",
        "attention_span = full",
        "recipe = mixed_18",
        f"seq_len = {inputs['seq_len']} token",
        f"micro_batch = {inputs['micro_batch']}",
        f"n_microbatches = {inputs['micro_batches']}",
        f"n_tp = {inputs['tp']}",
        f"n_pp = {inputs['pp']}",
        f"n_dp = {inputs['dp']}",
        f"sharding = {SHARDING[inputs['zero']]}",
    ]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    batch = f"batch = {inputs['micro_batch']} * {inputs['micro_batches']} * {inputs['dp']}"

    def asked(cell: str, unit: str = "") -> Probe:
        return Probe(cell, unit, extra=(batch,), band=CLOSE)

    return {
        "model_memory_first_stage": asked("model_memory", "GiB"),
        "weight": asked("param_memory", "GiB"),
        "grad": asked("gradient_memory", "GiB"),
        "optimizer": asked("optimizer_memory", "GiB"),
        "peak_first_stage": asked("tensor_memory", "GiB"),
        "iteration_time": asked("step_time", "second"),
        "tokens_per_s_per_chip": asked("chip_token_rate", "token/s"),
        "tflops_per_chip": asked("model_rate", "TFLOP/s"),
        "mfu": asked("model_utilization"),
    }


def _rate_probes(inputs: Inputs) -> dict[str, Probe]:
    """Return probes of a step of known MFU: the efficiency of products gives all other rates."""
    batch = f"batch = {inputs['micro_batch']} * {inputs['micro_batches']} * {inputs['dp']}"
    known = (batch, f"model_utilization = {inputs['mfu']}")
    cells = {
        "iteration_time": ("step_time", "second"),
        "tokens_per_s_per_chip": ("chip_token_rate", "token/s"),
        "tflops_per_chip": ("model_rate", "TFLOP/s"),
    }
    return {
        name: Probe("matmul_efficiency", extra=known, read=cell_value(*cell), band=ROUNDED)
        for name, cell in cells.items()
    }


PEERS: dict[str, Adapter] = {
    "training_step_and_memory": Adapter("training_step", _relations, _probes, deviating=REASONS),
    "step_of_known_mfu": Adapter("training_step", _relations, _rate_probes),
}
