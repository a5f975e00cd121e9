"""Says why no value works: what cannot be reached, which term stops it, what contradicts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import joined
from flopsheet.sheets.order import in_text
from flopsheet.solver.condition import poles_of, roots_of
from flopsheet.solver.evaluate import evaluate, value_or_none
from flopsheet.solver.wording import ranges_text, shown_unit
from flopsheet.units import Number, Unit, close, format_quantity

if TYPE_CHECKING:
    from flopsheet.sheets.cell import Cell
    from flopsheet.solver.intervals import RealSet
    from flopsheet.solver.unknown import Condition, Found


def nothing(found: Found) -> str:
    """Return why no value of an unknown works."""
    empty = [condition for condition in found.conditions if not condition.solution.values]
    if not empty:
        return _contradiction(found)
    condition = empty[0]
    cells = found.execution.question.sheet.cells
    shown = shown_unit(condition.relation, cells)
    left, right = (_reach(found, side) for side in (condition.composed.left, condition.composed.right))
    text = f"No {found.cell.name} satisfies '{condition.relation.text}'"
    if left is None or right is None:
        return f"{text} within its bounds ({found.cell.bounds.text(found.cell.unit)})."
    sign, name = condition.relation.operator, in_text(condition.relation.left, found.execution.names)
    if sign in ("<", "<=", "=") and left.low >= right.high:
        extreme, at, must, verb, bound = left.low, left.at_low, right.high, "fall below", "at most"
    elif sign in (">", ">=", "=") and left.high <= right.low:
        extreme, at, must, verb, bound = left.high, left.at_high, right.low, "rise above", "at least"
    else:
        return f"{text} within its bounds ({found.cell.bounds.text(found.cell.unit)})."
    verb = verb.split()[0] + " to" if extreme == must else verb
    needed = f"{'exactly' if sign == '=' else bound} {format_quantity(must, shown)}"
    reached = f"{name} cannot {verb} {format_quantity(extreme, shown)} {_however(found, at)}, and must be {needed}."
    return f"{text}: {reached}{_what_stays(condition, found, extreme, shown)}"


FAR_OUT = 10**60


class Reach:
    """The smallest and largest value of an expression over the domain of the unknown, and where they lie."""

    def __init__(self, points: list[tuple[Number, Number]]) -> None:
        self.low, self.at_low = min(points)
        self.high, self.at_high = max(points)


def _reach(found: Found, expression: Any) -> Reach | None:
    """Return the smallest and largest value of an expression over the domain, or None where they are not certain."""
    turns = _turning_points(found, expression)
    if turns is None:
        return None
    points = []
    for at in [found.domain.lower, *(turn for turn in turns if turn in found.domain), found.domain.upper]:
        value = value_or_none(expression, {**found.execution.values, found.cell.name: at})
        if value != value:  # noqa: PLR0124  # infinity over infinity: the limit shows far out as well
            far = FAR_OUT if at > 0 else -FAR_OUT
            value = value_or_none(expression, {**found.execution.values, found.cell.name: far})
        if value is not None:
            points.append((value, at))
    return Reach(points) if points else None


def _turning_points(found: Found, expression: Any) -> list[Number] | None:
    """Return where an expression may turn inside the domain; None where that is not known, or it has a pole there."""
    unknown = found.cell.symbol
    if not expression.has(unknown):
        return []
    values = found.execution.values
    poles = poles_of(expression, unknown, values)
    if poles is None or any(found.domain.lower < pole < found.domain.upper for pole in poles):
        return None
    if sum(node == unknown for node in sympy.preorder_traversal(expression)) == 1:
        return [0] if found.domain.lower < 0 < found.domain.upper else []
    return roots_of(sympy.diff(expression, unknown), unknown, values)


def _however(found: Found, at: Number) -> str:
    name = found.cell.name
    if at == math.inf:
        return f"however large {name} is"
    if at == found.domain.lower:
        return f"even at {name} = {format_quantity(at, found.cell.unit)}"
    return f"at any {name}"


def _what_stays(condition: Condition, found: Found, extreme: Number, shown: Unit) -> str:
    """Name the terms that do not depend on the unknown, where they make up the value that cannot be passed."""
    left = condition.composed.left
    terms = [term for term in left.args if not term.has(found.cell.symbol)] if left.is_Add else []
    if not terms:
        return ""
    stays = left.func(*terms)
    value = evaluate(stays, found.execution.values)
    if not extreme or not close(value, extreme):
        return ""
    text = in_text(stays, found.execution.names)
    return f" {format_quantity(value, shown)} stay whatever {found.cell.name} is: {text} does not depend on it."


def _contradiction(found: Found) -> str:
    parts = [
        f"'{condition.relation.text}' needs {ranges_text(condition.solution.values, found.cell)}"
        for condition in found.conditions
    ]
    return f"No {found.cell.name} meets all relations at once: {joined(parts)}."


def no_whole(cell: Cell, intervals: RealSet) -> str:
    """Return why ranges give a whole-number cell nothing."""
    return f"No whole number lies in {ranges_text(intervals, cell)}, where {cell.name} would work."
