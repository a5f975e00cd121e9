"""Turns the values that work into a kind of answer: one value, several, a range, whole numbers, or none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from flopsheet.errors import ArithmeticTrapError
from flopsheet.solver.answer import Outcome
from flopsheet.solver.evaluate import evaluate
from flopsheet.solver.peel import whole_ends
from flopsheet.solver.reasons import no_whole, nothing
from flopsheet.units import format_apart, format_number

if TYPE_CHECKING:
    from flopsheet.sheets.cell import Cell
    from flopsheet.solver.intervals import Interval
    from flopsheet.solver.unknown import Condition, Found
    from flopsheet.units import Number


def outcome(found: Found) -> Outcome:
    """Return the outcome of an unknown."""
    solutions = found.solutions
    if not solutions:
        return Outcome(found.cell, "none", why=nothing(found))
    if all(each.is_point for each in solutions):
        return _values(found)
    if found.cell.integer:
        return _whole(found)
    return _range(found)


def _values(found: Found) -> Outcome:
    points = [each.lower for each in found.solutions]
    deciding = next(each for each in found.conditions if any(part.is_point for part in each.solution.values))
    value = points[-1]
    wholes = around(found.cell, value)
    shown = ", ".join(found.cell.text(each) for each in points)
    why = f"'{deciding.relation.text}' holds at {shown} only." + "".join(
        f" {text}" for text in _gives(found, deciding, wholes)
    )
    return Outcome(
        found.cell,
        "value" if len(points) == 1 else "values",
        found.solutions,
        found.solutions[-1],
        value,
        value,
        neighbours=wholes,
        closed_form=deciding.solution.closed_form,
        why=why,
    )


def around(cell: Cell, value: Number) -> tuple[int, ...]:
    """Return the whole numbers on either side of a value that is none, for a cell that counts."""
    if not cell.integer or value == int(value):
        return ()
    return tuple(whole for whole in (math.floor(value), math.ceil(value)) if whole in cell.bounds)


def _gives(found: Found, deciding: Condition, wholes: tuple[int, ...]) -> list[str]:
    """Say what each whole number makes of the cell that the deciding relation bounds."""
    left = deciding.relation.left
    cells = found.execution.question.sheet.cells
    if not left.is_Symbol or left.name not in cells or left.name == found.cell.name:
        return []
    sides = {whole: _side_at(found, deciding.composed.left, whole) for whole in wholes}
    bound = [_side_at(found, deciding.composed.right, whole) for whole in wholes]
    known = [side for side in (*sides.values(), *bound) if side is not None]
    texts = dict(zip(known, format_apart(known, cells[left.name].unit), strict=True))
    return [
        f"{format_number(whole)} gives {left.name} {texts[side]}." for whole, side in sides.items() if side is not None
    ]


def _side_at(found: Found, side: Any, value: Number) -> Number | None:
    try:
        return evaluate(side, {**found.execution.values, found.cell.name: value})
    except ArithmeticTrapError:
        return None


def _chosen(found: Found) -> tuple[Interval, Number, bool]:
    """Return an interval, the end in it that a condition sets (else a finite one), and whether it is the lower."""
    for each in found.solutions:
        if each.lower != found.domain.lower:
            return each, each.lower, True
        if each.upper != found.domain.upper:
            return each, each.upper, False
    first = found.solutions[0]
    return (first, first.lower, True) if math.isfinite(first.lower) else (first, first.upper, False)


def _deciding(found: Found, end: Number) -> Condition:
    """Return the condition whose boundary the end of the range is."""
    for condition in found.conditions:
        if any(end in (each.lower, each.upper) for each in condition.solution.values):
            return condition
    return found.conditions[0]


def _sign(each: Interval, *, lower: bool) -> str:
    if lower:
        return ">=" if each.lower_closed else ">"
    return "<=" if each.upper_closed else "<"


def _range(found: Found) -> Outcome:
    each, end, lower = _chosen(found)
    deciding = _deciding(found, end)
    sign = _sign(each, lower=lower)
    bounded = end not in (found.domain.lower, found.domain.upper)
    shown = found.cell.text(end)
    why = f"'{deciding.relation.text}' holds for {found.cell.name} {sign} {shown}."
    form = deciding.solution.closed_form if bounded else None
    value = end if math.isfinite(end) else None
    return Outcome(
        found.cell,
        "range",
        found.solutions,
        each,
        value,
        end if bounded else None,
        closed_form=form,
        why=why,
        sign=sign,
    )


def _whole(found: Found) -> Outcome:
    each, end, lower = _chosen(found)
    first, last = whole_ends(each)
    if first > last:
        return Outcome(found.cell, "none", why=no_whole(found.cell, each))
    whole = int(first if lower else last)
    deciding = _deciding(found, end)
    bounded = end not in (found.domain.lower, found.domain.upper)
    sign = _sign(each, lower=lower)
    why = f"'{deciding.relation.text}' holds for {found.cell.name} {sign} {found.cell.text(end)}." if bounded else ""
    beyond = whole - 1 if lower else whole + 1
    tried = (whole, beyond) if bounded and beyond in found.domain else (whole,)
    return Outcome(
        found.cell,
        "range",
        found.solutions,
        each,
        whole,
        end if bounded else None,
        whole=whole,
        closed_form=deciding.solution.closed_form if bounded else None,
        why=" ".join([why or f"Every whole number from {whole} on works.", *_gives(found, deciding, tried)]),
        sign=sign,
    )
