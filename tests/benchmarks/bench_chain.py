"""Chains of many cells, in seconds for a thousand cells: these stay the same where the time grows with the length.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction

import pytest

from flopsheet import Sheet, solve, unit
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.cell import ANY, Cell

LENGTHS = (100, 1000, 10_000)
FIRST, LAST = "cell_0", "last"


def _chain(length: int) -> Sheet:
    """Return a chain whose cells halve and double their distance from two in turn, so that numbers stay near two."""
    sheet, pure = Sheet("chain"), unit("")
    sheet.rows.add_cell(Cell(FIRST, "The first", pure, bounds=ANY))
    for place in range(1, length):
        name = LAST if place == length - 1 else f"cell_{place}"
        before = symbol(f"cell_{place - 1}")
        formula = before / 2 + 1 if place % 2 else 2 * before - 2
        sheet.rows.add_cell(Cell(name, "One of many", pure, formula, bounds=ANY))
    return sheet


@pytest.mark.parametrize("length", LENGTHS)
def test_a_chain_of_cells(length: int, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = _chain(length)
    times = {}
    for name, unknown, relation in (("forward", LAST, f"{FIRST} = 1.5"), ("backward", FIRST, f"{LAST} = 1.75")):
        for state in ("cold", "warm"):
            start = time.perf_counter()
            answer = solve(sheet, unknown, [relation])
            times[f"{name} {state}"] = time.perf_counter() - start
        assert answer.outcomes[unknown].si == (Fraction(7, 4) if unknown == LAST else Fraction(3, 2))
        assert all(check.holds for check in answer.checks)
    with capsys.disabled():
        shown = ", ".join(f"{name} {1000 * seconds / length:.3f}" for name, seconds in times.items())
        sys.stdout.write(f"\nchain of {length:,} cells, seconds for a thousand: {shown}\n")
    assert min(times.values()) > 0
