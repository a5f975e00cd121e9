"""Turns the values that work into a kind of answer: one value, several, a range, whole numbers, or none."""

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
    solutions = solved.values
    if not solutions:
        return Outcome(solved.cell, "none", why=nothing(solved))
    by_equation = any(condition.relation.is_equation for condition in solved.conditions)
    points = all(each.is_point for each in solutions)
    if solved.cell.integer and (_is_discrete(solved) or not (points and by_equation)):
        result = _whole(solved, near)
    else:
        result = _values(solved, near) if points else _range(solved, near)
    result = replace(result, complete=all(condition.solution.complete for condition in solved.conditions))
    return result if near is None or result.kind == "none" else _taken_near(result, near)


def _is_discrete(solved: SolutionSet) -> bool:
    """Whether the whole numbers that work are listed one by one: divisors, multiples, no long runs."""
    ways = {condition.solution.how for condition in solved.conditions}
    runs = (whole_ends(each) for each in solved.values)
    return bool(ways & DISCRETE) or (Method.TRIAL in ways and all(last - first <= 1 for first, last in runs))


def _taken_near(result: Outcome, near: Number) -> Outcome:
    """Return the outcome with the value that lies next to a given one."""
    members = [member for each in result.solutions if (member := _member(each, near, result.cell)) is not None]
    if not members:
        return result
    value = min(members, key=lambda each: size(each - near))
    of_these = "Of these" if result.complete else "Of those found"
    why = f"{result.why} {of_these} {result.cell.text(value)} is nearest to {result.cell.text(near)}."
    interval = next(each for each in result.solutions if value in each)
    whole = None if result.whole is None else int(value)
    return replace(result, si=value, whole=whole, why=why if result.kind != "value" else result.why, interval=interval)


def _member(each: Interval, near: Number, cell: Cell) -> Number | None:
    """Return the number of an interval next to a given one; None where that would be an open end."""
    low, high = whole_ends(each) if cell.integer and not each.is_point else (each.lower, each.upper)
    value = round(near) if cell.integer and not each.is_point else near
    value = min(max(value, low), high)
    return value if value in each else None


def _values(solved: SolutionSet, near: Number | None) -> Outcome:
    points = [each.lower for each in solved.values]
    pointed = (each for each in solved.conditions if any(part.is_point for part in each.solution.values))
    deciding = next(pointed, solved.conditions[0])
    value = points[-1] if near is None else min(points, key=lambda each: size(each - near))
    wholes = around(solved.cell, value)
    shown = ", ".join(solved.cell.text(each) for each in points[:MOST_SHOWN])
    all_of_them = len(points) <= MOST_SHOWN and all(each.solution.complete for each in solved.conditions)
    why = f"'{deciding.relation.text}' holds at {shown}{' only' if all_of_them else ' and others'}." + "".join(
        f" {text}" for text in _gives(solved, deciding, wholes)
    )
    return Outcome(
        solved.cell,
        "value" if len(points) == 1 else "values",
        solved.values,
        next(each for each in solved.values if each.lower == value),
        value,
        value,
        neighbours=wholes,
        form=_form(deciding, value),
        why=why,
        deciding=deciding.relation,
    )


def _form(deciding: Condition, end: Number) -> Callable[[], Any | None]:
    """Return what finds the closed form of an end, once somebody asks for it."""
    return lambda: deciding.solution.form_at(end, deciding.chain.values)


def around(cell: Cell, value: Number) -> tuple[int, ...]:
    """Return the whole numbers on either side of a value that is none, for a cell that counts."""
    if not cell.integer or value == int(value):
        return ()
    return tuple(whole for whole in (math.floor(value), math.ceil(value)) if whole in cell.bounds)


def _gives(solved: SolutionSet, deciding: Condition, wholes: tuple[int, ...]) -> list[str]:
    """Say what each whole number makes of the cell that the deciding relation bounds."""
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
    def deciding(self) -> list[Condition]:
        """The conditions that set the end."""
        return [each for each in self.conditions if _at_end([each], self.end) is not None]

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


def _picked(solved: SolutionSet, intervals: Sequence[Interval], near: Number | None) -> _Pick:
    """Choose an end that a condition sets: the first for a count, else one that belongs to its interval.

    Where a value is given, the end next to it.
    """
    ends = []
    for each in intervals:
        low = (each.lower, each.lower_closed) != (solved.domain.lower, solved.domain.lower_closed)
        high = (each.upper, each.upper_closed) != (solved.domain.upper, solved.domain.upper_closed)
        setting = [end for end, is_set in ((each.lower, low), (each.upper, high)) if is_set]
        conditions = tuple(filter(None, (_at_end(solved.conditions, end) for end in setting)))
        ends += [(each.lower_closed, _Pick(solved.values, each, each.lower, True, conditions))] if low else []
        ends += [(each.upper_closed, _Pick(solved.values, each, each.upper, False, conditions))] if high else []
    if near is not None:
        ends.sort(key=lambda each: size(each[1].end - near))
    if ends:
        asked = [each for each in ends if not all(condition.implied for condition in each[1].deciding)] or ends
        return next((pick for closed, pick in asked if closed or solved.cell.integer), asked[0][1])
    first = intervals[0]
    lower = is_finite(first.lower)
    return _Pick(solved.values, first, first.lower if lower else first.upper, lower, ())


def _at_end(conditions: Iterable[Condition], end: Number) -> Condition | None:
    """Return the first condition whose boundary an end is, or None."""
    for condition in conditions:
        if near_whole(end) in condition.solution.ends:
            return condition
    return None


def _range(solved: SolutionSet, near: Number | None) -> Outcome:
    pick = _picked(solved, solved.values, near)
    deciding = _at_end(pick.conditions, pick.end)
    return Outcome(
        solved.cell,
        "range",
        solved.values,
        pick.interval,
        pick.end if pick.end in pick.interval else None,
        pick.end if deciding else None,
        form=_form(deciding, pick.end) if deciding else None,
        why=pick.why(solved.cell),
        sign=pick.sign,
        deciding=deciding.relation if deciding else None,
    )


def _whole(solved: SolutionSet, near: Number | None) -> Outcome:
    holding = [each for each in solved.values if operator.le(*whole_ends(each))]
    if not holding:
        return Outcome(solved.cell, "none", why=no_whole(solved.cell, solved.values))
    pick = _picked(solved, holding, near)
    first, last = whole_ends(pick.interval)
    whole = int(first if pick.lower else last)
    deciding = _at_end(pick.conditions, pick.end)
    beyond = whole - 1 if pick.lower else whole + 1
    tried = tuple(each for each in (whole, beyond) if each in solved.domain)
    if _is_discrete(solved):
        return _listed(solved, holding)
    return Outcome(
        solved.cell,
        "range",
        solved.values,
        pick.interval,
        whole,
        pick.end if deciding else None,
        whole=whole,
        form=_form(deciding, pick.end) if deciding else None,
        why=" ".join([pick.why(solved.cell), *(_gives(solved, deciding, tried) if deciding else ())]),
        sign=pick.sign,
        deciding=deciding.relation if deciding else None,
    )


def _listed(solved: SolutionSet, holding: list[Interval]) -> Outcome:
    """Return whole numbers one by one, the first as the value."""
    runs = tuple(Interval(*whole_ends(each)) for each in holding)
    texts = list(dict.fromkeys(f"'{condition.relation.text}'" for condition in solved.conditions))
    first = int(runs[0].lower if is_finite(runs[0].lower) else runs[0].upper)
    hold = "hold" if len(texts) > 1 else "holds"
    why = f"{joined(texts)} {hold} for {_wholes_text(runs, solved.cell)}."
    return Outcome(solved.cell, "whole", runs, runs[0], first, whole=first, why=why)


def _wholes_text(runs: tuple[Interval, ...], cell: Cell) -> str:
    numbers, more = wholes_of(runs, MOST_SHOWN)
    shown = [format_number(each) for each in numbers]
    return f"{', '.join(shown)}{', ...' if more else ''} {cell.unit.text}".strip()


def merged(name: str, answers: list[Answer]) -> Answer:
    """Return the answers for each of several values of a cell on the way as one.

    Args:
        name: the cell.
        answers: one for each of its values.
    """
    base = next((each for each in answers if each.solved), answers[0])
    for unknown, own in base.outcomes.items():
        others = [each.outcomes[unknown].solutions for each in answers if each.solved]
        solutions = without_doubles(union(*others))
        points = all(each.is_point for each in solutions)
        if solutions != own.solutions and own.kind != "none" and len(solutions) > 1:
            kind = "values" if points else own.kind
            why = f"{own.why} It has several values because {name} has."
            base.outcomes[unknown] = replace(own, kind=kind, solutions=solutions, why=why)
    shown = base.cells[name].cell.text(base.cells[name].si) if name in base.cells else "one of them"
    base.warnings.append(f"{name} has several values by the relations; the other cells are those at {shown}.")
    return base
