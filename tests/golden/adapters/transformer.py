"""Golden cases of the parameters and the computation of a transformer: Megatron-LM, EleutherAI, DeepSeek LLM."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe, command_options
from tests.golden.adapters.cookbook import SHORT_OF_SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Answer

ELEUTHER = ("attention_span = full", "head_counted = forward", "lookup_work_per_value = 4 FLOP/token")


# How EleutherAI's script calls its options, and what they are where neither a case nor its command gives them.
SHORT = SHORT_OF_SHAPES | {
    "b": "batch-size",
    "e": "num-experts",
    "ei": "expert-interval",
    "t": "topk",
    "ca": "no-checkpoint-activations",
    "i": "infer",
}
OPTIONS = {
    "sequence_length": "seq_len",
    "kv_size_ratio": "kv_ratio",
    "num_mlp_linears": "mlp_linears",
    "ffn_expansion_factor": "ffn_expansion",
    "checkpoint_activations": "recompute_full",
}
DEFAULTS: dict[str, Any] = {
    "num_layers": 44,
    "hidden_size": 6144,
    "seq_len": 2048,
    "vocab_size": 51200,
    "tokens": 3e11,
    "expert_interval": 2,
    "num_experts": 128,
    "topk": 1,
    "recompute_full": True,
}


SIZE_DEFAULTS = {"expert_interval": 1, "num_experts": 8}  # of the script that counts parameters
SHAPE = ("d_", "n_blocks", "n_heads", "n_kv_heads", "ffn_matrices", "vocab", "n_moe_blocks", "n_experts", "n_routed")


def _named(given: Inputs) -> Inputs:
    command = command_options(given.get("cmd"), SHORT)
    if "no_checkpoint_activations" in command:
        command["recompute_full"] = False
    known = {OPTIONS.get(name, name): value for name, value in {**command, **given}.items()}
    return Inputs({**DEFAULTS, **known}, given.units)


def _eleuther_relations(given: Inputs) -> list[str]:
    inputs = _named(given)
    width = inputs["hidden_size"]
    # The tool knows no heads: any number of them gives the same, here one per unit of the ratio of keys to queries.
    return [
        *ELEUTHER,
        f"d_model = {width}",
        f"n_blocks = {inputs['num_layers']}",
        "n_heads = 64",
        f"n_kv_heads = 64 * {inputs.get('kv_ratio', 1)}",
        f"d_ff = {inputs.get('ffn_hidden_size') or inputs.get('ffn_expansion', 4) * width}",
        f"ffn_matrices = {inputs.get('mlp_linears', 2)}",
        f"vocab = {inputs['vocab_size']}",
        f"seq_len = {inputs.quantity('seq_len', 'token')}",
        f"dataset_tokens = {inputs['tokens']} token",
        f"recomputation = {'full' if inputs['recompute_full'] else 'none'}",
        "counted = hardware",
        *(_eleuther_experts(inputs) if inputs.get("moe") else []),
    ]


def _eleuther_experts(inputs: Inputs) -> list[str]:
    return [
        f"n_moe_blocks = {inputs['num_layers'] // inputs['expert_interval']}",
        f"n_experts = {inputs['num_experts']}",
        f"n_routed = {inputs['topk']}",
        "d_expert = d_ff",
    ]


def _eleuther_params(given: Inputs) -> dict[str, Probe]:
    """Return the probes of the script that counts parameters.

    It has experts in all layers unless the inputs say otherwise, and eight vectors a layer for norms and biases, as
    four norms have.
    """
    inputs = _named(Inputs({**SIZE_DEFAULTS, **given}, given.units))
    shape = (
        *(text for text in _eleuther_relations(inputs) if text.startswith(SHAPE)),
        f"embedding_matrices = {1 if inputs.get('tied_embeddings') else 2}",
        f"n_positions = {inputs['seq_len']}",
        "norm_vectors = 2",
        "block_norms = 4",
        "router_bias = 0",
    )
    cells = {
        "total_params": "params",
        "embedding_params": "embedding_params",
        "position_embedding_params": "position_params",
        "attention_params": "attention_stack_params",
    }
    experts = ("router_params", "n_moe_blocks")
    return {
        **{name: Probe(cell, "param", instead=shape) for name, cell in cells.items()},
        "ffn_params": Probe("", read=_feed_forward_params, instead=shape),
        "gating_params": Probe("", read=_product(*experts), instead=shape),
    }


def _feed_forward_params(answer: Answer) -> object:
    return answer.cells["dense_stack_params"].si + answer.cells["expert_stack_params"].si


def _product(*cells: str) -> Callable[[Answer], object]:
    return lambda answer: prod(answer.cells[cell].si for cell in cells)


def _eleuther_probes(given: Inputs) -> dict[str, Probe]:
    inputs = _named(given)
    passes = 1 if inputs.get("infer") else 4 if inputs["recompute_full"] else 3
    projections = ("projection_work_per_token",)
    forward = Probe("", read=_work("forward_work_per_token"))
    total = forward if inputs.get("infer") else Probe("total_work", "FLOP")
    ffn = Probe("", read=_work("ffn_work_per_token", "expert_work_per_token", times=passes))
    # The tool ignores the width of the hidden layer that it is given.
    ignored = tuple(_eleuther_relations(Inputs({**inputs, "ffn_hidden_size": None}, inputs.units)))
    return {
        **_eleuther_params(given),
        "total": total,
        "total_as_printed_by_tool": replace(total, instead=ignored),
        "qkv": Probe("", read=_work(*projections, times=passes, of="output_matrix_params", without=True)),
        "out_proj": Probe("", read=_work(*projections, times=passes, of="output_matrix_params")),
        "attention_scores_plus_values": Probe("", read=_work("pair_work_per_token", times=passes)),
        "attention_scores": Probe("", read=_work("score_work_per_token", times=passes)),
        "attention_over_values": Probe("", read=_work("mixing_work_per_token", times=passes)),
        "ffn": ffn,
        "ffn_as_printed_by_tool": replace(ffn, instead=ignored),
        f"ffn_from_ffn_hidden_size_{inputs.get('ffn_hidden_size')}": ffn,
        "gating": Probe("", read=_work("router_work_per_token", times=passes)),
        "embedding": Probe("", read=_work("single_pass_work")),
    }


def _eleuther_reasons(given: Inputs) -> dict[str, str]:
    inputs = _named(given)
    if not inputs.get("moe") or inputs["topk"] == 1 or inputs["expert_interval"] == 1:
        return {}
    return dict.fromkeys(("total", "ffn"), "leaves out the dense layers between those with several experts")


def _work(*parts: str, times: int = 1, of: str = "", without: bool = False) -> Callable[[Answer], object]:
    """Return what reads the computation of parts in a run, or of one matrix of attention, or of all others."""

    def read(answer: Answer) -> object:
        value = sum(answer.cells[part].si for part in parts)
        share = answer.cells[of].si / answer.cells["attention_matrix_params"].si if of else 1
        return times * value * answer.cells["dataset_tokens"].si * (1 - share if without else share)

    return read


def _scale_relations(inputs: Inputs) -> list[str]:
    return [
        "work_rule = deepseek",
        f"n_blocks = {inputs['n_layer']}",
        f"d_model = {inputs['d_model']}",
        f"seq_len = {inputs['l_seq']} token",
    ]


def _scale_probes(_: Inputs) -> dict[str, Probe]:
    return {"M": Probe("train_work_per_token", "FLOP/token")}


ADAPTERS: dict[str, Adapter] = {"deepseek_model_scale": Adapter("transformer", _scale_relations, _scale_probes)}

PEERS: dict[str, Adapter] = {
    "training_flops": Adapter("transformer", _eleuther_relations, _eleuther_probes, _eleuther_reasons)
}
