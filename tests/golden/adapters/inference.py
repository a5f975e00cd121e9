"""Golden cases of GenZ and LLM-Viewer: prefill and decode as rooflines, operator by operator.

Neither has gaps between kernels nor a scheduler, and both reach the peak rates. GenZ multiplies bandwidths in GB/s by
2^30, so its memory and links are 7 % faster than stated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from flopsheet import Answer

EXACT, CLOSE, NEAR = 1e-9, 0.15, 0.02
IDEAL = (
    "matmul_efficiency = 1",
    "attention_efficiency = 1",
    "memory_efficiency = 1",
    "launch_time = 0 us",
    "host_time = 0 ms",
    "sequence_host_time = 0 us",
    "exchange_launch_time = 0 us",
)


def _genz(inputs: Inputs) -> list[str]:
    rate, memory, link = re.findall(r"([\d.]+ [TG](?:FLOP/s|B/s))", str(inputs["chip"]))
    return [
        *IDEAL,
        "model = llama-2-70b",
        "chip = a100-sxm4-80gb",
        f"chip.flops.bf16 = {rate}",
        f"chip.memory_bandwidth = {memory}",
        f"scale_up_bandwidth = {link}",
        f"n_tp = {inputs['tp']}",
    ]


def _genz_probes(inputs: Inputs) -> dict[str, Probe]:
    prompts = (f"n_prompts = {inputs['batch']}", f"prompt_len = {inputs['input_tokens']} token")
    middle = f"context = {inputs['input_tokens']} token + {inputs['output_tokens']} token / 2"
    batch = (f"n_sequences = {inputs['batch']}", middle)
    tokens = inputs["batch"] * inputs["input_tokens"]

    def ffn_time(answer: Answer) -> float:
        """Return the time of the feed-forward parts in a prefill at the peak rate [ms]."""
        work = answer.cells["ffn_work_per_token"].si * tokens / inputs["tp"]
        return float(work / answer.cells["peak_rate"].si * 1000)

    def decode(cell: str, unit: str) -> Probe:
        return Probe(cell, unit, extra=batch, sheet="decode", band=CLOSE)

    return {
        "prefill_latency": Probe("first_token_time", "ms", extra=prompts, band=CLOSE),
        "prefill_collective": Probe("stage_tp_time", "ms", extra=prompts, band=CLOSE),
        "prefill_ffn_layers": Probe("first_token_time", "ms", extra=prompts, read=ffn_time, band=EXACT),
        "decode_latency_per_token": decode("token_time", "ms"),
        "decode_throughput": decode("replica_token_rate", "token/s"),
        "decode_collective": decode("stage_tp_time", "ms"),
    }


def _viewer(inputs: Inputs) -> list[str]:
    return [
        *IDEAL,
        "model = llama-2-7b",
        "chip = a100-sxm4-80gb",
        f"chip.flops.bf16 = {inputs['peak_flops']} FLOP/s",
        f"chip.memory_bandwidth = {inputs['hbm_bandwidth']} byte/s",
    ]


def _viewer_probes(inputs: Inputs) -> dict[str, Probe]:
    batch = (f"n_sequences = {inputs['batch']}", f"seq_len = {inputs['seq_len']} token")
    prompts = (f"n_prompts = {inputs['batch']}", f"prompt_len = {inputs['seq_len']} token")
    return {
        "decode_ops": Probe("decode_work", "FLOP", extra=batch, band=NEAR),
        "decode_memory_access": Probe("read_traffic", "byte", extra=batch, band=NEAR),
        "decode_time": Probe("token_time", "second", extra=batch, band=NEAR),
        "weights": Probe("token_time", "byte", extra=batch, read=_matrices, band=EXACT),
        "kv_cache": Probe("total_cache", "byte", extra=batch, band=EXACT),
        "prefill_ops": Probe("prefill_work", "FLOP", extra=prompts, sheet="prefill", band=NEAR),
        "prefill_time": Probe("first_token_time", "second", extra=prompts, sheet="prefill", band=NEAR),
    }


def _matrices(answer: Answer) -> float:
    """Return the bytes of the matrices of all layers."""
    return float(answer.cells["rank_matrix_params"].si * answer.cells["bytes_per_param"].si)


GENZ = {"decode_collective": "19 us of latency an all-reduce: 14 hops of a ring of 8 chips, which are 1 us each here"}
VIEWER = {
    "prefill_ops": "computes the output layer for every token, and all pairs of tokens, later ones included",
    "prefill_time": "the same, and reads and writes scores in memory",
    "generate_2048_plus_256_time": "adds that prefill to 256 steps, each at its own context",
}
PEERS: dict[str, Adapter] = {
    "inference_latency": Adapter("prefill", _genz, _genz_probes, deviating=GENZ),
    "inference_roofline": Adapter("decode", _viewer, _viewer_probes, deviating=VIEWER),
}
