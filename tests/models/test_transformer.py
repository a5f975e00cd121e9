"""The computation of a token against another count: every matrix of every block, every pair of positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import Answer, records, sheet, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SEQUENCE = 12288  # longer than windows; one chunk of 8,192 and half of one
EXACT = 1e-12
MODELS = [
    "llama-2-7b",
    "llama-3.1-70b",
    "falcon-180b",
    "bloom-176b",
    "gemma-3-27b",
    "gemma-3n-e4b",
    "gpt-oss-120b",
    "llama-4-maverick",
    "mixtral-8x7b",
    "qwen3-235b-a22b",
    "arctic",
    "longcat-flash",
    "deepseek-v2-lite",
    "deepseek-v3",
    "deepseek-v3.2",
    "qwen3-next-80b-a3b",
    "kimi-linear-48b-a3b",
    "minimax-m1",
    "falcon-h1-34b",
    "nemotron-3-super",
    "mamba-2.8b",
    "mamba-2-2.7b",
    "jamba-1.5-mini",
]
PARTS = (
    "projection",
    "score",
    "mixing",
    "indexing",
    "mixer",
    "ffn",
    "expert",
    "router",
    "latent_expert",
    "mtp_join",
    "head",
)


@dataclass
class Count:
    """Multiplications of one token forward, by part, counted block by block."""

    name: str
    length: int = SEQUENCE
    modules: bool = False
    products: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0))

    @cached_property
    def figures(self) -> dict[str, int]:
        """The figures of the record, zero where it has none."""
        return {name: int(value.si) for name, value in records("architecture")[self.name].values.items()}

    def at(self, name: str) -> int:
        return self.figures.get(name, 0)

    def matrix(self, part: str, rows: int, columns: int) -> None:
        """Add a matrix that multiplies each token."""
        self.products[part] += rows * columns

    def pairs(self, tokens: Iterator[int]) -> float:
        """Return the tokens that a token attends to, averaged over its positions."""
        return sum(tokens) / self.length

    def count(self) -> dict[str, float]:
        """Return FLOP of one token by part: two for each multiplication."""
        blocks = self.at("n_blocks")
        windows = self.at("n_window_blocks")
        for block in range(blocks - self.at("n_attention_free_blocks")):
            self._attention(is_window=block < windows, is_shared=self._is_shared(block, windows))
        for _ in range(self.at("state.n_blocks")):
            self._mixer()
        sparse = self.at("n_moe_blocks")
        for block in range(blocks - self.at("n_ffn_free_blocks")):
            self._experts() if block < sparse else self._gated("ffn", self.at("d_model"), self.at("d_ff"))
        self.matrix("head", self.at("vocab"), self.at("d_model"))
        for _ in range(self.at("mtp.n_modules") if self.modules else 0):
            self.matrix("mtp_join", 2 * self.at("d_model"), self.at("d_model"))
            self._attention(is_window=False, is_shared=False)
            self._experts() if self.at("mtp.experts") else self._gated("ffn", self.at("d_model"), self.at("d_ff"))
            self.matrix("head", self.at("vocab"), self.at("d_model"))
        return {part: 2 * products for part, products in self.products.items()}

    def _is_shared(self, block: int, windows: int) -> bool:
        """Whether a block uses keys and values of an earlier one: the first of each kind here, which adds up alike."""
        first, shared = (0, "n_shared_window_blocks") if block < windows else (windows, "n_shared_kv_blocks")
        return block - first < self.at(shared)

    def _attention(self, *, is_window: bool, is_shared: bool) -> None:
        width, heads = self.at("d_model"), self.at("n_heads")
        key, value = self.at("d_head"), self.at("d_value")
        if rank := self.at("q_rank"):
            self.matrix("projection", width, rank)
            self.matrix("projection", rank, heads * key)
        else:
            self.matrix("projection", width, heads * key)
        if rank := self.at("kv_rank"):
            rotary = self.at("d_rope")
            self.matrix("projection", width, rank + rotary)
            self.matrix("projection", rank, heads * (key - rotary))
            self.matrix("projection", rank, heads * value)
        elif not is_shared:
            self.matrix("projection", width, self.at("n_kv_heads") * key)
            self.matrix("projection", width, self.at("n_kv_heads") * value)
        if self.at("output_gate"):
            self.matrix("projection", width, heads * value)
        self.matrix("projection", heads * value, width)
        tokens = self.pairs(self._attended(is_window=is_window))
        self.products["score"] += heads * key * tokens
        self.products["mixing"] += heads * value * tokens
        if indexers := self.at("indexer.n_heads"):
            size = self.at("indexer.d_head")
            self.matrix("projection", self.at("q_rank"), indexers * size)
            self.matrix("projection", width, indexers)
            self.matrix("projection", width, size)
            self.products["indexing"] += (indexers * size + indexers) * self.pairs(iter(range(1, self.length + 1)))

    def _attended(self, *, is_window: bool) -> Iterator[int]:
        """Yield how many tokens the token at each position attends to."""
        for position in range(1, self.length + 1):
            if is_window and self.at("chunked"):
                yield (position - 1) % self.at("window") + 1
            elif is_window:
                yield min(position, self.at("window"))
            else:
                yield min(position, self.at("indexer.top_k") or position)

    def _mixer(self) -> None:
        width, heads, values = self.at("d_model"), self.at("state.n_heads"), self.at("state.d_head")
        keys, groups = self.at("state.d_state"), self.at("state.n_groups")
        channels = heads * values
        rank = self.at("state.gate_rank")
        for _ in ("query", "key"):
            self.matrix("mixer", width, groups * keys)
        self.matrix("mixer", width, channels)
        self.matrix("mixer", width, self.at("state.token_scalars") * heads)
        for mixed in (groups * keys, groups * keys, channels):
            self.matrix("mixer", mixed, self.at("state.d_conv"))
        if rank:
            for bottom, top in ((width, channels), (width, groups * keys)):
                self.matrix("mixer", bottom, rank)
                self.matrix("mixer", rank, top)
        else:
            self.matrix("mixer", width, channels)
        if step := self.at("state.step_rank"):
            self.matrix("mixer", channels, step + 2 * keys)
            self.matrix("mixer", step, channels)
        reads = 2 if "delta" in records("architecture")[self.name].labels["state.kind"] else 1
        for _ in range(1 + reads):
            for _head in range(heads):
                self.matrix("mixer", values, keys)
        self.matrix("mixer", channels, width)

    def _gated(self, part: str, width: int, hidden: int, copies: float = 1) -> None:
        for _ in range(self.at("ffn_matrices")):
            self.products[part] += copies * width * hidden

    def _experts(self) -> None:
        width, choices = self.at("d_model"), self.at("n_experts") + self.at("n_empty_experts")
        self.matrix("router", width, choices)
        passed = self.at("n_routed") * self.at("n_experts") / choices
        if latent := self.at("d_latent"):
            self.matrix("latent_expert", width, latent)
            self.matrix("latent_expert", latent, width)
        self._gated("expert", latent or width, self.at("d_expert"), passed)
        self._gated("ffn", width, self.at("d_shared"))
        if self.at("shared_gate"):
            self.matrix("ffn", width, 1)
        if self.at("dense_branch"):
            self._gated("ffn", width, self.at("d_ff"))


@cache
def at(name: str, *relations: str) -> Answer:
    """Return the sheet evaluated at a model."""
    stated = any(text.startswith("seq_len") for text in relations)
    length = () if stated else (f"seq_len = {SEQUENCE} token",)
    return solve(sheet("transformer"), (), [f"model = {name}", *length, *relations])


def value(cell: str, name: str, *relations: str) -> Any:
    """Return the value of a cell at a model [base units]."""
    return at(name, *relations).cells[cell].si


def per_token(name: str, *relations: str) -> dict[str, float]:
    """Return what the sheet counts for one token by part."""
    return {part: value(f"{part}_work_per_token", name, *relations) for part in PARTS}


def is_near(computed: float, counted: float) -> bool:
    return abs(computed - counted) <= EXACT * abs(counted)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("length", [700, 16384])
def test_each_part_is_what_a_count_of_matrices_and_pairs_gives(name: str, length: int) -> None:
    counted = Count(name, length).count()
    computed = per_token(name, f"seq_len = {length} token")
    assert [part for part in PARTS if not is_near(computed[part], counted[part])] == []
    assert is_near(value("forward_work_per_token", name, f"seq_len = {length} token"), sum(counted.values()))


@pytest.mark.parametrize("length", [1, 700, 8192, SEQUENCE, 20000])
@pytest.mark.parametrize(("span", "pairs"), [("causal", lambda n: n * (n + 1) / 2), ("half", lambda n: n * n / 2)])
def test_a_last_chunk_may_be_cut(length: int, span: str, pairs: Callable[[int], float]) -> None:
    full, rest = divmod(length, 8192)
    known = (f"seq_len = {length} token", f"attention_span = {span}", "last_chunk = cut")
    counted = (full * pairs(8192) + pairs(rest)) / length
    assert value("chunk_span", "llama-4-scout", *known) == pytest.approx(counted, rel=EXACT)


@pytest.mark.parametrize("name", ["deepseek-v3", "qwen3-next-80b-a3b", "longcat-flash", "nemotron-3-super"])
def test_modules_that_predict_further_tokens_count_when_asked(name: str) -> None:
    counted = Count(name, 4096, modules=True).count()
    computed = per_token(name, "seq_len = 4096 token", "mtp_counted = yes")
    assert [part for part in PARTS if not is_near(computed[part], counted[part])] == []
    assert counted["mtp_join"] > 0


@pytest.mark.parametrize("name", ["llama-3.1-8b", "llama-2-7b", "mistral-7b", "mixtral-8x7b"])
def test_without_pairs_it_is_two_flop_for_each_active_parameter_but_norms_and_the_lookup(name: str) -> None:
    pairs = value("score_work_per_token", name) + value("mixing_work_per_token", name)
    others = sum(value(f"{part}_params", name) for part in ("block_norm", "outer_norm", "stored_rope"))
    multiplied = value("active_params", name) - others - value("embedding_params", name) / 2
    assert value("forward_work_per_token", name) - pairs == 2 * multiplied


@pytest.mark.parametrize("name", ["llama-3.1-8b", "gemma-3-27b", "llama-4-scout", "deepseek-v3.2"])
@pytest.mark.parametrize("length", [512, 16384])
def test_spans_by_convention(name: str, length: int) -> None:
    figures = Count(name).figures
    most = {
        "global_span": min(length, figures.get("indexer.top_k") or length),
        "window_span": min(length, figures.get("window", 0)),
    }
    for cell, reach in most.items():
        causal, half, full = (
            value(cell, name, f"seq_len = {length} token", f"attention_span = {span}")
            for span in ("causal", "half", "full")
        )
        assert full == reach
        # Half of a token lies between the two for every position that has fewer tokens before it than it may attend to.
        growing = length if cell == "window_span" and figures.get("chunked") else reach
        assert causal - half == pytest.approx(growing / length / 2, rel=EXACT)


def test_the_width_of_the_feed_forward_part_counts() -> None:
    narrow, wide = (value("ffn_work_per_token", "llama-3.1-70b", f"d_ff = {width}") for width in (28672, 32768))
    assert wide / narrow == 32768 / 28672


def test_experts_count_by_their_own_width_and_by_how_many_a_token_passes() -> None:
    usual = value("expert_work_per_token", "deepseek-v3")
    assert value("expert_work_per_token", "deepseek-v3", "d_ff = 1000") == usual
    assert value("expert_work_per_token", "deepseek-v3", "d_expert = 4096") == 2 * usual
    assert value("expert_work_per_token", "deepseek-v3", "n_routed = 4") == usual / 2
    assert value("expert_work_per_token", "deepseek-v3", "n_experts = 64") == usual


@pytest.mark.parametrize(
    ("rule", "repeated"),
    [
        (("recomputation = none",), lambda parts: 0 * parts["head"]),
        (("recomputation = selective",), lambda parts: parts["score"] + parts["mixing"]),
        (("recomputation = full",), lambda parts: sum(parts.values()) - parts["head"]),
        (("recomputation = full", "head_recomputed = yes"), lambda parts: sum(parts.values())),
    ],
)
def test_hardware_computation_adds_what_is_repeated(rule: Sequence[str], repeated: Any) -> None:
    parts = per_token("llama-3.1-8b")
    model = value("train_work_per_token", "llama-3.1-8b", *rule)
    hardware = value("train_work_per_token", "llama-3.1-8b", *rule, "counted = hardware")
    assert model == 3 * sum(parts.values())
    assert hardware - model == repeated(parts)


def test_rules_of_thumb() -> None:
    name, exact = "deepseek-v3", value("params", "deepseek-v3")
    active, outer = value("active_params", name), value("embedding_params", name)
    for counted, params in (("all", exact), ("active", active), ("non_embedding", active - outer)):
        rule = ("work_rule = six_n", f"counted_params = {counted}")
        assert value("train_work_per_token", name, *rule) == 6 * params
        assert value("hardware_work_per_token", name, *rule, "recomputation = full") == 8 * params
    pairs = value("score_work_per_token", name) + value("mixing_work_per_token", name)
    assert value("train_work_per_token", name, "work_rule = six_n_scores") == 6 * active + 3 * pairs
    deepseek = value("train_work_per_token", name, "work_rule = deepseek")
    assert deepseek == 72 * 61 * 7168**2 + 12 * 61 * 7168 * SEQUENCE


GPT = (
    "ffn_matrices = 2",
    "embedding_matrices = 1",
    "norm_vectors = 2",
    "qkv_bias = 1",
    "output_bias = 1",
    "ffn_bias = 1",
)


def by_hand(cell: str, layers: int, width: int, vocab: int, length: int, *relations: str) -> Any:
    """Return a cell at a GPT whose shape is given cell by cell [base units]."""
    shape = (f"n_blocks = {layers}", f"d_model = {width}", "n_heads = 32", f"d_ff = {4 * width}", f"vocab = {vocab}")
    positions = (f"n_positions = {length}", f"seq_len = {length} token")
    return solve(sheet("transformer"), cell, [*shape, *positions, *GPT, *relations]).outcomes[cell].si


@pytest.mark.parametrize(("layers", "width"), [(24, 2304), (96, 12288), (128, 25600)])
def test_the_closed_forms_of_the_sc21_paper(layers: int, width: int) -> None:
    vocab, length = 51200, 2048
    params = 12 * layers * width**2 + 13 * layers * width + (vocab + length) * width
    assert by_hand("params", layers, width, vocab, length) == params + 2 * width  # the paper has no last norm
    for passes, recomputed in ((4, "full"), (3, "none")):
        blocks = 24 * layers * width**2 + 4 * layers * width * length
        conventions = ("attention_span = full", f"recomputation = {recomputed}", "counted = hardware")
        work = by_hand("train_work_per_token", layers, width, vocab, length, *conventions)
        assert work == passes * blocks + 6 * width * vocab


@pytest.mark.parametrize(("layers", "width"), [(48, 6144), (105, 20480)])
def test_the_closed_forms_of_korthikanti(layers: int, width: int) -> None:
    vocab, length = 51200, 2048
    for conventions, pairs in ((("counted = model",), 12), (("counted = hardware", "pair_repeats = 3"), 24)):
        asked = ("attention_span = full", "recomputation = selective", *conventions)
        work = by_hand("train_work_per_token", layers, width, vocab, length, *asked)
        assert work == 72 * layers * width**2 + pairs * layers * width * length + 6 * width * vocab


def test_llm_analysis_repeats_the_output_layer_too() -> None:
    layers, width, vocab, length = 96, 12288, 50272, 2048
    conventions = ("attention_span = full", "recomputation = full", "counted = hardware", "head_recomputed = yes")
    work = by_hand("sequence_work", layers, width, vocab, length, *conventions)
    assert 24 * work == pytest.approx(7.054128160387891e16, rel=EXACT)


def test_a_batch_and_a_run_are_their_tokens() -> None:
    asked = ("batch = 3 sequence", "dataset_tokens = 1e12 token")
    token = value("train_work_per_token", "llama-3.1-8b")
    assert value("sequence_work", "llama-3.1-8b", *asked) == token * SEQUENCE
    assert value("step_work", "llama-3.1-8b", *asked) == 3 * token * SEQUENCE
    assert value("total_work", "llama-3.1-8b", *asked) == token * 10**12
