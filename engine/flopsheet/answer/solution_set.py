"""What the conditions on an unknown leave of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.answer.conditions.condition import Condition, checked
from flopsheet.answer.several.partners import Partners
from flopsheet.inverse.method import Proof
from flopsheet.inverse.solution import Remaining, combined
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import Interval, RealSet, whole_ends

if TYPE_CHECKING:
    from collections.abc import Container

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.numbers.progressions import Progression
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


@dataclass(frozen=True)
class SolutionSet:
    """What the conditions leave of an unknown."""

    cell: Cell  # the unknown
    domain: Interval  # the values that make sense for it
    conditions: tuple[Condition, ...]  # all that was asked of it, and the limits of the sheet that exclude some of that
    execution: Execution  # the values and steps on which the conditions rest
    used: frozenset[str] = frozenset()  # the equations among the conditions, by key
    followed: str = ""  # the cell of a cycle from which the unknown was found; it may have other values as well
    unsolved: tuple[Relation, ...] = ()  # the limits and bounds that depend on it and cannot be inverted for it
    unexamined: tuple[Relation, ...] = ()  # the limits that may exclude values too, which other limits exclude
    partners: Partners = field(default_factory=Partners)  # the inputs that follow from it
    applied: frozenset[str] = frozenset()  # the inequalities, limits and bounds that were looked at, by their text

    def checked_by(self, system: System) -> tuple[Relation, ...]:
        """Return the limits and bounds among those not inverted that one value of the only unknown decides."""
        if len(system.question.unknowns) > 1:
            return ()
        known = system.knowing((self.cell.name,)).structure.determined
        return tuple(own for own in self.unsolved if own.cells <= known)

    @property
    def asked(self) -> tuple[Condition, ...]:
        """The conditions that are no limits of the sheet."""
        return tuple(condition for condition in self.conditions if not condition.limit)

    @property
    def limits(self) -> tuple[Condition, ...]:
        """The limits that exclude some of what is asked."""
        return tuple(condition for condition in self.conditions if condition.limit)

    @property
    def all_limits(self) -> tuple[Condition, ...]:
        """These, and the limits that decide alone, which are asked then."""
        return tuple(condition for condition in self.conditions if condition.relation.limit)

    @property
    def names_of_limits(self) -> tuple[str, ...]:
        """The names of all of them."""
        return tuple(condition.relation.limit for condition in self.all_limits)

    @cached_property
    def values(self) -> RealSet:
        """The values that meet all conditions.

        For a count, ends within rounding of a whole number are that number; fractional roots count only where no root
        is whole.
        """
        if not self.cell.integer:
            return self._left.values
        exact = (end for own in self.conditions for part in own.solution.values for end in part.ends)
        open_ends = {end for end, closed in exact if not closed and not isinstance(end, float)}
        snapped = tuple(_snapped(part, open_ends) for part in self._left.values)
        return tuple(part for part in snapped if not part.is_point or part.lower == int(part.lower)) or snapped

    @cached_property
    def open(self) -> RealSet:
        """Where more values may lie: no condition excludes it, and not all prove it."""
        if not self.cell.integer:
            return self._left.open
        wholes = (Interval(*whole_ends(part)) for part in self._left.open)
        return tuple(part for part in wholes if part.lower <= part.upper)

    @property
    def progressions(self) -> tuple[Progression, ...]:
        """Values that are too many to list: the values have the first of them."""
        return self._left.progressions

    @property
    def solutions(self) -> tuple[Interval | Progression, ...]:
        """The values, and those that are too many to list."""
        return *self.values, *self.progressions

    @cached_property
    def _left(self) -> Remaining:
        return checked(combined(self.domain, [own.solution for own in self.conditions]), self.conditions)

    @property
    def proof(self) -> Proof:
        """How sure it is that these are the values, and all of them."""
        if self.open:
            return Proof.OPEN
        searched = any(condition.solution.proof is not Proof.EXACT for condition in self.conditions)
        return Proof.PROVEN if searched else Proof.EXACT


def _snapped(part: Interval, open_ends: Container[Number]) -> Interval:
    """Return a part with ends that are whole but for rounding as these, closed unless a condition ends there."""
    ends = [(near_whole(end), closed) for end, closed in part.ends]
    (lower, lower_closed), (upper, upper_closed) = ((end, closed and end not in open_ends) for end, closed in ends)
    return part if part.is_point and not lower_closed else Interval(lower, upper, lower_closed, upper_closed)
