"""Replicas for a load: capacity counted request by request, and a simulated queue of prompts before full replicas."""

from __future__ import annotations

import heapq
from random import Random
from typing import Any

import pytest

from flopsheet import solve

GIVEN = (
    "arrival_rate = 20 request/s", "output_len = 500 token", "first_token_time = 120 ms", "token_time = 25 ms",
    "n_sequences = 64", "replica_chips = 8",
)  # fmt: skip
ENOUGH = 8  # replicas that 20 requests per second keep busy for 79 % of the time
REQUESTS = 200_000
MET = 20_000  # first tokens of a replica that are simulated step by step
PROMPT, STEP = 0.02, 0.03  # seconds, the step that of all places
SHARED, PLACES, LENGTH = 0.8, 64, 200


def cells(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]; relations replace those of the same cell in `GIVEN`."""
    named = {relation.partition("=")[0].strip() for relation in relations}
    kept = [relation for relation in GIVEN if relation.partition("=")[0].strip() not in named]
    return {name: cell.si for name, cell in solve("serving_load", (), [*kept, *relations]).cells.items()}


def test_replicas_have_time_for_all_prompts_and_answers() -> None:
    found = cells()
    busy = 20 * 0.12 + 20 * 499 * 0.025 / 64  # seconds of replicas per second; a prompt gives the first token
    assert found["prompt_replicas"] == found["answer_replicas"] == ENOUGH
    assert busy / ENOUGH <= 0.8 < busy / (ENOUGH - 1)
    assert found["replica_load"] == pytest.approx(busy / ENOUGH)
    assert found["n_chips"] == 64


def test_prompts_and_answers_apart_have_replicas_of_their_own() -> None:
    found = cells("placement = apart", "prefill_chips = 4")
    assert (found["prompt_replicas"], found["answer_replicas"]) == (3, 5)  # 2.4 / 0.8 and 3.9 / 0.8
    assert found["n_chips"] == 3 * 4 + 5 * 8
    assert found["token_latency"] == pytest.approx(0.025)
    assert found["max_arrival_rate"] == pytest.approx(min(3 / 0.12, 5 * 64 / (500 * 0.025)))


@pytest.mark.parametrize("replicas", [2, 7, 30])
def test_all_places_are_taken_at_the_largest_rate(replicas: int) -> None:
    shared = (f"prompt_replicas = {replicas}", f"answer_replicas = {replicas}")
    rate = float(cells(*shared)["max_arrival_rate"])
    found = solve("serving_load", (), [*GIVEN[1:], *shared, f"arrival_rate = {rate} request/s"], without=["has_places"])
    assert found.cells["concurrency"].si == pytest.approx(found.cells["n_places"].si)
    assert found.cells["replica_load"].si == pytest.approx(1)


def test_replicas_that_are_asked_for_alone_are_those_of_the_usual_load() -> None:
    answer = solve("serving_load", ["prompt_replicas", "n_chips"], GIVEN)
    assert [outcome.si for outcome in answer.outcomes.values()] == [ENOUGH, 64]
    assert answer.outcomes["prompt_replicas"].why == "Computed from its default."


def test_replicas_that_only_compute_prompts_have_no_times() -> None:
    found = cells("prompt_replicas = 2", "answer_replicas = 2")  # prompts alone take 2.4 replicas
    assert found["answer_share"] == 0
    assert not {"token_latency", "answer_time", "mean_first_token", "tail_first_token", "request_time"} & found.keys()


def test_prompts_slow_the_answers_of_the_same_replica() -> None:
    step, prompt, share = 0.025, 0.12, 20 * 0.12 / ENOUGH
    gaps = 1 / (20 / ENOUGH)  # seconds between two prompts of a replica, of which one prompt takes 0.12
    tokens = (gaps - prompt) / step
    found = cells()
    assert found["prompt_share"] == pytest.approx(share)
    assert found["token_latency"] == pytest.approx(gaps / tokens)


@pytest.mark.slow
def test_first_tokens_take_as_long_as_simulated() -> None:
    chance, free, now = Random("first tokens"), [0.0] * 3, 0.0  # noqa: S311  # the same each time
    times: list[float] = []
    for _ in range(REQUESTS):
        now += chance.expovariate(20)
        end = max(now, heapq.heappop(free)) + chance.expovariate(1 / 0.12)
        times.append(end - now)
        heapq.heappush(free, end)
    found = cells("placement = apart", "prompt_replicas = 3")
    assert found["mean_first_token"] == pytest.approx(sum(times) / REQUESTS, rel=0.05)


def with_steps(rate: float) -> list[float]:
    """Return times to first tokens [seconds], sorted: prompts wait for the end of a step, then come before answers."""
    chance, now, times = Random(f"steps at {rate}"), 0.0, list[float]()  # noqa: S311  # the same each time
    arrival, waiting, running = chance.expovariate(rate), list[float](), list[int]()
    while len(times) < MET:
        while arrival <= now:
            waiting.append(arrival)
            arrival += chance.expovariate(rate)
        if waiting:
            now += PROMPT
            times.append(now - waiting.pop(0))
            running.append(LENGTH - 1)
        elif running:
            now += STEP * (SHARED + (1 - SHARED) * len(running) / PLACES)
            running = [left - 1 for left in running if left > 1]
        else:
            now = arrival
    return sorted(times)


@pytest.mark.parametrize("load", [0.02, 0.1, 0.5])
def test_a_prompt_waits_for_the_end_of_a_step(load: float) -> None:
    """Constant prompts in one replica, whose steps take longer than a prompt: a wait without them is half of that."""
    rate = load / (PROMPT + (LENGTH - 1) * STEP / PLACES)
    times = with_steps(rate)
    replica = ("answer_replicas = 1", f"arrival_rate = {rate} request/s", "queue.queue_law = mgc")
    pace = (f"first_token_time = {PROMPT} s", f"token_time = {STEP} s", f"shared_share = {SHARED}")
    found = cells(*replica, *pace, f"n_sequences = {PLACES}", f"output_len = {LENGTH} token")
    assert found["mean_first_token"] == pytest.approx(sum(times) / MET, rel=0.03)
    assert found["tail_first_token"] == pytest.approx(times[int(0.95 * MET)], rel=0.15)


def test_a_step_of_drafts_is_longer_than_a_token() -> None:
    plain, drafted = cells(), cells("tokens_per_step = 3")
    assert plain["token_latency"] == drafted["token_latency"]
    longer = (drafted["answer_step"] - plain["answer_step"]) / 2
    assert longer == pytest.approx(plain["running_token_time"])
    assert drafted["mean_first_token"] - plain["mean_first_token"] == pytest.approx(longer, rel=0.01)
    alone = cells("placement = apart", "tokens_per_step = 3")
    assert alone["mean_first_token"] == cells("placement = apart")["mean_first_token"]


@pytest.mark.parametrize("placement", ["together", "apart"])
def test_answers_of_one_token_end_with_their_prompt(placement: str) -> None:
    """No replica writes answers where prompts have their own; 20 prompts of 0.12 s keep 2.4 busy."""
    found = cells("output_len = 1 token", f"placement = {placement}")
    assert (found["prompt_replicas"], found["n_chips"]) == (3, 3 * 8)
    assert found["answer_replicas"] == (0 if placement == "apart" else 3)
    assert found["replica_load"] == pytest.approx(2.4 / 3)
    assert (found["answer_time"], found["running_sequences"]) == (0, 1)
    assert found["request_time"] == pytest.approx(found["mean_first_token"])


def test_answers_that_have_no_replicas_have_no_places() -> None:
    """Answers keep 3.9 replicas busy: five have places for them, three and none have not."""
    for replicas, holds in ((5, True), (3, False), (0, False)):
        checks = solve("serving_load", (), [*GIVEN, "placement = apart", f"answer_replicas = {replicas}"]).limits
        assert {check.relation.name: check.holds for check in checks}["has_places"] is holds
    none = cells("placement = apart", "answer_replicas = 0")
    assert none["max_arrival_rate"] == 0
    assert "replica_load" not in none
