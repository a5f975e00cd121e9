"""Parts of a range that are neither proven nor excluded: where they are, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import MOST_RANGES, cut_short, either, interval_text, shown_unit
from flopsheet.budget import is_over
from flopsheet.numbers.many_digits import PRECISIONS
from flopsheet.numbers.sets import Interval, RealSet, meet
from flopsheet.numbers.spans import NoValueError, between
from flopsheet.search.grid import LARGEST
from flopsheet.tolerances import SAME_PLACE
from flopsheet.units import format_quantity, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Unit

MOST_EXPLAINED = 16
DIGITS = 2


class Why(StrEnum):
    """Why a part of a range stays open, as JSON has it."""

    TIME = "time"  # it was not searched to the end
    BOUNDS = "bounds"  # the bounds of a formula over it stay wider than what tells
    TOUCHING = "touching"  # a formula comes so near to its level between neighbouring floats that it may touch it
    POLE = "pole"  # a divisor may be zero there, or another function have no value


@dataclass(frozen=True)
class Cause:
    """Why one part of a range is open, with the relation that does not decide it, in quotes, if it is known."""

    part: Interval
    why: Why
    quoted: str = ""
    gap: float = 0.0  # between the sides of the relation there, in base units
    shown: str = ""  # the same in the unit of the relation


def causes_of(parts: RealSet, solved: SolutionSet) -> tuple[Cause, ...]:
    """Return why parts are open that conditions leave so, of many for the first ones only."""
    return tuple(_cause(part, solved) for part in parts[:MOST_EXPLAINED])


def explained(outcome: Outcome) -> Outcome:
    """Return an outcome with a cause for each part that is open."""
    if not outcome.open:
        return outcome
    known = {cause.part: cause for cause in outcome.causes}
    causes = tuple(known.get(part) or _cause(part, None) for part in outcome.open[:MOST_EXPLAINED])
    return replace(outcome, causes=causes)


def not_excluded(
    values: RealSet, cell: Cell, found: str = "Other values of {} are", causes: Sequence[Cause] = ()
) -> str:
    """Return that values are not excluded, where, and why: `Other values of x are not excluded: near x = 3. ...`."""
    around = (Interval(values[0].lower, values[-1].upper),) if len(values) > MOST_RANGES else values
    around = tuple(_unlimited(part) for part in around)
    texts = [
        f"near {cell.name} = {cell.text(part.lower)}" if _is_one_place(part, cell) else interval_text(part, cell)
        for part in around
    ]
    places = f" in {len(values)} places" if len(values) > MOST_RANGES else ""
    text = f"{found.format(cell.name)} not excluded{places}: {either(texts, len(texts))}."
    return f"{text}{_causes_text(causes, values, cell.name)}{cut_short('The rest')}"


def _unlimited(part: Interval) -> Interval:
    """Return an interval without the ends beyond which no number is looked for."""
    low = part.lower if part.lower > -LARGEST else -math.inf
    return replace(part, lower=low, upper=part.upper if part.upper < LARGEST else math.inf)


def _causes_text(causes: Sequence[Cause], parts: RealSet, name: str) -> str:
    """Return what to do about parts that are open, or why the numbers there are not decided."""
    if not all(map(_is_gap, parts)):
        return f" Bound {name} to search less."
    kinds = {(cause.why, cause.quoted) for cause in causes}
    if len(kinds) > 1 or not causes:
        return ""
    ((why, quoted),) = kinds
    if why is Why.TOUCHING:
        most = max(causes, key=lambda cause: cause.gap)
        return f" There the sides of {quoted} come within {most.shown} of each other, and may touch."
    return f" There {quoted} may divide by zero." if why is Why.POLE else ""


def _cause(part: Interval, solved: SolutionSet | None) -> Cause:
    if solved is not None and _is_gap(part):
        for condition in solved.conditions:
            if meet(condition.solution.open, (part,)):
                unit = shown_unit(condition.relation, solved.execution.question.sheet.cells)
                return _at_neighbours(part, condition, unit)
    return Cause(part, Why.TIME if is_over() else Why.BOUNDS)


def _is_gap(part: Interval) -> bool:
    """Whether a part is one number, or lies between neighbouring floats."""
    ends = part.lower, part.upper
    return all(map(is_finite, ends)) and size(part.upper - part.lower) <= SAME_PLACE * max(map(size, ends))


def _at_neighbours(part: Interval, condition: Condition, unit: Unit) -> Cause:
    """Return why a condition does not decide between two neighbouring floats, or at one number."""
    points = condition.gap(condition.relation)
    if points is None:
        return Cause(part, Why.BOUNDS)
    field, ends = points.field, [end for own in points.target for end, _ in own.ends if is_finite(end)]
    try:
        value = field.forward(between(part.lower, part.upper))[field.program.result]
    except NoValueError:
        return Cause(part, Why.POLE, condition.quoted)
    if not value.total or not (is_finite(value.low) and is_finite(value.high)):
        return Cause(part, Why.POLE, condition.quoted)
    looks = (field.value_by_digits(at, PRECISIONS[1], level) for level in ends for at in (part.lower, part.upper))
    gap = min((abs(look) for look in looks if look is not None), default=None)
    if gap is None:
        return Cause(part, Why.BOUNDS)
    return Cause(part, Why.TOUCHING, condition.quoted, gap, format_quantity(gap, unit, DIGITS))


def _is_one_place(part: Interval, cell: Cell) -> bool:
    """Whether both ends of a part are printed alike."""
    finite = is_finite(part.lower) and is_finite(part.upper)
    return finite and cell.text(part.lower) == cell.text(part.upper)
