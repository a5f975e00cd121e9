"""Golden cases of EleutherAI's cookbook: memory of training, of the whole model and of a chip."""

from __future__ import annotations

from typing import Any

from tests.golden.adapters.base import Adapter, Inputs, Probe, cell_value, command_options

# How the script calls its options, and the cases: what a case leaves out is in its command, or has the default.
OPTIONS = {
    "num_attention_heads": "num_heads",
    "sequence_length": "seq_len",
    "batch_size_per_gpu": "batch_per_gpu",
    "ffn_expansion_factor": "ffn_expansion",
    "kv_size_ratio": "kv_ratio",
    "tensor_parallel_size": "tp",
    "pipeline_parallel_size": "pp",
    "expert_parallelism": "ep",
    "low_prec_bytes_per_val": "bytes_param",
    "bytes_per_grad_ele": "bytes_grad",
}
SHORT_OF_SHAPES = {  # of all scripts of the cookbook
    "l": "num-layers",
    "hs": "hidden-size",
    "s": "sequence-length",
    "v": "vocab-size",
    "kv": "kv-size-ratio",
    "ff": "ffn-expansion-factor",
    "nl": "num-mlp-linears",
}
SHORT = SHORT_OF_SHAPES | {
    "a": "num-attention-heads",
    "b": "batch-size-per-gpu",
    "tp": "tensor-parallel-size",
    "pp": "pipeline-parallel-size",
    "ep": "expert-parallelism",
    "z": "zero-stage",
    "zbs": "zero-allgather-bucket-size",
    "zmlp": "zero3-max-live-params",
    "ca": "checkpoint-activations",
    "pa": "partition-activations",
    "o": "output-tokens",
    "opt": "optimizer",
}
DEFAULTS: dict[str, Any] = {
    "num_layers": 44,
    "hidden_size": 6144,
    "num_heads": 64,
    "seq_len": 2048,
    "vocab_size": 51200,
    "num_mlp_linears": 2,
    "ffn_expansion": 4,
    "num_gpus": 1,
}
SWITCHES = ("checkpoint_activations", "partition_activations")
SHAPE = {
    "hidden_size": "d_model",
    "num_layers": "n_blocks",
    "num_heads": "n_heads",
    "vocab_size": "vocab",
    "seq_len": "sequence_positions",
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
BUFFERS = {"zero_allgather_bucket_size": "bucket_params", "zero3_max_live_params": "live_params"}
SHARDING = ("none", "optimizer", "gradients", "weights")
MEMORIES = {
    "model": "param_memory",
    "gradient": "gradient_memory",
    "optimizer": "optimizer_memory",
    "activation": "activation_memory",
    "communication": "buffer_memory",
}
ONE_MOMENT = {"muon": 8, "sgd_momentum": 8}  # bytes of the fp32 copy and one moment
HALF = 2  # bytes of the widest low precision
CACHE = "has one matrix for keys and values together, as wide as the queries"


def _named(inputs: Inputs) -> Inputs:
    """Return the inputs by our cases' names, with those of the command and the script's defaults."""
    known = {OPTIONS.get(name, name): value for name, value in inputs.items()}
    command = command_options(inputs.get("cmd"), SHORT)
    stated = {OPTIONS.get(name, name): value for name, value in command.items()}
    switches = {name: name in stated for name in SWITCHES if stated}
    if "disable_mixed_precision" in stated:
        stated["bytes_param"] = 4
    optimizer = str({**stated, **known}.get("optimizer"))
    if optimizer in ONE_MOMENT:
        stated["bytes_optimizer"] = ONE_MOMENT[optimizer]
    return Inputs({**DEFAULTS, **switches, **stated, **known}, inputs.units)


def _model(inputs: Inputs) -> list[str]:
    shape = {ours: inputs[theirs] for theirs, ours in SHAPE.items() if inputs.get(theirs)}
    sizes = {ours: inputs.quantity(theirs, "byte/param") for theirs, ours in BYTES.items() if theirs in inputs}
    low = inputs.get("bytes_param", HALF)
    return [
        *(f"{name} = {value}" for name, value in (shape | sizes).items()),
        *([f"bytes_per_activation = {low} byte/token"] if low < HALF else []),
        f"micro_batch = {inputs.get('batch_per_gpu', 1)} sequence",
        f"recomputation = {'selective' if inputs.get('checkpoint_activations', True) else 'none'}",
        f"n_ep = {inputs.get('ep', 1)}",
    ]


def _relations(given: Inputs) -> list[str]:
    inputs = _named(given)
    tp, pp = inputs.get("tp", 1), inputs.get("pp", 1)
    return [
        *_model(inputs),
        f"n_tp = {tp}",
        f"n_pp = {pp}",
        f"n_dp = {inputs['num_gpus']}/({tp} * {pp})",
        f"sharding = {SHARDING[inputs.get('zero_stage', 1)]}",
        f"partitioned = {'yes' if inputs.get('partition_activations', True) else 'no'}",
        f"other_memory = {inputs.get('misc_mem_gib', 0)} GiB",
        *(f"{ours} = {inputs[theirs]} param" for theirs, ours in BUFFERS.items() if theirs in inputs),
        "division = script",
    ]


def _probes(given: Inputs) -> dict[str, Probe]:
    inputs = _named(given)
    whole = tuple(_model(inputs))
    one_expert = tuple(_model(Inputs({**inputs, "num_experts": 1, "ep": 1}, inputs.units)))
    all_experts = tuple(_model(Inputs({**inputs, "ep": 1}, inputs.units)))
    probes = {
        "total_params": Probe("params", "param"),
        "total_moe_params": Probe("held_params", "param", instead=all_experts),
        **{f"{name}_memory": Probe(cell, "byte", instead=whole) for name, cell in MEMORIES.items()},
        **{f"per_gpu_{name}_memory": Probe(cell, "byte") for name, cell in MEMORIES.items()},
        "model_memory": Probe("param_memory", "byte", instead=one_expert),  # it leaves out the others
        "per_gpu_memory": Probe("device_memory", "GiB"),
    }
    return {**probes, **_inference(inputs)} if inputs.get("infer") else probes


def _inference(inputs: Inputs) -> dict[str, Probe]:
    """Return the probes of inference: activations of one layer with recomputed scores, and the whole cache."""
    one_layer = tuple(_model(Inputs({**inputs, "num_layers": 1, "checkpoint_activations": True}, inputs.units)))
    activations = Probe("activation_memory", "byte", instead=one_layer)
    shared = (*one_layer, f"partitioned = {'yes' if inputs.get('partition_activations', True) else 'no'}")
    cache = Probe("", read=cell_value("total_cache", "byte"), sheet="kv_cache", instead=_cached(inputs))
    return {
        "activation_memory": activations,
        "per_gpu_activation_memory": Probe(
            "activation_memory", "byte", instead=(*shared, f"n_tp = {inputs.get('tp', 1)}")
        ),
        "kv_cache_memory": cache,
        "per_gpu_kv_cache_memory": cache,
    }


def _cached(inputs: Inputs) -> tuple[str, ...]:
    heads = inputs["num_heads"]
    return (
        f"n_blocks = {inputs['num_layers']}",
        f"n_heads = {heads}",
        f"n_kv_heads = {heads} * {inputs.get('kv_ratio', 1)}",
        f"d_head = {inputs['hidden_size']} / {heads}",
        f"n_sequences = {inputs.get('batch_per_gpu', 1)}",
        f"seq_len = {inputs['seq_len'] + inputs.get('output_tokens', 1)} token",
        f"bytes_per_cached = {inputs.get('bytes_param', HALF)} byte/token",
    )


def _reasons(given: Inputs) -> dict[str, str]:
    inputs = _named(given)
    if not inputs.get("infer"):
        return {}
    of_memory = {"per_gpu_memory": CACHE}
    caches = dict.fromkeys(("kv_cache_memory", "per_gpu_kv_cache_memory"), CACHE)
    return of_memory if 2 * inputs.get("kv_ratio", 1) == 1 else {**of_memory, **caches}


PEERS: dict[str, Adapter] = {"training_memory": Adapter("cookbook_estimate", _relations, _probes, _reasons)}
