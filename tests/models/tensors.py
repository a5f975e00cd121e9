"""The tensors of a language model, one by one with their shapes, from its record alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.models.first_principles import shape

if TYPE_CHECKING:
    from collections.abc import Iterator

WHOLE = 1  # each tensor-parallel rank has all of it


@dataclass(frozen=True)
class Tensor:
    """One tensor and how many there are of it: a quantized matrix of outputs and inputs, or one that stays as it is.

    Tensor-parallel ranks divide it into `most` parts at most, into any number where that is 0.
    """

    outputs: int
    inputs: int
    count: int
    most: int = 0
    quantized: bool = True
    expert: bool = False

    @property
    def elements(self) -> int:
        """Elements of all such tensors."""
        return self.outputs * self.inputs * self.count

    def share(self, n_tp: int) -> Fraction:
        """Return the share of the tensor that each rank has."""
        return Fraction(1, min(n_tp, self.most or n_tp))


Kept = partial(Tensor, quantized=False)


def _queries(a: dict[str, Any], n: int) -> Iterator[Tensor]:
    """Yield the tensors of the queries of `n` layers, directly or from a rank."""
    width, rank = a["n_heads"] * a["d_head"], a["q_rank"]
    yield Tensor(width, rank or a["d_model"], n)
    if rank:
        yield from (Tensor(rank, a["d_model"], n, WHOLE), Kept(rank, a["norm_vectors"], n, WHOLE))
    else:
        yield Kept(width, a["qkv_bias"], n)


def _keys_and_values(a: dict[str, Any], n: int) -> Iterator[Tensor]:
    """Yield the tensors of keys and values; layers that reuse those of others have none of their own."""
    d, heads, shared, d_head, d_value = (a[key] for key in ("d_model", "n_heads", "n_kv_heads", "d_head", "d_value"))
    rank, rope = a["kv_rank"], a["d_rope"]
    if rank:
        yield from (Tensor(rank + rope, d, n, WHOLE), Kept(rank, a["norm_vectors"], n, WHOLE))
        yield Tensor(heads * (d_head - rope + d_value), rank, n)
        return
    own = n - a["n_shared_kv_blocks"] - a["n_shared_window_blocks"]
    for width in (shared * d_head, shared * d_value):
        yield from (Tensor(width, d, own, shared), Kept(width, a["qkv_bias"], own, shared))


def _attention(a: dict[str, Any]) -> Iterator[Tensor]:
    """Yield the tensors of all layers with attention."""
    d, d_head, n = a["d_model"], a["d_head"], a["n_blocks"] - a["n_attention_free_blocks"]
    mixed, all_heads = a["n_heads"] * a["d_value"], (a["n_heads"] + a["n_kv_heads"]) * d_head
    yield from (*_queries(a, n), *_keys_and_values(a, n))
    yield from (Tensor(d, mixed, n), Kept(d, a["output_bias"], n, WHOLE), Tensor(mixed, d, n * a["output_gate"]))
    yield from (Kept(d_head, 1, 2 * n * a["head_norm"], WHOLE), Kept(all_heads, 1, n * a["wide_norm"]))
    yield Kept(a["n_heads"], 1, n * a["sinks"])
    if a["indexer.d_head"]:
        width, heads = a["indexer.d_head"], a["indexer.n_heads"]
        yield from (Tensor(heads * width, a["q_rank"], n, WHOLE), Tensor(width, d, n, WHOLE))
        yield from (Kept(width, 1, 2 * n, WHOLE), Kept(heads, d, n, WHOLE))


def _mixers(a: dict[str, Any]) -> Iterator[Tensor]:
    """Yield the tensors of all recurrent mixers."""
    d, n, rank, steps, groups = (a[key] for key in ("d_model", *(f"state.{key}" for key in MIXER)))
    keys, values, heads = groups * a["state.d_state"], a["state.n_heads"] * a["state.d_head"], a["state.n_heads"]
    for width, most in ((2 * keys, groups), (values, 0)):
        yield from (Tensor(width, d, n, most), Kept(width, a["state.d_conv"] + a["state.conv_bias"], n, most))
    yield Tensor(heads * a["state.token_scalars"], d, n)
    if rank:
        yield from (Tensor(rank, d, 2 * n), Tensor(keys, rank, n), Tensor(values, rank, n), Kept(keys, 1, n))
    else:
        yield Tensor(values, d, n)
    if steps:
        yield from (Tensor(steps + 2 * a["state.d_state"], values, n), Tensor(values, steps, n))
    yield from (Kept(heads, a["state.head_scalars"], n), Kept(a["state.d_norm"], 1, n), Tensor(d, values, n))


MIXER = ("n_blocks", "gate_rank", "step_rank", "n_groups")


def _feed_forward(width: int, hidden: int, count: int, sides: int, *, expert: bool = False) -> Iterator[Tensor]:
    """Yield the matrices of feed-forward parts, `sides` in each."""
    yield Tensor(hidden, width, (sides - 1) * count, expert=expert)
    yield Tensor(width, hidden, count, expert=expert)


def _biases(width: int, hidden: int, count: int, sides: int, most: int = 0) -> Iterator[Tensor]:
    """Yield the biases of feed-forward parts."""
    yield from (Kept(hidden, 1, (sides - 1) * count), Kept(width, 1, count, most))


def _layers(a: dict[str, Any]) -> Iterator[Tensor]:
    """Yield the tensors of the feed-forward parts of all layers, and their norms."""
    d, sides, sparse, biased = a["d_model"], a["ffn_matrices"], a["n_moe_blocks"], a["ffn_bias"]
    dense = a["n_blocks"] - a["n_ffn_free_blocks"] - sparse + sparse * a["dense_branch"]
    yield from (*_feed_forward(d, a["d_ff"], dense, sides), *_biases(d, a["d_ff"], dense * biased, sides, WHOLE))
    width, experts = a["d_latent"] or d, sparse * a["n_experts"]
    yield from _feed_forward(width, a["d_expert"], experts, sides, expert=True)
    yield from (replace(each, expert=True) for each in _biases(width, a["d_expert"], experts * biased, sides))
    yield from _feed_forward(d, a["d_shared"], sparse if a["d_shared"] else 0, sides)
    choices = a["n_experts"] + a["n_empty_experts"]
    yield from (Kept(choices, d + a["router_bias"], sparse, WHOLE), Kept(1, d, sparse * a["shared_gate"], WHOLE))
    yield Kept(a["d_latent"], d, 2 * sparse, WHOLE)
    yield Kept(d, a["norm_vectors"], a["n_blocks"] * a["block_norms"], WHOLE)
    yield Kept(a["stored_rope"], 1, a["n_blocks"], WHOLE)


def tensors(name: str) -> list[Tensor]:
    """Return the tensors of a language model, without modules that predict further tokens, encoders and scales."""
    a = shape(name)
    outside = [Kept(a["vocab"], a["d_model"], a["embedding_matrices"]), Kept(a["vocab"], a["head_bias"], 1)]
    outside += [Kept(a["n_positions"], a["d_model"], 1, WHOLE)]
    outside += [Kept(a["d_model"], a["norm_vectors"], a["outer_norms"], WHOLE), Kept(a["other_params"], 1, 1)]
    return [*_attention(a), *_mixers(a), *_layers(a), *outside]
