"""One step of a served model, part by part from its record: bytes, products, sums, gaps, without the sheets' formulas.

It knows attention over all of the past, its heads divided over at most one domain, and dense parts or experts whose
matrices all chips of a stage share. Rates are as by default: 0.7 of the peak for matrices, half of that in 16 bits for
pairs of tokens, 0.8 of the bandwidth of the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.models.first_principles import matrices, shape

from flopsheet import records

MICRO = Fraction(1, 10**6)
LAUNCH, GAP, HOP, NETWORK_HOP, NETWORK = 10 * MICRO, 3 * MICRO, MICRO, 5 * MICRO, 50 * 10**9
KERNELS, DOMAIN = 12, 8


def known_shape(name: str) -> bool:
    """Return whether a step of a model is one of those counted here."""
    a = shape(name)
    others = ("kv_rank", "q_rank", "n_window_blocks", "n_attention_free_blocks", "indexer.n_heads", "n_ffn_free_blocks")
    return bool(a["n_heads"]) and not any(a[key] for key in (*others, "state.n_blocks", "n_shared_kv_blocks"))


@dataclass(frozen=True)
class Step:
    """A step that computes `drafts` + 1 tokens of each sequence on `n_tp` times `n_pp` chips."""

    model: str
    chip: str
    n_tp: int
    n_pp: int
    sequences: int
    context: int
    drafts: int = 0
    width: Fraction = Fraction(2)  # bytes of a weight in the layers
    precision: str = "bf16"

    @property
    def a(self) -> dict[str, Any]:
        """The figures of the model."""
        return shape(self.model)

    def figure(self, name: str) -> Fraction:
        """Return a figure of the chip [base units], 1 if it has none."""
        values = records("chip")[self.chip].values
        return Fraction(values[name].si) if name in values else Fraction(1)

    @property
    def stage_layers(self) -> int:
        """Layers of all stages but the last one, which has the rest."""
        return int(-(-self.a["n_blocks"] // self.n_pp))

    @property
    def at_once(self) -> Fraction:
        """Sequences that a stage computes at once."""
        return Fraction(self.sequences, self.n_pp)

    @property
    def tokens(self) -> Fraction:
        """Tokens that a stage computes at once."""
        return (1 + self.drafts) * self.at_once

    @property
    def key_heads(self) -> Fraction:
        """Heads of keys and values on a chip: one at least."""
        return max(Fraction(self.a["n_kv_heads"], self.n_tp), Fraction(1))

    @property
    def layer(self) -> tuple[Fraction, Fraction]:
        """Elements of matrices that a chip reads of the mean layer, and those that it multiplies with a token."""
        a, parts, layers, moe = self.a, matrices(self.a), self.a["n_blocks"], self.a["n_moe_blocks"]
        shared = layers * parts.attention + (layers - moe) * parts.ffn + moe * parts.beside_experts
        missed = (1 - Fraction(a["n_routed"], max(a["n_experts"], 1))) ** int(self.tokens)
        read = shared - moe * a["shared_gate"] * a["d_model"] + moe * a["n_experts"] * (1 - missed) * parts.expert
        worked = shared + moe * a["n_routed"] * parts.expert + moe * parts.router * self.n_tp
        copied = self.spare_keys * a["d_model"]
        return read / layers / self.n_tp + copied, Fraction(worked, layers * self.n_tp) + copied

    @property
    def spare_keys(self) -> Fraction:
        """Width of keys and values of a layer on a chip beyond an even share."""
        spare = self.key_heads - Fraction(self.a["n_kv_heads"], self.n_tp)
        return Fraction(spare * (self.a["d_head"] + self.a["d_value"]))

    @property
    def vectors(self) -> Fraction:
        """Elements of the mean layer on a chip that stay in 16 bits: biases, norms of heads, sinks, a gate."""
        a, layers, moe = self.a, self.a["n_blocks"], self.a["n_moe_blocks"]
        whole = layers * (a["output_bias"] * a["d_model"] + 2 * a["head_norm"] * a["d_head"])
        divided = layers * matrices(a).attention_vectors - whole
        whole += (a["ffn_bias"] * (layers - moe) + a["shared_gate"] * moe) * a["d_model"]
        divided += a["ffn_bias"] * (layers - moe) * (a["ffn_matrices"] - 1) * a["d_ff"]
        return Fraction(whole + Fraction(divided, self.n_tp), layers) + Fraction(self.spare_keys * a["qkv_bias"])

    @property
    def head(self) -> Fraction:
        """Elements of the output matrix on a chip."""
        return Fraction(self.a["vocab"] * self.a["d_model"], self.n_tp)

    def _in_stages(self, layer: Fraction, head: Fraction) -> Fraction:
        """Return the sum over stages at the pace of the slowest, from that of a layer and of the output matrix."""
        last = self.a["n_blocks"] - (self.n_pp - 1) * self.stage_layers
        return Fraction(self.n_pp * max(self.stage_layers * layer, max(last, 0) * layer + head))

    @property
    def read(self) -> Fraction:
        """Bytes of weights and the past that a chip reads, at the pace of the slowest stage."""
        return self._in_stages(self.layer[0] * self.width + 2 * (self.vectors + self.router) + self.past, 2 * self.head)

    @property
    def router(self) -> Fraction:
        """Elements of the router of the mean layer, which each chip has whole in 16 bits, with a number an expert."""
        a = self.a
        matrix = matrices(a).router + a["router_bias"] * a["n_experts"]
        return Fraction(a["n_moe_blocks"] * matrix, a["n_blocks"])

    @property
    def past(self) -> Fraction:
        """Bytes of keys and values of a layer, in 16 bits."""
        return Fraction(2 * self.at_once * self.context * self.key_heads * (self.a["d_head"] + self.a["d_value"]))

    @property
    def work(self) -> Fraction:
        """FLOP of a chip at its peak rate that take as long as the products, at the pace of the slowest stage."""
        pairs = 2 * self.tokens * self.context * self.pair_width / self.n_tp * self.pair_cost
        layer = 2 * self.tokens * self.layer[1] / Fraction(7, 10) + pairs
        return self._in_stages(layer, 2 * self.tokens * self.head / Fraction(7, 10))

    @property
    def pair_width(self) -> int:
        """Products of a pair of tokens in a layer."""
        return int(self.a["n_heads"] * (self.a["d_head"] + self.a["d_value"]))

    @property
    def pair_cost(self) -> Fraction:
        """FLOP at the peak rate that take as long as one of a pair of tokens."""
        return 2 * self.figure(f"flops.{self.precision}") / self.figure("flops.bf16")

    @property
    def crossing(self) -> bool:
        """Whether no domain holds all stages, so that a token waits for the network somewhere."""
        return self.n_pp > 1 and self.n_pp * self.n_tp > DOMAIN

    @property
    def layer_sums(self) -> int:
        """Sums of residual streams in a layer: of attention and the feed-forward part, or of both at once."""
        return 2 - int(self.a["parallel_blocks"])

    @property
    def waiting(self) -> Fraction:
        """Latency and launches of exchanges [second]: sums of a layer and its norms, a message to the next stage."""
        layer_sums = self.layer_sums + self.a["wide_norm"] * (1 - self.a["norm_per_head"])
        sums, hop = layer_sums * self.n_pp * self.stage_layers, NETWORK_HOP if self.crossing else HOP
        summing = sums * (2 * (self.n_tp - 1) * HOP + LAUNCH) if self.n_tp > 1 else Fraction(0)
        return summing + self.n_pp * (hop + LAUNCH) * (self.n_pp > 1)

    @property
    def gaps(self) -> Fraction:
        """Gaps between kernels [second]."""
        return KERNELS * GAP * self.n_pp * self.stage_layers

    @property
    def sending(self) -> tuple[Fraction, Fraction]:
        """Bytes that a chip sends at the bandwidth of all of its links, and into the network."""
        peers = int(self.figure("link.peers"))
        stream = self.tokens * self.a["d_model"] * 2
        message = self.n_pp * stream / self.n_tp if self.n_pp > 1 else Fraction(0)
        reached = min(Fraction(max(self.n_tp - 1, 1), peers), Fraction(1))
        sums = (
            self.layer_sums * self.n_pp * self.stage_layers * 2 * Fraction(self.n_tp - 1, self.n_tp) * stream / reached
        )
        return (sums, message) if self.crossing else (sums + message * peers, Fraction(0))

    def prompt(self, tokens: int) -> Fraction:
        """Return the FLOP at the peak rate that take as long as those of a prompt."""
        elements = alone(self).layer[1] * self.a["n_blocks"]
        products = 2 * (tokens * elements + self.a["vocab"] * self.a["d_model"])
        pairs = self.a["n_blocks"] * self.pair_width * tokens * (tokens + 1)
        return Fraction(products / Fraction(7, 10) + pairs * self.pair_cost)


def alone(step: Step) -> Step:
    """Return the step of the same model on one chip: nothing is copied."""
    return Step(step.model, step.chip, 1, 1, step.sequences, step.context)
