"""Warm questions to a sheet of four hundred cells, as ratios against computing all of its cells in the same run.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING

import pytest
from tests.benchmarks.timing import alternately

from flopsheet import sheet, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SHEET = sheet("training_memory")
GIVEN = ("model = llama-3-8b", "chip = h100-sxm", "sharding = weights")
# The unknown, what is given beside `GIVEN`, and the relation, with a place for its number.
QUESTIONS = {
    "n_dp": ("seq_len = 8192", "device_memory <= {} GiB"),
    "seq_len": ("n_dp = 64", "device_memory <= {} GiB"),
    "micro_batch": ("n_dp = 64", "device_memory <= {} GiB"),
    "bytes_per_logit": ("n_dp = 64", "logit_memory = {} GiB / 20"),
}


def _relations(unknown: str, number: float) -> Sequence[str]:
    given, asked = QUESTIONS[unknown]
    others = [] if unknown in ("n_dp", "seq_len") else ["seq_len = 8192"]
    return [*GIVEN, given, *others, asked.format(number)]


@pytest.mark.parametrize("unknown", QUESTIONS)
def test_a_warm_question(unknown: str, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = count(1)
    runs: dict[str, Callable[[], object]] = {
        "same question": lambda: solve(SHEET, unknown, _relations(unknown, 72)),
        "other numbers": lambda: solve(SHEET, unknown, _relations(unknown, 72 + next(numbers) / 1000)),
        "all cells": lambda: solve(SHEET, (), [*GIVEN, "n_dp = 64", "seq_len = 8192"]).cells,
    }
    assert solve(SHEET, unknown, _relations(unknown, 72)).outcomes[unknown].kind != "none"
    times = dict(zip(runs, alternately(*runs.values()), strict=True))
    with capsys.disabled():
        for name, seconds in times.items():
            ratio = seconds / times["all cells"]
            sys.stdout.write(f"\n{unknown}, {name}: {1000 * seconds:.2f} ms, against all cells {ratio:.2f}\n")
    assert min(times.values()) > 0
