"""Serving: the same times, costs and queues as those of its parts alone, and a day counted request by request."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from flopsheet import sheet, solve

DAY = 24 * 3600
LLAMA = (
    "model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "weight_format = fp8", "precision = fp8",
    "prompt_len = 4000 token", "output_len = 600 token", "n_sequences = 96",
)  # fmt: skip
DEEPSEEK = (
    "model = deepseek-v3", "chip = h200-sxm", "n_tp = 1", "n_adp = 16", "n_ep = 16", "precision = fp8",
    "prompt_len = 5000 token", "output_len = 1000 token", "n_sequences = 512", "cached_share = 0.5",
)  # fmt: skip
CASES = {"llama": LLAMA, "deepseek": DEEPSEEK}
LOAD = ("arrival_rate = 7 request/s", "chip_price = 2.5 USD/hour", "load_factor = 0.8")
by_case = pytest.mark.parametrize("case", CASES)
by_placement = pytest.mark.parametrize("placement", ["together", "apart"])


@cache
def cells(*relations: str, name: str = "serving") -> dict[str, Any]:
    """Return the cells of a sheet by name [base units], whether or not limits hold."""
    answer = solve(name, (), relations, without=[*sheet(name).limits])
    return {name: cell.si for name, cell in answer.cells.items()}


@by_case
def test_passes_take_as_long_as_alone(case: str) -> None:
    known = [text for text in CASES[case] if not text.startswith(("prompt_len", "output_len", "cached"))]
    here = cells(*CASES[case])
    step = cells(*known, f"context = {here['prompt_len'] + here['output_len'] / 2} token", name="decode")
    at_once = (f"n_prompts = {here['n_adp']}", f"cached_len = {here['cached_len']} token")
    first = cells(*known, f"prompt_len = {here['prompt_len']} token", *at_once, name="prefill")
    for cell in ("token_time", "replica_token_rate", "read_traffic", "utilization"):
        assert here[f"decode.{cell}"] == pytest.approx(step[cell])
    for cell in ("first_token_time", "prefill_work", "utilization"):
        assert here[f"prefill.{cell}"] == pytest.approx(first[cell])
    assert here["token_time"] == here["decode.token_time"]


def test_parts_repeat_no_row_of_the_model_and_its_machine() -> None:
    shared, rows = sheet("served_model"), sheet("serving")
    known = {*shared.cells, *shared.choices, *shared.limits}
    names = {*rows.cells, *rows.choices, *rows.limits}
    assert not {f"{part}.{name}" for part in ("decode", "prefill") for name in known} & names


@by_case
@by_placement
def test_a_day_costs_what_its_chips_cost(case: str, placement: str) -> None:
    found = cells(*CASES[case], *LOAD, f"placement = {placement}")
    requests = 0.8 * 7 * DAY
    assert found["daily_requests"] * DAY == pytest.approx(requests)
    bill = requests * (
        (found["prompt_len"] - found["cached_len"]) * found["input_cost"] + found["output_len"] * found["output_cost"]
    )
    assert bill == pytest.approx(found["n_chips"] * 24 * 2.5)
    assert found["token_cost"] * requests * (found["prompt_len"] + found["output_len"]) == pytest.approx(bill)


@by_case
@by_placement
def test_all_replicas_are_busy_and_full_at_the_largest_rate(case: str, placement: str) -> None:
    replicas = ("answer_replicas = 6", "prompt_replicas = 6", f"placement = {placement}")
    most = cells(*CASES[case], *LOAD, *replicas)["max_arrival_rate"]
    found = cells(*CASES[case], *LOAD[1:], *replicas, f"arrival_rate = {float(most)} request/s")
    assert found["replica_load"] == pytest.approx(1)
    if placement == "together":
        assert found["token_latency"] == pytest.approx(found["full_token_latency"])
        assert found["concurrency"] == pytest.approx(found["n_places"])
        assert found["peak_load"] == pytest.approx(1)
        assert found["chip_answer_rate"] == pytest.approx(found["full_chip_rate"])


def test_a_replica_that_is_always_full() -> None:
    """Follow one replica: steps of all answers, and a prompt for each answer that ends."""
    found = cells(*LLAMA, "placement = together")
    n, length = 96, 600
    left = [(k + 1) * length / n for k in range(n)]  # answers end one after the other
    now, steps = 0.0, 40 * length
    for _ in range(steps):
        now += float(found["token_time"])
        left = [tokens - 1 for tokens in left]
        ended = sum(tokens <= 0 for tokens in left)
        now += ended * float(found["first_token_time"])
        left = [tokens if tokens > 0 else tokens + length for tokens in left]
    assert now / steps == pytest.approx(float(found["full_token_latency"]), rel=0.01)
    assert n * steps / now / 8 == pytest.approx(float(found["full_chip_rate"]), rel=0.01)


def test_computation_of_a_request() -> None:
    """Two FLOP per parameter and token, and 4 per pair of tokens and unit of width, of the time at the peak rate."""
    found = cells(*LLAMA)
    params, width = 70.6e9 - 128256 * 8192, 80 * 8192  # without the lookup of the embedding
    prompt = 2 * (params - 128256 * 8192) * 4000 + 4 * width * 4000 * 4001 / 2
    answer = 600 * (2 * params + 4 * width * 4300)
    peak = 1978.9e12 * float(found["request_chip_time"])
    assert (prompt + answer) / peak == pytest.approx(float(found["utilization"]), rel=0.01)


def test_memory_holds_the_sequences_that_are_inferred() -> None:
    known = [text for text in LLAMA if not text.startswith("n_sequences")]
    most = cells(*known)["n_sequences"]
    for n_sequences, fits in ((most, True), (most + 1, False)):
        found = cells(*known, f"n_sequences = {n_sequences}")
        assert (found["inference_memory"] <= 0.9 * found["chip.memory"]) is fits


def test_batch_of_a_sheet_that_counts_weights_and_caches_alone() -> None:
    """Llama 3 70B in fp8, bf16 caches of 8,192 tokens and 90 % of 8 H100: 204 sequences, worked by hand."""
    alone = (
        "batched_tokens = 0 token",
        "logit_tokens = 0 token",
        "kernel_memory = 0 MiB",
        "communication_memory = 0 MiB",
    )
    lengths = ("prompt_len = 7680 token", "output_len = 512 token")
    found = cells(*LLAMA[:5], *lengths, *alone, "bytes_per_outer_param = 1 byte/param")
    memory, weights, cache = 0.9 * 8 * 80 * 2**30, 70553706496, 80 * 2 * 8 * 128 * 2 * 8192
    assert found["n_sequences"] == (memory - weights) // cache == 204


@pytest.mark.parametrize(
    ("most", "works"), [("10 ms", False), ("15 ms", True), pytest.param("60 ms", True, marks=pytest.mark.slow)]
)
def test_rates_for_a_time_of_a_token_are_proven(most: str, works: bool) -> None:
    answer = solve("serving", "arrival_rate", [*LLAMA, "chip_price = 2.5 USD/hour", f"token_latency <= {most}"])
    outcome = answer.outcomes["arrival_rate"]
    assert bool(outcome.listed) == works
    assert not outcome.open


@pytest.mark.parametrize("target", ["tail_first_token <= 1 s", "tail_first_token <= 150 ms"])
def test_rates_for_a_first_token_in_time_are_proven(target: str) -> None:
    """Down to the rarest requests, which meet no step: there the rest of a step that they wait for is zero."""
    known = [*LLAMA[:-1], "answer_replicas = 4", "token_latency <= 50 ms"]
    answer = solve("serving", "arrival_rate", [*known, target], budget="20 s")
    outcome = answer.outcomes["arrival_rate"]
    assert not outcome.open
    (span,) = outcome.listed
    most, promised = float(target.split()[2]) * (1000 if target.endswith(" s") else 1), {}
    for share in (1e-6, 0.5, 0.999, 1.001):
        found = cells(*LLAMA[:-1], "answer_replicas = 4", f"arrival_rate = {float(span.upper) * share} request/s")
        promised[share] = found["tail_first_token"] * 1000 <= most and found["token_latency"] <= 0.05
    assert promised == {1e-6: True, 0.5: True, 0.999: True, 1.001: False}
