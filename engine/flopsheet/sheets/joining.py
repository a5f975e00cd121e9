"""A sheet that extends several: their rows put together, and put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.errors import SheetError, joined
from flopsheet.sheets.relation import cells_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.sheets.cell import Cell
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
                    mine[name] = row
                elif not _gives_way(other, rows, name):
                    disputed.append(name)
    rows.dimensions = {**other.dimensions, **rows.dimensions}
    rows.aliases = {**other.aliases, **rows.aliases}
    rows.origin = {**other.origin, **rows.origin}
    rows.changed |= other.changed
    return disputed


def _gives_way(rows: Rows, other: Rows, name: str) -> bool:
    """Whether the row of the first sheet gives way to that of the second."""
    if rows.origin[name] == other.origin[name]:
        return name not in rows.changed
    mine, theirs = rows.cells.get(name), other.cells.get(name)
    if mine is None or theirs is None or mine.unit.dimension != theirs.unit.dimension:
        return False
    return mine.formula is None and theirs.formula is not None


def refuse_disputed(name: str, disputed: Mapping[str, str]) -> None:
    """Refuse rows that extended sheets declare differently, unless this one decided.

    Args:
        name: the sheet.
        disputed: the sheets that declare a row, by its name.

    Raises:
        SheetError: there is such a row.
    """
    for row, sheets in disputed.items():
        fix = f"Decide with {row} = override(...), or extend one of the two."
        raise SheetError(f"sheet {name}, '{row}'", f"{sheets} declare it differently.", fix)


def settle(rows: Rows) -> None:
    """Put cells that stand above what their formulas need behind it; all others keep their order.

    Raises:
        SheetError: formulas need each other.
    """
    settled: dict[str, Cell] = {}
    waiting = dict(rows.cells)
    while waiting:
        ready = [name for name, cell in waiting.items() if not _needs(cell) & waiting.keys()]
        if not ready:
            circle = next(cell for name, cell in waiting.items() if name in rows.changed)
            problem = f"The formulas of {joined([repr(name) for name in waiting])} need each other."
            raise SheetError(f"{circle.place}, '{circle.name}'", problem, "Leave one of them given.")
        _settle_next(settled, waiting)
    rows.cells = settled


def _settle_next(settled: dict[str, Cell], waiting: dict[str, Cell]) -> None:
    """Move the first cell whose formula needs nothing that waits, and start anew: those above it may be next."""
    for name, cell in waiting.items():
        if not _needs(cell) & waiting.keys():
            settled[name] = waiting.pop(name)
            return


def _needs(cell: Cell) -> frozenset[str]:
    return frozenset() if cell.formula is None else cells_of(cell.formula)
