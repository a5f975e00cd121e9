"""Which conditions shape an answer: the end of a range that it speaks of, and the limits that cut it or leave none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import in_words, ranges_text
from flopsheet.errors import joined
from flopsheet.inverse.method import Method
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.members import whole_runs
from flopsheet.numbers.sets import ALL, Interval, RealSet, around, hull, meet_all, meet_near, union, whole_ends
from flopsheet.search.grid import LARGEST
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.graph.system import System
    from flopsheet.inverse.solution import Solution
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


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

    Where a condition was solved within what others leave, these are all that exclude some of what is asked.
    """
    if not all(is_independent(condition, solved) for condition in solved.conditions):
        return solved.names_of_limits
    outer = (-math.inf, math.inf, solved.domain.lower, solved.domain.upper)
    ends = {near_whole(end) for part in solved.values for end in (part.lower, part.upper) if end not in outer}
    needed = [*solved.conditions]
    for limit in reversed(solved.all_limits):
        if not ends & limit.solution.ends and not excludes(limit, replace(solved, conditions=tuple(needed))):
            needed.remove(limit)
    return tuple(limit.relation.limit for limit in solved.all_limits if limit in needed)


def excludes(condition: Condition, solved: SolutionSet) -> bool:
    """Whether more values would be left without a condition, or may be."""
    without = replace(solved, conditions=tuple(other for other in solved.conditions if other is not condition))
    return (without.solutions, without.open) != (solved.solutions, solved.open)


def is_independent(condition: Condition, solved: SolutionSet) -> bool:
    """Whether a condition was solved over the whole domain, whatever others leave."""
    tested = condition.solution.how in (Method.TRIAL, Method.CONSTANT)
    return not tested and condition.chain.domain == solved.domain


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


def _needs(blamed: Sequence[Condition], solved: SolutionSet) -> str:
    """Return what a single limit needs, where that was solved over the whole domain."""
    condition = blamed[0]
    if len(blamed) > 1 or not is_independent(condition, solved):
        return ""
    values = condition.solution.values
    return f": it needs {ranges_text(values, solved.cell)}" if values else ""


@dataclass(frozen=True)
class Pick:
    """The interval of which an answer speaks, and the end of it that decides."""

    interval: Interval
    end: Number  # in base units
    lower: bool  # whether that is the lower end
    conditions: Sequence[Condition] = ()  # those that set its ends; none where only the cell's own bounds do

    @cached_property
    def setting(self) -> list[Condition]:
        """The conditions that set the end, the deciding one first."""
        return _setting(self.conditions, self.interval, lower=self.lower)

    @property
    def boundary(self) -> Number:
        """Where the deciding condition holds exactly; the end is the next whole number of a count found one by one."""
        deciding = self.setting[0] if self.setting else None
        parts = () if deciding is None or near_whole(self.end) in deciding.solution.ends else deciding.solution.values
        ends = ((part.lower if self.lower else part.upper, whole_ends(part)[not self.lower]) for part in parts)
        return next((exact for exact, whole in ends if whole == self.end), self.end)

    @property
    def sign(self) -> str:
        """The operator between the unknown and the end."""
        closed = self.interval.lower_closed if self.lower else self.interval.upper_closed
        return (">" if self.lower else "<") + ("=" if closed else "")


def picked(solved: SolutionSet, intervals: Sequence[Interval], near: Number | None) -> Pick:
    """Choose an end that a condition sets: the first for a count, else one that belongs to its interval.

    Where a value is given, the end nearest to it. Ends that limits set come behind those that were asked for, or are on
    a side that what was asked bounds too; ends that only the bounds of other cells set come last. Where what was asked
    bounds the unknown from above alone, the last of several is the most that works.
    """
    domain, picks = solved.domain, list[Pick]()
    for interval in intervals:
        low = (interval.lower, interval.lower_closed) != (domain.lower, domain.lower_closed)
        high = (interval.upper, interval.upper_closed) != (domain.upper, domain.upper_closed)
        ends = [(interval.lower, True)] * low + [(interval.upper, False)] * high
        setting = [_setting(solved.conditions, interval, lower=lower) for _, lower in ends]
        conditions = [condition for at in setting for condition in (*at[:1], *limits_of(at[1:]))]
        picks += [Pick(interval, end, lower, conditions) for end, lower in ends]
    picks = [*map(_within_search, picks)]
    if near is not None:
        picks.sort(key=lambda pick: size(pick.end - near))
    if picks:
        picks = [pick for pick in picks if not all(condition.implied for condition in pick.setting)] or picks
        asked = [pick for pick in picks if len(limits_of(pick.setting)) < len(pick.setting)]
        asked = asked or [pick for pick in picks if _is_asked_side(solved, lower=pick.lower)] or picks
        is_most = near is None and not asked[-1].lower and 2 * size(asked[-1].end) < LARGEST  # a whole one is below it
        asked = asked[::-1] if is_most and bounds_from_above(solved) else asked
        return next((pick for pick in asked if solved.cell.integer or "=" in pick.sign), asked[0])
    first = intervals[0]
    lower = is_finite(first.lower)
    endless = not lower and not is_finite(first.upper)
    return Pick(first, 0 if endless else first.lower if lower else first.upper, lower)


def _is_asked_side(solved: SolutionSet, *, lower: bool) -> bool:
    """Whether an inequality that was asked bounds an unknown on a side, be it by less than a limit does."""
    domain = solved.domain
    asked = (condition for condition in solved.asked if not (condition.relation.is_equation or condition.implied))
    hulls = ((condition, outer) for condition in asked if (outer := hull(condition.solution.around)) is not None)
    ends = ((condition, outer.lower if lower else outer.upper) for condition, outer in hulls)
    return any(
        (end > domain.lower if lower else end < domain.upper) and not _is_tried_end(condition, end, lower=lower)
        for condition, end in ends
    )


def _is_tried_end(condition: Condition, number: Number, *, lower: bool) -> bool:
    """Whether a condition was tried up to a number that others set, and holds beyond it."""
    return condition.solution.how is Method.TRIAL and _is_searched_end(condition, number, lower=lower)


def _within_search(pick: Pick) -> Pick:
    """Return a pick at the other end of its interval, where it is at the largest size that is searched."""
    other = pick.interval.upper if pick.lower else pick.interval.lower
    is_limit = size(pick.end) >= LARGEST and size(other) < LARGEST
    return replace(pick, end=other, lower=not pick.lower) if is_limit else pick


def _setting(conditions: Sequence[Condition], interval: Interval, *, lower: bool) -> list[Condition]:
    """Return the conditions that set an end; of a condition searched within an interval, its ends are set by others.

    Those whose values end there on the same side, and leave out that end if it is left out, where there are any.
    """
    ((number, closed),) = _ends((interval,), lower=lower)
    setting = [condition for condition in conditions if number in condition.solution.ends]
    beside = [(condition, _beside(number, condition.solution.values)) for condition in setting]
    on_side = [(condition, dict(_ends(parts, lower=lower))) for condition, parts in beside]
    setting = [condition for condition, ends in on_side if number in ends] or setting
    own = [condition for condition in setting if not _is_searched_end(condition, number, lower=lower)]
    if not own and all(condition.solution.how is Method.TRIAL for condition in setting):
        others = (condition for condition in conditions if condition.chain.integer and condition not in setting)
        own = [other for other in others if any(number in whole_ends(part) for part in other.solution.values)]
    setting = own or setting
    return [condition for condition, ends in on_side if ends.get(number) is closed and condition in setting] or setting


def _beside(number: Number, parts: RealSet) -> RealSet:
    """Return the intervals of a set of which a number may be an end: few of thousands."""
    return around(number, parts) if is_finite(number) else (*parts[:1], *parts[-1:])


def _ends(parts: RealSet, *, lower: bool) -> list[tuple[Number, bool]]:
    """Return the ends of intervals on one side, floats near whole numbers as these, and whether they are in them."""
    ends = (part.ends[0 if lower else -1] for part in parts)
    return [(near_whole(end), closed) for end, closed in ends]


def _is_searched_end(condition: Condition, number: Number, *, lower: bool) -> bool:
    """Whether a number is an end of what a condition was searched within; where it was tried, and holds beyond it."""
    domain = condition.chain.domain
    if condition.solution.how is not Method.TRIAL or not is_finite(number):
        return number in dict(_ends((domain,), lower=lower))
    if number != whole_ends(domain)[not lower]:
        return False
    return condition.holds_at(number + (-1 if lower else 1)) is True


def limits_of(conditions: Iterable[Condition]) -> list[Condition]:
    """Return the conditions that are limits of the sheet."""
    return [condition for condition in conditions if condition.limit]


def bounds_from_above(solved: SolutionSet) -> bool:
    """Whether inequalities that were asked bound an unknown from above alone: the largest number is wanted then."""
    return _is_asked_side(solved, lower=False) and not _is_asked_side(solved, lower=True)
