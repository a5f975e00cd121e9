"""Whole numbers tried one by one in a workbook, where no end of a range is what an unknown has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.report.workbook.way import NONE, TRIALS, Way
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.report.workbook.live import Live
    from flopsheet.sheets.cell import Cell

FEWEST, MOST = 64, 512
NO_NUMBERS = "no relation alone determines it"
TOO_FAR = "its value is not among the numbers that are tried"
RANKED = "several numbers work, and it is neither the smallest nor the largest"


def trials(
    live: Live, cell: Cell, relations: Sequence[Relation], columns: tuple[str, ...], *, first: bool = True
) -> Way:
    """Return the whole numbers to try for a cell, from the smallest that makes sense.

    Args:
        live: what follows what.
        cell: the cell.
        relations: all that must hold.
        columns: the cells between it and these.
        first: whether the first that works is known to be its value; else that may also be the last.
    """
    lower, value = cell.bounds.lower, live.values[cell.name]
    if not cell.integer or not is_finite(lower) or isinstance(value, str):
        return Way(cell, NONE, why=NO_NUMBERS)
    low = math.ceil(lower)
    high = low + min(max(FEWEST, 2 * int(value)), MOST) - 1
    if value > high:
        return Way(cell, NONE, why=TOO_FAR)
    sign = ">"
    if not first:
        working = [number for number in range(low, high + 1) if _meets(live, cell, relations, columns, number)]
        if value not in (*working[:1], *working[-1:]):
            return Way(cell, NONE, why=RANKED)
        sign = ">" if value == working[0] else "<"
    return Way(cell, TRIALS, sign, tuple(relations), columns, (), (low, high), whole=True)


def _meets(live: Live, cell: Cell, relations: Sequence[Relation], columns: tuple[str, ...], number: int) -> bool:
    values = {**live.values, cell.name: number}
    try:
        for column in columns:
            values[column] = evaluate(live.formulas[column], values)
        return all(own.holds(evaluate(own.left, values), evaluate(own.right, values)) for own in relations)
    except (ArithmeticTrapError, ArithmeticError, KeyError, TypeError):
        return False
