"""Turns the values that work into a kind of answer: one value, several, a range, whole numbers, or none."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.solver.answer import Outcome
from flopsheet.solver.arithmetic import near_whole
from flopsheet.solver.intervals import whole_ends
from flopsheet.solver.reasons import no_whole, nothing
from flopsheet.solver.wording import ranges_text
from flopsheet.units import format_apart, format_number, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.sheets.cell import Cell
    from flopsheet.solver.intervals import Interval
    from flopsheet.solver.unknown import Condition, Found
    from flopsheet.units import Number


def outcome(found: Found) -> Outcome:
    """Return the outcome of an unknown."""
    solutions = found.solutions
    if not solutions:
        return Outcome(found.cell, "none", why=nothing(found))
    by_equation = any(condition.relation.is_equation for condition in found.conditions)
    points = all(each.is_point for each in solutions)
    if found.cell.integer and not (points and by_equation):
        return _whole(found)
    return _values(found) if points else _range(found)


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
        closed_form=deciding.solution.form_at(value, found.execution.values),
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
    shows = left.is_Symbol and left.name in cells and left.name != found.cell.name
    if not shows or not deciding.depends(left):
        return []
    sides = {whole: deciding.side(left, whole) for whole in wholes}
    bound = [deciding.side(deciding.relation.right, whole) for whole in wholes]
    known = [side for side in (*sides.values(), *bound) if side is not None]
    texts = dict(zip(known, format_apart(known, cells[left.name].unit), strict=True))
    return [
        f"{format_number(whole)} gives {left.name} {texts[side]}." for whole, side in sides.items() if side is not None
    ]


@dataclass(frozen=True)
class _Pick:
    """The interval that an answer speaks of, and the end of it that decides.

    Args:
        intervals: all intervals that work.
        interval: the one that holds the value.
        end: the end, in base units.
        lower: whether that is the lower end.
        conditions: the conditions that set its ends; none where only the cell's own bounds do.
    """

    intervals: tuple[Interval, ...]
    interval: Interval
    end: Number
    lower: bool
    conditions: tuple[Condition, ...]

    @property
    def sign(self) -> str:
        """The operator between the unknown and the end."""
        closed = self.interval.lower_closed if self.lower else self.interval.upper_closed
        return (">" if self.lower else "<") + ("=" if closed else "")

    def why(self, cell: Cell) -> str:
        """Say which relations hold where."""
        texts = list(dict.fromkeys(f"'{condition.relation.text}'" for condition in self.conditions))
        if not texts:
            return f"Every value of {cell.name} works: it is {cell.bounds.text(cell.unit)}."
        return f"{joined(texts)} {'hold' if len(texts) > 1 else 'holds'} for {ranges_text(self.intervals, cell)}."


def _picked(found: Found, intervals: Sequence[Interval]) -> _Pick:
    """Choose an end that a condition sets: the first for a count, else one that belongs to its interval."""
    ends = []
    for each in intervals:
        low = (each.lower, each.lower_closed) != (found.domain.lower, found.domain.lower_closed)
        high = (each.upper, each.upper_closed) != (found.domain.upper, found.domain.upper_closed)
        setting = [end for end, is_set in ((each.lower, low), (each.upper, high)) if is_set]
        conditions = tuple(filter(None, (_at_end(found.conditions, end) for end in setting)))
        ends += [(each.lower_closed, _Pick(found.solutions, each, each.lower, True, conditions))] if low else []
        ends += [(each.upper_closed, _Pick(found.solutions, each, each.upper, False, conditions))] if high else []
    if ends:
        return next((pick for closed, pick in ends if closed or found.cell.integer), ends[0][1])
    first = intervals[0]
    lower = is_finite(first.lower)
    return _Pick(found.solutions, first, first.lower if lower else first.upper, lower, ())


def _at_end(conditions: Iterable[Condition], end: Number) -> Condition | None:
    """Return the first condition whose boundary an end is, or None."""
    for condition in conditions:
        if near_whole(end) in (near_whole(own) for each in condition.solution.values for own, _ in each.ends):
            return condition
    return None


def _range(found: Found) -> Outcome:
    pick = _picked(found, found.solutions)
    deciding = _at_end(pick.conditions, pick.end)
    return Outcome(
        found.cell,
        "range",
        found.solutions,
        pick.interval,
        pick.end if pick.end in pick.interval else None,
        pick.end if deciding else None,
        closed_form=deciding.solution.form_at(pick.end, found.execution.values) if deciding else None,
        why=pick.why(found.cell),
        sign=pick.sign,
    )


def _whole(found: Found) -> Outcome:
    holding = [each for each in found.solutions if operator.le(*whole_ends(each))]
    if not holding:
        return Outcome(found.cell, "none", why=no_whole(found.cell, found.solutions))
    pick = _picked(found, holding)
    first, last = whole_ends(pick.interval)
    whole = int(first if pick.lower else last)
    deciding = _at_end(pick.conditions, pick.end)
    beyond = whole - 1 if pick.lower else whole + 1
    tried = tuple(each for each in (whole, beyond) if each in found.domain)
    return Outcome(
        found.cell,
        "range",
        found.solutions,
        pick.interval,
        whole,
        pick.end if deciding else None,
        whole=whole,
        closed_form=deciding.solution.form_at(pick.end, found.execution.values) if deciding else None,
        why=" ".join([pick.why(found.cell), *(_gives(found, deciding, tried) if deciding else ())]),
        sign=pick.sign,
    )
