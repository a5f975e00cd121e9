"""Sheets of many rows, each a formula of the row before and of the one before that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Sheet, ceil, exp, log, max_, ratio, sqrt, unit
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.cell import ANY, POSITIVE, Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet import Expr

    Row = Callable[[Expr, Expr], Expr]

# By name the formulas of the rows, in turn; x is the row before, y the one before that.
CHAINS: dict[str, Sequence[Row]] = {
    "squares": [lambda x, _: x**2 / 4 + 1],
    "logs": [lambda x, _: log(1 + x)],
    "roots": [lambda x, _: sqrt(1 + x)],
    "exps": [lambda x, _: exp(-x)],
    "cubes": [lambda x, _: x**3 - 2 * x],
    "ratios": [lambda x, _: x / (x + 1) + 1 / (x + 2)],
    "squares, logs, roots": [lambda x, _: x**2 + 1, lambda x, _: log(x + 1), lambda x, _: sqrt(x + 2)],
    "signed": [lambda x, _: x**2 - 3, lambda x, _: log(x + 4), lambda x, _: sqrt(x + 2) - 1],
    "twice": [lambda x, _: x**2 + x, lambda x, _: log(x + 1) + sqrt(x), lambda x, _: sqrt(x + 2) - 1 / (1 + x)],
    "two rows": [lambda x, y: x**2 / (1 + y), lambda x, y: log(x + 1) + y, lambda x, y: sqrt(x + 2 * y)],
    "all": [
        lambda x, y: x**2 - y,
        lambda x, _: log(2 + x**2),
        lambda x, y: sqrt(x**2 + y**2),
        lambda x, y: exp(-x * y),
        lambda x, y: max_(x, y / 2),
        lambda x, _: 1 / (1 + x**2),
    ],
    "steps": [lambda x, _: ceil(x * ratio(3, 2)) + sqrt(x), lambda x, _: log(1 + x) * 7, lambda x, _: x**2 / 3],
    "products": [lambda x, _: x * (x + 1)],
    "differences": [lambda x, _: x * (x - 3)],
}


def chain(name: str, length: int) -> Sheet:
    """Return a sheet of so many rows `c0`, `c1`, ..., of which the first is given."""
    sheet, pure = Sheet("chain"), unit("")
    cells = [symbol(f"c{place}") for place in range(length)]
    for place, cell in enumerate(cells):
        row = CHAINS[name][place % len(CHAINS[name])]
        formula = row(cells[place - 1], cells[max(0, place - 2)]) if place else None
        sheet.rows.add_cell(Cell(cell.name, "Row", pure, formula, bounds=ANY if place else POSITIVE))
    return sheet
