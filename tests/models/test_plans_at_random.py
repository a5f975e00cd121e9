"""A training plan at random places: sites, failures, spares and money joined to a step whose time is known."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.models.test_site_sync import Run

from flopsheet import records, solve

MTBF, REPAIR, TAKEN_OUT, SPARES, DAY = 50677 * 3600, 24 * 3600, 0.78, 2.326, 86400
LAYOUTS = {"llama-3.1-8b": (1, 1), "qwen3-32b": (4, 1), "llama-3.1-70b": (8, 4), "mixtral-8x7b": (4, 2)}


def lost(cells: dict[str, Any], mtbf: float) -> float:
    """Return the time of a run over its training time: failures at any time, in recovery too."""
    interval, stall, recovery = (float(cells[name]) for name in ("checkpoint_interval", "stall_time", "recovery_time"))
    return mtbf / interval * math.exp(recovery / mtbf) * math.expm1((interval + stall) / mtbf)


def exposed(cells: dict[str, Any], method: str, layers: int, n_pp: int) -> float:
    """Return how long chips wait for other sites per step, on average, by a simulation of the link.

    Gradients are final in the last micro-batch, which passes all stages one after the other.
    """
    if method == "none":
        return 0
    fragments, inner, hidden = (int(cells[name]) for name in ("n_fragments", "n_inner_steps", "overlapped_steps"))
    parts, step = (fragments if method == "streaming" else 1), Fraction(float(cells["step_time"]))
    model_time = Fraction(float(cells["site_transfer_time"])) * parts
    latency = Fraction(float(cells["sync_latency"]))
    last = min(step, n_pp * Fraction(float(cells["microbatch_time"])))
    run = Run(layers, parts, hidden if method == "streaming" else 0, step, model_time, latency, last_pass=last)
    return float(run.mean_wait * parts / (1 if method == "every_step" else inner))


@pytest.mark.parametrize("model", LAYOUTS)
def test_what_a_plan_joins(model: str) -> None:
    draw = Random(model)  # noqa: S311  # no secret
    n_tp, n_pp = LAYOUTS[model]
    layers = int(records("architecture")[model].values["n_blocks"].si)
    for _ in range(6):
        sites, method = draw.choice([2, 4]), draw.choice(["every_step", "diloco", "streaming"])
        if draw.random() < 0.2:
            sites, method = 1, "none"
        fragments, inner, hidden = draw.choice([2, 4, 8]), draw.choice([20, 100]), draw.choice([0, 1])
        batch, n_dp, tokens = draw.choice([256, 1024]), draw.choice([16, 64]), draw.choice([1, 15]) * 10**12
        bandwidth, price = draw.choice([1, 20, 400]), draw.choice([2, 3.5])
        layout = [f"n_tp = {n_tp}", f"n_pp = {n_pp}", f"n_dp = {n_dp}", f"batch = {batch}", "seq_len = 4096"]
        sync = [f"sync_method = {method}", f"n_fragments = {fragments}", f"n_inner_steps = {inner}"]
        sync += [f"overlapped_steps = {hidden}", f"site_bandwidth = {bandwidth} Gbit/s", "site_distance = 800 km"]
        known = [f"model = {model}", "system = dgx-h200", *layout, *sync, f"n_sites = {sites}"]
        known += [f"dataset_tokens = {tokens}", f"chip_price = {price} USD/hour", "sharding = optimizer"]
        cells: dict[str, Any] = {name: cell.si for name, cell in solve("training_plan", (), known).cells.items()}
        chips = sites * n_tp * n_pp * n_dp
        step = float(cells["step_time"]) + exposed(cells, method, layers, n_pp)
        ideal, mtbf = tokens / (sites * batch * 4096) * step, MTBF / chips
        train, down = ideal * lost(cells, mtbf), TAKEN_OUT * REPAIR / mtbf
        total = chips + 8 * math.ceil(down + SPARES * math.sqrt(down))
        expected = {
            "site_step_time": step,
            "ideal_time": ideal,
            "train_time": train,
            "run_chips": chips,
            "total_chips": total,
            "train_cost": total * train / 3600 * price,
            "n_failures": train / mtbf,
            "cost_per_token": total * train / 3600 * price / tokens,
        }
        for name, value in expected.items():
            assert float(cells[name]) == pytest.approx(value, rel=1e-9), (name, known)
