"""A replica at part of its load: steps simulated answer by answer, a fixed point found by bisection, and limits."""

from __future__ import annotations

import math
from functools import cache
from random import Random
from typing import Any

import pytest

from flopsheet import sheet, solve

DENSE = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 8")
STAGES = ("model = llama-3.1-405b", "chip = h100-sxm", "n_tp = 8", "n_pp = 2")
EXPERTS = ("model = deepseek-v3", "chip = h200-sxm", "n_tp = 1", "n_adp = 16", "n_ep = 16", "precision = fp8")
FEW_EXPERTS = ("model = qwen3-30b-a3b", "chip = h100-sxm")
HIDDEN = (*EXPERTS, "overlap = full", "host_time = 0 ms")
EAGER = ("model = llama-3-8b", "chip = h100-sxm", "launches = eager", "launch_time = 30 us")
DRAFTS = (*DENSE, "n_draft = 3", "weight_format = fp8")
CASES = {
    "dense": DENSE, "stages": STAGES, "experts": EXPERTS, "few-experts": FEW_EXPERTS, "hidden": HIDDEN,
    "eager": EAGER, "drafts": DRAFTS,
}  # fmt: skip
LENGTHS = ("context = 2048 token", "seq_len = 4096 token")
PLACES = 256
by_case = pytest.mark.parametrize("case", CASES)


@cache
def cells(name: str, *relations: str) -> dict[str, Any]:
    """Return the cells of a sheet by name [base units], whether or not limits hold."""
    answer = solve(name, (), relations, without=[*sheet(name).limits])
    return {name: cell.si for name, cell in answer.cells.items()}


def at_load(case: str, share: float, *relations: str) -> dict[str, Any]:
    """Return the cells where a replica is asked for a share of the tokens per second that it can give."""
    known = (*CASES[case], *LENGTHS, f"n_sequences = {PLACES}")
    most = float(cells("decode", *known)["replica_token_rate"])
    return cells("decode_at_load", *known, f"offered_token_rate = {share * most} token/s", *relations)


@cache
def token_time(case: str, n_sequences: int) -> float:
    """Return the time of a token of a full replica [second], by the sheet that knows no load."""
    return float(cells("decode", *CASES[case], *LENGTHS, f"n_sequences = {n_sequences}")["token_time"])


def between(case: str, n_sequences: float) -> tuple[float, float]:
    """Return the times of a token with as many sequences as the whole numbers around a mean [second]."""
    return token_time(case, math.floor(n_sequences)), token_time(case, math.ceil(n_sequences))


@by_case
@pytest.mark.parametrize("share", [0.01, 0.2, 0.6, 0.9, 1, 3])
def test_a_token_takes_as_long_as_in_a_full_step_of_the_sequences_in_progress(case: str, share: float) -> None:
    found = at_load(case, share)
    low, high = between(case, found["running_sequences"])
    assert low * (1 - 1e-9) <= found["running_token_time"] <= high * (1 + 1e-9)
    assert 1 <= found["running_sequences"] <= PLACES
    if share >= 1:
        assert found["running_sequences"] == pytest.approx(PLACES)
        assert found["running_token_time"] == pytest.approx(token_time(case, PLACES))


def _fixed_point(case: str, rate: float) -> float:
    """Return 1 + rate * time of a token, of as many sequences, by bisection between whole numbers of them."""
    few, many = 1, PLACES
    if 1 + rate * token_time(case, many) >= many:
        return many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if 1 + rate * token_time(case, middle) > middle else (few, middle)
    low, high = between(case, few + 0.5)
    return (1 + rate * (low - few * (high - low))) / (1 - rate * (high - low))


@by_case
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_the_sequences_in_progress_are_those_of_littles_law(case: str, share: float) -> None:
    """Exact where time grows evenly with sequences; experts and bends of the roofline leave up to 5 %."""
    found = at_load(case, share)
    rate = share * PLACES / token_time(case, PLACES)
    expected = _fixed_point(case, rate)
    bends = case in ("experts", "few-experts", "hidden")
    assert found["running_sequences"] == pytest.approx(expected, rel=0.05 if bends else 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_answers_that_share_steps_are_simulated(share: float) -> None:
    """Poisson arrivals, answers of exponential length, steps whose time grows with the answers that share them."""
    chance, mean, fixed, growing = Random(5), 200, 10e-3, 50e-6  # noqa: S311  # the same each time
    rate = share / (mean * growing)
    now = next_arrival = 0.0
    left: list[float] = []
    tokens = spent = 0.0
    while tokens < 3e6:
        step = fixed + growing * len(left)
        now = now + step if left else next_arrival
        tokens, spent = tokens + len(left), spent + step * len(left)
        left = [length - 1 for length in left if length > 1]
        while next_arrival <= now:
            left.append(chance.expovariate(1 / mean))
            next_arrival += chance.expovariate(rate)
    places = 10**6
    found = cells(
        "serving_load", f"arrival_rate = {rate} request/s", f"output_len = {mean} token", "placement = apart",
        "first_token_time = 1 ms", f"token_time = {fixed + growing * places} second", "answer_replicas = 1",
        f"n_sequences = {places}", f"shared_share = {fixed / (fixed + growing * places)}", "replica_chips = 1",
    )  # fmt: skip
    assert found["token_latency"] == pytest.approx(spent / tokens, rel=0.03)


@pytest.mark.parametrize("placement", ["together", "apart"])
def test_a_lightly_loaded_server_writes_as_fast_as_for_one_user(placement: str) -> None:
    known = (*DENSE, "weight_format = fp8", "prompt_len = 2000 token", "output_len = 500 token")
    load = ("arrival_rate = 0.001 request/s", "answer_replicas = 1", f"placement = {placement}")
    here = cells("serving", *known, *load, "n_sequences = 256")
    alone = cells("decode", *known[:-2], "n_sequences = 1", "seq_len = 2500 token", "context = 2250 token")
    assert here["token_latency"] == pytest.approx(alone["token_time"], rel=0.01)
    assert here["concurrency"] == pytest.approx(0.001 * 499 * float(alone["token_time"]), rel=0.01)
    assert here["token_time"] > 1.5 * here["token_latency"]


@pytest.mark.parametrize("placement", ["together", "apart"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_littles_law_holds_for_a_whole_fleet(placement: str, share: float) -> None:
    known = (*DENSE, "prompt_len = 2000 token", "output_len = 500 token", "n_sequences = 128")
    fleet = ("answer_replicas = 4", "prompt_replicas = 4", f"placement = {placement}")
    most = cells("serving", *known, *fleet, "arrival_rate = 1 request/s")
    most_rate = 4 / float(most["slot_time"] + (most["prompt_time"] if placement == "together" else 0))
    found = cells("serving", *known, *fleet, f"arrival_rate = {share * most_rate} request/s")
    assert found["concurrency"] / 4 + 1 == pytest.approx(found["running_sequences"], rel=1e-6)
    assert found["concurrency"] == pytest.approx(share * most_rate * 499 * float(found["token_latency"]))


def test_pinned_replicas_that_answer_compute_the_prompts_too() -> None:
    known = ("arrival_rate = 20 request/s", "output_len = 500 token", "first_token_time = 120 ms", "token_time = 25 ms")
    places = ("n_sequences = 64", "replica_chips = 8")
    found = cells("serving_load", *known, *places, "answer_replicas = 12")
    assert found["prompt_replicas"] == 12
    assert found["prompt_share"] == pytest.approx(20 * 0.12 / 12)
    answer = solve("serving_load", (), [*known, *places, "answer_replicas = 12", "prompt_replicas = 3"])
    assert "replicas_are_shared" in [check.relation.name for check in answer.limits if not check.holds]


def test_the_rate_that_a_time_of_a_token_allows_is_found_back() -> None:
    known = (*DENSE, "prompt_len = 2000 token", "output_len = 500 token", "n_sequences = 128", "answer_replicas = 4")
    answer = solve("serving", "arrival_rate", [*known, "token_latency = 30 ms"])
    rate = answer.outcomes["arrival_rate"].si
    assert rate is not None
    assert cells("serving", *known, f"arrival_rate = {rate} request/s")["token_latency"] == pytest.approx(0.030)


@pytest.mark.parametrize(
    ("name", "length"), [("decode", "context = 1000 token"), ("prefill", "prompt_len = 1000 token")]
)
def test_weights_that_fit_no_chip_are_told_without_a_length_of_sequences(name: str, length: str) -> None:
    """Llama 3.1 405B takes 762 GiB in bf16, of which one H100 holds 72: its caches need not be known."""
    answer = solve(name, (), ["model = llama-3.1-405b", "chip = h100-sxm", "n_tp = 1", "n_sequences = 1", length])
    assert "weights_fit" in [check.relation.name for check in answer.limits if not check.holds]


def test_a_prompt_that_is_cached_whole_breaks_a_limit() -> None:
    known = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "prompt_len = 8000 token", "cached_len = 8000 token")
    answer = solve("prefill", (), known)
    assert [check.relation.name for check in answer.limits if not check.holds] == ["something_is_new"]
    assert float(answer.cells["n_passes"].si) == 1
