"""Which limits shape an answer: those that cut it, or leave none."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import in_words, ranges_text
from flopsheet.errors import joined
from flopsheet.inverse.method import Method
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.members import whole_runs
from flopsheet.numbers.sets import (
    ALL,
    Interval,
    RealSet,
    complement,
    hull,
    meet_all,
    meet_near,
    union,
    whole_ends,
)
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.answer.verification.checks import Check
    from flopsheet.graph.system import System
    from flopsheet.inverse.solution import Solution
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


TESTED = frozenset((Method.TRIAL, Method.CONSTANT))  # at single numbers alone


def without_limits(system: System) -> System:
    """Return a system whose question lifts every limit of its sheet."""
    question = replace(system.question, without=tuple(system.question.sheet.limits))
    return replace(system, question=question)


def on_unknown(limits: Iterable[str], name: str, system: System) -> tuple[str, ...]:
    """Return those of some limits, by name, that rest on one of several unknowns."""
    structure, stated = system.knowing(system.question.unknowns).structure, system.question.sheet.limits
    return tuple(own for own in limits if name in structure.needed(stated[own].cells))


def ranged(conditions: Sequence[Condition]) -> list[Condition]:
    """Return conditions on a count, limits that each whole number between two meets as ranges.

    Limits were solved within what is asked leaves or may leave: at an end of that they exclude nothing.
    """
    asked = hull(meet_all([union(own.solution.around, own.solution.open) for own in conditions if not own.limit]))
    ends = (-math.inf, math.inf) if asked is None else whole_ends(asked)
    within = [replace(own, solution=_ranged(own.solution, ends)) if own.limit else own for own in conditions]
    return [own for own in within if not own.limit or own.solution.values != ALL]


def _ranged(solution: Solution, ends: tuple[Number, Number]) -> Solution:
    every = tuple(own.hull for own in solution.progressions if own.is_every_whole)
    run = hull(union(solution.values, every))
    if run is None or run.is_point or len(every) != len(solution.progressions) or len(solution.values or every) != 1:
        return solution
    first, last = whole_ends(run)
    lower = -math.inf if first <= ends[0] else run.lower
    upper = math.inf if last >= ends[1] else run.upper
    run = Interval(lower, upper, run.lower_closed and is_finite(lower), run.upper_closed and is_finite(upper))
    return replace(solution, values=(run,), progressions=())


def is_narrower(left: RealSet, without: RealSet) -> bool:
    """Whether what limits leave spans at most half of what there is without them, so that it is searched sooner."""
    inner, outer = hull(left), hull(without)
    if inner is None or outer is None:
        return outer is not None
    width = outer.upper - outer.lower
    return 2 * (inner.upper - inner.lower) <= width if is_finite(width) else is_finite(inner.upper - inner.lower)


def leaves_less(solution: Solution, left: RealSet, *, whole: bool) -> bool:
    """Whether less is left of a set within a solution; a count loses nothing by a solution of all whole numbers."""
    if whole and has_all_wholes(solution, left):
        return False
    return bool(solution.progressions) or meet_near(left, solution.values) != left


def has_all_wholes(solution: Solution, left: RealSet) -> bool:
    """Whether a solution lists each whole number of a set that has some between its ends."""
    ends = [(first, last) for first, last in map(whole_ends, left) if first <= last]
    if len(ends) < len(left):
        return False
    if len(solution.progressions) == 1:
        only = solution.progressions[0]
        return only.is_every_whole and all(only.lower <= first and last <= only.upper for first, last in ends)
    runs = () if solution.progressions else whole_runs(solution.values)
    return all(any(run.lower <= first and last <= run.upper for run in runs) for first, last in ends)


def shaping(solved: SolutionSet) -> tuple[str, ...]:
    """Return the limits that shape the values of an unknown: they set an end, or exclude what nothing before them does.

    Where numbers were tried one by one, these are all that exclude some of what is asked.
    """
    if any(own.solution.how in TESTED and own.solution.values != (own.chain.domain,) for own in solved.conditions):
        return solved.names_of_limits
    outer = (-math.inf, math.inf, solved.domain.lower, solved.domain.upper)
    ends = {near_whole(end) for part in solved.values for end in (part.lower, part.upper) if end not in outer}
    needed = whole = [_beyond_domain(condition) for condition in solved.conditions]
    setting = [bool(own.relation.limit and ends & own.solution.ends) for own in whole]
    deciding = [own for own, sets in zip(solved.conditions, setting, strict=True) if sets or not own.relation.limit]
    if any(setting) and replace(solved, conditions=tuple(deciding)).solutions == solved.solutions:
        return tuple(own.relation.limit for own in deciding if own.relation.limit)
    for limit in reversed([own for own in whole if own.relation.limit]):
        left = replace(solved, conditions=tuple(needed))
        if not ends & limit.solution.ends and not excludes(limit, left):
            needed = [other for other in needed if other is not limit]
    return tuple(own.relation.limit for own in needed if own.relation.limit)


def _beyond_domain(condition: Condition) -> Condition:
    """Return a condition that was solved within what others leave as one that excludes nothing beyond that."""
    outside = complement((condition.chain.domain,))
    if not outside or condition.solution.progressions:
        return condition
    return replace(condition, solution=replace(condition.solution, values=union(condition.solution.values, outside)))


def excludes(condition: Condition, solved: SolutionSet) -> bool:
    """Whether more values would be left without a condition, or may be."""
    without = replace(solved, conditions=tuple(other for other in solved.conditions if other is not condition))
    return (without.solutions, without.open) != (solved.solutions, solved.open)


def is_independent(condition: Condition, solved: SolutionSet) -> bool:
    """Whether a condition was solved over the whole domain, whatever others leave."""
    return condition.solution.how not in TESTED and condition.chain.domain == solved.domain


def none_within(solved: SolutionSet) -> str:
    """Return that limits leave no value of an unknown at which what was asked holds."""
    names = joined([condition.relation.name for condition in solved.limits])
    one = len(solved.limits) == 1
    asked = joined([condition.quoted for condition in solved.asked])
    holds = f" at which {asked} {'holds' if len(solved.asked) == 1 else 'hold'}" if asked else ""
    return f"Limit{'' if one else 's'} {names} leave{'s' if one else ''} no {solved.cell.name}{holds}."


def exclusion(solved: SolutionSet, allowed: RealSet, whole: int | None, *, others: bool = False) -> str:
    """Return which limits exclude every value of an unknown, and the values that the question alone allows.

    `others` tells that limits which do not depend on it are broken as well.
    """
    cell = solved.cell
    independent = [limit for limit in solved.limits if len(solved.limits) == 1 or is_independent(limit, solved)]
    alone = [limit for limit in independent if not meet_near(allowed, limit.solution.values)]
    blamed = alone or list(solved.limits)
    names = joined([in_words(condition.relation) for condition in blamed])
    many = "" if len(blamed) == 1 else "s"
    together = " together" if many and not alone else ""
    text = f"Limit{many} {names}{together} exclude{'' if many else 's'} every {cell.name}{_needs(blamed, solved)}."
    are_all = len(blamed) == len(solved.limits) and not (others or solved.unexamined)
    lifted = ("them" if many else "it") if are_all else "any limit"
    return f"{text} {left_without(lifted, ranges_text(allowed, cell), cell, whole)}"


def left_without(lifted: str, values: str, cell: Cell, whole: int | None) -> str:
    """Return the values that there are without a limit, and the first whole number of them, in a sentence."""
    first = "" if whole is None or values == f"{cell.name} = {cell.text(whole)}" else f", so {cell.text(whole)}"
    return f"Without {lifted}: {values}{first}."


def failing_at(why: str, cell: Cell, value: Number, broken: Sequence[Check], *, alone: bool = True) -> str:
    """Return a reason with the limits that do not hold at a value; of the only one, that it works without them."""
    at = f"{cell.name} = {cell.text(value)}"
    text = f"{why} But at {at}, {joined([check.failure for check in broken])}."
    return f"{text} {left_without('it' if len(broken) == 1 else 'them', at, cell, None)}" if alone else text


def _needs(blamed: Sequence[Condition], solved: SolutionSet) -> str:
    """Return what a single limit needs, where that was solved over the whole domain."""
    condition = blamed[0]
    if len(blamed) > 1 or not is_independent(condition, solved):
        return ""
    values = condition.solution.values
    return f": it needs {ranges_text(values, solved.cell)}" if values else ""


def limits_of(conditions: Iterable[Condition]) -> list[Condition]:
    """Return the conditions that are limits of the sheet."""
    return [condition for condition in conditions if condition.limit]
