"""The values of an unknown that meet one condition, with how they were found, and those that meet several together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.formulas.evaluate import Values, value_or_none
from flopsheet.inverse.closed_form import Segment, closed_forms
from flopsheet.inverse.method import Method, Proof
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.progressions import MOST_TRIED, Progression, hulls, listed
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, complement, meet, meet_all, meet_near, point, union
from flopsheet.search.budget import is_over
from flopsheet.search.grid import LARGEST
from flopsheet.tolerances import SMALLEST_SIZE
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from flopsheet.functions import Expr
    from flopsheet.units import Number


MOST_PARTS = 12  # more would take long, each of them a search
SEARCHED = (Interval(-LARGEST, -SMALLEST_SIZE), Interval(SMALLEST_SIZE, LARGEST))


@dataclass(frozen=True)
class Solution:
    """All values of an unknown that meet a condition.

    Args:
        values: the set, in base units.
        how: the method that took most effort.
        segments: the layers that were inverted, from the relation down to the unknown.
        right: what the outermost layer is compared with.
        open: where more values may lie: what a search did not decide.
        progressions: more values, too many to list.
    """

    values: RealSet
    how: Method
    segments: tuple[Segment, ...] = ()
    right: Expr = None
    open: RealSet = EMPTY
    progressions: tuple[Progression, ...] = ()

    @property
    def around(self) -> RealSet:
        """The values, and the intervals in which those lie that are too many to list."""
        return union(self.values, hulls(self.progressions)) if self.progressions else self.values

    @property
    def listed(self) -> Solution:
        """The same with the first values of each progression, open where the others lie."""
        begun = [progression.begin for progression in self.progressions]
        values = union(self.values, listed(begun))
        opened = meet(hulls(self.progressions), complement(hulls(begun)))
        return replace(self, values=values, open=union(self.open, opened), progressions=())

    @property
    def proof(self) -> Proof:
        """How sure it is that these are the values, and all of them."""
        if self.open:
            return Proof.OPEN
        return Proof.PROVEN if self.how in (Method.SEARCH, Method.TRIAL) else Proof.EXACT

    @cached_property
    def ends(self) -> frozenset[Number]:
        """The ends of the set; floats within rounding of a whole number are that number."""
        return frozenset(near_whole(end) for interval in self.values for end, _ in interval.ends)

    @cached_property
    def forms(self) -> tuple[Expr, ...]:
        """What the ends of the set may be, as expressions over the other cells."""
        return closed_forms(self.segments, self.right) if self.segments else ()

    def form_at(self, end: Number, values: Values) -> Expr | None:
        """Return the form that gives an end of the set at these values, or None."""
        for form in self.forms:
            value = value_or_none(form, values)
            if value is not None and close(value, end):
                return form
        return None


def refined(solution: Solution, decided: Callable[[Interval], Solution | None]) -> Solution:
    """Return a solution with what a method decides in the parts that are open, if these are few and there is time."""
    if len(solution.open) > MOST_PARTS:
        return solution
    left, more = list[Interval](), list[Solution]()
    for part in solution.open:
        inside = decided(part) if meet((part,), SEARCHED) and not is_over() else None
        left += [part] if inside is None else inside.open
        more += [] if inside is None else [inside]
    values = union(solution.values, *(inside.values for inside in more))
    progressions = solution.progressions + tuple(whole for inside in more for whole in inside.progressions)
    return replace(solution, values=values, open=union(tuple(left)), progressions=progressions)


class Remaining(NamedTuple):
    """Values that meet conditions, and where more may lie."""

    values: RealSet
    progressions: tuple[Progression, ...] = ()  # values that are too many to list
    open: RealSet = EMPTY


def combined(domain: Interval, solutions: Sequence[Solution]) -> Remaining:
    """Return the numbers of a domain that meet all conditions, with the first members of each progression listed."""
    if not any(solution.progressions for solution in solutions):
        values = meet_all([(domain,), *(solution.values for solution in solutions)])
        return Remaining(values, open=_undecided(domain, solutions, values))
    left = reduce(_both, solutions, Remaining((domain,)))
    values = union(left.values, listed(whole.begin for whole in left.progressions))
    many = tuple(whole for whole in left.progressions if whole.begin is not whole)
    return Remaining(values, many, union(left.open, _undecided(domain, solutions, values)))


def _undecided(domain: Interval, parts: Sequence[Solution], values: RealSet) -> RealSet:
    """Return where a condition is not decided and no other one excludes the numbers."""
    if not any(part.open for part in parts):
        return EMPTY
    possible = [union(part.around, part.open) for part in parts]
    left = [
        meet_all([(domain,), part.open, *(others for at, others in enumerate(possible) if at != place)])
        for place, part in enumerate(parts)
        if part.open
    ]
    return meet(union(*left), complement(values))


def _both(left: Remaining, right: Solution) -> Remaining:
    """Return what meets two conditions; what neither of them leaves open."""
    values = [meet_near(left.values, right.values), *_members(left, right), *_members(right, left)]
    progressions, opened = [*_cut(left, right), *_cut(right, left)], left.open
    for one in left.progressions:
        for other in right.progressions:
            common = one.meet(other)
            if common is not None:
                progressions += common
            elif min(one.count, other.count) <= MOST_TRIED:
                few, many = sorted((one, other), key=lambda part: part.count)
                values += [point(number) for number in few.numbers() if number in many]
            else:
                opened = union(opened, meet((one.hull,), (other.hull,)))
    return Remaining(union(*values), tuple(progressions), opened)


def _members(left: Remaining | Solution, right: Remaining | Solution) -> Iterator[RealSet]:
    """Yield the single values of one side that are members of the other's progressions."""
    for part in left.values if right.progressions else ():
        if part.is_point and any(part.lower in progression for progression in right.progressions):
            yield (part,)


def _cut(left: Remaining | Solution, right: Remaining | Solution) -> Iterable[Progression]:
    """Return the members of one side's progressions in the ranges of the other."""
    ranges = [part for part in right.values if not part.is_point] if left.progressions else ()
    return [part for whole in left.progressions for interval in ranges for part in whole.within(interval)]
