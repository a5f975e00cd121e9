"""Cells of a sheet at what a question gives, computed once for all tests of a run."""

from __future__ import annotations

from functools import cache

from flopsheet import solve


@cache
def cells(sheet: str, *relations: str) -> dict[str, float]:
    """Return the cells of a sheet by name [base units]."""
    return {name: float(cell.si) for name, cell in solve(sheet, (), relations).cells.items()}
