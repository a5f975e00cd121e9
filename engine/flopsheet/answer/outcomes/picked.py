"""The interval of which an answer speaks, the end of it that decides, and which conditions set that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.answer.limits import limits_of
from flopsheet.inverse.method import Method
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import Interval, RealSet, around, hull, whole_ends
from flopsheet.search.grid import LARGEST
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.units import Number


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


def bounds_from_above(solved: SolutionSet) -> bool:
    """Whether inequalities that were asked bound an unknown from above alone: the largest number is wanted then."""
    return _is_asked_side(solved, lower=False) and not _is_asked_side(solved, lower=True)
