"""Warm questions to a sheet of fifty cells, as ratios against a pint forward pass and a bisection of the same run.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import math
import sys
from itertools import count

import pytest
from tests.benchmarks.fifty_cells import GIVEN, FiftyCells, float_values, on_floats, on_pint, pint_values
from tests.benchmarks.timing import best

from flopsheet import solve

SHEET = FiftyCells()
DAYS = 40
DAY = 86400
WIDE = {"chip_flops": (1e12, 1e18), "n_chips": (2.0, 1e5)}  # where a bisection begins
# How the unknown is found, the unknown, and what is given; a logarithm beside a root leaves a scan only.
WAYS = {
    "peel": ("chip_flops", "train_time"),
    "cases": ("n_chips", "train_time"),
    "search": ("n_chips", "train_time * 8 / log(n_chips)"),
}


def _relations(way: str, days: float) -> list[str]:
    unknown, left = WAYS[way]
    return [*(f"{name} = {text}" for name, text in GIVEN.items() if name != unknown), f"{left} = {days} day"]


def _root(way: str, days: float = DAYS) -> float:
    """Return where the relation holds, for a number of chips between two whole ones too."""
    boundary = solve(SHEET, WAYS[way][0], _relations(way, days)).outcomes[WAYS[way][0]].boundary
    return math.nan if boundary is None else float(boundary)


def _bisected(way: str) -> float:
    """Return the largest unknown at which the relation holds, to 1e-12; there the time falls with it."""
    unknown, _ = WAYS[way]
    values, (low, high) = float_values(), WIDE[unknown]
    while high - low > 1e-12 * high:
        values[unknown] = middle = (low + high) / 2
        factor = 8 / math.log(middle) if way == "search" else 1
        if on_floats(values)["train_time"] * factor > DAYS * DAY:
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
    assert _root(way) == pytest.approx(_bisected(way), rel=1e-9)
    steps = [
        step.how for step in solve(SHEET, WAYS[way][0], _relations(way, DAYS)).steps if step.cell.name == WAYS[way][0]
    ]
    assert steps == [way]
    numbers = count(1)
    given = pint_values()
    mine = {
        f"{way}, same question": best(lambda: _root(way)),
        f"{way}, other numbers": best(lambda: _root(way, DAYS + next(numbers) / 100)),
    }
    against = {"pint forward": best(lambda: on_pint(given)), "bisection": best(lambda: _bisected(way))}
    with capsys.disabled():
        for name, seconds in mine.items():
            ratios = (f"{other}: {1000 * its:.2f} ms, ratio {seconds / its:.2f}" for other, its in against.items())
            sys.stdout.write(f"\n{name}: {1000 * seconds:.2f} ms, {', '.join(ratios)}\n")
    assert min(*mine.values(), *against.values()) > 0
