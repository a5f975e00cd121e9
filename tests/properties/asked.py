"""Sheets of numbers and formulas in one line, and what an answer says of single numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flopsheet import Sheet
from flopsheet.formulas.parser import parse_formula
from flopsheet.numbers.sets import is_in
from flopsheet.sheets.cell import ANY, Bounds, Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.answer.outcomes.outcome import Outcome

NEAR = 1e-11  # ends that are floats are known to this share
HOLDS: dict[str, Callable[[Any], bool]] = {
    "=": lambda gap: bool(gap == 0),
    "<": lambda gap: bool(gap < 0),
    "<=": lambda gap: bool(gap <= 0),
    ">": lambda gap: bool(gap > 0),
    ">=": lambda gap: bool(gap >= 0),
}
POSITIVE = Bounds(lower=0, lower_closed=False)


def sheet_of(names: Iterable[str], bounds: Bounds = ANY, *, integer: bool = False) -> Sheet:
    """Return a sheet of cells that are given."""
    sheet = Sheet("numbers")
    for name in names:
        sheet.rows.add_cell(Cell(name, "A number", bounds=bounds, integer=integer))
    return sheet


def add(sheet: Sheet, name: str, formula: str) -> None:
    """Add a cell with a formula to a sheet."""
    cell = Cell(name, "A formula", bounds=ANY, formula=parse_formula(formula, [*sheet.cells, name], name))
    sheet.rows.add_cell(cell)


def ratio(number: Fraction | int) -> str:
    """Return a ratio as questions write it, in brackets."""
    return f"({Fraction(number)})"


def says(outcome: Outcome, number: Fraction | int) -> bool | None:
    """Whether an answer lists a number; None where it leaves it open, or a float end is as good as it."""
    at = float(number)
    ends = (end for part in outcome.listed for end, _ in part.ends if isinstance(end, float) and math.isfinite(end))
    if is_in(number, outcome.open) or any(abs(end - at) <= NEAR * (1 + abs(at)) for end in ends):
        return None
    listed = is_in(number, outcome.listed) or any(number in many for many in outcome.progressions)
    return listed and outcome.kind != "none"
