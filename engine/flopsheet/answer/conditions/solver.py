"""Solves several conditions on one unknown, one after the other, each within what the others leave."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet import budget
from flopsheet.answer.cell_bounds import MOST_POINTS, always_holds
from flopsheet.answer.conditions.condition import Condition, at_same_ends
from flopsheet.answer.conditions.one import DIVIDES, MOST_CANDIDATES, MOST_TESTED, RelationSolver
from flopsheet.answer.limits import is_narrower, leaves_less
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.inverse.method import Method
from flopsheet.inverse.tested_ends import held_by, test_of
from flopsheet.numbers.sets import (
    Interval,
    RealSet,
    complement,
    hull,
    meet,
    meet_near,
    union,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.inverse.chain import Chain
    from flopsheet.sheets.cell import Cell

SEARCHED = frozenset((Method.SEARCH, Method.TRIAL, Method.CASES))
FOR_LIMIT, WITHOUT_LIMITS, BEFORE_TRIAL = 1 / 4, 1 / 4, 3 / 4  # of the time: for a limit, beyond limits, before a trial
BEFORE_LIMITS = 1 / 2  # of the time for a count: limits may leave few numbers, which are tried one by one


class ConditionSolver:
    """Solves conditions one after the other over one chain, from the unknown to every cell that depends on it.

    The bounds of `bounded` cells narrow a search.
    """

    def __init__(self, chain: Chain, execution: Execution, bounded: Sequence[Cell] = ()) -> None:
        self.chain, self.execution = chain, execution
        self.one = RelationSolver(chain, execution, bounded)
        self.unsolved: list[Relation] = []  # the limits that no method inverts
        self.unexamined: list[Relation] = []  # the limits that were not looked at, as others leave nothing
        self.unfinished = chain.known.unfinished  # how many conditions were not inverted in time before

    def solve(self, asked: Sequence[Relation], limits: Sequence[Relation] = ()) -> list[Condition]:
        """Return the conditions that are asked, in order, then the limits that exclude something of what these leave.

        What can be inverted exactly comes first. What is searched, is periodic or jumps is solved within what the
        others leave; limits narrow a search only where they leave something, so that it is known what they exclude. One
        that cannot be inverted is left out.
        """
        limits = [own for own in limits if not always_holds(self.chain, own, self.execution.question.sheet.cells)]
        if len(asked) == 1 and not limits:
            alone = {0: self._asked(asked[0], ())}
            return [*(alone | self._tested(alone)).values()]
        solved = at_same_ends(self._inverted(asked))
        limits = self._unmet(limits, solved.values()) if len(solved) == len(asked) else limits
        relations = [*asked, *limits]
        solved |= self._inverted(relations, len(asked))
        domains = dict.fromkeys(solved, self.chain.domain)  # of what may be solved again where others leave less
        left = self.one.left(solved.values())
        waiting = [place for place in range(len(relations)) if place not in solved]
        room = hull(left) or self.chain.domain
        for place in sorted(waiting, key=lambda place: self._rank(relations[place], room)):
            relation = relations[place]
            others = [other for other in solved.values() if relation.name or not other.limit]
            condition = self._limit(relation, left) if relation.name else self._searched(relation, others, solved)
            if condition is None:
                continue
            if relation.name and any(other.solution.open for other in solved.values()):
                condition = self._with_open(condition, solved.values(), left)
            solved[place], left = condition, meet_near(left, condition.solution.around)
            if condition.solution.how is not Method.CONSTANT and not relation.name:
                domains[place] = condition.chain.domain
        for place, searched in domains.items():
            others, solution = [other for at, other in solved.items() if at != place], solved[place].solution
            if solution.how in SEARCHED and meet(solution.open, self.one.left(others, possible=True)):
                asked_others = [other for other in others if not other.limit]
                narrow = hull(self.one.left(asked_others, possible=True)) or self.chain.domain
                solved[place] = solved[place] if narrow == searched else self.one.over(relations[place], narrow)
        solved = at_same_ends(solved | self._tested(solved))
        conditions = [solved[place] for place in range(len(asked))]
        left = self.one.left(conditions, possible=True)
        others = [solved[place] for place in range(len(asked), len(relations)) if place in solved]
        excluding = (own for own in others if leaves_less(own.solution, left, whole=self.chain.integer))
        return [*conditions, *excluding]

    def _unmet(self, limits: Sequence[Relation], conditions: Collection[Condition]) -> Sequence[Relation]:
        """Return the limits that may exclude something of what conditions leave: those that fail at a value of few."""
        left = self.one.left(conditions, possible=True)
        listed = len(left) <= MOST_POINTS and all(part.is_point for part in left)
        if not listed or any(condition.solution.progressions for condition in conditions):
            return limits
        points, resolved = [part.lower for part in left], self.execution.resolved
        return [limit for limit in limits if not all(map(test_of(self.chain, resolved(limit)), points))]

    def _inverted(self, relations: Sequence[Relation], first: int = 0) -> dict[int, Condition]:
        """Return what can be inverted exactly over the whole domain from a first one on; of limits few divisors too."""
        numbered = [*enumerate(relations)][first:]
        plain = (at for at, own in numbered if self.one.repeats(own) in (0, DIVIDES if own.name else 0))
        with budget.part(BEFORE_LIMITS if self.chain.integer else 1):
            exact = {place: self.one.exact(relations[place], self.chain.domain) for place in plain}
        return {place: condition for place, condition in exact.items() if condition is not None}

    def _searched(self, relation: Relation, others: Sequence[Condition], solved: Mapping[int, Condition]) -> Condition:
        """Return a relation that was asked within what others leave; what stays open, within limits too."""
        within, without = self.one.left(solved.values()), self.one.left(others)
        domain, rest = hull(within), meet(complement(within), (self.chain.domain,))
        more = self.one.candidates(within, MOST_CANDIDATES)
        tried = more if relation.is_equation else self.one.candidates(within, MOST_TESTED)
        if domain is None:  # nothing is left: what would be without limits is only told
            with budget.part(WITHOUT_LIMITS):
                return self._asked(relation, others)
        met = None if tried is None else self.one.over(relation, domain, tried)
        is_name = bool(self.execution.question.substituted)  # that no number works is enough to know of it
        if met is not None and (met.solution.values or is_name):
            beyond = () if within == without else rest  # else others exclude it
            return replace(met, solution=replace(met.solution, open=union(met.solution.open, beyond)))
        if within == without or (more is None and not is_narrower(within, without)):
            return self._asked(relation, others)
        with budget.part(WITHOUT_LIMITS):
            wide = self._asked(relation, others)
        if not meet(wide.solution.open, within):
            return wide
        near, far = self.one.over(relation, domain, more).solution, wide.solution
        values, opened = union(near.values, meet(far.values, rest)), union(near.open, meet(far.open, rest))
        return replace(wide, solution=replace(far, values=values, open=opened))

    def _rank(self, relation: Relation, room: Interval) -> tuple[int, bool]:
        """Return when a relation is solved: first divisors, which are few, and last limits, and what is searched."""
        repeats = self.one.repeats(relation)
        is_searched = repeats > DIVIDES and not relation.name and self.one.exact(relation, room) is None
        return repeats or 3 * bool(relation.name), is_searched

    def _asked(self, relation: Relation, others: Iterable[Condition]) -> Condition:
        """Return a relation that was asked, solved within what others leave, or with the few that they leave."""
        left, is_late = self.one.left(others, possible=True), self.chain.known.unfinished > self.unfinished
        few, over = self.one.candidates(left, MOST_CANDIDATES), hull(left) or self.chain.domain
        with budget.part(1 if few is None else BEFORE_TRIAL):
            return self.one.over(relation, over, few if is_late or self.one.repeats(relation) else None)

    def _tested(self, solved: Mapping[int, Condition]) -> dict[int, Condition]:
        """Return the conditions that are not decided everywhere, with those of the few numbers left that meet them."""
        more: dict[int, Condition] = {}
        for place, condition in solved.items():
            if not (solution := condition.solution).open:
                continue
            others = [other for at, other in solved.items() if at != place]
            left = meet(self.one.left(others, possible=True), solution.open)
            wholes = self.one.candidates(left, MOST_CANDIDATES)
            tested = tuple(part for part in left if part.is_point)[:MOST_TESTED] if wholes is None else left
            numbers = [part.lower for part in tested] if wholes is None else wholes
            if tested:
                tried = held_by(condition.chain, numbers, self.execution.resolved(condition.relation))
                opened = union(meet(solution.open, complement(tested)), meet(tried.open, left))
                solution = replace(solution, values=union(solution.values, tried.values), open=opened)
                more[place] = replace(condition, solution=solution)
        return more

    def _limit(self, relation: Relation, left: RealSet) -> Condition | None:
        """Return a limit within what others leave; None where nothing is left, or it has no exact inverse."""
        if (domain := hull(left)) is None:
            self.unexamined.append(relation)
            return None
        if all(part.is_point for part in left):
            return self.one.at_points(relation, left)
        repeats, condition = self.one.repeats(relation), None
        candidates = self.one.candidates(left, MOST_CANDIDATES if repeats else MOST_TESTED)
        with suppress(QuestionError, ArithmeticTrapError):
            if candidates is not None:
                condition = self.one.over(relation, domain, candidates)
            elif (condition := self.one.exact(relation, domain) if repeats else None) is None:
                with budget.part(FOR_LIMIT):
                    condition = self.one.over(relation, domain)
        # What is proven of an endless set may miss all that others leave: that excludes nothing.
        if condition is None or (condition.solution.open and not meet_near(left, condition.solution.around)):
            self.unsolved.append(relation)
            return None
        return condition

    def _with_open(self, limit: Condition, others: Iterable[Condition], left: RealSet) -> Condition:
        """Return a limit that was solved within what others leave, open where others are: it says nothing of that."""
        undecided = meet(self.one.left(others, possible=True), complement(left))
        return replace(limit, solution=replace(limit.solution, open=union(limit.solution.open, undecided)))
