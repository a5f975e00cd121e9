"""The shortest of many times: what a benchmark compares."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS, FEWEST = 25, 5
LONGEST = 5.0  # seconds that all rounds may take, but for the fewest


def best(run: Callable[[], object]) -> float:
    """Return the shortest of many times [second]."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def alternately(*runs: Callable[[], object]) -> list[float]:
    """Return the shortest time of each run [second], in turns: a machine that changes its pace slows all alike."""
    times: list[list[float]] = [[] for _ in runs]
    end = time.perf_counter() + LONGEST
    for number in range(4 * ROUNDS):
        if number >= FEWEST and time.perf_counter() > end:
            break
        for run, taken in zip(runs, times, strict=True):
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
    return [min(taken) for taken in times]
