"""Memory and time of training at random layouts, computed here from the papers and from shapes written down again.

Parameters of a chip follow tensor parallelism as Megatron-LM has it, states ZeRO, activations Korthikanti et al.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from flopsheet import solve

if TYPE_CHECKING:
    from flopsheet import Answer

EXACT = 1e-12
BYTES = {"fp32": (4, 4, 8), "mixed_16": (2, 2, 12), "mixed_18": (2, 4, 12)}  # weights, gradients, optimizer
LEVELS = ("none", "optimizer", "gradients", "weights")
PEAK, PRODUCTS, PAIRS = 989.4e12, 0.6, 0.4
SCALE_UP, SCALE_OUT, DOMAIN = 450e9, 50e9, 8


class Shape(NamedTuple):
    """The shape of a model, as its report states it."""

    blocks: int
    width: int
    vocab: int
    heads: int
    key_heads: int
    head: int
    hidden: int
    matrices: int = 3
    sparse_blocks: int = 0
    experts: int = 0
    routed: int = 0
    expert_hidden: int = 0
    shared_hidden: int = 0
    value: int = 0  # width of a value, where it is not that of a key
    latent: int = 0
    rotary: int = 0
    head_norm: bool = False
    query_bias: bool = False
    plain: bool = False  # biases everywhere, shifts of norms, tied embeddings, embeddings of positions
    positions: int = 0


MODELS = {
    "llama-3.1-8b": Shape(32, 4096, 128256, 32, 8, 128, 14336),
    "qwen2.5-72b": Shape(80, 8192, 152064, 64, 8, 128, 29568, query_bias=True),
    "yi-34b": Shape(60, 7168, 64000, 56, 8, 128, 20480),
    "mixtral-8x7b": Shape(32, 4096, 32000, 32, 8, 128, 0, 3, 32, 8, 2, 14336),
    "qwen3-30b-a3b": Shape(48, 2048, 151936, 32, 4, 128, 0, 3, 48, 128, 8, 768, head_norm=True),
    "deepseek-v2-lite": Shape(
        27, 2048, 102400, 16, 16, 192, 10944, 3, 26, 64, 6, 1408, 2816, value=128, latent=512, rotary=64
    ),
    "gpt2-xl": Shape(48, 1600, 50257, 25, 25, 64, 6400, 2, plain=True, positions=1024),
    "megatron-175b": Shape(96, 12288, 51200, 96, 96, 128, 49152, 2, plain=True, positions=2048),
}


@dataclass(frozen=True)
class Layout:
    """A model on chips."""

    model: str
    tp: int
    pp: int
    dp: int
    ep: int
    tokens: int
    micro: int
    microbatches: int
    recipe: str
    sharding: str
    recomputation: str
    parallel: bool
    schedule: str
    kernel: str

    @property
    def shape(self) -> Shape:
        """Shape of the model."""
        return MODELS[self.model]

    @property
    def relations(self) -> list[str]:
        """The question that this is."""
        return [
            f"model = {self.model}",
            "chip = h100-sxm",
            *(f"n_{name} = {getattr(self, name)}" for name in ("tp", "pp", "dp", "ep")),
            f"seq_len = {self.tokens} token",
            f"micro_batch = {self.micro}",
            f"batch = {self.micro * self.microbatches * self.dp}",
            f"recipe = {self.recipe}",
            f"sharding = {self.sharding}",
            f"recomputation = {self.recomputation}",
            f"sequence_parallel = {'yes' if self.parallel else 'no'}",
            f"schedule = {self.schedule}",
            *(["n_interleave = 2"] if self.schedule == "interleaved" else []),
            f"attention_kernel = {self.kernel}",
        ]


def _drawn(draw: Random) -> Layout:
    """Return a layout that divides its model evenly."""
    while True:
        model = draw.choice(sorted(MODELS))
        shape = MODELS[model]
        tp, pp, dp = draw.choice([1, 2, 4, 8]), draw.choice([1, 2, 4, 8]), draw.choice([1, 2, 4, 8, 16])
        ep = draw.choice([1, 2, 4, 8]) if shape.experts else 1
        if shape.heads % tp or shape.blocks % pp or dp % ep or (shape.plain and tp > 1 and shape.heads % 2):
            continue
        tokens = min(draw.choice([1024, 2048, 4096, 8192]), shape.positions or 8192)
        return Layout(
            *(model, tp, pp, dp, ep, tokens, draw.choice([1, 2, 4]), draw.choice([1, 2, 4]) * pp),
            *(draw.choice(sorted(BYTES)), draw.choice(LEVELS), draw.choice(["none", "selective", "full"])),
            parallel=tp > 1 and draw.random() < 0.5,
            schedule=draw.choice(["one_f_one_b", "gpipe", "interleaved"]) if pp > 1 else "one_f_one_b",
            kernel=draw.choice(["flash", "unfused"]),
        )


LAYOUTS = [_drawn(Random(seed)) for seed in range(40)]  # noqa: S311  # no secret
DENSE = [layout for layout in LAYOUTS if not layout.shape.experts]


def _case(layout: Layout) -> str:
    return f"{layout.model}-{layout.tp}x{layout.pp}x{layout.dp}-{layout.recipe}-{layout.sharding}"


@cache
def _step(layout: Layout) -> Answer:
    rates = [f"matmul_efficiency = {PRODUCTS}", f"attention_efficiency = {PAIRS}", "overlap = none"]
    links = [f"scale_up_bandwidth = {SCALE_UP} byte/second", f"scale_out_bandwidth = {SCALE_OUT} byte/second"]
    return solve("training_step", (), [*layout.relations, *rates, *links, "bandwidth_efficiency = 1"])


def value(layout: Layout, cell: str) -> float:
    """Return the value of a cell [base units]."""
    return float(_step(layout).cells[cell].si)


def _attention(shape: Shape, tp: int) -> Fraction:
    """Return the parameters of the matrices of attention on one chip."""
    heads, width, wide = Fraction(shape.heads, tp), shape.width, shape.value or shape.head
    if shape.latent:
        up = shape.latent * heads * (shape.head - shape.rotary + wide)
        return width * heads * shape.head + width * (shape.latent + shape.rotary) + up + heads * wide * width
    keys = max(Fraction(shape.key_heads, tp), Fraction(1))
    return 2 * width * heads * shape.head + 2 * width * keys * shape.head


def _layer(shape: Shape, tp: int, *, sparse: bool) -> Fraction:
    """Return the parameters of a layer on one chip, routed experts aside."""
    keys = max(Fraction(shape.key_heads, tp), Fraction(1))
    biased = shape.plain or shape.query_bias
    params = _attention(shape, tp) + shape.latent + biased * (Fraction(shape.heads, tp) + 2 * keys) * shape.head
    params += 2 * shape.head * shape.head_norm + 2 * (1 + shape.plain) * shape.width
    if sparse:
        shared = Fraction(shape.matrices * shape.width * shape.shared_hidden, tp)
        return params + shape.width * shape.experts + shared
    hidden = Fraction(shape.hidden, tp)
    return params + shape.matrices * shape.width * hidden + shape.plain * (hidden + 2 * shape.width)


def _chip(layout: Layout, *, last: bool) -> tuple[Fraction, Fraction]:
    """Return the parameters of a chip of the first or the last stage: those of experts apart."""
    shape, tp = layout.shape, layout.tp
    count = shape.blocks // layout.pp
    first = (layout.pp - 1) * count if last else 0
    sparse = [block >= shape.blocks - shape.sparse_blocks for block in range(first, first + count)]
    experts = Fraction(sum(sparse) * shape.experts * shape.matrices * shape.width * shape.expert_hidden, layout.ep)
    params = sum((_layer(shape, tp, sparse=kind) for kind in sparse), Fraction())
    vocabulary = Fraction(shape.vocab * shape.width, tp)
    if layout.pp == 1 or not last:
        params += vocabulary + shape.positions * shape.width
    if layout.pp == 1 or last:
        params += (1 + shape.plain) * shape.width + vocabulary * (layout.pp > 1 or not shape.plain)
    return params, experts


@pytest.mark.parametrize("layout", LAYOUTS, ids=_case)
def test_states(layout: Layout) -> None:
    """A stage of mean layers is what the sheet has, so stages that differ in their layers are left to one chip."""
    if layout.shape.sparse_blocks not in (0, layout.shape.blocks) and layout.pp > 1:
        layout = Layout(**{**layout.__dict__, "pp": 1, "schedule": "one_f_one_b"})
    ranks, expert_ranks = layout.dp, Fraction(layout.dp * layout.tp, layout.ep)
    level, ends = LEVELS.index(layout.sharding), []
    for last in (False, True):
        params, experts = _chip(layout, last=last)
        shares = [params / ranks + experts / expert_ranks if level >= at else params + experts for at in (3, 2, 1)]
        ends.append([size * share for size, share in zip(BYTES[layout.recipe], shares, strict=True)])
    for cell, size in zip(("param_memory", "gradient_memory", "optimizer_memory"), max(ends, key=sum), strict=True):
        assert value(layout, cell) == pytest.approx(float(size), rel=EXACT)


@pytest.mark.parametrize("layout", DENSE, ids=_case)
def test_activations_of_a_layer_and_those_in_flight(layout: Layout) -> None:
    shape, tp, count = layout.shape, layout.tp, layout.tokens * layout.micro
    stream = Fraction(2 * count * shape.width, tp if layout.parallel else 1)
    kept = stream
    if layout.recomputation != "full":
        keys = max(Fraction(shape.key_heads, tp), Fraction(1))
        kept = 4 * stream + 4 * count * (Fraction(shape.heads, tp) + keys) * shape.head
        kept += Fraction(2 * count * shape.matrices * shape.hidden, tp)
        scores = Fraction(2 * count * layout.tokens * shape.heads, tp) * (layout.recomputation == "none")
        kept += Fraction(4 * count * shape.heads, tp) if layout.kernel == "flash" else scores
    depth = {"one_f_one_b": Fraction(layout.pp), "interleaved": layout.pp + Fraction(layout.pp - 1, 2)}
    flight = min(depth.get(layout.schedule, Fraction(layout.microbatches)), Fraction(layout.microbatches))
    assert value(layout, "layer_memory") == pytest.approx(float(kept), rel=EXACT)
    stage = kept * flight * shape.blocks / layout.pp
    assert value(layout, "stage_memory") == pytest.approx(float(stage), rel=EXACT)


@pytest.mark.parametrize("layout", LAYOUTS, ids=_case)
def test_utilization_counts_matrices_and_the_pairs_of_a_causal_mask(layout: Layout) -> None:
    shape = layout.shape
    dense = (shape.blocks - shape.sparse_blocks) * shape.hidden
    sparse = shape.sparse_blocks * (shape.routed * shape.expert_hidden + shape.shared_hidden)
    params = shape.blocks * _attention(shape, 1) + shape.width * (shape.matrices * (dense + sparse) + shape.vocab)
    params += shape.sparse_blocks * shape.experts * shape.width
    wide = shape.head + (shape.value or shape.head)
    work = 6 * (params + shape.blocks * shape.heads * wide * Fraction(layout.tokens + 1, 2))
    tokens = layout.tokens * layout.micro * layout.microbatches * layout.dp
    chips = layout.tp * layout.pp * layout.dp
    share = float(work * tokens) / (value(layout, "step_time") * PEAK * chips)
    assert value(layout, "model_utilization") == pytest.approx(share, rel=EXACT)


@pytest.mark.parametrize("layout", DENSE, ids=_case)
def test_times_between_chips(layout: Layout) -> None:
    passes = 3 if layout.recomputation == "full" else 2
    payload = 2 * layout.tokens * layout.micro * layout.shape.width
    sums = 2 * passes * 2 * (layout.tp - 1) / layout.tp * payload / SCALE_UP
    latency = 2 * passes * value(layout, "tp.latency_time")
    assert value(layout, "layer_tp_time") - latency == pytest.approx(sums, rel=1e-9)
    chunks = 2 if layout.schedule == "interleaved" else 1
    waits = (layout.pp - 1) / (layout.microbatches * chunks)
    assert value(layout, "bubble_time") == pytest.approx(waits * value(layout, "pipeline_time"), rel=EXACT)
    if layout.tp == DOMAIN and layout.dp > 1:
        weight, gradient, _ = BYTES[layout.recipe]
        gathers = {"none": gradient, "weights": 2 * weight * layout.microbatches}.get(layout.sharding, weight)
        sends = layout.microbatches if LEVELS.index(layout.sharding) > 1 else 1
        size = max(sum(_chip(layout, last=last)) for last in (False, True)) * (gradient * sends + gathers)
        moved = (layout.dp - 1) / layout.dp * float(size) / SCALE_OUT
        assert value(layout, "dp_time") - value(layout, "dp_latency_time") == pytest.approx(moved, rel=1e-9)


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout.shape.experts], ids=_case)
def test_time_to_experts_and_back(layout: Layout) -> None:
    """Two all-to-alls of a layer and pass, inside a node; a rank sends its tokens to each expert of one."""
    shape, passes = layout.shape, 3 if layout.recomputation == "full" else 2
    tokens = layout.tokens * layout.micro / layout.tp * shape.routed
    moved = 2 * tokens * shape.width * (layout.ep - 1) / layout.ep / SCALE_UP
    times = 2 * passes * shape.sparse_blocks / shape.blocks
    latency = times * value(layout, "ep.latency_time")
    assert value(layout, "layer_ep_time") - latency == pytest.approx(times * moved, rel=1e-9, abs=1e-15)
