"""Synchronization between sites against a simulation that sends layer after layer over one link."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest

from flopsheet import solve

LAYERS, STEP, BACKWARD = 24, Fraction(1, 10), Fraction(2, 3)
# Fragments, steps that hide a fragment, seconds to send the whole model, seconds of latency of one hop.
RUNS = {
    "bound by links": (1, 0, Fraction(3), Fraction(1, 200)),
    "bound by links, narrowly": (1, 0, Fraction(7, 100), Fraction(0)),
    "bound by computation": (1, 0, Fraction(1, 20), Fraction(1, 100)),
    "fragments": (8, 0, Fraction(3), Fraction(1, 100)),
    "fragments, some of them late": (8, 0, Fraction(1, 2), Fraction(0)),
    "fragments, the first one late": (12, 0, Fraction(1, 20), Fraction(0)),
    "fragments over a step": (8, 1, Fraction(3), Fraction(1, 100)),
    "fragments over two steps": (6, 2, Fraction(6), Fraction(1, 100)),
    "fragments that are hidden": (8, 1, Fraction(1), Fraction(1, 1000)),
}


@dataclass(frozen=True)
class Run:
    """A run whose fragments are sent layer by layer over one link, each layer as soon as it is ready.

    A layer of the next step waits until it has its parameters; a later step waits for all of them.
    """

    layers: int
    fragments: int
    hidden_steps: int
    step: Fraction
    model_time: Fraction  # to send all layers [second]
    latency: Fraction  # of all hops [second]
    backward: Fraction = BACKWARD
    overlap: str = "layers"
    last_pass: Fraction | None = None  # of the last micro-batch, forward and backward, if not the whole step [second]

    def wait(self, fragment: int) -> Fraction:
        """Return how long chips wait for a fragment [second]."""
        last = self.step if self.last_pass is None else self.last_pass
        pass_time, sending = self.backward * last, self.model_time / self.layers
        free, wait = Fraction(0), Fraction(0)
        for layer in reversed(range(fragment, self.layers, self.fragments)):
            ready = Fraction(self.layers - layer, self.layers) if self.overlap == "layers" else Fraction(1)
            free = max(free, ready * pass_time) + sending
            by_layer = self.overlap == "layers" and not self.hidden_steps
            reached = Fraction(layer, self.layers) * (last - pass_time) * by_layer
            wait = max(wait, free + self.latency - pass_time - self.hidden_steps * self.step - reached)
        return wait

    @property
    def mean_wait(self) -> Fraction:
        """How long chips wait for a fragment, on average [second]."""
        return sum(map(self.wait, range(self.fragments)), Fraction(0)) / self.fragments


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
    expected = Run(LAYERS, fragments, hidden_steps, STEP, model_time, latency).mean_wait * fragments / 100
    assert answer.outcomes["exposed_sync_time"].si == expected


@pytest.mark.parametrize("method", ["every_step", "diloco", "streaming"])
def test_waits_at_random_places(method: str) -> None:
    draw = Random(method)  # noqa: S311  # no secret
    for _ in range(60):
        layers, sites, inner = draw.choice([24, 48, 60]), draw.choice([2, 3, 10]), draw.choice([20, 100, 500])
        fragments = draw.choice([2, 3, 6, 12]) if method == "streaming" else 1
        hidden = draw.choice([0, 0, 1, 2]) if method == "streaming" else 0
        step, latency = Fraction(draw.choice([1, 5, 30, 100]), 10), Fraction(draw.choice([0, 5, 70]), 1000)
        rate, share = Fraction(int(10 ** draw.uniform(8, 12))), draw.choice([Fraction(2, 3), Fraction(3, 4)])
        route, overlap = draw.choice(["ring", "direct"]), draw.choice(["layers", "layers", "none"])
        hops, traffic = (2 * (sites - 1) if route == "ring" else 2), Fraction(2 * (sites - 1), sites) * 16 * 10**9
        run = Run(layers, fragments, hidden, step, traffic / rate, hops * latency, share, overlap)
        asked = [f"sync_method = {method}", f"site_reduction = {route}", f"backward_overlap = {overlap}"]
        numbers = [
            f"n_sync_parts = {layers}",
            f"n_fragments = {fragments}",
            f"n_sites = {sites}",
            f"n_inner_steps = {inner}",
        ]
        times = [f"step_time = {step} s", f"site_latency = {latency} s", f"overlapped_steps = {hidden}"]
        rates = [f"site_bandwidth = {rate} byte/s", f"backward_share = {share}", "params = 8e9"]
        found = solve("site_sync", (), [*asked, *numbers, *times, *rates]).cells
        interval = Fraction(1 if method == "every_step" else inner, fragments)
        assert found["site_step_time"].si == step + run.mean_wait / interval, (asked, numbers, times, rates)


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


@pytest.mark.parametrize(("method", "outer_state", "share"), [("every_step", "chips", 0), ("diloco", "chips", 1)])
@pytest.mark.parametrize("fragments", [1, 8])
def test_a_plan_has_room_for_the_outer_state(method: str, outer_state: str, share: int, fragments: int) -> None:
    """Two fp32 numbers of each parameter, on the chips of a site or, but for a fragment, with their hosts."""
    layout = ["system = dgx-h100", "n_tp = 1", "n_pp = 1", "n_dp = 8", "batch = 64", "seq_len = 8192"]
    sites = ["n_sites = 2", "site_distance = 1000 km", "site_bandwidth = 100 Gbit/s", "n_inner_steps = 100"]
    if fragments > 1 and share:
        method, outer_state = "streaming", "hosts"
    asked = [f"sync_method = {method}", f"outer_state = {outer_state}", f"n_fragments = {fragments}"]
    known = ["model = llama-3.1-8b", *layout, "dataset_tokens = 1e12"]
    alone, found = (solve("training_plan", (), [*known, *more]).cells for more in ([], [*sites, *asked]))
    outer = Fraction(share * 8 * 8030261248, 8 * fragments)
    assert found["device_memory"].si == alone["device_memory"].si + outer
