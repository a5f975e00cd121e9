"""Golden cases of SimuMax: memory of a Llama model, and the rates of a step whose time it measures.

Its time comes from efficiencies that were measured shape by shape; here it is that of its MFU. It counts all pairs.
"""

from __future__ import annotations

import re

from tests.golden.adapters.base import Adapter, Inputs, Probe, cell_value, model_like, record_like

from flopsheet import records

CLOSE, ROUNDED = 0.03, 2e-5
MEASURED = "its efficiencies were measured shape by shape, on this chip; with those of the sheet a step takes 6 % less"
REASONS = dict.fromkeys(("iteration_time", "tokens_per_s_per_chip", "tflops_per_chip", "mfu"), MEASURED)
SHARDING = ("none", "optimizer", "gradients", "weights")
RECOMPUTED = {"none": "none", "full": "full", "selective": "selective"}
LAYOUT = {"tp": "n_tp", "pp": "n_pp", "dp": "n_dp", "cp": "n_cp", "ep": "n_ep", "etp": "n_etp"}
NAMES = {"d_model": "h", "d_ff": "ffn", "n_blocks": "L", "n_heads": "heads", "n_kv_heads": "kv"}


def _shape(label: str) -> list[str]:
    """Return the relations of a model that a label names, with its vocabulary, or those of its figures."""
    figures = dict(re.findall(r"(\w+)=(\d+)", label))
    padded = re.search(r"padded to (\d+)", label)
    vocab = padded[1] if padded else figures.get("V")
    named = model_like(label.partition(":")[0])
    if named in records("architecture"):
        return [f"model = {named}", *([f"vocab = {vocab}"] if vocab else []), *_fewer_layers(named, figures.get("L"))]
    return [
        *(f"{ours} = {figures[theirs]}" for ours, theirs in NAMES.items()),
        f"vocab = {vocab}",
        "ffn_matrices = 3",
        "embedding_matrices = 2",
        "norm_vectors = 1",
    ]


def _fewer_layers(model: str, layers: str | None) -> list[str]:
    """Return the relations of a named model with fewer layers, as SimuMax measures on few chips."""
    values = records("architecture")[model].values
    blocks = values["n_blocks"].quantity.exact
    if layers is None or int(layers) == blocks:
        return []
    dense = blocks - values["n_moe_blocks"].quantity.exact  # the first ones
    return [f"n_blocks = {layers}", *([f"n_moe_blocks = {int(layers) - dense}"] if dense < blocks else [])]


def _chip(label: str) -> str:
    """Return the chip of a system file: `a100_pcie.json`, `b200_bf16_ceperm.json`."""
    name = re.split(r"_bf16|_fp8|\.json", label)[0]
    found = (record_like("chip", text) for text in (f"{name}_80gb", f"{name}_sxm", name))
    return next(text for text in found if text in records("chip"))


def _relations(inputs: Inputs) -> list[str]:
    layout = {ours: inputs[theirs] for theirs, ours in LAYOUT.items() if theirs in inputs}
    return [
        *_shape(str(inputs["model"])),
        *(f"{name} = {value}" for name, value in layout.items()),
        f"chip = {_chip(str(inputs.get('system', 'a100_pcie')))}",
        "attention_span = full",
        "recipe = mixed_18",
        f"seq_len = {inputs['seq_len']} token",
        f"micro_batch = {inputs['micro_batch']}",
        f"n_microbatches = {inputs['micro_batches']}",
        f"sharding = {SHARDING[inputs['zero']]}",
        f"sequence_parallel = {'yes' if inputs.get('sequence_parallel', inputs['tp'] > 1) else 'no'}",
        f"recomputation = {RECOMPUTED[str(inputs.get('recompute', 'none'))]}",
        *(
            [f"recomputed_share = {inputs['recompute_layer_num']} / n_blocks"]
            if "recompute_layer_num" in inputs
            else []
        ),
    ]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    batch = f"batch = {inputs['micro_batch']} * {inputs['micro_batches']} * {inputs['dp']}"

    def asked(cell: str, unit: str = "", *relations: str) -> Probe:
        return Probe(cell, unit, extra=(batch, *relations), band=CLOSE)

    return {
        "model_memory_first_stage": asked("model_memory", "GiB"),
        "weight": asked("param_memory", "GiB"),
        "grad": asked("gradient_memory", "GiB"),
        "optimizer": asked("optimizer_memory", "GiB"),
        "peak_first_stage": asked("tensor_memory", "GiB"),
        "peak_last_stage": asked("last_chip_memory", "GiB", "kernel_memory = 0 MiB", "communication_memory = 0 MiB"),
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
