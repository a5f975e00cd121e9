"""Synchronization between sites against a simulation that sends layer after layer over one link."""

from __future__ import annotations

from fractions import Fraction

import pytest

from flopsheet import solve

LAYERS, STEP, BACKWARD = 24, Fraction(1, 10), Fraction(2, 3)
# Fragments, steps that hide a fragment, seconds to send the whole model, seconds of latency of one hop.
RUNS = {
    "bound by links": (1, 0, Fraction(3), Fraction(1, 200)),
    "bound by links, narrowly": (1, 0, Fraction(7, 100), Fraction(0)),
    "bound by computation": (1, 0, Fraction(1, 20), Fraction(1, 100)),
    "fragments": (8, 0, Fraction(3), Fraction(1, 100)),
    "fragments over a step": (8, 1, Fraction(3), Fraction(1, 100)),
    "fragments over two steps": (6, 2, Fraction(6), Fraction(1, 100)),
    "fragments that are hidden": (8, 1, Fraction(1), Fraction(1, 1000)),
}


def _mean_wait(fragments: int, hidden_steps: int, model_time: Fraction, latency: Fraction) -> Fraction:
    """Return how long chips wait for a fragment, on average, where the link sends one layer at a time."""
    layer_backward, layer_time = BACKWARD * STEP / LAYERS, model_time / LAYERS
    waits = []
    for fragment in range(fragments):
        free = Fraction(0)
        for layer in reversed(range(fragment, LAYERS, fragments)):
            ready = (LAYERS - layer) * layer_backward
            free = max(free, ready) + layer_time
        waits.append(max(Fraction(0), free + latency - BACKWARD * STEP - hidden_steps * STEP))
    return sum(waits, Fraction(0)) / fragments


@pytest.mark.parametrize("run", RUNS)
def test_wait(run: str) -> None:
    fragments, hidden_steps, model_time, latency = RUNS[run]
    method = "diloco" if fragments == 1 else "streaming"
    answer = solve(
        "site_sync",
        "exposed_sync_time",
        [
            "params = 1e9",
            f"n_sync_parts = {LAYERS}",
            f"step_time = {STEP} s",
            "n_sites = 2",
            f"site_latency = {latency / 2} s",
            f"site_bandwidth = {2 / model_time} GB/s",
            f"sync_method = {method}",
            "n_inner_steps = 100",
            f"n_fragments = {fragments}",
            f"overlapped_steps = {hidden_steps}",
        ],
    )
    expected = _mean_wait(fragments, hidden_steps, model_time, latency) * fragments / 100
    assert answer.outcomes["exposed_sync_time"].si == expected


@pytest.mark.parametrize(("method", "sites"), [("ring", 3), ("ring", 8), ("direct", 8)])
def test_latency_and_traffic_of_an_all_reduce(method: str, sites: int) -> None:
    hops = 2 * (sites - 1) if method == "ring" else 2
    answer = solve(
        "site_sync",
        ["sync_latency", "sync_size"],
        ["params = 8e9", f"n_sites = {sites}", "site_latency = 5 ms", f"site_reduction = {method}"],
    )
    assert answer.outcomes["sync_latency"].si == Fraction(hops, 200)
    assert answer.outcomes["sync_size"].si == Fraction(2 * (sites - 1) * 16 * 10**9, sites)


def test_one_site_waits_for_none() -> None:
    given = ["params = 8e9", "n_sync_parts = 32", "step_time = 1 s", "site_latency = 5 ms", "site_bandwidth = 1 Gbit/s"]
    assert solve("site_sync", "exposed_sync_time", [*given, "n_sites = 1"]).outcomes["exposed_sync_time"].si == 0
    assert solve("site_sync", "site_step_time", ["step_time = 1 s", "sync_method = none"]).value == 1


@pytest.mark.parametrize("n_sites", [2, 3, 10])
@pytest.mark.parametrize("n_inner", [1, 500])
def test_both_sheets_add_latency_to_the_transfer(n_sites: int, n_inner: int) -> None:
    """A ring of sites passes on a piece 2 (n - 1) times, and each site sends that many pieces of n."""
    known = ["params = 405e9", f"n_sites = {n_sites}", "site_latency = 5 ms", f"n_inner_steps = {n_inner} step"]
    link = f"link_bandwidth = {100 * n_sites} GB/s"
    shared = solve("gradient_sync", (), [*known, link]).cells
    alone = ["site_bandwidth = 100 GB/s", "sync_method = diloco", "step_time = 10 s", "backward_overlap = none"]
    assert shared["sync_time"].si == 2 * (n_sites - 1) * (Fraction(5, 1000) + Fraction(810, 100 * n_sites))
    assert solve("site_sync", (), [*known, *alone]).cells["sync_time"].si == shared["sync_time"].si
