"""Queues: Erlang's formula by its recurrence, the wait of constant service times, and queues simulated in time."""

from __future__ import annotations

import heapq
import math
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import solve
from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Callable

SERVERS = (1, 2, 3, 5, 10, 30, 100, 300, 1000)
LOADS = (0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
REQUESTS = 400_000


def cells(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    return {name: cell.si for name, cell in solve("queueing", (), relations).cells.items()}


def erlang_c(servers: int, load: float) -> float:
    """Return the probability that all servers are busy, by the recurrence of Erlang's loss formula."""
    loss = 1.0
    for count in range(1, servers + 1):
        loss = servers * load * loss / (count + servers * load * loss)
    return loss / (1 - load * (1 - loss))


def servers_for(offered: float, target: float, percentile: float = 0.95) -> int:
    """Return the servers for which a percentile of the wait is within a target [service times]."""
    servers = math.floor(offered) + 1
    while math.log(erlang_c(servers, offered / servers) / (1 - percentile)) > target * (servers - offered):
        servers += 1
    return servers


def simulated(servers: int, load: float, draw: Callable[[Random], float]) -> list[float]:
    """Return the waits of simulated requests, sorted [service times]."""
    chance = Random("queueing")  # noqa: S311  # the same each time
    free, now, waits = [0.0] * servers, 0.0, []
    for _ in range(REQUESTS):
        now += chance.expovariate(servers * load)
        start = max(now, heapq.heappop(free))
        waits.append(start - now)
        heapq.heappush(free, start + draw(chance))
    return sorted(waits)


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("servers", SERVERS)
def test_the_probability_is_that_of_the_recurrence(servers: int, load: float) -> None:
    found = cells(f"n_servers = {servers}", "service_time = 1 s", f"arrival_rate = {servers * load} request/s")
    expected = erlang_c(servers, load)
    assert found["wait_probability"] == pytest.approx(expected, rel=1e-10, abs=1e-300)
    assert found["mean_wait"] == pytest.approx(expected / (servers * (1 - load)), rel=1e-10, abs=1e-300)


@pytest.mark.slow
@pytest.mark.parametrize("percentile", [0.95, 0.99])
@pytest.mark.parametrize("offered", [0.5, 1, 2, 3, 5, 8, 12, 40, 160, 900])
@pytest.mark.parametrize("target", [0.0001, 0.01, 0.1, 1])
def test_servers_for_a_wait(offered: float, target: float, percentile: float) -> None:
    given = [
        f"arrival_rate = {offered / 8!r} request/s", "service_time = 8 s", f"wait_percentile = {percentile}",
        f"tail_wait <= {8 * target} s",
    ]  # fmt: skip
    outcome = solve("queueing", "n_servers", given).outcomes["n_servers"]
    assert outcome.si == servers_for(offered, target, percentile)
    assert not outcome.open


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (7, 0.8), (64, 0.9), (500, 0.97)])
def test_arrivals_and_service_times_for_a_probability(servers: int, load: float) -> None:
    probability = f"wait_probability = {erlang_c(servers, load)!r}"
    for unknown, given, expected in (
        ("arrival_rate", "service_time = 2 s", servers * load / 2),
        ("service_time", "arrival_rate = 4 request/s", servers * load / 4),
    ):
        answer = solve("queueing", unknown, [f"n_servers = {servers}", given, probability])
        assert answer.cells[unknown].si == pytest.approx(expected, rel=1e-9)


def test_servers_that_cannot_keep_up_are_all_busy() -> None:
    answer = solve("queueing", (), ["n_servers = 5", "service_time = 2 s", "arrival_rate = 4 request/s"])
    assert answer.cells["busy_probability"].si == 1
    assert [check.relation.name for check in answer.limits if not check.holds] == ["is_stable"]
    assert answer.cells["spare_servers"].si == 0
    assert not {"delayed_wait", "mean_wait", "tail_wait", "queue_len", "response_time"} & answer.cells.keys()


@pytest.mark.parametrize("cell", ["mean_wait", "tail_wait", "response_time"])
def test_a_wait_without_end_has_no_value_and_names_the_limit(cell: str) -> None:
    with pytest.raises(FlopsheetError, match=r"limit is_stable.*has no value at these numbers"):
        solve("queueing", cell, ["n_servers = 5", "service_time = 2 s", "arrival_rate = 4 request/s"])


def test_constant_service_times_halve_the_wait() -> None:
    given = ("n_servers = 1", "service_time = 2 s", "arrival_rate = 0.4 request/s", "queue_law = mg1")
    assert cells(*given)["mean_wait"] == pytest.approx(8)
    assert cells(*given, "service_variability = 0")["mean_wait"] == pytest.approx(4)


def test_a_queue_for_each_server_makes_requests_wait_longer_than_one_for_all() -> None:
    given = ("n_servers = 10", "service_time = 1 s", "arrival_rate = 8 request/s")
    alone, shared = cells(*given, "queue_law = mg1"), cells(*given)
    assert alone["mean_wait"] == pytest.approx(0.8 / 0.2)
    assert shared["mean_wait"] == pytest.approx(erlang_c(10, 0.8) / 2)


@pytest.mark.slow
@pytest.mark.parametrize(("servers", "load", "near"), [(1, 0.6, 0.05), (4, 0.9, 0.05), (32, 0.95, 0.08)])
def test_exponential_service_times_wait_as_simulated_requests_do(servers: int, load: float, near: float) -> None:
    waits = simulated(servers, load, lambda chance: chance.expovariate(1))
    found = cells(f"n_servers = {servers}", "service_time = 1 s", f"arrival_rate = {servers * load} request/s")
    assert found["wait_probability"] == pytest.approx(sum(wait > 0 for wait in waits) / REQUESTS, rel=near)
    assert found["mean_wait"] == pytest.approx(sum(waits) / REQUESTS, rel=2 * near)
    assert found["tail_wait"] == pytest.approx(waits[int(0.95 * REQUESTS)], rel=2 * near)


@pytest.mark.slow
@pytest.mark.parametrize(("servers", "load"), [(1, 0.8), (8, 0.9)])
def test_constant_service_times_wait_nearly_as_simulated_requests_do(servers: int, load: float) -> None:
    waits = simulated(servers, load, lambda _: 1.0)
    found = cells(
        f"n_servers = {servers}", "service_time = 1 s", f"arrival_rate = {servers * load} request/s",
        "queue_law = mgc", "service_variability = 0",
    )  # fmt: skip
    assert found["mean_wait"] == pytest.approx(sum(waits) / REQUESTS, rel=0.1)
    assert found["tail_wait"] == pytest.approx(waits[int(0.95 * REQUESTS)], rel=0.15)
