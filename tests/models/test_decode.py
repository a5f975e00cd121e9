"""Laws of decoding and of prompts, checked another way."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import TYPE_CHECKING

import pytest

from flopsheet import solve
from flopsheet.errors import FlopsheetError
from flopsheet.sheets.catalogue import as_sheet

if TYPE_CHECKING:
    from collections.abc import Sequence


@cache
def _value(sheet: str, cell: str, relations: tuple[str, ...]) -> float:
    outcome = solve(sheet, cell, relations).outcomes[cell]
    assert outcome.si is not None, outcome.why
    return float(outcome.si)


def value(sheet: str, cell: str, *relations: str) -> float:
    """Return the SI value of a cell."""
    return _value(sheet, cell, relations)


@pytest.mark.parametrize(("n_experts", "n_routed", "tokens"), [(256, 8, 1), (256, 8, 16), (128, 4, 40), (8, 2, 5)])
def test_experts_that_a_batch_reaches(n_experts: int, n_routed: int, tokens: int) -> None:
    """Random routing reaches as many experts as the closed form expects."""
    chance = random.Random(7)  # noqa: S311  # the same draws in each run
    trials = 400
    reached = [
        len({expert for _ in range(tokens) for expert in chance.sample(range(n_experts), n_routed)})
        for _ in range(trials)
    ]
    shape = ("d_model = 64", "n_blocks = 1", "n_heads = 1", "vocab = 1", "d_ff = 1", "n_moe_blocks = 1")
    experts = (f"n_experts = {n_experts}", f"n_routed = {n_routed}", "d_expert = 64")
    share = value("decode", "read_expert_share", *shape, *experts, f"n_sequences = {tokens}")
    assert share == pytest.approx(sum(reached) / trials / n_experts, rel=0.03)


@pytest.mark.parametrize(("n_draft", "acceptance"), [(0, 0.8), (1, 0.85), (4, 0.7), (7, 0), (4, 1), (0, 1)])
def test_tokens_that_a_step_gains(n_draft: int, acceptance: float) -> None:
    """A step gains its own token, and a draft with the chance that all up to it are accepted."""
    gained = value("decode", "tokens_per_step", f"n_draft = {n_draft}", f"acceptance = {acceptance}")
    assert gained == pytest.approx(sum(acceptance**k for k in range(n_draft + 1)))


def test_all_tokens_of_a_draft_may_be_accepted() -> None:
    declared = [as_sheet(name).cells["acceptance"] for name in ("drafts", "decode", "speculative_decoding")]
    assert {cell.place for cell in declared} == {declared[0].place}
    assert value("drafts", "tokens_per_step", "n_draft = 4", "acceptance = 1") == 5
    assert value("drafts", "acceptance", "n_draft = 4", "tokens_per_step = 5") == 1
    assert value("drafts", "n_draft", "acceptance = 1", "tokens_per_step = 5") == 4
    with pytest.raises(FlopsheetError, match="between 0 and 1"):
        solve("drafts", "tokens_per_step", ["n_draft = 4", "acceptance = 1.01"])


@pytest.mark.parametrize("tokens", ["= 5", ">= 5"])
def test_drafts_of_any_length_gain_less_than_a_share_of_rejections_allows(tokens: str) -> None:
    answer = str(solve("drafts", "n_draft", ["acceptance = 0.8", f"tokens_per_step {tokens}"]))
    assert "tokens_per_step cannot rise to 5 however large n_draft is" in " ".join(answer.split())


def test_decode_times_drafts_by_the_step_that_checks_them() -> None:
    known = ("model = llama-3.1-8b", "chip = h100-sxm", "context = 512 token", "n_sequences = 300", "n_draft = 3")
    check, drafts = (value("decode", cell, *known) for cell in ("decode_time", "draft_time"))
    assert drafts == pytest.approx(3 * 0.05 * check)
    assert drafts > 2 * value("speculative_decoding", "drafted.draft_time", *known)


@pytest.mark.parametrize("n_sequences", [1, 16, 300])
def test_a_draft_gains_what_both_ways_of_decoding_tell(n_sequences: int) -> None:
    known = ("model = llama-3.1-8b", "chip = h100-sxm", "context = 512 token", f"n_sequences = {n_sequences}")
    plain, check = (value("decode", "decode_time", *known, f"n_draft = {n_draft}") for n_draft in (0, 3))
    gained = value("decode", "tokens_per_step", *known, "n_draft = 3")
    drafted = (check + 3 * 0.05 * plain) / gained  # a draft is as much slower in a large batch as a step without it
    assert value("speculative_decoding", "speedup", *known, "n_draft = 3") == pytest.approx(plain / drafted)


def test_a_small_batch_reads_and_a_large_one_computes() -> None:
    known = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "context = 1 token")
    critical = value("decode", "critical_sequences", *known)
    for n_sequences, computes in ((critical * 0.9, False), (critical * 1.1, True)):
        here = (*known, f"n_sequences = {math.floor(n_sequences)}")
        assert (value("decode", "dense_time", *here) > value("decode", "dense_memory_time", *here)) is computes


@pytest.mark.parametrize("model", ["qwen3-next-80b-a3b", "deepseek-v3", "mixtral-8x7b", "llama-3-70b"])
def test_from_there_on_all_matrices_compute_longer_than_they_are_read(model: str) -> None:
    """Routers, which every rank computes whole, and the most loaded experts count too."""
    known = (
        f"model = {model}",
        "chip = h100-sxm",
        "n_tp = 8",
        "n_ep = 8",
        "expert_imbalance = 1.2",
        "n_sequences = 64",
    )
    cells = {name: float(cell.si) for name, cell in solve("decode", (), [*known, "seq_len = 512 token"]).cells.items()}
    computing = (cells["dense_work"] + cells["expert_work"]) / cells["sustained_matmul_rate"]
    reading = cells["dense_memory_time"] + cells["expert_memory_time"] / (cells["read_expert_share"] or 1)
    assert cells["critical_tokens"] == pytest.approx(cells["local_tokens"] * reading / computing)


def test_chunks_have_the_pairs_of_the_whole_prompt() -> None:
    """Prefix and rest have as many pairs as a prompt computed at once, also with windows."""
    known = ("model = gemma-3-27b", "n_prompts = 1")
    whole = value("prefill", "prompt_pair_work", *known, "prompt_len = 6000 token")
    parts = [
        value("prefill", "prompt_pair_work", *known, f"prompt_len = {end} token", f"cached_len = {start} token")
        for start, end in ((0, 700), (700, 2500), (2500, 6000))
    ]
    assert sum(parts) == pytest.approx(whole)
    pairs = sum(10 * i + 52 * min(i, 1024) for i in range(1, 6001))
    assert whole == pytest.approx(2 * 2 * 32 * 128 * pairs)


@pytest.mark.parametrize(("start", "end"), [(0, 24576), (8192, 24576), (100, 5000), (0, 8192), (0, 1)])
def test_a_prompt_in_chunks_attends_within_each(start: int, end: int) -> None:
    known = ("model = llama-4-scout", f"prompt_len = {end} token", f"cached_len = {start} token")
    assert value("prefill", "window_pairs", *known) == sum(i % 8192 + 1 for i in range(start, end))


def test_data_parallel_attention_divides_latent_caches_and_tensor_parallelism_copies_them() -> None:
    known = ("model = deepseek-v3", "seq_len = 4096 token", "n_sequences = 64")
    alone = value("kv_cache", "cache_memory", *known)
    assert value("kv_cache", "cache_memory", *known, "n_tp = 8") == alone
    assert value("kv_cache", "cache_memory", *known, "n_adp = 8") == pytest.approx(alone / 8)
    assert value("kv_cache", "cache_memory", *known, "n_tp = 8", "cache_split = sequences") == pytest.approx(alone / 8)
    assert value("kv_cache", "cache_memory", *known, "n_cp = 8") == pytest.approx(alone / 8)


def test_a_block_is_whole() -> None:
    known = ("model = llama-3-8b", "n_sequences = 1", "cache_block = 16 token")
    full, more = (value("kv_cache", "cache_memory", *known, f"seq_len = {n} token") for n in (32, 33))
    assert more / full == pytest.approx(48 / 32)


def test_the_roofline_bounds_a_server_measured_on_silicon() -> None:
    """A planner finds 1,449 token/s a chip at 20.33 ms a token for Qwen3-32B in fp8 on H200, prefill included."""
    known = ("model = qwen3-32b", "chip = h200-sxm", "weight_format = fp8_block", "precision = fp8", "n_tp = 1")
    ideal = ("memory_efficiency = 1", "matmul_efficiency = 1", "context = 4500 token", "n_sequences = 39")
    assert value("decode", "token_time", *known, *ideal) < 20.33e-3
    assert value("decode", "chip_token_rate", *known, *ideal) > 1449.23


def _round_time(times: Sequence[float], rounds: int = 20) -> float:
    """Return the time between two tokens of a sequence, of as many groups of sequences as stages that follow them."""
    free, ready, finished = [0.0] * len(times), [0.0] * len(times), list[float]()
    for _ in range(2 * rounds):
        for group in range(len(times)):
            now = ready[group]
            for stage, time in enumerate(times):
                now = free[stage] = max(now, free[stage]) + time
            ready[group] = now
        finished.append(ready[0])
    return (finished[-1] - finished[rounds - 1]) / rounds


@pytest.mark.parametrize(
    ("model", "n_pp"), [("llama-3-8b", 1), ("llama-3-8b", 4), ("llama-3-8b", 5), ("gemma-3-1b", 4)]
)
def test_stages_work_at_the_pace_of_the_slowest(model: str, n_pp: int) -> None:
    """The last stage has the output layer, and the layers that are left: its chips pause where those are few."""
    known = [f"model = {model}", "chip = h100-sxm", "context = 512 token", "seq_len = 1024 token", f"n_pp = {n_pp}"]
    known += ["n_sequences = 320", "host_time = 0 ms", "sequence_host_time = 0 us"]
    cells = {name: float(cell.si) for name, cell in solve("decode", (), known).cells.items()}
    left = cells["n_blocks"] - (n_pp - 1) * cells["n_stage_blocks"]
    last = left / cells["n_stage_blocks"] * cells["stage_pass_time"] + cells["output_time"]
    times = [*[cells["stage_pass_time"]] * (n_pp - 1), last]
    assert cells["decode_time"] == pytest.approx(_round_time(times))
    work = 320 * cells["head_work_per_token"] / n_pp
    work += cells["n_blocks"] / cells["n_stage_blocks"] * (cells["dense_work"] + cells["pair_work"])
    assert cells["decode_work"] == pytest.approx(work)
    assert cells["utilization"] <= 1


@pytest.mark.parametrize(("sheet", "cell"), [("decode", "token_time"), ("prefill", "first_token_time")])
def test_one_chip_needs_no_links(sheet: str, cell: str) -> None:
    rates = ("chip.flops.bf16 = 989.4 TFLOP/s", "chip.memory_bandwidth = 3350 GB/s")
    known = ("model = llama-3-8b", "seq_len = 1024 token", "n_sequences = 8" if sheet == "decode" else "n_prompts = 1")
    assert value(sheet, cell, *known, *rates) == value(sheet, cell, *known, "chip = h100-sxm")


@pytest.mark.parametrize(("latent_inputs", "copies"), [("copied", 8), ("divided", 1)])
def test_ranks_copy_the_matrices_into_latent_attention(latent_inputs: str, copies: int) -> None:
    """Width 7168 to ranks of 1536 and 512 and a rotary key of 64, with norms of both ranks, in 61 layers."""
    served = ("n_sequences = 8", "seq_len = 4096 token", f"latent_inputs = {latent_inputs}")
    known = ("model = deepseek-v3", "chip = h200-sxm", *served)
    for cell, latent in (("rank_matrix_params", 7168 * (1536 + 512 + 64)), ("rank_vector_params", 1536 + 512)):
        one, eight = (value("decode", cell, *known, f"n_tp = {n_tp}") for n_tp in (1, 8))
        assert 8 * eight - one == pytest.approx((copies - 1) * 61 * latent)
    work, share = (value("decode", "dense_work", *known, f"n_tp = {n_tp}") for n_tp in (1, 8))
    router = 8 * 58 * 2 * 256 * 7168
    assert 8 * (share - router) - (work - router) == pytest.approx((copies - 1) * 8 * 61 * 2 * 7168 * (1536 + 512 + 64))


def test_chips_are_whole_replicas() -> None:
    known = ("model = llama-3-70b", "chip = h100-sxm", "seq_len = 4096", "n_sequences = 64")
    answer = solve("decode", "n_chips", [*known, "n_tp = 8", "token_rate >= 20000 token/s"])
    first = answer.outcomes["n_chips"].solutions[0].lower
    rates = [value("decode", "token_rate", *known, "n_tp = 8", f"n_dp = {first // 8 - less}") for less in (0, 1)]
    assert first % 8 == 0
    assert rates[0] >= 20000 > rates[1]


@pytest.mark.parametrize("context", [1, 700, 1023, 1024, 1025, 5000, 8192])
def test_a_chunk_of_attention_is_read_as_far_as_it_is_filled(context: int) -> None:
    blocks = (
        "n_blocks = 4",
        "n_window_blocks = 3",
        "window = 1024 token",
        "chunked = 1",
        "d_model = 64",
        "n_heads = 1",
    )
    shape = (*blocks, "vocab = 1", "d_ff = 1", f"context = {context} token", f"seq_len = {context} token")
    filled = (context - 1) % 1024 + 1  # tokens of the chunk that holds the last one, itself included
    over_chunk = sum(range(1, 1025)) / 1024 if context > 1024 else min(context, 1024)
    for option, read in (("full", min(context, 1024)), ("mean", over_chunk), ("cut", filled)):
        attended = value("decode", "attended_tokens", *shape, f"last_chunk = {option}")
        assert attended == pytest.approx(context + 3 * read)


@pytest.mark.parametrize("chunk", [512, 2048])
def test_passes_over_a_long_prompt_read_no_more_than_windows_hold(chunk: int) -> None:
    """Of Gemma 3 27B, 52 of 62 blocks have a window of 1,024 tokens; keys and values of 16 heads take 8 KiB a token."""
    tokens = 131072
    known = (
        "model = gemma-3-27b",
        "chip = h200-sxm",
        f"prompt_len = {tokens} token",
        f"batched_tokens = {chunk} token",
    )
    before = range(0, tokens, chunk)
    everywhere = sum(past + chunk for past in before) / len(before)
    windows = sum(min(past, 1024) + chunk for past in before) / len(before)
    read = 2 * 16 * 128 * 2 * (10 * everywhere + 52 * windows)
    assert read <= value("prefill", "cache_traffic", *known) <= read * 1.02


@pytest.mark.parametrize(("n_experts", "n_routed"), [(8, 1), (8, 2), (8, 4), (64, 6), (128, 4), (256, 8), (512, 10)])
@pytest.mark.parametrize("n_ep", [1, 2, 4, 8])
def test_copies_of_a_token_by_the_hypergeometric_distribution(n_experts: int, n_routed: int, n_ep: int) -> None:
    """A group has none of a token's experts as often as all of them are drawn from the others."""
    known = (f"n_experts = {n_experts}", f"n_routed = {n_routed}", f"n_ep = {n_ep}", f"n_adp = {n_ep}")
    copies = value("decode", "sent_copies", "model = deepseek-v3", "chip = h200-sxm", *known)
    missed = math.comb(n_experts - n_experts // n_ep, n_routed) / math.comb(n_experts, n_routed)
    close = 0.005 if n_routed <= n_experts / 4 else 0.03
    assert copies == pytest.approx(n_ep * (1 - missed), rel=close)


@pytest.mark.parametrize(("n_sequences", "tokens"), [(1, 1), (4, 4), (16, 16), (64, 64)])
def test_fewer_sequences_than_groups_reach_the_experts_of_their_tokens(n_sequences: int, tokens: int) -> None:
    """One token of DeepSeek-V3 reaches 8 of 256 experts, also where 16 groups of chips could have one each."""
    known = ("model = deepseek-v3", "chip = h200-sxm", "n_adp = 16", "n_ep = 16", "seq_len = 4096 token")
    share = value("decode", "read_expert_share", *known, f"n_sequences = {n_sequences}")
    assert share == pytest.approx(1 - (1 - 8 / 256) ** tokens)


@pytest.mark.parametrize(
    ("sheet", "cell", "more"),
    [
        ("decode", "token_time", ("n_sequences = 1", "seq_len = 4096")),
        ("decode", "token_time", ("n_sequences = 64", "seq_len = 4096", "n_tp = 8")),
        ("prefill", "first_token_time", ("prompt_len = 128",)),
        ("prefill", "first_token_time", ("prompt_len = 8192", "n_tp = 8")),
        (
            "serving",
            "request_time",
            ("prompt_len = 1000", "output_len = 200", "n_sequences = 8", "arrival_rate = 1 request/second"),
        ),
        (
            "hardware_wish",
            "needed_memory_bandwidth",
            ("n_tp = 8", "n_sequences = 16", "seq_len = 4096", "token_target = 40 ms"),
        ),
    ],
)
@pytest.mark.parametrize("model", ["llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b"])
def test_kernels_that_the_host_starts_are_no_faster_than_those_of_a_graph(
    sheet: str, cell: str, more: tuple[str, ...], model: str
) -> None:
    where = (f"model = {model}", "system = dgx-h100", *more)
    graph, eager = (value(sheet, cell, *where, f"launches = {option}") for option in ("graph", "eager"))
    assert eager >= graph
