"""Schedules of a pipeline against simulated ones: micro-batches in flight, and the time that stages wait."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.models.pipelines import run, split_run

from flopsheet import solve

CELLS = ("n_in_flight", "n_last_in_flight", "bubble_ratio")


def computed(*relations: str) -> list[float]:
    """Return the cells of the sheet that a simulation gives too."""
    cells = solve("pipeline_schedule", (), relations).cells
    return [float(cells[name].si) for name in CELLS]


@pytest.mark.parametrize("schedule", ["gpipe", "one_f_one_b"])
@pytest.mark.parametrize(("stages", "microbatches"), [(1, 4), (2, 2), (4, 3), (4, 4), (4, 9), (8, 64)])
def test_one_chunk_per_stage(schedule: str, stages: int, microbatches: int) -> None:
    simulated = run(schedule, stages, microbatches)
    found = computed(f"schedule = {schedule}", f"n_pp = {stages}", f"n_microbatches = {microbatches}")
    assert found == pytest.approx([simulated.in_flight[0], simulated.in_flight[-1], simulated.waiting])


@pytest.mark.parametrize(
    ("stages", "microbatches", "chunks"), [(2, 4, 2), (4, 8, 2), (4, 16, 3), (8, 16, 4), (8, 64, 3)]
)
def test_interleaved_chunks(stages: int, microbatches: int, chunks: int) -> None:
    simulated = run("interleaved", stages, microbatches, chunks)
    assert computed(
        "schedule = interleaved",
        f"n_pp = {stages}",
        f"n_microbatches = {microbatches}",
        f"n_interleave = {chunks}",
    ) == pytest.approx([simulated.in_flight[0], simulated.in_flight[-1], simulated.waiting])


@pytest.mark.parametrize(
    ("schedule", "times"), [("zb_h1", (4, 5, 3)), ("zb_h1", (2, 3, 1)), ("zb_h2", (1, 1, 1)), ("zb_h2", (3, 3, 3))]
)
@pytest.mark.parametrize(("stages", "microbatches"), [(2, 8), (4, 12), (8, 24)])
def test_weights_that_wait(schedule: str, times: tuple[int, int, int], stages: int, microbatches: int) -> None:
    most, waiting = split_run(stages, microbatches, times, doubled=schedule == "zb_h2")
    forward, inputs, weights = times
    found = computed(
        f"schedule = {schedule}",
        f"n_pp = {stages}",
        f"n_microbatches = {microbatches}",
        f"backward_ratio = {Fraction(inputs + weights, forward)}",
        f"weight_share = {Fraction(weights, inputs + weights)}",
    )
    assert found == pytest.approx([most[0], most[-1], waiting / (microbatches * sum(times))])


def wait(schedule: str, stages: int, microbatches: int, times: tuple[int, int, int] = (1, 1, 1)) -> float:
    """Return the time that a stage waits, in the unit of the times of its three passes."""
    forward, inputs, weights = times
    given = [f"schedule = {schedule}", f"n_pp = {stages}", f"n_microbatches = {microbatches}"]
    given += [f"backward_ratio = {Fraction(inputs + weights, forward)}"]
    given += [f"weight_share = {Fraction(weights, inputs + weights)}"]
    return float(solve("pipeline_schedule", (), given).cells["wait"].si * forward)


@pytest.mark.parametrize("stages", [2, 4, 8])
def test_a_zero_bubble_schedule_that_is_not_filled_waits(stages: int) -> None:
    """With one micro-batch on eight stages it had no bubble."""
    for microbatches in range(1, 2 * stages + 2):
        simulated = split_run(stages, microbatches, (1, 1, 1), doubled=True)[1]
        assert wait("zb_h2", stages, microbatches) == pytest.approx(simulated)
        if microbatches <= stages:
            assert wait("zb_h1", stages, microbatches) == pytest.approx(simulated)
        for schedule in ("zb_h1", "zb_h2"):
            longest = split_run(stages, microbatches, (4, 5, 3), doubled=schedule == "zb_h2")[1]
            assert wait(schedule, stages, microbatches, (4, 5, 3)) <= longest


@pytest.mark.parametrize(
    ("schedule", "stages", "microbatches", "limit"),
    [
        ("zb_h1", 8, 7, "schedule_is_filled"),
        ("zb_h2", 8, 14, "schedule_is_filled"),
        ("zb_v", 8, 14, "schedule_is_filled"),
        ("interleaved", 8, 60, "microbatches_are_grouped"),
        ("dualpipe", 7, 64, "both_ends_are_fed"),
        ("dualpipe", 8, 14, "both_ends_are_fed"),
        ("dualpipe", 8, 17, "both_ends_are_fed"),
    ],
)
def test_schedules_that_cannot_run(schedule: str, stages: int, microbatches: int, limit: str) -> None:
    relations = [f"schedule = {schedule}", f"n_pp = {stages}", f"n_microbatches = {microbatches}"]
    answer = solve("pipeline_schedule", (), relations)
    assert [check.relation.name for check in answer.limits if not check.holds] == [limit]
