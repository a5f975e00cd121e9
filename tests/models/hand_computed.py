"""A server of language models in plain Python: seconds, bytes and FLOP of a step and of a prompt, from numbers alone.

It shares no formula with the sheets. All times are in seconds, memory in bytes, rates in FLOP/s or byte/s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

GIB = 2**30
# What every answer assumes of a server, where its question does not state it:
MATMUL, ATTENTION, MEMORY = 0.7, 0.5, 0.8  # shares of the peak rates that are reached
GAPS = 12 * 3e-6  # s a layer: a dozen kernels, 3 us from one to the next
HOST, HOST_PER_SEQUENCE = 1e-3, 10e-6  # s a step: scheduler, and sampling of each sequence
HOP, LAUNCH = 1e-6, 10e-6  # s of a hop over NVLink, and to start a collective


@dataclass(frozen=True)
class Model:
    """A transformer with heads of width 128, and a gated feed-forward part, dense or of experts."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    hidden: int  # of the dense part, or of one expert
    vocab: int
    experts: int = 0
    routed: int = 0
    head_norms: int = 0  # weights of norms of heads in a layer: one vector for queries, one for keys

    @property
    def attention(self) -> int:
        """Weights of the four projections of a layer."""
        return self.width * 128 * (2 * self.heads + 2 * self.kv_heads)

    @property
    def hidden_part(self) -> int:
        """Weights of gate, up and down matrix."""
        return 3 * self.width * self.hidden

    @property
    def matrices(self) -> int:
        """Weights of all layers outside experts; routers count as norms do, as they stay in bf16."""
        return self.layers * (self.attention + (0 if self.experts else self.hidden_part))

    @property
    def small(self) -> int:
        """Weights of norms and routers inside the layers."""
        return self.layers * (2 * self.width + self.head_norms + self.width * self.experts)


@dataclass(frozen=True)
class Server:
    """Chips that share each layer, their rates, and the bytes of a weight in the layers."""

    chips: int
    bandwidth: float
    peak: float  # of matrix products
    peak16: float  # of attention, in 16 bits
    link: float
    memory: float = 0
    weight: float = 1  # bytes

    def sum_time(self, tokens: float, width: int) -> float:
        """Return the time of a ring all-reduce of bf16 activations: each chip sends all of it nearly twice."""
        if self.chips == 1:
            return 0
        n, payload = self.chips, 2 * tokens * width
        return 2 * (n - 1) / n * payload / self.link + 2 * (n - 1) * HOP + LAUNCH

    def head_time(self, model: Model, tokens: float) -> float:
        """Return the time of the output matrix, in bf16."""
        weights = model.vocab * model.width / self.chips
        return max(2 * tokens * weights / (MATMUL * self.peak), 2 * weights / (MEMORY * self.bandwidth))

    def share(self, model: Model) -> float:
        """Return the weights of a chip outside experts: a whole head of keys and of values at least."""
        copied = max(model.kv_heads / self.chips, 1) - model.kv_heads / self.chips
        return model.matrices / self.chips + model.layers * copied * 2 * 128 * model.width

    def matrix_time(self, model: Model, tokens: float) -> float:
        """Return the time of the layers without attention over the past: the longer of computing and reading."""
        memory, peak = MEMORY * self.bandwidth, MATMUL * self.peak
        weights, router = self.share(model), model.layers * model.width * model.experts
        time = max(2 * tokens * (weights + router) / peak, (weights * self.weight + 2 * router) / memory)
        if model.experts:
            stack = model.layers * model.hidden_part / self.chips  # one expert of each layer
            reached = model.experts * (1 - (1 - model.routed / model.experts) ** tokens)
            time += max(2 * tokens * model.routed * stack / peak, reached * stack * self.weight / memory)
        return time

    def step(self, model: Model, batch: float, context: float, drafted: int = 0) -> float:
        """Return the time in which each sequence gains a token, or has a draft of so many tokens checked."""
        tokens = batch * (1 + drafted)
        kv = max(model.kv_heads / self.chips, 1)
        read = batch * context * model.layers * kv * 128 * 2 * 2 / (MEMORY * self.bandwidth)
        pairs = tokens * context * model.layers * 4 * 128 * model.heads / self.chips / (ATTENTION * self.peak16)
        sums = 2 * model.layers * self.sum_time(tokens, model.width)
        layers = self.matrix_time(model, tokens) + max(read, pairs) + sums + model.layers * GAPS
        return layers + self.head_time(model, tokens) + HOST + batch * HOST_PER_SEQUENCE

    def prompt(self, model: Model, tokens: int) -> float:
        """Return the time of a prompt that is computed in one pass."""
        pairs = model.layers * 4 * 128 * model.heads * tokens * (tokens + 1) / 2
        sums = 2 * model.layers * self.sum_time(tokens, model.width)
        layers = self.matrix_time(model, tokens) + pairs / self.chips / (ATTENTION * self.peak16) + sums
        return layers + model.layers * GAPS + self.head_time(model, 1) + HOST + HOST_PER_SEQUENCE

    def fixed_memory(self, model: Model) -> float:
        """Return the bytes of a chip without caches: weights, activations of 8,192 tokens, kernels, NCCL of several."""
        outside = 2 * ((2 * model.vocab + 1) * model.width / self.chips + model.small)
        weights = self.weight * self.share(model) + outside
        hidden = 3 * model.hidden / self.chips  # gate, up, and their product
        activations = 8192 * 2 * (4 * model.width + hidden) + 256 * model.vocab * 4
        return weights + activations + (1573 + (1024 if self.chips > 1 else 0)) * 2**20


LLAMA_70B = Model(layers=80, width=8192, heads=64, kv_heads=8, hidden=28672, vocab=128256)
LLAMA_405B = Model(layers=126, width=16384, heads=128, kv_heads=8, hidden=53248, vocab=128256)
LLAMA_8B = Model(layers=32, width=4096, heads=32, kv_heads=8, hidden=14336, vocab=128256)
QWEN_32B = Model(layers=64, width=5120, heads=64, kv_heads=8, hidden=25600, vocab=151936, head_norms=256)
QWEN_235B = Model(
    layers=94, width=4096, heads=64, kv_heads=4, hidden=1536, vocab=151936, experts=128, routed=8, head_norms=256
)
H100 = Server(chips=8, bandwidth=3.35e12, peak=1978.9e12, peak16=989.4e12, link=450e9, memory=80 * GIB)
H100_BF16 = replace(H100, chips=1, peak=989.4e12, weight=2)
H200 = replace(H100, chips=4, bandwidth=4.8e12, memory=141 * GIB)
