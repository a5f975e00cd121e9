"""Golden cases of GenZ and LLM-Viewer: prefill and decode as rooflines, operator by operator.

Neither has gaps between kernels nor a scheduler, and both reach the peak rates. GenZ multiplies bandwidths in GB/s by
2^30, so its memory and links are 7 % faster than stated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe, model_like

from flopsheet import records

if TYPE_CHECKING:
    from flopsheet import Answer

DECODED = ("decode_latency_per_token", "decode_throughput")
EXACT, CLOSE, NEAR = 1e-9, 0.15, 0.02
IDEAL = (
    "matmul_efficiency = 1",
    "attention_efficiency = 1",
    "memory_efficiency = 1",
    "launch_time = 0 us",
    "host_time = 0 ms",
    "sequence_host_time = 0 us",
)
# Bytes of a number, and the format of as many bytes in which a cache is kept.
WIDTHS: dict[str, float] = {
    **dict.fromkeys(("fp32", "f32", "32"), 4),
    **dict.fromkeys(("bf16", "fp16", "16"), 2),
    **dict.fromkeys(("fp8", "int8", "8"), 1),
    **dict.fromkeys(("int4", "fp4", "4"), 0.5),
}
CACHED = {4: "fp32", 2: "bf16", 1: "fp8", 0.5: "fp4"}


# What GenZ calls by a name that has another meaning since: Mistral Small of September 2024, as wide as Codestral.
SAME = {"mistralai/Mistral-Small": "codestral-22b"}


def _formats(bits: object) -> list[str]:
    """Return the relations of the widths of weights, of activations, and of what is cached: all alike, or `w4a16`."""
    stated = re.fullmatch(r"w(\d+)a(\d+)(?:kv(\d+))?", str(bits))
    weight, activation, cached = stated.groups() if stated else (str(bits),) * 3
    weights = [f"bytes_per{kind}_param = {WIDTHS[weight]} byte/param" for kind in ("", "_expert", "_outer")]
    return [
        *weights,
        f"cache_precision = {CACHED[WIDTHS[cached or activation]]}",
        f"bytes_per_activation = {WIDTHS[activation]} byte/token",
    ]


def _genz(inputs: Inputs) -> list[str]:
    rate, memory, link = re.findall(r"([\d.]+ [PTG](?:FLOP/s|B/s))", str(inputs["chip"]))
    faster = 2 / WIDTHS[str(inputs["bits"])]
    return [
        *IDEAL,
        f"model = {SAME.get(str(inputs['model'])) or model_like(str(inputs['model']))}",
        "chip = a100-sxm4-80gb",
        f"chip.flops.bf16 = {faster} * {rate}",
        f"chip.memory_bandwidth = {memory}",
        f"scale_up_bandwidth = {link}",
        f"n_tp = {inputs['tp']}",
        "exchange_launch_time = 5 us",
        *_formats(inputs["bits"]),
    ]


def _reads_longer(inputs: Inputs, tokens: int) -> bool:
    """Whether a chip reads a weight longer than it multiplies it by so many tokens."""
    rate, memory = (
        float(number) * {"P": 1e15, "T": 1e12, "G": 1e9}[prefix]
        for number, prefix in re.findall(r"([\d.]+) ([PTG])(?:FLOP/s|B/s)", str(inputs["chip"]))[:2]
    )
    width = WIDTHS[str(inputs["bits"])]
    return 2 * tokens / (rate * 2 / width) < width / memory


def _genz_probes(inputs: Inputs) -> dict[str, Probe]:
    tokens = inputs["batch"] * inputs["input_tokens"]
    prompts = (
        f"n_prompts = {inputs['batch']}",
        f"prompt_len = {inputs['input_tokens']} token",
        f"batched_tokens = {tokens} token",
        f"head_tokens = {tokens} token",
    )
    middle = f"context = {inputs['input_tokens']} token + {inputs['output_tokens']} token / 2"
    batch = (f"n_sequences = {inputs['batch']}", middle)

    ffn_band = NEAR if _has_experts(inputs) else EXACT  # it times the router with the experts
    if _reads_longer(inputs, tokens):
        ffn_band = CLOSE  # its memory is faster than stated, and operands are read too

    def ffn_time(answer: Answer) -> float:
        """Return the time of the feed-forward parts in a prefill: at the peak rate, or reading the dense ones [ms]."""
        cells = answer.cells
        work = cells["ffn_work_per_token"].si + cells["expert_work_per_token"].si
        read = cells["n_dense_blocks"].si * cells["ffn_params"].si * cells["bytes_per_param"].si
        times = work * tokens / cells["peak_rate"].si, read / cells["chip.memory_bandwidth"].si
        return float(max(times) / inputs["tp"] * 1000)

    def ends(answer: Answer) -> tuple[float, float]:
        """Return the times of what GenZ adds: a lookup as long as the output layer, and a gather of logits [ms]."""
        n_tp, vocab = inputs["tp"], answer.cells["vocab"].si
        product = 2 * vocab * answer.cells["d_model"].si * tokens / n_tp / answer.cells["peak_rate"].si
        logits = vocab * tokens * answer.cells["bytes_per_activation"].si
        gathered = logits * (n_tp - 1) / n_tp / answer.cells["scale_up_bandwidth"].si if n_tp > 1 else 0
        return float(product * 1000), float(gathered * 1000)

    def prefill_time(answer: Answer) -> float:
        return float(answer.cells["first_token_time"].si * 1000) + sum(ends(answer))

    def collective_time(answer: Answer) -> float:
        return float(answer.cells["stage_tp_time"].si * 1000) + ends(answer)[1]

    def decode(cell: str, unit: str) -> Probe:
        return Probe(cell, unit, extra=batch, sheet="decode", band=CLOSE)

    return {
        "prefill_latency": Probe("first_token_time", "ms", extra=prompts, read=prefill_time, band=CLOSE),
        "prefill_collective": Probe("stage_tp_time", "ms", extra=prompts, read=collective_time, band=CLOSE),
        "prefill_ffn_layers": Probe("first_token_time", "ms", extra=prompts, read=ffn_time, band=ffn_band),
        "decode_latency_per_token": decode("token_time", "ms"),
        "decode_throughput": decode("replica_token_rate", "token/s"),
        "decode_collective": decode("stage_tp_time", "ms"),
    }


def _viewer(inputs: Inputs) -> list[str]:
    shape = _shape(inputs)
    return [
        *IDEAL,
        "exchange_launch_time = 0 us",
        f"d_model = {shape['h']}",
        f"d_ff = {shape['ffn']}",
        f"n_blocks = {shape['L']}",
        f"n_heads = {shape['heads']}",
        f"n_kv_heads = {shape['kv']}",
        f"vocab = {shape['V']}",
        "ffn_matrices = 3",  # of all models, OPT too
        "chip = a100-sxm4-80gb",
        f"chip.flops.bf16 = {inputs['peak_flops']} FLOP/s",
        f"chip.memory_bandwidth = {inputs['hbm_bandwidth']} byte/s",
        *_formats(inputs["bits"]),
    ]


def _shape(inputs: Inputs) -> dict[str, int]:
    figures = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", str(inputs["model"]))}
    return {"kv": figures["heads"], "ffn": 4 * figures["h"], **figures}


def _viewer_probes(inputs: Inputs) -> dict[str, Probe]:
    """Return the probes, with what LLM-Viewer counts otherwise.

    Scores and activations pass through memory, the softmax takes 5 FLOP a score, prompts have all pairs of tokens, and
    the output layer takes one FLOP a weight.
    """
    shape, n_sequences, seq_len = _shape(inputs), inputs["batch"], inputs["seq_len"]
    batch = (f"n_sequences = {n_sequences}", f"seq_len = {seq_len} token")
    prompts = (f"n_prompts = {n_sequences}", f"prompt_len = {seq_len} token")
    scores = shape["L"] * shape["heads"] * n_sequences * seq_len
    activations = shape["L"] * n_sequences * (20 * shape["h"] + 3 * shape["ffn"])
    passed = _activation_width(inputs["bits"]) * (4 * scores + activations)
    of_matrices = _activation_width(inputs["bits"]) * shape["L"] * n_sequences * (11 * shape["h"] + 3 * shape["ffn"])

    def decode_ops(answer: Answer) -> float:
        return float(answer.cells["decode_work"].si + 5 * scores - _half_head(answer, n_sequences))

    def decode_bytes(answer: Answer) -> float:
        return float(answer.cells["read_traffic"].si + passed)

    def decode_time(answer: Answer) -> float:
        """Return the time of a token: what matrices read and write is hidden where they compute longer."""
        is_computing = (
            2 * n_sequences / answer.cells["bytes_per_param"].si > inputs["peak_flops"] / inputs["hbm_bandwidth"]
        )
        moved = passed - of_matrices if is_computing else passed
        return float(answer.cells["token_time"].si + moved / inputs["hbm_bandwidth"])

    def prefill_ops(answer: Answer) -> float:
        masked = answer.cells["prompt_pair_work"].si * n_sequences * (seq_len - 1) / (seq_len + 1)
        work = answer.cells["prefill_work"].si + masked + 5 * scores * seq_len
        return float(work - _half_head(answer, n_sequences))

    return {
        "decode_ops": Probe("decode_work", "FLOP", extra=batch, read=decode_ops, band=NEAR),
        "decode_memory_access": Probe("token_time", "byte", extra=batch, read=decode_bytes, band=NEAR),
        "decode_time": Probe("token_time", "second", extra=batch, read=decode_time, band=NEAR),
        "weights": Probe("token_time", "byte", extra=batch, read=_matrices, band=EXACT),
        "kv_cache": Probe("total_cache", "byte", extra=batch, band=EXACT),
        "prefill_ops": Probe("prefill_work", "FLOP", extra=prompts, sheet="prefill", read=prefill_ops, band=NEAR),
        "prefill_time": Probe("first_token_time", "second", extra=prompts, sheet="prefill", band=NEAR),
    }


def _activation_width(bits: object) -> float:
    return WIDTHS[str(bits).partition("a")[2].partition("kv")[0] or str(bits)]


def _half_head(answer: Answer, n_sequences: int) -> float:
    return float(answer.cells["head_work_per_token"].si * n_sequences / 2)


def _matrices(answer: Answer) -> float:
    """Return the bytes of the matrices of all layers."""
    return float(answer.cells["rank_matrix_params"].si * answer.cells["bytes_per_param"].si)


def _has_experts(inputs: Inputs) -> bool:
    model = records("architecture").get(model_like(str(inputs["model"])))
    return model is not None and model.values["n_experts"].quantity.exact > 0


def _genz_reasons(inputs: Inputs) -> dict[str, str]:
    if not _has_experts(inputs):
        return {}
    sum_text = "sums three times a layer with experts in decoding, and twice in a prefill"
    sums = dict.fromkeys(("decode_collective", *(DECODED[1:] if inputs["batch"] == 1 else ())), sum_text)
    read = "reads as many experts as one token passes, however many tokens a step has"
    steps = dict.fromkeys(DECODED, read)
    return {**(sums if inputs["tp"] > 1 else {}), **(steps if inputs["batch"] > 1 else {})}


def _viewer_reasons(inputs: Inputs) -> dict[str, str]:
    both = {
        f"generate_{inputs['seq_len']}_plus_{more}_time": "adds that prefill to steps, each at its own context"
        for more in range(1, 2**12)
    }
    return {"prefill_time": "reads and writes scores in memory, which fused kernels keep on the chip", **both}


PEERS: dict[str, Adapter] = {
    "inference_latency": Adapter("prefill", _genz, _genz_probes, deviating=_genz_reasons),
    "inference_roofline": Adapter("decode", _viewer, _viewer_probes, deviating=_viewer_reasons),
}
