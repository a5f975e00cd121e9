"""Says why no value works: what cannot be reached, which term stops it, what contradicts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import joined
from flopsheet.sheets.cell import symbol
from flopsheet.sheets.functions import Indicator
from flopsheet.sheets.order import in_text
from flopsheet.solver.evaluate import evaluate
from flopsheet.solver.periodic import PERIODIC
from flopsheet.solver.rational import as_rational, real_roots
from flopsheet.solver.scan import grid
from flopsheet.solver.wording import ranges_text, shown_unit
from flopsheet.units import Number, Unit, close, format_quantity

if TYPE_CHECKING:
    from flopsheet.sheets.cell import Cell
    from flopsheet.solver.intervals import RealSet
    from flopsheet.solver.unknown import Condition, Found

FAR_OUT = 10**60


def nothing(found: Found) -> str:
    """Return why no value of an unknown works."""
    empty = [condition for condition in found.conditions if not condition.solution.values]
    if not empty:
        return _contradiction(found)
    condition = empty[0]
    cells = found.execution.question.sheet.cells
    shown = shown_unit(condition.relation, cells)
    relation, composed = condition.relation, condition.composed
    left = _reach(found, condition, relation.left, composed.left)
    right = _reach(found, condition, relation.right, composed.right)
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


class Reach:
    """The smallest and largest value of an expression over the domain of the unknown, and where they lie."""

    def __init__(self, points: list[tuple[Number, Number]]) -> None:
        self.low, self.at_low = min(points)
        self.high, self.at_high = max(points)


def _reach(found: Found, condition: Condition, expression: Any, composed: Any) -> Reach | None:
    """Return the smallest and largest value of a side over the domain of the unknown, or None for no value at all."""
    turns = _turning_points(condition, composed)
    if turns is None:
        return _sampled(found, condition, expression)
    points = []
    for at in [found.domain.lower, *(turn for turn in turns if turn in found.domain), found.domain.upper]:
        value = condition.side(expression, at)
        if value != value:  # noqa: PLR0124  # infinity over infinity: the limit shows far out as well
            value = condition.side(expression, FAR_OUT if at > 0 else -FAR_OUT)
        if value is not None:
            points.append((value, at))
    return Reach(points) if points else None


def _turning_points(condition: Condition, composed: Any) -> list[Number] | None:
    """Return where a side may turn inside the domain; None where that is not known, or it has a pole there."""
    unknown, domain, values = symbol(condition.chain.unknown), condition.chain.domain, condition.chain.values
    if not composed.has(unknown):
        return None if condition.depends(composed) else []
    ratio = as_rational(composed, unknown, values)
    if ratio is None:
        smooth = not composed.has(*PERIODIC, Indicator)
        once = sum(node == unknown for node in sympy.preorder_traversal(composed)) == 1
        return [0] if once and smooth and domain.lower >= 0 else None
    if any(domain.lower < pole < domain.upper for pole in ratio.pole_values()):
        return None
    slope = as_rational(sympy.diff(composed, unknown), unknown, values)
    return None if slope is None else real_roots(slope.above)


def _sampled(found: Found, condition: Condition, expression: Any) -> Reach | None:
    """Return the extremes over the points of a scan."""
    function = condition.chain.function(expression)
    points: list[tuple[Number, Number]] = [
        (value, at) for at in grid(found.domain) if math.isfinite(value := function(at))
    ]
    return Reach(points) if points else None


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
