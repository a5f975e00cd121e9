"""Fewer sequences than groups of chips: stages and groups that have none read and compute nothing."""

from __future__ import annotations

import pytest

from flopsheet import solve

DENSE = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 1", "seq_len = 8192 token")
MEMORY = ["fits", "weights_fit"]


def cells(sheet: str, *relations: str) -> dict[str, float]:
    """Return the cells of a sheet by name [base units]."""
    found = solve(sheet, (), [*DENSE, *relations], without=MEMORY).cells
    return {name: float(cell.si) for name, cell in found.items()}


@pytest.mark.parametrize("sequences", [1, 3, 8, 16])
def test_stages_without_sequences_read_and_compute_nothing(sequences: int) -> None:
    """A step of one chip, and of eight stages: each of these reads its eighth once for each group of sequences."""
    stages = 8
    found = cells("decode", f"n_pp = {stages}", f"n_sequences = {sequences}")
    alone = cells("decode", f"n_sequences = {sequences}")
    past = alone["cache_traffic"]
    weights = (alone["read_traffic"] - past) / stages * min(sequences, stages)
    assert found["read_traffic"] == pytest.approx(weights + past / stages)
    assert found["decode_work"] == pytest.approx(alone["decode_work"] / stages)
    assert found["bandwidth_utilization"] == pytest.approx(found["read_traffic"] / found["decode_time"] / 3.35e12)


def test_groups_of_chips_without_sequences_compute_nothing() -> None:
    found, alone = cells("decode", "n_adp = 4", "n_sequences = 1"), cells("decode", "n_sequences = 1")
    assert found["token_time"] == pytest.approx(alone["token_time"])
    assert found["utilization"] == pytest.approx(alone["utilization"] / 4)
    assert found["bandwidth_utilization"] == pytest.approx(alone["bandwidth_utilization"] / 4)
