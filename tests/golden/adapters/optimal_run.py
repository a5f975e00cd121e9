"""Golden cases of a compute-optimal run on sharded, pipelined chips."""

from __future__ import annotations

from tests.golden.adapters.base import Adapter, Inputs, Probe
from tests.golden.adapters.linear_layer import chip_relations


def _of_the_layer(relation: str) -> str:
    """Return a relation as it is said of the run, which has bytes of gradients and activations in its layer."""
    inside = relation.startswith(("bytes_per_gradient", "bytes_per_activation"))
    return f"layer.{relation}" if inside else relation


def _relations(inputs: Inputs) -> list[str]:
    return [
        *(_of_the_layer(relation) for relation in chip_relations(inputs)),
        f"layer.reduction = {'fabric' if inputs['network_reduction'] else 'chips'}",
        f"total_work = {inputs['training_flop']} FLOP",
        f"ffn_ratio = {inputs['hidden_factor']}",
        f"n_pp = {inputs['pp']}",
        f"n_dp = {inputs['dp']}",
        f"n_tp_hidden = {inputs['tp_hidden']}",
        f"n_tp_residual = {inputs['tp_residual']}",
        f"n_microbatches = {inputs['n_microbatches_per_batch']}",
    ]


def _probes(_: Inputs) -> dict[str, Probe]:
    return {
        "N": Probe("params", "param"),
        "D": Probe("dataset_tokens", "token"),
        "B": Probe("tokens", "token"),
        "L": Probe("n_blocks"),
        "d": Probe("d_model"),
        "boundary_secs": Probe("boundary_time", "second"),
        "sustained_dp_secs": Probe("sustained_time", "second"),
        "sustained_no_dp_secs": Probe("last_layer_time", "second"),
        "bubble_secs": Probe("bubble_time", "second"),
        "batch_secs": Probe("step_time", "second"),
        "train_secs": Probe("train_time", "second"),
        "train_days": Probe("train_time", "day"),
        "utilization": Probe("utilization"),
    }


def _rejected(inputs: Inputs, words: str) -> str:
    """Return the limit that a refused case breaks; the source checks the blocks first and stops."""
    starved = "microbatches" in words or ("L=" not in words and inputs["pp"] > inputs["n_microbatches_per_batch"])
    return "stages_have_work" if starved else "stages_have_blocks"


ADAPTERS: dict[str, Adapter] = {
    "run_optimizer2 full model (later commit e905172/HEAD)": Adapter(
        "optimal_run", _relations, _probes, rejected=_rejected
    ),
}
