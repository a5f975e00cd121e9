"""Answers of the questions on serving, computed again in plain Python from the numbers that each question names."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import pytest
from tests.asked import answered as answer_to
from tests.models.hand_computed import (
    ATTENTION,
    GAPS,
    GIB,
    H100,
    H100_BF16,
    H200,
    HOST,
    HOST_PER_SEQUENCE,
    LAUNCH,
    LLAMA_8B,
    LLAMA_70B,
    LLAMA_405B,
    MATMUL,
    MEMORY,
    QWEN_32B,
    QWEN_235B,
    Model,
    Server,
)  # fmt: skip

from flopsheet.registry.packs import packs

if TYPE_CHECKING:
    from collections.abc import Callable


FOLDER = packs()[0].folder / "models" / "questions"
HOUR, DAY = 3600, 24 * 3600


def answered(name: str, cell: str) -> float:
    """Return the value of an unknown [base units]; of a range of whole numbers, its end."""
    outcome = answer_to(name).outcomes[cell]
    if outcome.si is not None:
        return float(outcome.si)
    (part,) = outcome.solutions
    return float(part.ends[-1][0])


def answered_least(name: str, cell: str) -> int:
    """Return the smallest whole number that answers an unknown."""
    return math.ceil(answer_to(name).outcomes[cell].solutions[0].ends[0][0])


def largest(fits: Callable[[int], bool]) -> int:
    """Return the largest whole number for which a condition holds, that holds for all smaller ones."""
    low, high = 1, 2
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def test_batch_of_llama_in_30_ms() -> None:
    batch = largest(lambda n: H100.step(LLAMA_70B, n, 8192) <= 30e-3)
    assert math.floor(answered("batch-llama-3-70b-h100", "n_sequences")) == batch


def test_batch_rate_and_first_token_of_llama() -> None:
    room = 0.9 * H100.memory - H100.fixed_memory(LLAMA_70B)
    cache_bytes = 80 * 1 * 128 * 2 * 2 * 8192  # layers, one head of keys and values a chip, bf16, tokens
    batch = int(room // cache_bytes)
    name = "serve-llama-3-70b-h100"
    assert answered(name, "n_sequences") == batch
    half_written = 7680 + 512 / 2
    rate = batch / H100.step(LLAMA_70B, batch, half_written)
    assert answered(name, "replica_token_rate") == pytest.approx(rate)
    assert answered(name, "first_token_time") == pytest.approx(H100.prompt(LLAMA_70B, 7680))


def test_longest_context_of_qwen_on_one_card() -> None:
    four_bits = 0.5 + (2 + 0.5) / 128  # bytes, with scale and zero point of 128 weights
    card = Server(chips=1, bandwidth=1, peak=1, peak16=1, link=1, memory=32 * GIB, weight=four_bits)
    room = 0.9 * card.memory - card.fixed_memory(QWEN_32B)
    token = 64 * 8 * 128 * 2 * 2  # layers, heads, width, keys and values, bf16
    assert math.floor(answered("context-qwen3-32b-rtx-5090", "seq_len")) == room // (16 * token) * 16


def deepseek_step(batch: float) -> float:
    """Return the time of a step of DeepSeek-V3 on 16 H200, each with sequences of its own and 16 experts a layer."""
    tokens, memory, peak = batch / 16, MEMORY * 4.8e12, MATMUL * 1978.9e12
    fp8 = 1 + 4 / 128**2  # bytes, with the fp32 scale of a block
    # Down and up projections of queries, of keys and values, and the output: 128 heads of 128, 64 more for positions
    latent = 7168 * 1536 + 1536 * 128 * 192 + 7168 * (512 + 64) + 512 * 128 * 256 + 128 * 128 * 7168
    expert = 3 * 7168 * 2048
    dense = 61 * latent + 3 * 3 * 7168 * 18432 + 58 * expert  # three dense layers, a shared expert in the others
    routers = 58 * 256 * 7168
    biases = 58 * 256  # a number for each expert, in bf16 as the routers
    time = max(2 * tokens * (dense + routers) / peak, (dense * fp8 + 2 * (routers + biases)) / memory)
    reached: float = 16 * (1 - (1 - 8 / 256) ** batch)  # of the 16 experts of a chip
    time += max(2 * tokens * 8 * 58 * expert / peak, reached * 58 * expert * fp8 / memory)
    past = tokens * 61 * 8192
    time += max(past * 576 * 2 / memory, past * 2 * 128 * (512 + 512 + 64) / (ATTENTION * 989.4e12))
    # To the groups with one of its eight experts in fp8 and back in bf16; half of the ranks are in the other server
    sent = 16 * (1 - math.comb(240, 8) / math.comb(256, 8)) * tokens * 7168 * 1.5
    exchange = max(sent * 7 / 8 * 8 / 16 / 450e9, sent * 8 / 16 / 50e9) + 5e-6 + LAUNCH
    head = 129280 * 7168
    time += 2 * 58 * exchange + max(2 * tokens * head / peak, 2 * head / memory)
    return time + 61 * GAPS + HOST + tokens * HOST_PER_SEQUENCE


def test_sequences_of_deepseek_in_50_ms() -> None:
    batch = largest(lambda n: deepseek_step(n) <= 50e-3)
    assert math.floor(answered("sequences-deepseek-v3-16-h200", "n_sequences")) == batch


@pytest.mark.slow
@pytest.mark.xdist_group("chips-1000-users-30-tokens")  # whose pages are written from the same answer
def test_chips_for_1000_users() -> None:
    prompt = H100.prompt(LLAMA_70B, 1000)

    def gap(batch: int) -> float:  # an answer of 500 tokens that ends makes room for a prompt
        return H100.step(LLAMA_70B, batch, 1000 + 250) + batch * prompt / 500

    batch = largest(lambda n: gap(n) <= 1 / 30)
    name = "chips-1000-users-30-tokens"
    assert math.floor(answered(name, "n_sequences")) == batch
    assert answered(name, "n_chips") == 8 * math.ceil(1000 / batch)


def costs(server: Server, batch: int, price: float, share: float) -> tuple[float, float, float]:
    """Return USD per million input tokens, output tokens, and tokens of prompts of 2,000 and answers of 500 tokens."""
    second = server.chips * price / HOUR / share
    read = server.prompt(LLAMA_70B, 2000) * second
    written = 499 / 500 * server.step(LLAMA_70B, batch, 2250) / batch * second  # a prompt gives the first token
    return read / 2000 * 1e6, written * 1e6, (read + 500 * written) / 2500 * 1e6


def gap_of(server: Server, batch: int) -> float:
    """Return the time between tokens with such requests, prompts included [s]."""
    return server.step(LLAMA_70B, batch, 2250) + batch * server.prompt(LLAMA_70B, 2000) / 499


def test_cost_on_h200_at_half_load() -> None:
    batch = largest(lambda n: gap_of(H200, n) <= 50e-3)
    name = "cost-h200-half-load"
    assert math.floor(answered(name, "n_sequences")) == batch
    found = [answered(name, cell) * 1e6 for cell in ("input_cost", "output_cost", "token_cost")]
    assert found == pytest.approx(costs(H200, batch, 2.5, 0.5))


def test_bandwidth_at_which_64_sequences_compute() -> None:
    # A weight of one byte takes 2 FLOP a token: reading is as fast as computing at 64 tokens
    rate = MATMUL * 1978.9e12 / (2 * 64)
    assert LLAMA_405B.matrices > 400e9
    assert answered("bandwidth-405b-batch-64", "chip.memory_bandwidth") == pytest.approx(rate / MEMORY)


def row_of(name: str, *keys: str) -> list[str]:
    """Return the other columns of a row of the table on the page of a question."""
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {re.escape(' | '.join(keys))} \| (.*) \|$", page, re.MULTILINE)
    return [value.replace(",", "") for value in row.split(" | ")]


# In int8 with a scale of 4 bytes for each output of a matrix, multiplied in bf16; prices of the page
OUTPUTS = 8192 + 2 * 1024 + 8192 + 2 * 28672 + 8192  # queries, keys and values, output, feed-forward part
INT8 = 1 + 4 * OUTPUTS / (8192 * (8192 + 2 * 1024 + 8192 + 3 * 28672))
RENTED = {
    "gh200-96gb": (Server(4, 4e12, 989.4e12, 989.4e12, 450e9, weight=INT8), 2.29),
    "h100-sxm": (Server(4, 3.35e12, 989.4e12, 989.4e12, 450e9, weight=INT8), 3.99),
    "b200-sxm": (Server(4, 7.7e12, 2250e12, 2250e12, 900e9, weight=INT8), 7.15),
}


@pytest.mark.parametrize("chip", RENTED)
def test_chips_that_serve_below_1_usd(chip: str) -> None:
    server, price = RENTED[chip]
    cost, gap, *_ = row_of("chips-70b-below-1-usd", chip)
    assert float(cost.split()[0]) == pytest.approx(costs(server, 128, price, 0.5)[2], rel=3e-4)
    assert float(gap.split()[0]) == pytest.approx(1000 * gap_of(server, 128), rel=3e-4)


def test_a_chip_that_is_too_slow_is_not_among_them() -> None:
    a100 = Server(4, 2.039e12, 312e12, 312e12, 300e9, weight=INT8)
    ranking = answer_to("chips-70b-below-1-usd").ranking
    assert gap_of(a100, 128) > 0.1
    assert ranking is not None
    (missed,) = (own.why for own in ranking.rejected if own.text == "a100-sxm4-80gb")
    assert missed.startswith(f"'full_token_latency <= 100 ms' does not hold: {1000 * gap_of(a100, 128):.1f} ms")


def test_energy_of_a_billion_tokens_a_day() -> None:
    name = "carbon-billion-tokens-a-day"
    rate = 1e9 / 2500 / DAY / 0.816  # requests per second at the peak of the day
    assert answered(name, "arrival_rate") == pytest.approx(rate)
    prompt, answer_time = H100.prompt(LLAMA_70B, 2000), 499 * H100.step(LLAMA_70B, 128, 2250) / 128
    replicas = math.ceil(rate * (prompt + answer_time) / 0.8)
    assert answered(name, "n_chips") == 8 * replicas
    busy = 0.816 * rate * (prompt + answer_time) / replicas  # share of the time, averaged over the day
    watt = 8 * replicas * (700 + 575) * 1.2 * (0.7 * busy + 0.2 * (1 - busy))  # chip, its share of the server, site
    assert answered(name, "fleet_power") == pytest.approx(watt)
    assert answered(name, "daily_carbon") == pytest.approx(watt / 3.6e6 * 370)  # g a joule


def test_batch_below_which_drafts_gain() -> None:
    gained = sum(0.6**k for k in range(5))  # a step's own token, and those of a draft up to the first rejected one

    def gains(batch: float) -> bool:  # a proposed token takes 5 % of a step without drafts
        plain = H100_BF16.step(LLAMA_8B, batch, 512)
        return (H100_BF16.step(LLAMA_8B, batch, 512, drafted=4) + 4 * 0.05 * plain) / gained < plain

    assert answered("drafts-below-batch", "n_sequences") == largest(gains)


def test_share_of_the_time_at_which_buying_is_cheaper() -> None:
    capital = 40_000 * 1.6 * 1.15  # USD: chip, its share of the server, and of the network
    annuity = 0.07 / (1 - 1.07**-5)
    kilowatt = 1.0 * 1275 / 700  # the share of a server as beside an H100
    energy = 0.7 * kilowatt * 1.2 * 8766 * 0.08  # USD a year at 70 % of the power
    year = capital * annuity + energy + kilowatt * (184.06 * 12 + 300)
    rent = 7.15 * 8766  # USD a year of 365.25 days
    assert answered("rent-or-buy-64-b200", "busy_share") == pytest.approx(year / rent)


@pytest.mark.parametrize(
    ("chip", "model", "numbers", "bandwidth", "peak"),
    [
        ("apple-m2-ultra", "llama-3.1-8b", LLAMA_8B, 800e9, 27.2e12),
        ("apple-m4-max", "qwen3-32b", QWEN_32B, 546e9, 18.4e12),
        ("apple-m4-max", "llama-3-70b", LLAMA_70B, 546e9, 18.4e12),
    ],
)
def test_local_models_on_apple_chips(chip: str, model: str, numbers: Model, bandwidth: float, peak: float) -> None:
    four_bits = 0.5 + (2 + 0.5) / 128
    local = Server(1, bandwidth, peak, peak, 1, weight=four_bits)
    rate, *_ = row_of("apple-local-models", chip, model)
    assert float(rate) == pytest.approx(1 / local.step(numbers, 1, 8192), rel=3e-4)


@pytest.mark.parametrize(
    ("model", "numbers"), [("qwen3-32b", QWEN_32B), ("llama-3-70b", LLAMA_70B), ("qwen3-235b-a22b", QWEN_235B)]
)
def test_experts_or_dense_in_30_ms(model: str, numbers: Model) -> None:
    batch = largest(lambda n: H100.step(numbers, n, 4096) <= 30e-3)
    found, rate, *_ = row_of("moe-or-dense", model)
    assert int(found) == batch
    assert float(rate) == pytest.approx(batch / H100.step(numbers, batch, 4096) / 8, rel=3e-4)


@pytest.mark.slow
@pytest.mark.xdist_group("disaggregated-chat-70b")  # whose pages are written from the same answer
def test_prompts_on_h100_and_answers_on_a100() -> None:
    name, rate, cv = "disaggregated-chat-70b", 50, 0.96
    prompt = Server(4, 3.35e12, 1978.9e12, 989.4e12, 450e9).prompt(LLAMA_70B, 1155)

    def first_token(replicas: int) -> float:  # waiting by Sakasegawa and Allen-Cunneen, and a gamma-distributed prompt
        load = rate * prompt / replicas
        delayed = (1 + cv**2) / 2 * prompt / (replicas * (1 - load))
        wait = delayed * math.log(load ** (math.sqrt(2 * (replicas + 1)) - 1) / 0.05)
        return wait + prompt * (1 - cv**2 / 9 + 1.645 * cv / 3) ** 3

    stable = math.ceil(rate * prompt)
    assert answered_least(name, "prompt_replicas") == next(n for n in range(stable, 99) if first_token(n) <= 0.3)
    held = 1155 * (1 - 0.11 * cv * 0.77) + 211 * (1 + 0.77**2) / 2
    step = Server(8, 2.039e12, 312e12, 312e12, 300e9, weight=2).step(LLAMA_70B, 128, held)
    assert answered_least(name, "answer_replicas") == math.ceil(rate * 210 * step / (0.8 * 128))
    hour = 3 * 4 * 3.99 + 3 * 8 * 2.79  # USD of the chips, at the prices of the page
    mean_rate = 0.816 * rate  # over a day
    assert answered(name, "token_cost") * 1e6 == pytest.approx(hour / (mean_rate * HOUR * (1155 + 211)) * 1e6)
