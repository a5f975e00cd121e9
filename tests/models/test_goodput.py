"""Goodput: its closed forms against a simulated run, a search for the best interval, and Poisson counts of spares."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

from flopsheet import solve

MINUTE, HOUR = 60, 3600
SEGMENTS = 200_000


def values(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    answer = solve("goodput", (), ["params = 405e9", "ideal_time = 50 day", *relations], without=["written_in_time"])
    return {name: cell.si for name, cell in answer.cells.items()}


def simulated(mtbf: float, interval: float, stall: float, recovery: float) -> float:
    """Return the goodput of a run that fails at random and repeats each stretch until it and its checkpoint succeed."""
    chance, elapsed = Random("goodput"), 0.0  # noqa: S311  # the same each time
    for _ in range(SEGMENTS):
        while (failure := chance.expovariate(1 / mtbf)) < interval + stall:
            elapsed += failure
            while (again := chance.expovariate(1 / mtbf)) < recovery:
                elapsed += again
            elapsed += recovery
        elapsed += interval + stall
    return SEGMENTS * interval / elapsed


@pytest.mark.parametrize(("mtbf", "interval", "stall"), [(3 * HOUR, 10 * MINUTE, 30), (1 * HOUR, 20 * MINUTE, 120)])
def test_exponential_failures_are_those_of_a_simulated_run(mtbf: float, interval: float, stall: float) -> None:
    found = values(
        f"chip_mtbf = {mtbf} second", "n_chips = 1", "interval_rule = given", f"given_interval = {interval} second",
        "blocking_share = 1", f"write_bandwidth = {405e9 * 14 / stall} byte/s",
    )  # fmt: skip
    assert found["stall_time"] == pytest.approx(stall)
    expected = simulated(mtbf, interval, stall, found["recovery_time"])
    assert found["goodput"] == pytest.approx(expected, rel=0.003)
    assert found["train_time"] == pytest.approx(50 * 24 * HOUR / found["goodput"])


@pytest.mark.parametrize("n_chips", [1024, 16384, 131072])
def test_no_interval_is_better_than_that_by_daly(n_chips: int) -> None:
    size = f"n_chips = {n_chips}"
    daly = values(size, "interval_rule = daly")
    young = values(size, "interval_rule = young")
    given = [
        values(size, "interval_rule = given", f"given_interval = {daly['daly_interval'] * factor} second")["goodput"]
        for factor in (0.5, 0.8, 0.95, 1.05, 1.25, 2)
    ]
    assert daly["goodput"] > max(given)
    assert given[:3] == sorted(given[:3])
    assert given[3:] == sorted(given[3:], reverse=True)
    assert daly["goodput"] >= young["goodput"] * (1 - 1e-9)


def test_both_models_agree_where_failures_are_rare() -> None:
    chips = ("n_chips = 16", "interval_rule = given", "given_interval = 60 minute")
    exponential = values(*chips)["slowdown"] - 1
    assert values(*chips, "failure_model = first_order")["slowdown"] - 1 == pytest.approx(exponential, rel=1e-3)


def test_a_checkpoint_that_is_written_beside_training_costs_what_a_failure_loses_of_it() -> None:
    waiting, beside = values("n_chips = 16384"), values("n_chips = 16384", "blocking_share = 1 %")
    assert beside["stall_time"] == pytest.approx(waiting["stall_time"] / 100)
    assert beside["recovery_time"] - waiting["recovery_time"] == pytest.approx(0.99 * waiting["checkpoint_time"])
    assert beside["goodput"] > waiting["goodput"]


@pytest.mark.parametrize("n_chips", [4096, 16384, 65536, 262144])
def test_spare_nodes_are_enough_for_99_percent_of_the_time(n_chips: int) -> None:
    found = values(f"n_chips = {n_chips}")
    mean, spares = float(found["down_nodes"]), int(found["spare_nodes"])
    terms = [math.exp(count * math.log(mean) - mean - math.lgamma(count + 1)) for count in range(spares + 1)]
    assert sum(terms) > 0.985
    assert sum(terms[:-1]) < 0.995


@pytest.mark.parametrize("interval_rule", ["young", "daly"])
@pytest.mark.parametrize(
    ("cell", "given", "grows", "unit"),
    [("write_bandwidth", "params = 405e9", True, "byte/s"), ("params", "write_bandwidth = 2 TB/s", False, "param")],
)
def test_a_goodput_bounds_what_the_time_of_a_checkpoint_comes_from(
    interval_rule: str, cell: str, given: str, *, grows: bool, unit: str
) -> None:
    run = ["n_chips = 16384", f"interval_rule = {interval_rule}", given]
    outcome = solve("goodput", cell, [*run, "goodput >= 90 %"]).outcomes[cell]
    (part,) = outcome.listed
    bound, end = (part.lower, part.upper) if grows else (part.upper, part.lower)
    assert not outcome.open
    assert end == (math.inf if grows else 0)
    assert solve("goodput", "goodput", [*run, f"{cell} = {bound} {unit}"]).value == pytest.approx(90, rel=1e-9)


@pytest.mark.parametrize(
    ("system", "chips"),
    [("dgx-h200", 8), ("p5-48xlarge", 8), ("leonardo-node", 4), ("tpu-v5p-8960", 8), ("gb200-nvl72", 8)],
)
def test_a_failure_takes_out_one_host_of_a_rack_or_a_pod(system: str, chips: int) -> None:
    """A pod of 8,960 chips is no node: a run on 256 of them was billed for 8,960 spare ones."""
    found = values(f"system = {system}", "n_chips = 4096")
    assert found["failed_chips"] == chips
    assert found["total_chips"] == 4096 + found["spare_nodes"] * chips
    run = ["model = llama-3.1-70b", f"system = {system}", "n_tp = 8", "n_dp = 32", "batch = 1024", "seq_len = 8192"]
    plan = solve("training_plan", (), [*run, "dataset_tokens = 1e12"]).cells
    assert plan["total_chips"].si == 256 + plan["spare_nodes"].si * chips
