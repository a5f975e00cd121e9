"""Lengths of requests: what simulated replicas hold, counted step by step, and requests of a published trace."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean, pstdev, quantiles
from typing import Any

import pytest

from flopsheet import solve

SLOTS, STEPS, SEED = 400, 4000, "request lengths"


def cells(name: str, *relations: str) -> dict[str, Any]:
    """Return the cells of a sheet by name [base units]."""
    return {cell: value.si for cell, value in solve(name, (), relations).cells.items()}


def drawn(chance: Random, mean: float, cv: float) -> float:
    """Return a length of a gamma distribution."""
    return chance.gammavariate(cv**-2, mean * cv**2) if cv else mean


def held_by_slots(prompt: tuple[float, float], answer: tuple[float, float]) -> tuple[list[float], list[float]]:
    """Return the tokens of the requests in places that are always taken, and their sums, at moments of a simulation."""
    chance = Random(SEED)  # noqa: S311  # the same each time
    prompts = [drawn(chance, *prompt) for _ in range(SLOTS)]
    answers = [drawn(chance, *answer) for _ in range(SLOTS)]
    ages = [chance.random() * length for length in answers]
    held, sums = list[float](), list[float]()
    stride = answer[0] / 20
    for step in range(STEPS):
        for slot in range(SLOTS):
            ages[slot] += stride
            while ages[slot] >= answers[slot]:
                ages[slot] -= answers[slot]
                prompts[slot], answers[slot] = drawn(chance, *prompt), drawn(chance, *answer)
        if step >= STEPS // 8 and step % 10 == 0:  # after a time in which long answers have come to their share
            now = [p + a for p, a in zip(prompts, ages, strict=True)]
            held += now
            sums.append(sum(now))
    return held, sums


@pytest.mark.slow
@pytest.mark.parametrize(("prompt_cv", "output_cv"), [(0.5, 0), (0.96, 0.77), (0.3, 1.5)])
def test_simulated_requests_hold_as_many_tokens(prompt_cv: float, output_cv: float) -> None:
    held, sums = held_by_slots((1000, prompt_cv), (400, output_cv))
    given = (
        "prompt_len = 1000 token",
        "output_len = 400 token",
        f"prompt_cv = {prompt_cv}",
        f"output_cv = {output_cv}",
    )
    found = cells("request_lengths", *given)
    assert found["held_len"] == pytest.approx(fmean(held), rel=0.02)
    assert found["held_deviation"] == pytest.approx(pstdev(held), rel=0.04)
    room = SLOTS * found["held_len"] + 1.645 * math.sqrt(SLOTS) * found["held_deviation"]
    assert sum(total <= room for total in sums) / len(sums) == pytest.approx(0.95, abs=0.03)


def test_requests_alike_hold_half_of_their_answer() -> None:
    found = cells("request_lengths", "prompt_len = 1000 token", "output_len = 400 token")
    assert (found["held_len"], found["mean_answer"]) == (1200, 400)
    assert found["held_deviation"] == pytest.approx(400 / math.sqrt(12))  # written from none to all, evenly


def test_all_that_is_held_has_room() -> None:
    known = ("prompt_len = 1155 token", "output_len = 211 token", "prompt_cv = 0.96", "output_cv = 0.77")
    found = cells("serving", *known, "cache_allocation = paged", "chip = h100-sxm", "n_tp = 8", "model = llama-3-70b")
    room = found["max_sequences"] * found["held_len"]
    for n_sequences, fits in ((found["paged_sequences"], True), (found["paged_sequences"] + 1, False)):
        held = n_sequences * found["held_len"] + 1.645 * math.sqrt(n_sequences) * found["held_deviation"]
        assert (held <= room) is fits
    assert found["n_sequences"] == found["paged_sequences"]


@pytest.mark.slow
@pytest.mark.parametrize(("replicas", "rate", "prompt_cv"), [(1, 5, 0.7), (1, 5, 1.5), (3, 20, 0.96)])
def test_first_tokens_of_prompts_of_many_lengths(replicas: int, rate: float, prompt_cv: float) -> None:
    chance, free, now = Random(SEED), [0.0] * replicas, 0.0  # noqa: S311  # the same each time
    waits, times = list[float](), list[float]()
    for _ in range(300_000):
        now += chance.expovariate(rate)
        first = min(range(replicas), key=free.__getitem__)
        start = max(now, free[first])
        free[first] = start + drawn(chance, 0.12, prompt_cv)
        waits.append(start - now)
        times.append(free[first] - now)
    found = cells(
        "serving_load", "placement = apart", f"prompt_replicas = {replicas}", "first_token_time = 120 ms",
        f"arrival_rate = {rate} request/s", f"prompt_cv = {prompt_cv}", "queue.queue_law = mgc",
    )  # fmt: skip
    assert found["queue.mean_wait"] == pytest.approx(fmean(waits), rel=0.1)
    assert found["queue.wait_deviation"] == pytest.approx(pstdev(waits), rel=0.25)
    tail = quantiles(times, n=20)[-1]
    assert tail <= found["tail_first_token"] * 1.02  # the sum of both percentiles is cautious
    assert found["tail_first_token"] <= 1.5 * tail


@pytest.mark.slow
@pytest.mark.parametrize("output_cv", [0.3, 0.77, 1.5])
def test_whole_answers_have_the_percentile_of_simulated_ones(output_cv: float) -> None:
    chance = Random(SEED)  # noqa: S311  # the same each time
    found = cells(
        "serving_load", "placement = apart", "prompt_replicas = 3", "prompt_cv = 0.96", f"output_cv = {output_cv}",
        "first_token_time = 120 ms", "arrival_rate = 20 request/s", "token_latency = 25 ms", "output_len = 500 token",
    )  # fmt: skip
    waits = (found["queue.delayed_wait"], found["queue.wait_probability"])
    times = [
        (chance.expovariate(1 / waits[0]) if chance.random() < waits[1] else 0)
        + drawn(chance, 0.12, 0.96)
        + drawn(chance, 500 * 0.025, output_cv)
        for _ in range(200_000)
    ]
    assert found["request_time"] == pytest.approx(fmean(times), rel=0.01)
    assert found["request_deviation"] == pytest.approx(pstdev(times), rel=0.02)
    assert found["tail_request_time"] == pytest.approx(quantiles(times, n=20)[-1], rel=0.06)


@pytest.mark.parametrize(("percentile", "quantile"), [(0.5, 0), (0.9, 1.2816), (0.95, 1.6449), (0.99, 2.3263)])
def test_quantiles_are_close_to_normal_ones(percentile: float, quantile: float) -> None:
    found = cells("serving_load", f"queue.wait_percentile = {percentile}", "queue.queue_law = mmc")
    assert found["normal_quantile"] == pytest.approx(quantile, abs=0.01)
