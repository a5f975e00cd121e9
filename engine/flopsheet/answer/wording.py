"""Intervals in words and units of relations, the same wherever an answer speaks of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from flopsheet.errors import joined
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.relation import cells_of
from flopsheet.units import Unit, base_unit, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.numbers.sets import Interval
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Dimension, Quantity

MOST_SHOWN, MOST_LISTED, MOST_RANGES = 20, 1000, 6


def interval_text(each: Interval, cell: Cell) -> str:
    """Return an interval of a cell's values: `n >= 45.76`, `720 GiB < m <= 800 GiB`, `n = 3`, `any n`.

    An end that is only the cell's own bound is left out.
    """
    name = cell.name
    if each.is_point:
        return f"{name} = {cell.text(each.lower)}"
    bounded = (each.lower, each.lower_closed) == (cell.bounds.lower, cell.bounds.lower_closed)
    low = "" if bounded or each.lower == -math.inf else cell.text(each.lower)
    high = "" if each.upper == cell.bounds.upper else cell.text(each.upper)
    less, more = ("<=" if closed else "<" for closed in (each.lower_closed, each.upper_closed))
    if low and high:
        return f"{low} {less} {name} {more} {high}"
    if low:
        return f"{name} {'>=' if each.lower_closed else '>'} {low}"
    return f"{name} {more} {high}" if high else f"any {name}"


def ranges_text(intervals: Iterable[Interval], cell: Cell) -> str:
    """Return several intervals of a cell's values: `x <= 1 or 2 <= x <= 3`."""
    found = list(intervals)
    texts = [interval_text(each, cell) for each in found[:MOST_RANGES]]
    if all(each.is_point for each in found):
        texts[1:] = [cell.text(each.lower) for each in found[1:MOST_RANGES]]
    return either(texts, len(found))


def either(shown: list[str], number: int) -> str:
    """Return texts joined by "or", with how many more there are."""
    return joined([*shown, *([f"{number - len(shown)} more"] if number > len(shown) else [])], "or")


def wholes_of(runs: Iterable[Interval], most: int) -> tuple[list[int], bool]:
    """Return the whole numbers of closed intervals from left to right, at most so many, and whether there are more."""
    found: list[int] = []
    for each in runs:
        if not is_finite(each.lower):
            return [*found, int(each.upper)], True
        number = int(each.lower)
        while number <= each.upper:
            if len(found) == most:
                return found, True
            found.append(number)
            number += 1
    return found, False


def shown_unit(relation: Relation, cells: dict[str, Cell]) -> Unit:
    """Return the unit in which the sides of a relation read well: of a cell that stands alone, else of a literal."""
    for side in (relation.left, relation.right):
        if side.is_Symbol and side.name in cells:
            return cells[side.name].unit
    check = _unit_check(relation.cells, cells, relation.literals)
    needed = check.dimension(relation.left) or check.dimension(relation.right)
    named = [cells[name].unit for name in cells if name in relation.cells] if needed else []
    return _fitting(needed, [*(each.unit for each in relation.literals.values()), *named])


def unit_of(expression: Any, cells: Mapping[str, Cell], literals: Mapping[str, Quantity]) -> Unit:
    """Return the unit in which the value of an expression reads well: that of a cell in it, else in base units."""
    names = cells_of(expression)
    needed = _unit_check(names, cells, literals).dimension(expression)
    return _fitting(needed, [cells[name].unit for name in cells if name in names] if needed else [])


def _unit_check(names: Iterable[str], cells: Mapping[str, Cell], literals: Mapping[str, Quantity]) -> UnitCheck:
    dimensions = {name: cells[name].unit.dimension for name in names if name in cells}
    return UnitCheck({**dimensions, **{name: each.dimension for name, each in literals.items()}}, "")


def _fitting(needed: Dimension, units: Iterable[Unit]) -> Unit:
    return next((each for each in units if each.dimension == needed), base_unit(needed))
