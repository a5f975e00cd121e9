"""Golden cases of calculon: steps of GPT models on A100s, part by part, and the bandwidth and the rate for a time.

calculon has no vocabulary, writes its scores and counts all pairs of tokens. Its network has no ports of several chips:
what leaves a tensor-parallel group takes the link of one chip.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe, cell_value

import flopsheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet import Answer

CLOSE, EXACT = 0.1, 1e-9
ALL = ("attention_span = full", "attention_kernel = unfused", "dropout = yes", "ffn_matrices = 2", "vocab = 1")
# Its models: d_model, d_ff, seq_len, n_heads, d_head, n_blocks. Those of Korthikanti et al., Table 3, are among them.
SHAPES = {
    "megatron-126M": (768, 3072, 2048, 16, 48, 12),
    "megatron-5B": (4096, 16384, 2048, 32, 128, 24),
    "gpt3-13B": (5140, 20560, 2048, 40, 128, 40),
    "megatron-22B": (6144, 24576, 2048, 64, 96, 48),
    "megatron-40B": (8192, 32768, 2048, 64, 128, 48),
    "anthropic-52B": (8192, 32768, 8192, 64, 128, 64),
    "chinchilla": (8192, 32768, 2048, 64, 128, 80),
    "lamda": (8192, 65536, 2048, 128, 128, 64),
    "gpt3-175B": (12288, 49152, 2048, 96, 128, 96),
    "gopher-280B": (16384, 65536, 2048, 128, 128, 80),
    "turing-530B": (20480, 81920, 2048, 128, 160, 105),
    "palm-540B": (18432, 73728, 2048, 48, 256, 118),
    "megatron-1T": (25600, 102400, 2048, 160, 160, 128),
}
CELLS = ("d_model", "d_ff", "seq_len", "n_heads", "d_head", "n_blocks")
# Chunks of a stage, stages, sequences of a step and of a micro-batch: Table 5.
LAYOUTS = {
    "megatron-22B": (1, 1, 4, 4),
    "gpt3-175B": (3, 8, 64, 1),
    "turing-530B": (3, 35, 280, 1),
    "megatron-1T": (1, 64, 512, 1),
}
NAMES = {
    "n_tp": "tensor_par",
    "n_pp": "pipeline_par",
    "n_dp": "data_par",
    "batch": "batch_size",
    "micro_batch": "microbatch_size",
}
BUSY = (
    "fw_time",
    "bw_time",
    "recompute_time",
    "recomm_exposed_time",
    "tp_comm_exposed_time",
    "pp_comm_exposed_time",
)
REST = ("dp_comm_exposed_time", "optim_step_time")
AS_SAVED = {"full": ["recomputation = full"], "seqsel": ["recomputation = selective", "sequence_parallel = yes"]}
SAVED = {"full": "full", "attn_only": "selective", "none": "none"}
CHIP = "chip = a100-sxm4-80gb"

# What a network of calculon reaches of its bandwidth, and the bytes of a ring over those that it counts.
RING_SHARE = "2/3"
NVLINK = f"bandwidth_efficiency = 0.65 * {RING_SHARE}"
ONE_TIME = "the sheet has one time for all passes over a layer"
SENT = "its reduce-scatters and all-gathers send 1.5 times the bytes of a ring"
PART_REASONS = {
    "fw_time": ONE_TIME,
    "bw_time": ONE_TIME,
    "recompute_time": ONE_TIME,
    "compute_efficiency": ONE_TIME,
    "system_efficiency": ONE_TIME,
    "tp_comm_exposed_time": SENT,
    "recomm_exposed_time": SENT,
    "optim_step_time": "its optimizer moves fp32 states once, without weights and gradients, which here are read too",
    "act_space": "its fused activation keeps one tensor of the hidden layer, not two",
    "act_grad_space": "the sheet has gradients of the widest tensors only",
    "weight_grad_space": "its gradients are in 16 bits, those of one layer whole and the others sharded",
    "proc_mem_tier1_cap_req": "its gradients are in 16 bits and sharded, and it has no context and no buffers",
}
STALE = "its maintainers call this system file stale: products at 99 % of the peak rate"
NO_CHECKPOINT = "it has no checkpoints where layers are not computed again: what the sheet keeps is all activations"
ROW_REASONS = {
    "megatron-22B_seqsel": {
        "iteration_time": "1.01 s, where 1.10 s was measured: it takes 3 % more than that, the sheet 8 % less",
        "total_efficiency": "that of the time",
    },
    "megatron-1T_full": {"iteration_time_a100_80e": STALE},
    "megatron-1T_seqsel": {"iteration_time_a100_80e": STALE},
}
INVERSE_REASONS = {
    "nvlink_bandwidth_for_a": "7 % more time at 300 GB/s, of a part that is a sixth of the step, takes 49 % more of it",
    "time_at_600_GBps": "10.3 % more, by products at 70 % of the peak rate; at its 99 % the sheet takes 9.6 s, since "
    "it adds the time in which products move their operands (1.5 s) and gathers inputs again backwards (0.3 s)",
}


def _shape(name: str) -> list[str]:
    return [*ALL, CHIP, *(f"{cell} = {value}" for cell, value in zip(CELLS, SHAPES[name], strict=True))]


def _layout(inputs: Inputs, prefix: str = "") -> list[str]:
    chunks = inputs[f"{prefix}pipeline_interleaving"]
    return [
        *(f"{ours} = {inputs[prefix + theirs]}" for ours, theirs in NAMES.items()),
        f"recomputation = {SAVED[inputs[prefix + 'activation_recompute']]}",
        *(["schedule = interleaved", f"n_interleave = {chunks}"] if chunks > 1 else []),
    ]


def _labelled(inputs: Inputs) -> list[str]:
    """Return the relations of a case whose name says the model."""
    parallel = "yes" if inputs["sequence_parallel"] else "no"
    return [
        *_shape(str(inputs["sub_case"]).partition("_")[0]),
        *_layout(inputs),
        f"sequence_parallel = {parallel}",
    ]


def _network(text: str) -> str:
    """Return the bandwidth that a network of calculon reaches: `300 GB/s, eff 0.65, ...`."""
    match = re.match(r"([\d.]+) GB/s, eff ([\d.]+)", text)
    assert match is not None
    return f"{match[1]} * {match[2]} GB/s"


def _efficiencies(inputs: Inputs) -> tuple[float, float]:
    """Return what products of a feed-forward part and of scores reach of the peak rate, by their size."""
    tokens = inputs["execution.microbatch_size"] * inputs["model.seq"] / inputs["execution.tensor_par"]
    widths = inputs["model.ffn"], inputs["model.seq"]
    sizes = [2e-9 * tokens * inputs["model.hidden"] * width for width in widths]
    table = sorted(inputs["system.matrix_efficiency_by_gflop"], reverse=True)
    matmul, attention = (next(share for least, share in table if size >= least) for size in sizes)
    return matmul, attention


def _described(inputs: Inputs) -> list[str]:
    """Return the relations of a case that describes model, execution and system."""
    names = {"d_model": "hidden", "d_ff": "ffn", "n_heads": "heads", "n_blocks": "blocks", "seq_len": "seq"}
    names |= {"d_head": "attn_size"} if "model.attn_size" in inputs else {}
    bandwidth = re.search(r"([\d.]+) GB/s", str(inputs["system.hbm"]))
    assert bandwidth is not None
    matmul, attention = _efficiencies(inputs)
    ring_share = RING_SHARE if inputs.get("execution.tensor_par_comm_type", "rs_ag") == "rs_ag" else "1"
    return [
        *ALL,
        CHIP,
        *(f"{ours} = {inputs['model.' + theirs]}" for ours, theirs in names.items()),
        *(["n_kv_heads = 1"] if inputs.get("execution.attention_type") == "multiquery" else []),
        *_layout(inputs, "execution."),
        f"sharding = {'optimizer' if inputs['execution.optimizer_sharding'] else 'none'}",
        f"chip.flops.bf16 = {inputs['system.matrix_flops']} FLOP/s",
        f"matmul_efficiency = {matmul}",
        f"attention_efficiency = {attention}",
        f"chip.memory_bandwidth = {bandwidth[1]} GB/s",
        f"scale_up_bandwidth = {_network(str(inputs['system.net0']))} * {ring_share}",
        f"scale_out_bandwidth = {_network(str(inputs['system.net1']))}",
        f"domain_chips = {inputs['execution.tensor_par']}",
        "overlap = none",
        "own_shard = sent",
        "n_buckets = 1",
        "recipe = mixed_18",
        "bytes_per_sent_gradient = 2 byte/param",
    ]


def _relations(inputs: Inputs) -> list[str]:
    return _labelled(inputs) if "sub_case" in inputs else _described(inputs)


def _reasons(inputs: Inputs) -> Mapping[str, str]:
    if "sub_case" in inputs:
        return ROW_REASONS.get(inputs["sub_case"], {})
    is_full = inputs["execution.activation_recompute"] == "full"
    return PART_REASONS if is_full else {**PART_REASONS, "act_checkpoint_size": NO_CHECKPOINT}


def _probes(inputs: Inputs) -> dict[str, Probe]:
    probes = {
        "iteration_time": Probe("step_time", "second", band=CLOSE),
        "iteration_time_a100_80e": Probe("step_time", "second", band=CLOSE),
        "iteration_time_measured": Probe("step_time", "second", band=CLOSE),
        "total_time": Probe("step_time", "second", band=CLOSE),
        "total_efficiency": Probe("model_utilization", band=CLOSE),
        "memory_tier1": Probe("device_memory", "byte", band=CLOSE),
        "proc_mem_tier1_cap_req": Probe("device_memory", "byte", band=CLOSE),
        "useful_flops": Probe("", read=_block_work, band=CLOSE),
        "compute_time": Probe(
            "stage_compute_time", read=cell_value("stage_compute_time", "second", "n_microbatches"), band=CLOSE
        ),
        "bubble_time": Probe("bubble_time", "second", band=CLOSE),
        "optim_step_time": Probe("optimizer_time", "second", band=CLOSE),
        "dp_comm_exposed_time": Probe("exposed_dp_time", "second", band=CLOSE),
        "pp_comm_exposed_time": Probe(
            "microbatch_pp_time", read=cell_value("microbatch_pp_time", "second", "n_microbatches"), band=CLOSE
        ),
        "weight_space": Probe("param_memory", "byte", band=CLOSE),
        "act_checkpoint_size": Probe("stage_memory", "byte", band=EXACT),
        "optimizer_space": Probe("optimizer_memory", "byte", band=CLOSE),
        "weight_grad_space": Probe("gradient_memory", "byte", band=CLOSE),
        "act_space": Probe("recomputed_memory", "byte", band=CLOSE),
    }
    if "model.seq" in inputs:
        sequences = cell_value("token_rate", "token/s")
        length = inputs["model.seq"]
        probes["sample_rate"] = Probe("token_rate", read=lambda answer: sequences(answer) / length, band=CLOSE)
    return probes


def _block_work(answer: Answer) -> float:
    """Return the work of a micro-batch in one layer on one chip: calculon calls that useful FLOP, and no rate is."""
    microbatches = answer.cells["n_microbatches"].si * answer.cells["n_blocks"].si / answer.cells["n_pp"].si
    rate = answer.cells["model_rate"].si * answer.cells["step_time"].si
    return float(rate / microbatches)


def _named(inputs: Inputs) -> list[str]:
    """Return the relations of a configuration that a file name states: `.../gpt3-175B_seqsel.json on a100_80e`."""
    match = re.search(r"([\w.-]+)_(seqsel|full)\.json", str(inputs["base"]))
    assert match is not None
    chunks, stages, batch, micro_batch = LAYOUTS[match[1]]
    return [
        *_shape(match[1]),
        *AS_SAVED[match[2]],
        NVLINK,
        "n_tp = 8",
        f"n_pp = {stages}",
        "n_dp = 1",
        f"batch = {batch}",
        f"micro_batch = {micro_batch}",
        *(["schedule = interleaved", f"n_interleave = {chunks}"] if chunks > 1 else []),
    ]


def _inverse_probes(inputs: Inputs) -> dict[str, Probe]:
    first, second = (f"step_time = {inputs[f'target_iteration_time_{name}']} second" for name in "ab")
    return {
        "nvlink_bandwidth_for_a": Probe("scale_up_bandwidth", "GB/s", first, band=CLOSE),
        "matrix_peak_for_b": Probe("chip.flops.bf16", "TFLOP/s", second, band=CLOSE),
        "time_at_bandwidth_for_a": Probe(
            "scale_up_bandwidth", read=_put_back(inputs, "scale_up_bandwidth", "GB/s"), goal=first, band=EXACT
        ),
        "time_at_peak_for_b": Probe(
            "chip.flops.bf16", read=_put_back(inputs, "chip.flops.bf16", "TFLOP/s"), goal=second, band=EXACT
        ),
    }


def _time_at(_: Inputs, rate: float) -> Probe:
    return Probe("step_time", "second", f"scale_up_bandwidth = {rate} GB/s", band=CLOSE)


def _put_back(inputs: Inputs, cell: str, unit: str) -> Callable[[Answer], float]:
    """Return a `read` that asks for the step time with the answer to the inverse question."""

    def value(answer: Answer) -> float:
        found = repr(cell_value(cell, unit)(answer))
        again = flopsheet.solve("training_step", "step_time", [*_named(inputs), f"{cell} = {found} {unit}"])
        return cell_value("step_time", "second")(again)

    return value


def _parts(inputs: Inputs) -> list[str]:
    """Return the relations of a step whose parts are known: products take what all other parts leave."""
    busy = " + ".join(f"{inputs[name]} second" for name in BUSY if name in inputs)
    rest = " + ".join(f"{inputs[name]} second" for name in REST if name in inputs)
    return [
        *_shape(str(inputs["model"])),
        *(f"{ours} = {inputs[theirs]}" for ours, theirs in NAMES.items()),
        f"pipeline_time = {busy}",
        f"fixed_time = {rest}",
        "overlap = full",
        "chip.memory_bandwidth = 1e30 TB/s",
    ]


def _parts_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "bubble_time": Probe("matmul_efficiency", read=cell_value("bubble_time", "second"), band=EXACT),
        "total_time": Probe("matmul_efficiency", read=cell_value("step_time", "second"), band=EXACT),
    }


PEERS: dict[str, Adapter] = {
    "training_step": Adapter("training_step", _relations, _probes, deviating=_reasons),
    "step_from_parts": Adapter("training_step", _parts, _parts_probes),
    "required_bandwidth_or_flops": Adapter(
        "training_step", _named, _inverse_probes, deviating=INVERSE_REASONS, patterns={r"time_at_(\d+)_GBps": _time_at}
    ),
}
