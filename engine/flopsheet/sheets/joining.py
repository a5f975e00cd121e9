"""A sheet that extends several: their rows put together, and put in order."""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from flopsheet.errors import SheetError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.sheets.cell import Cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.sheets.kernel import Rows


def join(rows: Rows, other: Rows) -> list[str]:
    """Add the rows of another sheet that is extended too, and return the names on which the two disagree.

    What both took from one sheet is one row: changed, if either changed it. A cell that one leaves given and the other
    has a formula for is that formula: this is how the sheets are wired together.
    """
    groups: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (rows.parts, other.parts),
        (rows.choices, other.choices),
        (rows.cells, other.cells),
        (rows.limits, other.limits),
        (rows.sheets, other.sheets),
    ]
    disputed = [name for mine, theirs in groups for name in theirs if name not in mine and name in rows]
    for mine, theirs in groups:
        for name, row in theirs.items():
            if name not in rows:
                mine[name] = row
            elif name in mine and mine[name] != row:
                if _gives_way(rows, other, name):
                    mine[name] = _wired(mine[name], row)
                    rows.changed.add(name)
                elif _gives_way(other, rows, name):
                    mine[name] = _wired(row, mine[name])
                else:
                    disputed.append(name)
    rows.dimensions = {**other.dimensions, **rows.dimensions}
    rows.aliases = {**other.aliases, **rows.aliases}
    rows.origin = {**other.origin, **rows.origin}
    rows.changed |= other.changed
    return disputed


def _gives_way(rows: Rows, other: Rows, name: str) -> bool:
    """Whether the row of the first sheet gives way to that of the second."""
    if rows.origin[name] == other.origin[name] and name not in rows.changed & other.changed:
        return name not in rows.changed
    mine, theirs = rows.cells.get(name), other.cells.get(name)
    if mine is None or theirs is None or mine.unit.dimension != theirs.unit.dimension:
        return False
    return mine.formula is None and theirs.formula is not None


def _wired(given: Any, formula: Any) -> Any:
    """Return a formula that fills a given cell: it keeps to the bounds of both."""
    if not isinstance(given, Cell) or given.formula is not None or formula.formula is None:
        return formula
    return replace(formula, integer=given.integer or formula.integer, bounds=formula.bounds.within(given.bounds))


def refuse_disputed(name: str, disputed: Mapping[str, str]) -> None:
    """Refuse rows that extended sheets declare differently, unless this one decided.

    Args:
        name: the sheet.
        disputed: the sheets that declare a row, by its name.

    Raises:
        SheetError: there is such a row.
    """
    for row, sheets in disputed.items():
        fix = f"Decide with {row} = override(...) if it is a cell, a choice or a record, or extend one of the two."
        raise SheetError(f"sheet {name}, '{row}'", f"{sheets} declare it differently.", fix)


def settle(rows: Rows) -> None:
    """Put cells that stand above what their formulas need behind it; all others keep their order.

    Raises:
        SheetError: formulas need each other.
    """
    settled, waiting = in_order(rows.cells)
    if waiting:
        circle = next(cell for name, cell in waiting.items() if name in rows.changed)
        problem = f"The formulas of {joined([repr(name) for name in waiting])} need each other."
        raise SheetError(f"{circle.place}, '{circle.name}'", problem, "Leave one of them given.")
    rows.cells = settled


def in_order(cells: Mapping[str, Cell]) -> tuple[dict[str, Cell], dict[str, Cell]]:
    """Return cells in an order in which each stands behind what it needs, and those that cannot be put into one.

    It is the order in which they are given, but for those that stand above what they need: they come right behind it.
    """
    places = {name: place for place, name in enumerate(cells)}
    needs = {name: {each for each in needed(cell) if each in cells} for name, cell in cells.items()}
    users: dict[str, list[str]] = {name: [] for name in cells}
    for name, each in needs.items():
        for one in each:
            users[one].append(name)
    ready = [(places[name], name) for name in cells if not needs[name]]
    settled: dict[str, Cell] = {}
    while ready:
        name = heappop(ready)[1]
        settled[name] = cells[name]
        for user in users[name]:
            needs[user].discard(name)
            if not needs[user]:
                heappush(ready, (places[user], user))
    return settled, {name: cell for name, cell in cells.items() if name not in settled}


def circle_in(waiting: Mapping[str, Cell]) -> list[str]:
    """Return the names of cells whose formulas need each other, among those that cannot be put in order."""
    way: dict[str, None] = {}
    name = next(iter(waiting))
    while name not in way:
        way[name] = None
        name = min(needed(waiting[name]) & waiting.keys())
    names = list(way)
    return names[names.index(name) :]


def needed(cell: Cell) -> frozenset[str]:
    """Return the names of the cells that a cell's formula uses."""
    return frozenset() if cell.formula is None else cells_of(cell.formula)
