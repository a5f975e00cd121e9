"""How one cell that was solved for follows the inputs of a workbook."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions.choose import max_, min_
from flopsheet.functions.rounding import ceil, floor
from flopsheet.functions.symbols import as_sympy
from flopsheet.inverse.method import Method
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

FORM, SEARCH, TRIALS, LISTED, NONE = "form", "search", "trials", "listed", "none"
FOLLOWS = {
    FORM: "solved, in closed form",
    SEARCH: "solved, by the sheet Search",
    TRIALS: "solved, by trials",
    LISTED: "solved, the best that works in the sheet Tuples",
}
UNIQUE = (Method.PEEL, Method.LINEAR)
FEWEST, MOST = 64, 512
NO_NUMBERS = "no relation alone determines it"
TOO_FAR = "its value is not among the numbers that are tried"
RANKED = "several numbers work, and it is neither the smallest nor the largest"
BESIDE = "its values are those beside a value of another unknown, which follows from it"


@dataclass(frozen=True)
class Way:
    """How one cell follows the inputs."""

    cell: Cell
    kind: str  # `form`, `search`, `trials`, `listed` or `none`
    sign: str = "="  # the operator between cell and boundary: `<`, `>` or `=`
    relations: tuple[Relation, ...] = ()  # that set it, the deciding one first
    columns: tuple[str, ...] = ()  # the cells between it and these relations
    forms: tuple[Expr, ...] = ()  # closed forms, a boundary for each relation
    ends: tuple[Number, Number] = (0, 0)  # of a search [base units]; of trials the first and the last number
    others: tuple[Expr, ...] = ()  # expressions that bound it from the other side
    geometric: bool = False  # whether a search halves ratios instead of differences
    why: str = ""  # why there is none
    options: tuple[tuple[str, str], ...] = ()  # the choices with the options for which the closed forms hold
    whole: bool = False  # whether the next whole number that meets the relations is taken


def boundary_of(way: Way) -> Expr:
    """Return the boundary that closed forms set together, of a whole number the first that works."""
    if not way.whole:
        return way.forms[0] if way.sign == "=" else (max_ if way.sign == ">" else min_)(*way.forms)
    signs = [relation.operator for relation in way.relations]
    lower, forms = way.cell.bounds.lower, []
    for form, sign in zip(way.forms, signs, strict=True):
        if way.sign == ">":
            forms.append(ceil(form) if "=" in sign else floor(form) + 1)
        else:
            forms.append(floor(form) if "=" in sign else ceil(form) - 1)
    if way.sign == ">" and is_finite(lower):
        forms.append(as_sympy(-int(-lower // 1)))
    return (max_ if way.sign == ">" else min_)(*forms)


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
    if first and any(_meets(live, cell, relations, columns, number) for number in range(low, int(value))):
        return Way(cell, NONE, why=BESIDE)
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
