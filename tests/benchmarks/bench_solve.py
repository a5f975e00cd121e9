"""Warm questions to a sheet of fifty cells, as ratios against a pint forward pass and a bisection of the same run.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import sys
import time
from itertools import count
from typing import TYPE_CHECKING

import pytest
from tests.benchmarks.fifty_cells import GIVEN, FiftyCells, float_values, on_floats, on_pint, pint_values

from flopsheet import solve

if TYPE_CHECKING:
    from collections.abc import Callable

SHEET = FiftyCells()
DAYS = 40
DAY = 86400
ROUNDS = 15
WIDE = {"chip_flops": (1e12, 1e18), "n_chips": (1.0, 1e5)}  # where a bisection begins
WAYS = {"peel": "chip_flops", "scan": "n_chips"}


def _best(run: Callable[[], object]) -> float:
    """Return the shortest of many times [second]."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _relations(unknown: str, days: float) -> list[str]:
    return [*(f"{name} = {text}" for name, text in GIVEN.items() if name != unknown), f"train_time = {days} day"]


def _solved(unknown: str, days: float = DAYS) -> float:
    return float(solve(SHEET, unknown, _relations(unknown, days)).outcomes[unknown].si or 0)


def _bisected(unknown: str) -> float:
    """Return the unknown at which the run takes so long, to 1e-12; the time falls with it."""
    values, (low, high) = float_values(), WIDE[unknown]
    while high - low > 1e-12 * high:
        values[unknown] = middle = (low + high) / 2
        if on_floats(values)["train_time"] > DAYS * DAY:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def test_three_ways_agree_on_the_sheet() -> None:
    by_sheet = solve(SHEET, (), GIVEN).cells
    by_floats, by_pint = on_floats(float_values()), on_pint(pint_values())
    assert len(by_floats) == len(by_pint) == len(SHEET.cells) - len(GIVEN) == 36
    for name, value in by_floats.items():
        base = by_pint[name] if isinstance(by_pint[name], int) else by_pint[name].to_root_units().magnitude
        assert float(by_sheet[name].si) == pytest.approx(value, rel=1e-12)
        assert float(base) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_a_warm_question(way: str, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = WAYS[way]
    value = _solved(unknown)
    assert value == pytest.approx(_bisected(unknown), rel=1e-9)
    numbers = count(1)
    given = pint_values()
    mine = {
        f"{way}, same question": _best(lambda: _solved(unknown)),
        f"{way}, other numbers": _best(lambda: _solved(unknown, DAYS + next(numbers) / 100)),
    }
    against = {"pint forward": _best(lambda: on_pint(given)), "bisection": _best(lambda: _bisected(unknown))}
    with capsys.disabled():
        for name, seconds in mine.items():
            ratios = (f"{other}: {1000 * its:.2f} ms, ratio {seconds / its:.2f}" for other, its in against.items())
            sys.stdout.write(f"\n{name}: {1000 * seconds:.2f} ms, {', '.join(ratios)}\n")
    assert min(*mine.values(), *against.values()) > 0
