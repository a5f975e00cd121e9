"""Golden cases of a training step on a pipeline: command lines of simple_transformer.py."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

from tests.golden.adapters.base import Adapter, Inputs, Probe

Texts: TypeAlias = Mapping[str, Callable[[Mapping[str, Any]], str]]

BYTE = 8  # bits
H100 = (1979e12, 3.35e12, 900e9)  # FLOP/s of 8 bits, byte/s of memory, byte/s of network
POD = (64 * 1979e12, 64 * 3.35e12)
CHIPS: dict[str, dict[str, tuple[float, float, float]]] = {
    "readme": {"H100": H100, "A100_40GB": (624e12, 1555e9, 600e9), "H100_x64_pod": (*POD, 12.5e9)},
    "head": {
        "H100": H100,
        "A100_40GB": (624e12, 1555e9, 600e9),
        "H100_x64_pod": (*POD, 1e9),
        "RTX4090": (165.16e12, 1008e9, 10e9),
    },
}
DEFAULT_CHIP = {"readme": "h100", "head": "H100"}  # the first is no chip of the source, which then fails
AS_CODED = ("rate_basis = scaled_int8", "last_batch = drop", "memory_words = quoted", "lone_stage = sends")
CELLS = {
    "n_blocks": "n_layers",
    "d_model": "d_model",
    "inner_ratio": "d_internal_ratio",
    "n_experts": "n_experts",
    "n_routed": "n_routed_experts",
    "batch": "batch_size",
    "microbatch": "microbatch_size",
    "seq_len": "seq_len",
    "n_pp": "pp",
    "n_interleave": "pipeline_interleaving",
    "n_dp": "dp",
    "n_tp_hidden": "tp",
    "n_tp_residual": "tp2",
}
REJECTED = {
    "routed experts": "whole_experts",
    "microbatch size must divide": "whole_microbatches",
    "tokens per matmul": "whole_tokens",
    "integer number of": "whole_passes",
    "interleave": "several_stages",
    "data-parallel": "whole_replicas",
    "exterior": "whole_model",
    "tensor-parallel": "whole_inner",
}


@cache
def options(command_line: str) -> argparse.Namespace:
    """Return the options of a command line, with the defaults of the source."""
    parser = argparse.ArgumentParser()
    for name, default in (
        ("precision_bits", 8),
        ("n_layers", None),
        ("d_model", None),
        ("d_internal_ratio", 5),
        ("n_experts", 1),
        ("n_routed_experts", 1),
        ("batch_size", 2048),
        ("microbatch_size", 1),
        ("seq_len", 2048),
        ("pp", 1),
        ("pipeline_interleaving", 1),
        ("dp", 1),
        ("tp", 1),
        ("tp2", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, share in (("dataset_size", None), ("network_bandwidth", None), ("base_utilization", 0.6)):
        parser.add_argument(f"--{name}", type=float, default=share)
    parser.add_argument("--chip_type", default="")
    return parser.parse_args(shlex.split(command_line))


def _relations(inputs: Inputs, revision: str) -> list[str]:
    chosen = options(inputs["command_line"])
    name = chosen.chip_type or DEFAULT_CHIP[revision]
    if name not in CHIPS[revision]:
        return [f"chip = no-such-chip-{name}"]
    rate, memory, network = CHIPS[revision][name]
    size = chosen.precision_bits / BYTE
    return [
        *AS_CODED,
        f"revision = {revision}",
        *(f"{cell} = {getattr(chosen, name)}" for cell, name in CELLS.items()),
        *(f"bytes_per_{kind} = {size} byte/param" for kind in ("param", "gradient")),
        f"bytes_per_activation = {size} byte/token",
        f"base_utilization = {chosen.base_utilization}",
        f"chip.flops.int8 = {rate} FLOP/s",
        f"chip.memory_bandwidth = {memory} byte/s",
        f"network_rate = {chosen.network_bandwidth or network} byte/s",
    ]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    size = options(inputs["command_line"]).dataset_size
    data = (f"dataset_tokens = {size} token",) if size else ()
    return {
        "params_total": Probe("params", "param"),
        "params_active": Probe("active_params", "param"),
        "D_tokens": Probe("trained_tokens", "token", extra=data),
        "n_batches": Probe("n_steps", "step", extra=data),
        "n_chips": Probe("n_chips", "chip"),
        "flop_per_batch": Probe("step_work", "FLOP"),
        "n_pipeline_steps": Probe("n_pipeline_steps"),
        "pipe_boundary_intvl": Probe("pass_layers", "layer"),
        "bubble_layers": Probe("bubble_layers", "layer"),
        "tokens_per_matmul": Probe("local_tokens", "token"),
        "d_int_per_matmul": Probe("local_d_inner"),
        "d_per_matmul": Probe("local_d_model"),
        "matmul_time_s": Probe("matmul_time", "second"),
        "pipeline_bubble_s": Probe("bubble_time", "second"),
        "pipeline_full_s": Probe("full_time", "second"),
        "pipeline_full_flop_s": Probe("full_compute_time", "second"),
        "pipeline_full_net_s": Probe("full_network_time", "second"),
        "gradient_reduction_s": Probe("reduction_time", "second"),
        "batch_time_s": Probe("step_time", "second"),
        "utilization": Probe("utilization"),
        "run_time_days": Probe("train_time", "day", extra=data),
    }


def _rejected(_: Inputs, words: str) -> str:
    return next((name for part, name in REJECTED.items() if part in words), "no-such-chip")


def _model_shape(values: Mapping[str, Any]) -> str:
    chosen = options(values["command_line"])
    width = chosen.d_internal_ratio * chosen.d_model
    routing = f"(top {chosen.n_routed_experts} of {chosen.n_experts} routing)"
    return f"{chosen.n_layers} x ({chosen.d_model} x {width}) {routing}"


def _pipeline(values: Mapping[str, Any]) -> str:
    chosen = options(values["command_line"])
    stages = f"{chosen.pp} stages x {chosen.pipeline_interleaving} interleaving"
    return f"{stages}; boundary interval {values['pipe_boundary_intvl']}; bubble layers {values['bubble_layers']}"


def _matmul_shape(values: Mapping[str, Any]) -> str:
    inner, model, tokens = (values[name] for name in ("d_int_per_matmul", "d_per_matmul", "tokens_per_matmul"))
    return f"{inner} d_int x {model} d_model x {tokens} tokens"


def _figure(name: str, form: str, unit: str = "") -> Callable[[Mapping[str, Any]], str]:
    return lambda values: format(float(values[name]), form) + unit


PRINTED: Texts = {
    "model_shape": _model_shape,
    "params": _figure("params_total", ".2e"),
    "tokens": _figure("D_tokens", ".2e"),
    "chips": lambda values: str(values["n_chips"]),
    "pipeline": _pipeline,
    "flop_per_batch": _figure("flop_per_batch", ".2e"),
    "matmul_shape": _matmul_shape,
    "bubble": _figure("pipeline_bubble_s", ".4f", " secs"),
    "full": _figure("pipeline_full_s", ".4f", " secs"),
    "gradient_reduction": _figure("gradient_reduction_s", ".4f", " secs"),
    "batch": _figure("batch_time_s", ".4f", " secs"),
    "utilization": _figure("utilization", ".4f"),
    "run_time": _figure("run_time_days", ".1f", " days"),
}

CALCS = {
    "simple_transformer.py (README-era commit)": "readme",
    "simple_transformer.py (HEAD 520dcff: adds base utilization 0.6, overlapped network time)": "head",
}
ADAPTERS: dict[str, Adapter] = {
    calc: Adapter("pipeline_step", partial(_relations, revision=revision), _probes, printed=PRINTED, rejected=_rejected)
    for calc, revision in CALCS.items()
}
