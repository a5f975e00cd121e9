"""The nearest of known names: the same in other letters, what others call it, or the one that looks most alike."""

from __future__ import annotations

from heapq import nlargest
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_COMPARED, MOST_SUGGESTED = 200, 3
# What others call the figures of records: the last part of a name, and ours.
SYNONYMS = {
    "tdp": ("power",),
    "tgp": ("power",),
    "watts": ("power",),
    "vram": ("memory",),
    "hbm": ("memory",),
    "capacity": ("memory",),
    "bandwidth": ("memory_bandwidth", "link.bandwidth"),
    "mem_bw": ("memory_bandwidth",),
    "hbm_bandwidth": ("memory_bandwidth",),
    "nvlink": ("link.bandwidth",),
    "interconnect": ("link.bandwidth",),
    "tflops": ("flops.bf16",),
    "tops": ("flops.int8",),
    "half": ("flops.fp16",),
    "bfloat16": ("flops.bf16",),
    "sms": ("cores",),
    "sm_count": ("cores",),
    "frequency": ("clock",),
    "gpus": ("n_chips",),
    "n_gpus": ("n_chips",),
    "l2_cache": ("sram.l2",),
    "cost": ("price",),
    "msrp": ("price",),
    "manufacturer": ("vendor",),
    "launched": ("released",),
    "release_date": ("released",),
}

# What frameworks and papers call cells of sheets, and ours, of which a sheet has some.
CELLS = {
    "hidden_size": ("d_model",), "n_embd": ("d_model",), "d_hidden": ("d_ff", "d_model"), "hidden_dim": ("d_model",),
    "intermediate_size": ("d_ff",), "ffn_hidden_size": ("d_ff",), "ffn_dim": ("d_ff",),
    "moe_intermediate_size": ("d_expert",), "layers": ("n_blocks",), "n_layers": ("n_blocks",),
    "num_layers": ("n_blocks",), "num_hidden_layers": ("n_blocks",), "depth": ("n_blocks",), "n_layer": ("n_blocks",),
    "heads": ("n_heads",), "num_attention_heads": ("n_heads",), "num_heads": ("n_heads",), "kv_heads": ("n_kv_heads",),
    "num_key_value_heads": ("n_kv_heads",), "num_query_groups": ("n_kv_heads",), "head_dim": ("d_head",),
    "vocab_size": ("vocab",), "vocabulary": ("vocab",), "experts": ("n_experts",), "num_experts": ("n_experts",),
    "num_experts_per_tok": ("n_routed",), "top_k": ("n_routed",), "sequence_length": ("seq_len",),
    "seq_length": ("seq_len",), "seqlen": ("seq_len",), "max_seq_len": ("seq_len",),
    "context": ("seq_len", "context_len", "prompt_len"), "context_length": ("seq_len", "context_len", "prompt_len"),
    "context_len": ("seq_len", "prompt_len"), "max_model_len": ("seq_len",),
    "input_len": ("prompt_len",), "isl": ("prompt_len",), "osl": ("output_len",), "max_new_tokens": ("output_len",),
    "batch_size": ("batch", "n_sequences"), "global_batch_size": ("batch",), "gbs": ("batch",),
    "bs": ("batch", "n_sequences"), "mbs": ("micro_batch",), "micro_batch_size": ("micro_batch",),
    "max_num_seqs": ("n_sequences",), "gradient_accumulation_steps": ("n_microbatches",),
    "grad_accum": ("n_microbatches",), "tp": ("n_tp",), "tp_size": ("n_tp",), "tensor_parallel": ("n_tp",),
    "tensor_parallel_size": ("n_tp",), "pp": ("n_pp",), "pp_size": ("n_pp",), "pipeline_parallel": ("n_pp",),
    "pipeline_parallel_size": ("n_pp",), "dp": ("n_dp",), "dp_size": ("n_dp",), "data_parallel": ("n_dp",),
    "data_parallel_size": ("n_dp",), "ep": ("n_ep",), "ep_size": ("n_ep",), "expert_parallel": ("n_ep",),
    "expert_parallel_size": ("n_ep",), "cp": ("n_cp",), "cp_size": ("n_cp",), "context_parallel": ("n_cp",),
    "context_parallel_size": ("n_cp",), "vpp": ("n_interleave",), "virtual_stages": ("n_interleave",),
    "n_virtual": ("n_interleave",), "n_vpp": ("n_interleave",), "n_chunks": ("n_interleave",),
    "fsdp": ("n_fsdp", "n_shard", "sharding"), "n_fsdp": ("n_shard", "n_dp"), "n_hsdp": ("n_shard", "n_dp"),
    "dp_shard": ("n_shard", "n_fsdp", "n_dp"), "dp_degree": ("n_dp",), "tp_degree": ("n_tp",), "pp_degree": ("n_pp",),
    "ep_degree": ("n_ep",), "cp_degree": ("n_cp",), "tensor_model_parallel_size": ("n_tp",),
    "pipeline_model_parallel_size": ("n_pp",), "expert_model_parallel_size": ("n_ep",), "zero": ("sharding",),
    "zero_stage": ("sharding",), "recompute": ("recomputation",),
    "dtype": ("precision",), "activation_checkpointing": ("recomputation",),
    "gradient_checkpointing": ("recomputation",), "quantization": ("weight_format", "precision"),
    "kv_dtype": ("cache_precision",), "world_size": ("n_chips",), "gpu": ("chip",), "accelerator": ("chip",),
    "device": ("chip",), "machine": ("system",), "node": ("system",), "architecture": ("model",),
    "n_params": ("params",), "parameters": ("params",), "model_size": ("params",),
    "tokens_per_second": ("token_rate", "replica_token_rate"), "throughput": ("token_rate", "replica_token_rate"),
    "tps": ("token_rate", "user_token_rate"), "mfu": ("model_utilization", "utilization"),
    "hfu": ("hardware_utilization",),
    "ttft": ("first_token_time",), "tpot": ("token_latency", "decode_time"), "itl": ("token_latency", "decode_time"),
    "qps": ("arrival_rate",), "rps": ("arrival_rate",), "step_time_s": ("step_time",), "iteration_time": ("step_time",),
    "gpu_hours": ("chip_time",), "co2": ("carbon",), "emissions": ("carbon",), "cost": ("train_cost", "token_cost"),
    "electricity_price": ("site.energy_price",), "carbon_intensity": ("site.grid_carbon",), "mtbf": ("chip_mtbf",),
    "num_gpus": ("n_chips",), "chips": ("n_chips",), "gpu_count": ("n_chips",), "n_gpus": ("n_chips",),
    "gpus": ("n_chips", "n_ranks"),
    "num_nodes": ("n_chips",), "num_params": ("params",), "n": ("params", "n_rows", "n_servers"),
    "tokens": ("dataset_tokens", "seq_len"), "d": ("dataset_tokens", "d_model"), "compute": ("total_work",),
    "flops": ("total_work",), "batch": ("n_sequences", "n_rows"), "concurrency": ("n_sequences",),
    "users": ("n_sequences",), "ctx": ("seq_len",), "n_ctx": ("seq_len",), "ctx_len": ("seq_len",),
    "microbatch": ("micro_batch",), "activation_recomputation": ("recomputation",), "stage": ("sharding",),
    "zero3": ("sharding",), "optimizer": ("recipe",), "sp": ("sequence_parallel",), "rank": ("lora_rank",),
    "r": ("lora_rank",), "adapter_rank": ("lora_rank",), "lora_r": ("lora_rank",),
    "kv_cache_dtype": ("cache_precision",), "kv_bits": ("cache_precision",), "weight_dtype": ("weight_format",),
    "quant": ("weight_format",), "bits": ("weight_format",), "hbm_bandwidth": ("chip.memory_bandwidth",),
    "bandwidth": ("chip.memory_bandwidth", "exchange_bandwidth", "scale_up_bandwidth"),
    "tokens_per_sec": ("token_rate",), "mbu": ("bandwidth_utilization",), "acceptance_rate": ("acceptance",),
    "alpha": ("acceptance",), "gamma": ("n_draft",), "num_speculative_tokens": ("n_draft",),
    "draft_tokens": ("n_draft",), "draft_len": ("n_draft",), "request_rate": ("arrival_rate",),
    "requests_per_second": ("arrival_rate",),
    "slo": ("first_token_target", "token_target"), "latency": ("token_time", "request_time", "latency_time"),
    "servers": ("n_servers",), "c": ("n_servers",), "p95": ("tail_wait",),
    "p99": ("tail_wait", "tail_first_token"), "gpu_price": ("chip.price", "chip_price"),
    "price_per_hour": ("chip_price",), "interest_rate": ("capital_rate",), "wacc": ("capital_rate",),
    "depreciation_years": ("lifetime",), "failure_rate": ("chip_mtbf",), "interval": ("given_interval",),
    "message_size": ("payload",), "size": ("payload",), "bytes": ("payload",), "nranks": ("n_ranks",),
    "ranks": ("n_ranks",), "busbw": ("bus_bandwidth",), "algbw": ("algorithm_bandwidth",), "m": ("n_rows",),
    "k": ("d_in",), "global_batch": ("batch",), "train_batch_size": ("batch",), "hidden": ("d_model",),
    "per_device_train_batch_size": ("micro_batch",), "training_tokens": ("dataset_tokens",), "op": ("operation",),
    "train_tokens": ("dataset_tokens",), "total_tokens": ("dataset_tokens", "seq_len"),
    "n_tokens": ("dataset_tokens", "seq_len"), "days": ("train_time",), "train_days": ("train_time",),
    "time": ("train_time", "token_time", "first_token_time"), "wall_clock": ("train_time",),
    "duration": ("train_time",), "training_time": ("train_time",), "budget": ("train_cost", "total_work"),
    "n_nodes": ("n_chips",), "n_devices": ("n_chips",), "devices": ("n_chips",), "num_devices": ("n_chips",),
    "tflops": ("model_rate",), "tflops_per_gpu": ("model_rate",), "achieved_tflops": ("model_rate",),
    "memory_per_gpu": ("device_memory", "inference_memory"), "gpu_memory": ("device_memory", "inference_memory"),
    "peak_memory": ("device_memory", "inference_memory"), "vram": ("device_memory", "inference_memory"),
    "optimizer_state": ("optimizer_memory",), "optimizer_states": ("optimizer_memory",), "weights": ("param_memory",),
    "gradients": ("gradient_memory",), "grads": ("gradient_memory",), "model_states": ("state_memory",),
    "inner_steps": ("n_inner_steps",), "carbon_footprint": ("carbon",), "interactivity": ("user_token_rate",),
    "tok_s": ("user_token_rate", "token_rate"), "tok_per_s": ("user_token_rate", "token_rate"),
    "tokens_per_user": ("user_token_rate",), "speed": ("user_token_rate", "train_time"),
    "kv_cache": ("total_cache",), "kv_size": ("total_cache",), "kv_bytes": ("total_cache",), "kv_len": ("seq_len",),
    "kv_cache_size": ("total_cache",), "kv_cache_memory": ("total_cache",), "past": ("context", "seq_len"),
    "n_users": ("n_sequences",), "max_batch": ("max_sequences",), "max_batch_size": ("max_sequences",),
    "num_draft_tokens": ("n_draft",), "throughput_per_gpu": ("chip_token_rate",), "prompt": ("prompt_len",),
    "prompt_tokens": ("prompt_len",), "input_tokens": ("prompt_len",), "input_length": ("prompt_len",),
    "output_tokens": ("output_len",), "output_length": ("output_len",), "prefix_len": ("cached_len",),
    "prefix_cache": ("cached_len",), "cache_hit": ("cached_len",), "hit_rate": ("cached_share", "cached_len"),
    "chunk_size": ("batched_tokens",), "max_num_batched_tokens": ("batched_tokens",),
    "time_to_first_token": ("first_token_time",), "ttft_target": ("first_token_target",),
    "tpot_target": ("token_target",), "sla": ("first_token_target", "token_target"), "replicas": ("n_dp",),
    "n_replicas": ("n_dp",), "cost_per_token": ("token_cost",), "cost_per_million": ("token_cost",),
    "p95_ttft": ("tail_first_token",), "bytes_per_token": ("cache_per_token",), "block_size": ("cache_block",),
    "page_size": ("cache_block",), "capex": ("capital_cost",), "interest": ("capital_rate",), "ai": ("intensity",),
    "step_time": ("decode_time", "first_token_time"), "memory": ("device_memory", "inference_memory"),
}  # fmt: skip

# What others call the options of choices, and ours, of which a choice has some.
OPTIONS = {
    "fsdp": ("weights",), "hsdp": ("weights",), "full_shard": ("weights",), "zero3": ("weights",),
    "zero-3": ("weights",), "zero_3": ("weights",), "3": ("weights", "approach_3"), "zero2": ("gradients",),
    "zero-2": ("gradients",), "zero_2": ("gradients",), "shard_grad_op": ("gradients",),
    "2": ("gradients", "approach_2"), "zero1": ("optimizer",), "zero-1": ("optimizer",), "zero_1": ("optimizer",),
    "1": ("optimizer", "approach_1"), "0": ("none",), "zero0": ("none",), "ddp": ("none",), "no_shard": ("none",),
    "distributed_optimizer": ("optimizer",), "bfloat16": ("bf16",), "half": ("fp16",), "float16": ("fp16",),
    "float32": ("fp32",), "float": ("fp32",), "e4m3": ("fp8",), "e5m2": ("fp8",), "float8": ("fp8",),
    "w8a8": ("int8",), "w4a16": ("int4",), "awq": ("int4",), "gptq": ("int4",), "q4": ("int4", "nf4"),
    "q8": ("int8",), "1f1b": ("one_f_one_b",), "zero_bubble": ("zb_h1", "zb_h2", "zb_v"), "zb": ("zb_h1", "zb_h2"),
    "vpp": ("interleaved",), "interleaved_1f1b": ("interleaved",), "allreduce": ("all_reduce",),
    "allgather": ("all_gather",), "reducescatter": ("reduce_scatter",), "alltoall": ("all_to_all",),
    "p2p": ("point_to_point",), "send_recv": ("point_to_point",), "sharp": ("in_fabric",), "nvls": ("in_fabric",),
    "adam": ("mixed_16", "fp32"), "adamw": ("mixed_16", "fp32"), "amp": ("mixed_16",), "8bit": ("adam_8bit",),
    "adamw_8bit": ("adam_8bit",), "flash_attention": ("flash",), "sdpa": ("flash",), "eager_attention": ("unfused",),
    "true": ("yes",), "false": ("no",), "on": ("yes",), "off": ("no", "none"), "6nd": ("six_n",),
    "chinchilla": ("approach_3",), "mqa": ("multi_query",), "mha": ("multi_head",),
    "swiglu": ("glu",), "geglu": ("glu",), "gelu": ("plain",), "selective_recompute": ("selective",),
}  # fmt: skip

# What others call the keys of sheet and question files, and ours.
KEYS = {
    "lower": ("minimum",), "lower_bound": ("minimum",), "min": ("minimum",), "at_least": ("minimum",),
    "upper": ("maximum",), "upper_bound": ("maximum",), "max": ("maximum",), "at_most": ("maximum",),
    "ge": ("minimum",), "le": ("maximum",), "gt": ("above",), "positive": ("above",), "range": ("minimum", "maximum"),
    "bounds": ("minimum", "maximum"), "negative": ("signed",), "expression": ("formula",),
    "equation": ("formula",), "expr": ("formula",),
    "units": ("unit",), "description": ("doc", "about"), "help": ("doc",), "comment": ("doc",), "label": ("doc",),
    "value": ("default", "example", "formula"), "initial": ("default", "example"), "int": ("integer",),
    "type": ("integer",), "whole": ("integer",), "constant": ("fixed",), "latex": ("symbol",), "ref": ("source",),
    "reference": ("source",), "url": ("source",), "values": ("options",), "variables": ("cells",), "inputs": ("cells",),
    "rows": ("cells",), "formulas": ("cells",), "constraints": ("limits", "where"), "conditions": ("where",),
    "given": ("where",), "relations": ("where",), "target": ("where",), "solve": ("unknown",), "find": ("unknown",),
    "solve_for": ("unknown",), "unknowns": ("unknown",), "timeout": ("budget",), "time_limit": ("budget",),
    "text": ("question", "about"), "model": ("sheet",), "name": ("sheet", "title"), "cyclic": ("implicit",),
}  # fmt: skip


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that are nearest to one, at most three. Case and a plural `s` are ignored."""
    by_fold: dict[str, str] = {}
    for candidate in known:
        by_fold.setdefault(candidate.casefold(), candidate)
    from difflib import get_close_matches  # imported late: it takes a few milliseconds

    fold = name.casefold()
    near = [fold] if fold in by_fold else [key for key in _synonyms(fold) if key in by_fold]
    near = near or [key for key in (fold.removesuffix("s"), fold + "s") if key in by_fold][:1]
    near = near or [key for key in by_fold if key.rpartition(".")[2] == fold][:MOST_SUGGESTED]
    near = near or get_close_matches(fold, _likeliest(fold, by_fold), n=MOST_SUGGESTED, cutoff=0.6)
    return [by_fold[key] for key in near]


def _synonyms(name: str) -> list[str]:
    """Return our names for what others call it: `chip.power` for `chip.tdp`."""
    head, dot, last = name.rpartition(".")
    tables = (SYNONYMS, CELLS, OPTIONS, KEYS)
    return [f"{head}{dot}{ours}" for table in tables for ours in table.get(last, ())]


def _likeliest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that share the longest ends with a name: to compare all letters of thousands takes seconds."""

    def shared(other: str) -> int:
        return _alike(name, other) + _alike(reversed(name), reversed(other))

    return nlargest(MOST_COMPARED, known, key=shared)


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
