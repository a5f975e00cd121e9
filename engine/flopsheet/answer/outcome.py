"""From the values that work to a kind of answer: a value, several, a range, whole numbers, or none."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flopsheet.answer.reasons import no_whole, nothing
from flopsheet.answer.results import Outcome
from flopsheet.answer.wording import MOST_SHOWN, ranges_text, wholes_of
from flopsheet.errors import joined
from flopsheet.inverse.method import Method
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import Interval, union, whole_ends, without_doubles
from flopsheet.units import format_apart, format_number, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.condition import Condition
    from flopsheet.answer.unknown import SolutionSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


DISCRETE = frozenset((Method.DIVISORS, Method.PERIOD))


def outcome(solved: SolutionSet, near: Number | None = None) -> Outcome:
    """Return the outcome of an unknown; of several values the one near a given value is taken."""
    intervals = solved.values
    if not intervals:
        return Outcome(solved.cell, "none", why=nothing(solved))
    by_equation = any(condition.relation.is_equation for condition in solved.conditions)
    points = all(interval.is_point for interval in intervals)
    if solved.cell.integer and (_is_discrete(solved) or not (points and by_equation)):
        result = _whole(solved, near)
    else:
        result = _values(solved, near) if points else _range(solved, near)
    result = replace(result, complete=all(condition.solution.complete for condition in solved.conditions))
    return result if near is None or result.kind == "none" else _nearest(result, near)


def _is_discrete(solved: SolutionSet) -> bool:
    """Whether the whole numbers that work are listed one by one: divisors, multiples, no long runs."""
    methods = {condition.solution.how for condition in solved.conditions}
    runs = (whole_ends(interval) for interval in solved.values)
    return bool(methods & DISCRETE) or (Method.TRIAL in methods and all(last - first <= 1 for first, last in runs))


def _nearest(result: Outcome, near: Number) -> Outcome:
    """Return the outcome with the value nearest to a given one."""
    values = [value for interval in result.solutions if (value := _member(interval, near, result.cell)) is not None]
    if not values:
        return result
    value = min(values, key=lambda member: size(member - near))
    of_these = "Of these" if result.complete else "Of those found"
    why = f"{result.why} {of_these} {result.cell.text(value)} is nearest to {result.cell.text(near)}."
    interval = next(interval for interval in result.solutions if value in interval)
    whole = None if result.whole is None else int(value)
    return replace(result, si=value, whole=whole, why=why if result.kind != "value" else result.why, interval=interval)


def _member(interval: Interval, near: Number, cell: Cell) -> Number | None:
    """Return the number of an interval nearest to a given one; None where that would be an open end."""
    counts = cell.integer and not interval.is_point
    low, high = whole_ends(interval) if counts else (interval.lower, interval.upper)
    value = min(max(round(near) if counts else near, low), high)
    return value if value in interval else None


def _values(solved: SolutionSet, near: Number | None) -> Outcome:
    points, cell = [interval.lower for interval in solved.values], solved.cell
    conditions = solved.conditions
    pointed = (one for one in conditions if any(interval.is_point for interval in one.solution.values))
    deciding = next(pointed, conditions[0])
    value = points[-1] if near is None else min(points, key=lambda point: size(point - near))
    wholes = around(cell, value)
    shown = ", ".join(cell.text(point) for point in points[:MOST_SHOWN])
    all_shown = len(points) <= MOST_SHOWN and all(condition.solution.complete for condition in conditions)
    holds = f"'{deciding.relation.text}' holds at {shown}{' only' if all_shown else ' and others'}."
    return Outcome(
        cell,
        "value" if len(points) == 1 else "values",
        solved.values,
        next(interval for interval in solved.values if interval.lower == value),
        value,
        value,
        neighbours=wholes,
        form=_form(deciding, value),
        why=" ".join([holds, *_effects(solved, deciding, wholes)]),
        deciding=deciding.relation,
    )


def _form(deciding: Condition, end: Number) -> Callable[[], Any | None]:
    """Return a function that makes the closed form of an end, on demand."""
    return lambda: deciding.solution.form_at(end, deciding.chain.values)


def around(cell: Cell, value: Number) -> tuple[int, ...]:
    """Return the whole numbers on either side of a value that is none, for a cell that counts."""
    if not cell.integer or value == int(value):
        return ()
    return tuple(whole for whole in (math.floor(value), math.ceil(value)) if whole in cell.bounds)


def _effects(solved: SolutionSet, deciding: Condition, wholes: Iterable[int]) -> list[str]:
    """Return what each whole number gives for the cell that the deciding relation bounds."""
    left = deciding.relation.left
    cells = solved.execution.question.sheet.cells
    shows = left.is_Symbol and left.name in cells and left.name != solved.cell.name
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
    def deciding(self) -> Condition | None:
        """The first condition that sets the end."""
        return _setting(self.conditions, self.end)

    @property
    def is_implied(self) -> bool:
        """Whether only bounds of other cells set the end, not relations of the question."""
        return all(condition.implied for condition in self.conditions if _setting([condition], self.end))

    @property
    def sign(self) -> str:
        """The operator between the unknown and the end."""
        closed = self.interval.lower_closed if self.lower else self.interval.upper_closed
        return (">" if self.lower else "<") + ("=" if closed else "")

    def why(self, cell: Cell) -> str:
        """Return which relations hold where."""
        texts = list(dict.fromkeys(f"'{condition.relation.text}'" for condition in self.conditions))
        if not texts:
            return f"Every value of {cell.name} works: it is {cell.bounds.text(cell.unit)}."
        return f"{joined(texts)} {'hold' if len(texts) > 1 else 'holds'} for {ranges_text(self.intervals, cell)}."


def _picked(solved: SolutionSet, intervals: Sequence[Interval], near: Number | None) -> _Pick:
    """Choose an end that a condition sets: the first for a count, else one that belongs to its interval.

    Where a value is given, the end nearest to it.
    """
    domain, ends = solved.domain, list[tuple[bool, _Pick]]()
    for interval in intervals:
        low = (interval.lower, interval.lower_closed) != (domain.lower, domain.lower_closed)
        high = (interval.upper, interval.upper_closed) != (domain.upper, domain.upper_closed)
        set_ends = [end for end, is_set in ((interval.lower, low), (interval.upper, high)) if is_set]
        conditions = tuple(filter(None, (_setting(solved.conditions, end) for end in set_ends)))
        if low:
            ends.append((interval.lower_closed, _Pick(solved.values, interval, interval.lower, True, conditions)))
        if high:
            ends.append((interval.upper_closed, _Pick(solved.values, interval, interval.upper, False, conditions)))
    if near is not None:
        ends.sort(key=lambda closed_end: size(closed_end[1].end - near))
    if ends:
        asked = [(closed, pick) for closed, pick in ends if not pick.is_implied] or ends
        return next((pick for closed, pick in asked if closed or solved.cell.integer), asked[0][1])
    first = intervals[0]
    lower = is_finite(first.lower)
    return _Pick(solved.values, first, first.lower if lower else first.upper, lower, ())


def _setting(conditions: Iterable[Condition], end: Number) -> Condition | None:
    """Return the first condition that sets an end, or None."""
    return next((condition for condition in conditions if near_whole(end) in condition.solution.ends), None)


def _range(solved: SolutionSet, near: Number | None) -> Outcome:
    pick = _picked(solved, solved.values, near)
    return _bounded(solved, pick, pick.end if pick.end in pick.interval else None)


def _bounded(solved: SolutionSet, pick: _Pick, value: Number | None, why: str = "") -> Outcome:
    """Return the outcome of a range whose end is the boundary of the deciding condition."""
    deciding = pick.deciding
    return Outcome(
        solved.cell,
        "range",
        solved.values,
        pick.interval,
        value,
        pick.end if deciding else None,
        form=_form(deciding, pick.end) if deciding else None,
        why=why or pick.why(solved.cell),
        sign=pick.sign,
        deciding=deciding.relation if deciding else None,
    )


def _whole(solved: SolutionSet, near: Number | None) -> Outcome:
    holding = [interval for interval in solved.values if operator.le(*whole_ends(interval))]
    if not holding:
        return Outcome(solved.cell, "none", why=no_whole(solved.cell, solved.values))
    if _is_discrete(solved):
        return _enumerated(solved, holding)
    pick = _picked(solved, holding, near)
    first, last = whole_ends(pick.interval)
    whole = int(first if pick.lower else last)
    beyond = whole - 1 if pick.lower else whole + 1
    shown = [number for number in (whole, beyond) if number in solved.domain]
    effects = _effects(solved, pick.deciding, shown) if pick.deciding else []
    return replace(_bounded(solved, pick, whole, " ".join([pick.why(solved.cell), *effects])), whole=whole)


def _enumerated(solved: SolutionSet, holding: list[Interval]) -> Outcome:
    """Return whole numbers one by one, the first as the value."""
    runs = tuple(Interval(*whole_ends(interval)) for interval in holding)
    texts = list(dict.fromkeys(f"'{condition.relation.text}'" for condition in solved.conditions))
    first = int(runs[0].lower if is_finite(runs[0].lower) else runs[0].upper)
    why = f"{joined(texts)} {'hold' if len(texts) > 1 else 'holds'} for {_wholes_text(runs, solved.cell)}."
    return Outcome(solved.cell, "whole", runs, runs[0], first, whole=first, why=why)


def _wholes_text(runs: tuple[Interval, ...], cell: Cell) -> str:
    numbers, more = wholes_of(runs, MOST_SHOWN)
    shown = [format_number(number) for number in numbers]
    return f"{', '.join(shown)}{', ...' if more else ''} {cell.unit.text}".strip()


def merged(name: str, answers: list[Answer]) -> Answer:
    """Return the answers for the values of a cell on the way as a single one.

    Args:
        name: the cell.
        answers: the answer at each of its values.
    """
    solved = [answer for answer in answers if answer.solved]
    base = solved[0] if solved else answers[0]
    for unknown, own in base.outcomes.items():
        solutions = without_doubles(union(*(answer.outcomes[unknown].solutions for answer in solved)))
        if solutions != own.solutions and own.kind != "none" and len(solutions) > 1:
            kind = "values" if all(interval.is_point for interval in solutions) else own.kind
            why = f"{own.why} It has several values because {name} has."
            base.outcomes[unknown] = replace(own, kind=kind, solutions=solutions, why=why)
    shown = base.cells[name].cell.text(base.cells[name].si) if name in base.cells else "one of them"
    base.warnings.append(f"{name} has several values by the relations; the other cells are those at {shown}.")
    return base
