"""Golden cases of EleutherAI's cookbook: memory of training, of the whole model and of a chip."""

from __future__ import annotations

from tests.golden.adapters.base import Adapter, Inputs, Probe

SHAPE = {
    "hidden_size": "d_model",
    "num_layers": "n_blocks",
    "num_heads": "n_heads",
    "vocab_size": "vocab",
    "seq_len": "n_positions",
    "kv_ratio": "kv_fraction",
    "ffn_expansion": "ffn_ratio",
    "num_mlp_linears": "ffn_matrices",
    "num_experts": "n_experts",
}
BYTES = {
    "bytes_param": "bytes_per_param",
    "bytes_grad": "bytes_per_gradient",
    "bytes_optimizer": "bytes_per_optimizer",
}
SHARDING = ("none", "optimizer", "gradients", "weights")
MEMORIES = {
    "model": "param_memory",
    "gradient": "gradient_memory",
    "optimizer": "optimizer_memory",
    "activation": "activation_memory",
    "communication": "buffer_memory",
}


def _model(inputs: Inputs) -> list[str]:
    shape = {ours: inputs[theirs] for theirs, ours in SHAPE.items() if inputs.get(theirs)}
    sizes = {ours: inputs.quantity(theirs, "byte/param") for theirs, ours in BYTES.items() if theirs in inputs}
    return [
        *(f"{name} = {value}" for name, value in (shape | sizes).items()),
        f"micro_batch = {inputs.get('batch_per_gpu', 1)} sequence",
        f"recomputation = {'selective' if inputs.get('checkpoint_activations', True) else 'none'}",
        f"n_ep = {inputs.get('ep', 1)}",
    ]


def _relations(inputs: Inputs) -> list[str]:
    tp, pp = inputs.get("tp", 1), inputs.get("pp", 1)
    return [
        *_model(inputs),
        f"n_tp = {tp}",
        f"n_pp = {pp}",
        f"n_dp = {inputs.get('num_gpus', 1)}/({tp} * {pp})",
        f"sharding = {SHARDING[inputs.get('zero_stage', 1)]}",
        f"partitioned = {'yes' if inputs.get('partition_activations', True) else 'no'}",
        f"other_memory = {inputs.get('misc_mem_gib', 0)} GiB",
        "division = script",
    ]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    whole = tuple(_model(inputs))
    return {
        "total_params": Probe("params", "param"),
        **{f"{name}_memory": Probe(cell, "byte", instead=whole) for name, cell in MEMORIES.items()},
        **{f"per_gpu_{name}_memory": Probe(cell, "byte") for name, cell in MEMORIES.items()},
        "per_gpu_memory": Probe("device_memory", "GiB"),
    }


PEERS: dict[str, Adapter] = {"training_memory": Adapter("cookbook_estimate", _relations, _probes)}
