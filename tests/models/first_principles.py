"""Counts of a language model from its record alone: matrix by matrix, token by token, without the sheets' formulas."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flopsheet import records


@dataclass(frozen=True)
class Matrices:
    """Elements of the matrices of one layer, and of its vectors: biases, norms, sinks."""

    attention: int
    attention_vectors: int
    ffn: int
    expert: int
    expert_bias: int
    beside_experts: int  # shared experts and their gate, a dense part, ways into a latent space
    router: int


def shape(name: str) -> dict[str, Any]:
    """Return the figures of a model by name [base units]."""
    return {name: figure.si for name, figure in records("architecture")[name].values.items()}


def attention(a: dict[str, Any]) -> tuple[int, int]:
    """Return elements of matrices and of vectors of the attention of a layer."""
    d, heads, shared, d_head, d_value = (a[key] for key in ("d_model", "n_heads", "n_kv_heads", "d_head", "d_value"))
    if not heads:
        return 0, 0
    q_rank, kv_rank, rope = a["q_rank"], a["kv_rank"], a["d_rope"]
    queries = q_rank * (d + heads * d_head) if q_rank else d * heads * d_head
    latent = d * (kv_rank + rope) + kv_rank * heads * (d_head - rope + d_value)
    matrices = queries + (latent if kv_rank else d * shared * (d_head + d_value)) + heads * d_value * d
    matrices += a["output_gate"] * d * heads * d_value
    biases = (0 if q_rank else heads * d_head) + (0 if kv_rank else shared * (d_head + d_value))
    vectors = q_rank + kv_rank + a["qkv_bias"] * biases + a["output_bias"] * d + a["sinks"] * heads
    vectors += a["head_norm"] * 2 * d_head + a["wide_norm"] * (heads + shared) * d_head
    n, width = a["indexer.n_heads"], a["indexer.d_head"]
    return matrices + n * width * (q_rank or d) + d * (n + width if n else 0), vectors + (2 * width if n else 0)


def matrices(a: dict[str, Any]) -> Matrices:
    """Return what one layer of each kind has."""
    d, sides = a["d_model"], a["ffn_matrices"]
    width = a["d_latent"] or d
    ffn = sides * d * a["d_ff"]
    beside = sides * d * a["d_shared"] + a["shared_gate"] * d + a["dense_branch"] * ffn + 2 * d * a["d_latent"]
    bias = a["ffn_bias"] * ((sides - 1) * a["d_expert"] + width)
    choices = a["n_experts"] + a["n_empty_experts"]
    return Matrices(*attention(a), ffn, sides * width * a["d_expert"], bias, beside, d * choices)


def reached(tokens: int, first: int, most: int, *, chunked: bool = False) -> int:
    """Return the pairs of tokens after the `first` ones: each with itself and what lies within its reach before it."""
    if chunked:
        return sum((place - 1) % most + 1 for place in range(first + 1, tokens + 1))
    return sum(min(place, most) for place in range(first + 1, tokens + 1))


def pairs(a: dict[str, Any], tokens: int, first: int = 0) -> tuple[int, int]:
    """Return pairs of tokens in a layer that looks back at all tokens, or at what its indexer selects, and a window."""
    everything = reached(tokens, first, a["indexer.top_k"] or tokens)
    window = reached(tokens, first, a["window"], chunked=bool(a["chunked"])) if a["n_window_blocks"] else 0
    return everything, window


def forward_work(name: str, tokens: int) -> Fraction:
    """Return the forward FLOP of a sequence without its recurrent mixers: 2 for each element and pair."""
    a = shape(name)
    parts = matrices(a)
    attending = a["n_blocks"] - a["n_attention_free_blocks"]
    dense = a["n_blocks"] - a["n_ffn_free_blocks"] - a["n_moe_blocks"]
    reusing = a["n_shared_kv_blocks"] + a["n_shared_window_blocks"]
    computing = Fraction(a["n_routed"] * a["n_experts"], max(a["n_experts"] + a["n_empty_experts"], 1))
    each = attending * parts.attention - reusing * a["d_model"] * a["n_kv_heads"] * (a["d_head"] + a["d_value"])
    each += dense * parts.ffn + a["n_moe_blocks"] * (parts.beside_experts + parts.router)
    work = each + a["n_moe_blocks"] * computing * parts.expert + a["vocab"] * a["d_model"]
    everything, window = pairs(a, tokens)
    everywhere = attending - a["n_window_blocks"]
    width = a["n_heads"] * (a["d_head"] + a["d_value"])
    scored = a["indexer.n_heads"] * (a["indexer.d_head"] + 1) * everywhere * reached(tokens, 0, tokens)
    return Fraction(2 * (work * tokens + width * (everywhere * everything + a["n_window_blocks"] * window) + scored))


def past(name: str, tokens: int, n_tp: int = 1) -> Fraction:
    """Return the bytes in 16 bits that a rank keeps of a sequence in all layers, without recurrent states."""
    a = shape(name)
    whole = a["n_blocks"] - a["n_attention_free_blocks"] - a["n_window_blocks"] - a["n_shared_kv_blocks"]
    heads = max(Fraction(a["n_kv_heads"], n_tp), Fraction(1))
    kept = a["kv_rank"] + a["d_rope"] if a["kv_rank"] else heads * (a["d_head"] + a["d_value"])
    held = whole * tokens + (a["n_window_blocks"] - a["n_shared_window_blocks"]) * min(tokens, a["window"])
    return Fraction(2 * (kept + a["indexer.d_head"]) * held)


def copied_keys(name: str, n_tp: int) -> Fraction:
    """Return keys and queries of all mixers that a rank has beyond an even share: each rank has a group of its own."""
    a = shape(name)
    share = Fraction(a["state.n_groups"], n_tp)
    beyond = max(share, Fraction(min(a["state.n_groups"], 1))) - share
    return Fraction(a["state.n_blocks"] * 2 * beyond * a["state.d_state"])


def copied_past(name: str, n_tp: int) -> Fraction:
    """Return the bytes in 16 bits of the convolution inputs that a rank keeps of those keys and queries."""
    return Fraction(2 * max(shape(name)["state.d_conv"] - 1, 0) * copied_keys(name, n_tp))


def rank_params(params: int, name: str, n_tp: int, n_pp: int, *, copied: bool) -> Fraction:
    """Return what the most loaded chip has besides experts: norms, routers, positions and output biases whole."""
    a = shape(name)
    parts = matrices(a)
    vector = a["norm_vectors"] * a["d_model"]
    table, bias, norms = a["vocab"] * a["d_model"], a["head_bias"] * a["vocab"], a["outer_norms"] * vector
    positions, tables = a["n_positions"] * a["d_model"], a["embedding_matrices"] * table
    single = a["layer_embedding_params"]
    ends = Fraction(table + single, n_tp) + positions, Fraction(table + bias, n_tp) + norms
    outer = Fraction(tables + single + bias, n_tp) + positions + norms if n_pp == 1 else max(ends)
    everything = tables + single + bias + positions + norms
    experts = a["n_moe_blocks"] * a["n_experts"] * (parts.expert + parts.expert_bias)
    routers = a["n_moe_blocks"] * (parts.router + a["router_bias"] * (a["n_experts"] + a["n_empty_experts"]))
    whole = a["n_blocks"] * a["block_norms"] * vector + routers + 2 * a["n_moe_blocks"] * a["d_model"] * a["d_latent"]
    attending = a["n_blocks"] - a["n_attention_free_blocks"]
    whole += attending * (a["output_bias"] * a["d_model"] + a["head_norm"] * 2 * a["d_head"])
    dense = a["n_blocks"] - a["n_ffn_free_blocks"] - a["n_moe_blocks"]
    biased = dense + a["n_moe_blocks"] * a["dense_branch"]
    whole += (biased * a["ffn_bias"] + a["n_moe_blocks"] * a["shared_gate"]) * a["d_model"]
    if copied:
        q_rank, kv_rank, n, width = a["q_rank"], a["kv_rank"], a["indexer.n_heads"], a["indexer.d_head"]
        inputs = (a["d_model"] + 1) * (q_rank + kv_rank) + a["d_model"] * a["d_rope"] * min(kv_rank, 1)
        whole += attending * (inputs + n * width * q_rank + (a["d_model"] * (n + width) + 2 * width if n else 0))
    divided = Fraction(params - everything - experts - whole, n_tp)
    spare = max(Fraction(a["n_kv_heads"], n_tp), Fraction(min(a["n_heads"], 1))) - Fraction(a["n_kv_heads"], n_tp)
    if not a["kv_rank"]:
        own = attending - a["n_shared_kv_blocks"] - a["n_shared_window_blocks"]
        divided += own * spare * (a["d_head"] + a["d_value"]) * (a["d_model"] + a["qkv_bias"])
    divided += copied_keys(name, n_tp) * (a["d_model"] + a["state.d_conv"] + a["state.conv_bias"])
    layers = Fraction(-(-a["n_blocks"] // n_pp), a["n_blocks"])
    return Fraction((divided + whole) * layers + outer)
