"""The whole numbers beside an answer: what they give, and why they are none."""

from __future__ import annotations

import math
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from flopsheet.answer.limits import is_independent
from flopsheet.numbers.sets import Interval, is_in, meet_all, whole_ends
from flopsheet.units import digits_apart, format_apart, format_number, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_BESIDE = 64  # whole numbers beside an answer of which the next is sought that meets all but an inequality


def around(cell: Cell, value: Number) -> tuple[int, ...]:
    """Return the whole numbers on either side of a value that is none, for a cell that counts."""
    if not cell.integer or value == int(value):
        return ()
    return tuple(whole for whole in (math.floor(value), math.ceil(value)) if whole in cell.bounds)


def _follow(runs: Sequence[Interval]) -> bool:
    """Whether runs of whole numbers are one: each starts where the one before it ends."""
    return all(after.lower == before.upper + 1 for before, after in pairwise(runs))


def effects(solved: SolutionSet, deciding: Condition, wholes: Iterable[int]) -> tuple[list[str], int]:
    """Return what each whole number gives for the cell that the deciding relation bounds, or which limit it breaks.

    The second value is the number of digits with which that cell is printed, 0 where it is not.
    """
    left, chain = deciding.relation.left, deciding.chain
    if left not in chain.links.symbols or left.name == solved.cell.name:
        return [], 0
    sides = {whole: chain.at_or_none(whole, left) for whole in wholes}
    bounds = [chain.at_or_none(whole, deciding.relation.right) for whole in wholes]
    known = [side for side in (*sides.values(), *bounds) if side is not None]
    unit = solved.execution.question.sheet.cells[left.name].unit
    texts = dict(zip(known, format_apart(known, unit), strict=True))
    breaking = {whole: _breaking(solved, whole, deciding) for whole in sides}
    if len(sides) > 1 and not any(breaking.values()) and all(map(deciding.holds_at, sides)):
        return [], 0  # something else excludes one of them
    told = [
        f"{format_number(whole)} {breaking[whole] or f'gives {left.name} {texts[side]}'}."
        for whole, side in sides.items()
        if side is not None
    ]
    return told, digits_apart(known, unit) if told else 0


def effects_beside(
    solved: SolutionSet, ends: Sequence[tuple[Number, bool]], runs: Sequence[Interval]
) -> tuple[list[str], int]:
    """Return `effects` of an end of an answer and of the next whole number that nothing but an inequality excludes.

    Args:
        solved: the answer; unless its question has one inequality, limits alone have effects.
        ends: the ends of the answer, each with whether to look above it; the first with such a number counts.
        runs: the whole numbers of the answer; where they follow each other, limits have effects too.
    """
    asked = [own for own in solved.asked if not (own.relation.is_equation or own.implied)]
    for end, above in ends if len(asked) == 1 else ():
        beside = _beside(solved, asked[0], end, above=above) if is_finite(end) else None
        if beside is not None:
            return effects(solved, asked[0], (int(end), beside))
    return _effects_at_limits(solved, ends) if _follow(runs) else ([], 0)


def _effects_at_limits(solved: SolutionSet, ends: Iterable[tuple[Number, bool]]) -> tuple[list[str], int]:
    """Return `effects` of an end of an answer and of the whole number beyond it, for the condition that excludes it.

    Args:
        solved: the answer, all whole numbers from one to another.
        ends: its ends, each with whether to look above it; the first with such a condition counts.
    """
    for end, above in ends:
        beyond = end + (1 if above else -1)
        if not is_finite(end) or beyond not in solved.domain:
            continue
        for own in solved.conditions:
            if not own.relation.is_equation and own.holds_at(beyond) is False:
                texts, digits = effects(solved, own, (int(end), int(beyond)))
                if texts:
                    return texts, digits
    return [], 0


def _beside(solved: SolutionSet, asked: Condition, end: Number, *, above: bool) -> int | None:
    others = [own for own in solved.conditions if own is not asked]
    alone = [own.solution.values for own in others if is_independent(own, solved)]
    beyond = Interval(end + 1, math.inf) if above else Interval(-math.inf, end - 1)
    runs = [whole_ends(part) for part in meet_all([(solved.domain,), (beyond,), *alone])]
    numbers = (number for run in (runs if above else runs[::-1]) for number in _from_inside(*run, above=above))
    return next((own for own in islice(numbers, MOST_BESIDE) if all(other.holds_at(own) for other in others)), None)


def _breaking(solved: SolutionSet, at: Number, told: Condition) -> str:
    """Return which limit a value breaks, in words; empty for none. The limit that is named already is left out."""
    for limit in (own for own in solved.limits if own is not told):
        solution = limit.solution
        known = is_in(at, solution.values) or is_in(at, solution.open)
        known = known or any(at in part for part in solution.progressions)
        if not (known or limit.holds_at(at)):
            return f"breaks limit {limit.limit}"
    return ""


def _from_inside(first: Number, last: Number, *, above: bool) -> range:
    """Return whole numbers of a range from the end that is nearest, as many as are looked at."""
    if above:
        return range(int(first), int(min(last, first + MOST_BESIDE)) + 1)
    return range(int(last), int(max(first, last - MOST_BESIDE)) - 1, -1)
