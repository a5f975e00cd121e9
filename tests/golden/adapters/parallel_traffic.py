"""Golden cases of the word-level simulator of parallel training: its command lines."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

from flopsheet.numbers.sets import whole_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet import Answer

DEGREES = {
    "p_data": "n_dp",
    "p_pipe": "n_pp",
    "p_exp": "n_ep",
    "p_seq": "n_cp",
    "p_tensor_int": "n_tp_hidden",
    "p_tensor_ext": "n_tp_residual",
}
EFFICIENT = (
    "microbatch >= min_microbatch",
    "microbatch <= max_microbatch",
    "mod(microbatch, n_dp) = 0",
    "mod(batch, microbatch) = 0",
)
# Which limit refuses what the source refuses with these words; any other words mean that a size does not divide.
REFUSED = {
    "Tokens per batch too large": "batch_is_useful",
    "Pipeline bubble too large": "bubble_is_short",
    "Efficient microbatch size impossible": "microbatch_exists",
    "No factor of": "microbatches_are_whole",
    "> d_ffn/1024": "ffn_is_wide",
    "> num_heads*d_head/1024": "heads_are_wide",
    "External tensor parallelism too large": "residual_is_wide",
}


def arguments(line: str) -> Namespace:
    """Return the arguments of a command line, with the source's defaults."""
    parser = ArgumentParser()
    wholes = {"num_experts": 1, "batch_size": 2048, "seq_len": 2048, "d_head": 64, **dict.fromkeys(DEGREES, 1)}
    for name, default in (*wholes.items(), ("net_precision_bytes", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name in ("num_layers", "d_model", "d_ffn", "d_ffn_ratio", "num_heads"):
        parser.add_argument(f"--{name}", type=int)
    for name in ("dataset_size", "cluster_flop_rate", "total_attn_width_ratio"):
        parser.add_argument(f"--{name}", type=float)
    for name in ("use_glu", "no_multi_query_attn", "consecutive_attn_and_ffn", "activation_checkpointing", "fwd_only"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--skip_efficiency_check", action="store_true")
    args = parser.parse_args(line.split())
    args.d_ffn = args.d_ffn or (args.d_ffn_ratio or 4) * args.d_model
    args.num_heads = args.num_heads or args.d_model * (args.total_attn_width_ratio or 1) / args.d_head
    return args


def _relations(inputs: Inputs) -> list[str]:
    args = arguments(str(inputs["command_line"]))
    relations = [
        f"n_blocks = {args.num_layers}",
        f"d_model = {args.d_model}",
        f"d_ff = {args.d_ffn}",
        f"n_heads = {args.num_heads}",
        f"d_head = {args.d_head}",
        f"context_len = {args.seq_len}",
        f"batch = {args.batch_size}",
        f"n_experts = {args.num_experts}",
        f"dataset_tokens = {args.dataset_size:.17g} token",
        f"bytes_per_word = {args.net_precision_bytes} byte",
        f"attention = {'multi_head' if args.no_multi_query_attn else 'multi_query'}",
        f"ffn = {'glu' if args.use_glu else 'plain'}",
        f"order = {'consecutive' if args.consecutive_attn_and_ffn else 'parallel'}",
        f"recompute = {'full' if args.activation_checkpointing else 'none'}",
        "last_batch = nearest",
        *(f"{name} = {getattr(args, degree)}" for degree, name in DEGREES.items()),
    ]
    if args.cluster_flop_rate is not None:
        relations.append(f"cluster_rate = {args.cluster_flop_rate:.17g} FLOP/s")
    return relations + _smallest_microbatch(args)


def _smallest_microbatch(args: Namespace) -> list[str]:
    """Return the smallest micro-batch as the one that is tried, where none in the range divides the batch."""
    if args.skip_efficiency_check or args.seq_len % args.num_experts:
        return []
    tokens = args.seq_len // args.num_experts
    first = args.p_data * -(-1024 * args.p_seq // tokens)
    last = args.batch_size // (4 * args.p_pipe) if args.p_pipe > 1 else args.batch_size
    sizes = range(first, last + 1, args.p_data)
    return ["microbatch = min_microbatch"] if sizes and all(args.batch_size % size for size in sizes) else []


def _microbatches(answer: Answer) -> list[int]:
    ends = [whole_ends(interval) for interval in answer.outcomes["microbatch"].listed]
    return [size for first, last in ends for size in range(int(first), int(last) + 1)]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    counted = ("passes = forward",) if arguments(str(inputs["command_line"])).fwd_only else ()
    probes = {
        "N_params": Probe("params", "param"),
        "N_effective": Probe("active_params", "param"),
        "n_batches": Probe("n_steps"),
        "D_tokens": Probe("trained_tokens", "token"),
        "P_clusters": Probe("n_clusters"),
        "allowed_microbatch_sizes": Probe("microbatch", extra=EFFICIENT, read=_microbatches),
        "cluster_tx_Bps": Probe("cluster_sent_rate", "byte/s", extra=counted),
        "cluster_rx_Bps": Probe("cluster_received_rate", "byte/s", extra=counted),
        "cluster_net_Bps": Probe("cluster_traffic_rate", "byte/s", extra=counted),
        "total_flop_per_s": Probe("run_rate", "FLOP/s"),
        "total_tx_Bps": Probe("sent_rate", "byte/s", extra=counted),
        "total_rx_Bps": Probe("received_rate", "byte/s", extra=counted),
        "total_net_Bps": Probe("traffic_rate", "byte/s", extra=counted),
        "runtime_days": Probe("train_time", "day", extra=counted),
    }
    counts = {"Tx": "sent", "Rx": "received", "net": "traffic"}
    for name, cell in counts.items():
        probes |= {f"{name}_fwd": Probe(f"{cell}_forward"), f"{name}_bwd": Probe(f"{cell}_backward")}
        probes[f"{name}_total"] = Probe(cell)
    for name, cell in {"fwd": "forward_work", "bwd": "backward_work", "total": "total_work"}.items():
        probes[f"FLOP_{name}"] = Probe(cell, "FLOP")
    return probes


def _refused(inputs: Inputs, words: str) -> str:
    args = arguments(str(inputs["command_line"]))
    for part, name in REFUSED.items():
        if part in words:
            return name
    if args.num_heads != int(args.num_heads):
        return "whole number"
    experts, tokens = args.num_experts, args.seq_len
    ranks = args.p_exp * args.p_tensor_ext * args.p_tensor_int * args.p_data * args.p_seq
    width = args.num_heads * args.d_head
    divided = {
        "experts_divide": (tokens, experts),
        "batch_divides": (args.batch_size, args.p_data),
        "layers_divide": (args.num_layers, args.p_pipe),
        "expert_ranks_divide": (experts, args.p_exp),
        "sequence_divides": (tokens, experts * args.p_seq),
        "keys_divide": (tokens, experts * args.p_tensor_ext),
        "residual_divides": (args.d_model, args.p_tensor_ext),
        "ffn_divides": (args.d_ffn, args.p_tensor_int),
        "heads_divide": (args.num_heads, args.p_tensor_int),
        "attention_shards_divide": (experts * args.d_model * width, ranks),
        "kv_shards_divide": (experts * args.d_model * (width if args.no_multi_query_attn else args.d_head), ranks),
    }
    return next((name for name, (size, degree) in divided.items() if size % degree), "ffn_shards_divide")


def _three(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda values: " ".join(f"{float(values[f'{name}_{way}']):.3e}" for way in ("fwd", "bwd", "total"))


def _rates(name: str) -> Callable[[Mapping[str, Any]], str]:
    def shown(values: Mapping[str, Any]) -> str:
        net, sent, received = (float(values[f"{name}_{rate}_Bps"]) for rate in ("net", "tx", "rx"))
        return f"{net:.3e} ({sent:.3e} Tx, {received:.3e} Rx)"

    return shown


def _runtime(values: Mapping[str, Any]) -> str:
    seconds = float(values["runtime_days"]) * 86400
    units = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 0}
    name, size = next((name, size) for name, size in units.items() if seconds >= size)
    return f"{seconds / (size or 1):.1f} {name}"


PRINTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "N": lambda values: f"{float(values['N_params']):.3e} ({float(values['N_effective']):.3e} effective)",
    "D": lambda values: f"{float(values['D_tokens']):.3e}",
    "b": lambda values: str(arguments(str(values["command_line"])).batch_size),
    "allowed_microbatches": lambda values: str(values["allowed_microbatch_sizes"]),
    "P": lambda values: str(values["P_clusters"]),
    "cluster_flop_per_s": lambda values: f"{float(values['total_flop_per_s']) / int(values['P_clusters']):.3e}",
    "cluster_bytes_per_s": _rates("cluster"),
    "total_flop_per_s": lambda values: f"{float(values['total_flop_per_s']):.3e}",
    "total_bytes_per_s": _rates("total"),
    "runtime": _runtime,
    **{name: _three(name) for name in ("FLOP", "Tx", "Rx", "net")},
}

ADAPTERS: dict[str, Adapter] = {
    "transformer.py": Adapter("parallel_traffic", _relations, _probes, printed=PRINTED, rejected=_refused),
}
