"""Operators on a chip and sites on a shared link against plain Python, which follows bytes round by round."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from flopsheet import solve

BITS = {"fp32": 32, "tf32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "fp6": 6, "fp4": 4}
BYTES = {name: Fraction(bits, 8) for name, bits in BITS.items()}
DRAWS = 12


def values(sheet: str, known: dict[str, Any], unknown: str = "") -> dict[str, Any]:
    """Return the cells of a sheet by name [base units]."""
    relations = [f"{name} = {value}" for name, value in known.items()]
    return {name: cell.si for name, cell in solve(sheet, unknown or (), relations).cells.items()}


@pytest.mark.parametrize("draw", range(DRAWS))
def test_a_product_moves_each_number_once(draw: int) -> None:
    chance = Random(draw)  # noqa: S311  # the same each time
    rows, depth, columns = (chance.randint(1, 20_000) for _ in range(3))
    left, right, result = (chance.choice(list(BYTES)) for _ in range(3))
    peak, bandwidth, launch = chance.randint(50, 5000), chance.randint(1, 20), chance.randint(0, 9)
    shares, overlap = (Fraction(chance.randint(50, 100), 100), Fraction(chance.randint(50, 100), 100)), draw % 2
    known = {
        "n_rows": rows,
        "d_in": depth,
        "d_out": columns,
        "left_format": left,
        "right_format": right,
        "result_format": result,
        "peak_rate": f"{peak} TFLOP/s",
        "chip.memory_bandwidth": f"{bandwidth} TB/s",
        "compute_share": shares[0],
        "memory_share": shares[1],
        "launch_time": f"{launch} us",
        "overlap": "full" if overlap else "none",
    }
    multiplied = Fraction(2 * rows * depth * columns, peak * 10**12) / shares[0]
    moved = (rows * depth * BYTES[left] + depth * columns * BYTES[right] + rows * columns * BYTES[result]) / shares[1]
    moved /= Fraction(bandwidth * 10**12)
    took = Fraction(launch, 10**6) + (max(multiplied, moved) if overlap else multiplied + moved)
    found = values("roofline", known)
    assert found["operator_time"] == took
    assert found["utilization"] == 2 * rows * depth * columns / took / (peak * 10**12)
    assert found["compute_bound"] == int(multiplied >= moved)
    back = {name: value for name, value in known.items() if name != "n_rows"}
    assert values("roofline", {**back, "operator_time": f"{took} second"}, "n_rows")["n_rows"] == rows


def ring_time(sites: int, size: Fraction, bandwidth: Fraction, latency: Fraction) -> Fraction:
    """Return the time of a ring all-reduce, in which each site sends one of as many pieces in a round [s]."""
    holds = [{piece: {site} for piece in range(sites)} for site in range(sites)]  # whose gradients are in it
    rounds = 0
    while any(len(summed) < sites for pieces in holds for summed in pieces.values()):
        sent = [(site, (site - rounds) % sites) for site in range(sites)]
        passed = [(site, piece, holds[site][piece]) for site, piece in sent]
        for site, piece, summed in passed:
            holds[(site + 1) % sites][piece] = holds[(site + 1) % sites][piece] | summed
        rounds += 1
    return rounds * (size / sites / bandwidth + latency)


@pytest.mark.parametrize("draw", range(DRAWS))
def test_sites_wait_for_the_rounds_of_a_ring(draw: int) -> None:
    chance = Random(draw)  # noqa: S311  # the same each time
    sites, inner, syncs = chance.randint(2, 12), chance.randint(1, 50), chance.randint(1, 20)
    params, tokens, width = chance.randint(10**9, 10**11), chance.randint(10**5, 10**7), chance.choice(list(BYTES))
    link, latency, chips = chance.randint(1, 1000), chance.randint(0, 100), chance.randint(10, 10_000)
    rate = Fraction(chance.randint(10, 1000) * 10**12)
    step = 6 * params * tokens / (chips * rate)
    wait = ring_time(sites, params * BYTES[width], Fraction(link * 10**9, sites), Fraction(latency, 1000))
    clock, waited = Fraction(0), Fraction(0)
    for number in range(1, inner * syncs + 1):
        clock += step
        if number % inner == 0:
            clock, waited = clock + wait, waited + wait
    known = {
        "params": params,
        "tokens": tokens,
        "n_chips": chips,
        "chip_rate": f"{rate} FLOP/s",
        "n_sites": sites,
        "gradient_precision": width,
        "link_bandwidth": f"{link} GB/s",
        "site_latency": f"{latency} ms",
        "n_inner_steps": inner,
        "dataset_tokens": tokens * inner * syncs,
        "chip_price": "2 USD/hour",
    }
    found = values("gradient_sync", known)
    assert found["sync_time"] == wait
    assert found["total_time"] == clock
    assert found["sync_fraction"] == waited / clock
    assert found["idle_cost"] == pytest.approx(float(waited * chips * 2 / 3600))
    back = {name: value for name, value in known.items() if name != "link_bandwidth"}
    again = values("gradient_sync", {**back, "sync_fraction": waited / clock}, "link_bandwidth")
    assert again["link_bandwidth"] == pytest.approx(link * 10**9)
