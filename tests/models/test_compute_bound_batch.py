"""The smallest batch that is bound by computation: its row and the question asked backwards agree."""

from __future__ import annotations

import math

import pytest

from flopsheet import solve
from flopsheet.errors import FlopsheetError

MESH = (
    "d_model = 16384",
    "d_ff = 53248",
    "peak_rate = 4.6e14 FLOP/s",
    "axis_bandwidth = 1.8e11 byte/s",
    "n_fsdp = 16",
    "n_tp = 4",
    "fsdp_axes = 2",
    "tp_axes = 1",
)
EXPECTED = {"overlapped": (20444.444444444445, 319.44444444444446), "summed": (25301.711, 395.33924)}

each_model = pytest.mark.parametrize("axes", sorted(EXPECTED))


def _smallest(axes: str, cell: str) -> float:
    answer = solve("compute_bound_batch", cell, [*MESH, f"axes = {axes}", "communication_time <= math_time"])
    assert [check.holds for check in answer.limits] == [True, True]
    (span,) = answer.outcomes[cell].solutions
    assert span.upper == math.inf
    return float(span.lower)


@each_model
def test_the_question_gives_the_row(axes: str) -> None:
    row = solve("compute_bound_batch", "min_tokens", [*MESH, f"axes = {axes}"])
    assert _smallest(axes, "tokens") == pytest.approx(float(row.cells["min_tokens"].si), rel=1e-12)
    assert float(row.cells["min_tokens"].si) == pytest.approx(EXPECTED[axes][0], rel=1e-7)


@each_model
def test_the_question_for_one_chip_gives_the_row_too(axes: str) -> None:
    row = solve("compute_bound_batch", "min_tokens_per_chip", [*MESH, f"axes = {axes}"])
    assert _smallest(axes, "tokens_per_chip") == pytest.approx(float(row.cells["min_tokens_per_chip"].si), rel=1e-12)
    assert float(row.cells["min_tokens_per_chip"].si) == pytest.approx(EXPECTED[axes][1], rel=1e-7)


@each_model
def test_at_the_smallest_batch_both_times_are_one(axes: str) -> None:
    cells = solve("compute_bound_batch", (), [*MESH, f"axes = {axes}", "tokens = min_tokens"]).cells
    assert float(cells["communication_time"].si) == pytest.approx(float(cells["math_time"].si), rel=1e-12)


@each_model
def test_no_split_needs_less_than_the_best(axes: str) -> None:
    mesh = [relation for relation in MESH if not relation.startswith("n_tp")]
    runs = [
        solve("compute_bound_batch", (), [*mesh, f"axes = {axes}", f"n_tp = {n_tp}"]).cells for n_tp in range(1, 21)
    ]
    smallest = min(float(run["min_tokens_per_chip"].si) for run in runs)
    best = float(runs[0]["best_min_tokens_per_chip"].si)
    assert best <= smallest <= 1.05 * best


@each_model
def test_more_tensor_parallelism_than_its_limit_is_never_bound(axes: str) -> None:
    relations = [*(relation for relation in MESH if not relation.startswith("n_tp")), "n_tp = 32", f"axes = {axes}"]
    answer = solve("compute_bound_batch", "tokens", [*relations, "communication_time <= math_time"])
    assert answer.outcomes["tokens"].kind == "none"


SWITCHED = ("d_model = 8192", "d_ff = 28672", "n_fsdp = 16", "n_tp = 2", "fsdp_axes = 1", "tp_axes = 1")


@pytest.mark.parametrize("chip", ["h100-sxm", "gb200", "mi300x", "rtx-4090"])
def test_chips_without_a_torus_have_no_axes(chip: str) -> None:
    with pytest.raises(FlopsheetError, match=rf"{chip} has no chip\.link\.dimensions"):
        solve("compute_bound_batch", "critical_intensity", {"chip": chip})


@pytest.mark.parametrize(
    ("chip", "n_axes", "bandwidth"), [("tpu-v5p", 3, 200e9), ("tpu-v5e", 2, 100e9), ("tpu-v4", 3, 100e9)]
)
def test_a_torus_has_the_axes_of_its_record(chip: str, n_axes: int, bandwidth: float) -> None:
    cells = solve("compute_bound_batch", ("n_axes", "axis_bandwidth"), {"chip": chip}).cells
    assert (cells["n_axes"].si, cells["axis_bandwidth"].si) == (n_axes, bandwidth)


def test_switched_links_are_one_axis_of_the_full_bandwidth() -> None:
    answer = solve("compute_bound_batch", "one_axis_tokens_per_chip", ["chip = h100-sxm", "n_axes = 1"])
    assert answer.value == pytest.approx(989.4e12 / 450e9, rel=1e-12)


def test_switched_links_cannot_carry_both_at_once() -> None:
    for axes, holds in (("overlapped", False), ("summed", True)):
        answer = solve(
            "compute_bound_batch", "min_tokens", [*SWITCHED, "chip = h100-sxm", "n_axes = 1", f"axes = {axes}"]
        )
        assert {check.relation.name: check.holds for check in answer.limits}["axes_exist"] is holds
