"""Which conditions set the single values of an unknown, in words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flopsheet.answer.limits import excludes, is_independent, limits_of, shaping
from flopsheet.answer.outcomes.picked import bounds_from_above
from flopsheet.answer.outcomes.told import Told
from flopsheet.answer.outcomes.wording import MOST_RANGES, MOST_SHOWN, around_zero, quoted, texts_of
from flopsheet.errors import joined
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.units import Number, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet


def single_values(solved: SolutionSet, near: Number | None) -> tuple[Condition, Number, Callable[[], Told]]:
    """Return the condition that sets single values, the value that is taken, and what tells where it holds."""
    points, cell, conditions = [interval.lower for interval in solved.values], solved.cell, solved.conditions
    pointed = [condition for condition in conditions if any(part.is_point for part in condition.solution.values)]
    deciding = (pointed or conditions)[0]
    first = around_zero(solved.values, 1, solved.progressions)
    end = first[0 if cell.integer and not bounds_from_above(solved) else -1].lower
    value = end if near is None else min(points, key=lambda point: size(point - near))
    return deciding, value, partial(_where, solved, deciding, value)


def _where(solved: SolutionSet, deciding: Condition, value: Number) -> Told:
    """Return at which single values the deciding condition holds, with the others that it takes, in a sentence."""
    cell, count = solved.cell, len(solved.values)
    most = MOST_RANGES if solved.progressions else MOST_SHOWN
    few = (part.lower for part in around_zero(solved.values, most, solved.progressions)[:most])
    shown = ", ".join(texts_of(few, cell).values())
    only = " and others" if count > most else "" if solved.open else " only"
    inside = joined([f"limit {quoted(condition.relation)}" for condition in limits_of(named(solved))])
    inside = f", within {inside}" if inside else ""
    within = not is_independent(deciding, solved)  # then others exclude nothing that this one has left
    others = (other for other in solved.asked if other is not deciding)
    ending = [
        other for other in others if excludes(other, solved) or (within and near_whole(value) in other.solution.ends)
    ]
    needed = [deciding, *ending]
    texts = joined(list(dict.fromkeys(condition.quoted for condition in needed)))
    text = f"{texts} {'holds' if len(needed) == 1 else 'hold'} at {shown}{only}{inside}."
    return Told(text)


def named(solved: SolutionSet) -> list[Condition]:
    """Return the conditions without the limits that exclude no more than others do."""
    names = shaping(solved)
    return [condition for condition in solved.conditions if not condition.limit or condition.limit in names]
