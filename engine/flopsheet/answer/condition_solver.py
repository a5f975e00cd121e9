"""Solves several conditions on one unknown, one after the other, each within what the others leave."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sympy import Mod

from flopsheet import budget
from flopsheet.answer.cell_bounds import (
    MOST_POINTS,
    always_holds,
    bounds_of,
    exceeding,
    is_always_whole,
    may_lack_value,
    solved_within,
    where_valued,
    whole,
    with_gaps,
)
from flopsheet.answer.condition import Condition, at_same_ends, repeats
from flopsheet.answer.limits import has_all_wholes, is_narrower, leaves_less
from flopsheet.answer.outcomes.refusals import cannot_invert
from flopsheet.answer.outcomes.wording import wholes_in
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution
from flopsheet.inverse.tested_ends import held_by, holds_at, test_of
from flopsheet.numbers.sets import (
    Interval,
    RealSet,
    complement,
    hull,
    meet,
    meet_all,
    meet_near,
    point,
    union,
    widened,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.inverse.chain import Chain
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

SEARCHED = frozenset((Method.SEARCH, Method.TRIAL, Method.CASES))
MOST_CANDIDATES, MOST_TESTED = 2000, 200
FOR_LIMIT, WITHOUT_LIMITS, BEFORE_TRIAL = 1 / 4, 1 / 4, 3 / 4  # of the time: for a limit, beyond limits, before a trial
BEFORE_LIMITS = 1 / 2  # of the time for a count: limits may leave few numbers, which are tried one by one
DIVIDES = 1  # how a relation repeats that divides by the unknown


class ConditionSolver:
    """Solves conditions one after the other over one chain, from the unknown to every cell that depends on it.

    The bounds of `bounded` cells narrow a search. Cells `beside` may lack a value: nothing asked for rests on them.
    """

    def __init__(
        self, chain: Chain, execution: Execution, bounded: Sequence[Cell] = (), beside: Sequence[Cell] = ()
    ) -> None:
        self.chain, self.execution, self.bounded = chain, execution, bounded
        self.beside = frozenset(cell.symbol for cell in beside)
        self.unsolved: list[Relation] = []  # the limits that no method inverts
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
        left = self._left(solved.values())
        waiting = [place for place in range(len(relations)) if place not in solved]
        for place in sorted(waiting, key=lambda place: self._rank(relations[place])):
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
            if solution.how in SEARCHED and meet(solution.open, self._left(others, possible=True)):
                asked_others = [other for other in others if not other.limit]
                narrow = hull(self._left(asked_others, possible=True)) or self.chain.domain
                solved[place] = solved[place] if narrow == searched else self._condition(relations[place], narrow)
        solved = at_same_ends(solved | self._tested(solved))
        conditions = [solved[place] for place in range(len(asked))]
        left = self._left(conditions, possible=True)
        others = [solved[place] for place in range(len(asked), len(relations)) if place in solved]
        excluding = (own for own in others if leaves_less(own.solution, left, whole=self.chain.integer))
        return [*conditions, *excluding]

    def _unmet(self, limits: Sequence[Relation], conditions: Collection[Condition]) -> Sequence[Relation]:
        """Return the limits that may exclude something of what conditions leave: those that fail at a value of few."""
        left = self._left(conditions, possible=True)
        listed = len(left) <= MOST_POINTS and all(part.is_point for part in left)
        if not listed or any(condition.solution.progressions for condition in conditions):
            return limits
        points, resolved = [part.lower for part in left], self.execution.resolved
        return [limit for limit in limits if not all(map(test_of(self.chain, resolved(limit)), points))]

    def _inverted(self, relations: Sequence[Relation], first: int = 0) -> dict[int, Condition]:
        """Return what can be inverted exactly over the whole domain from a first one on; of limits few divisors too."""
        numbered = [*enumerate(relations)][first:]
        plain = (at for at, own in numbered if self._repeats(own) in (0, DIVIDES if own.name else 0))
        with budget.part(BEFORE_LIMITS if self.chain.integer else 1):
            exact = {place: self._exact(relations[place], self.chain.domain) for place in plain}
        return {place: condition for place, condition in exact.items() if condition is not None}

    def _searched(self, relation: Relation, others: Sequence[Condition], solved: Mapping[int, Condition]) -> Condition:
        """Return a relation that was asked within what others leave; what stays open, within limits too."""
        within, without = self._left(solved.values()), self._left(others)
        domain, rest = hull(within), meet(complement(within), (self.chain.domain,))
        more = self._candidates(within, MOST_CANDIDATES)
        tried = more if relation.is_equation else self._candidates(within, MOST_TESTED)
        if domain is None:  # nothing is left: what would be without limits is only told
            with budget.part(WITHOUT_LIMITS):
                return self._asked(relation, others)
        if within == without or (more is None and not is_narrower(within, without)):
            return self._asked(relation, others)
        if tried is not None and (met := self._condition(relation, domain, tried)).solution.values:
            return replace(met, solution=replace(met.solution, open=union(met.solution.open, rest)))
        with budget.part(WITHOUT_LIMITS):
            wide = self._asked(relation, others)
        if not meet(wide.solution.open, within):
            return wide
        near, far = self._condition(relation, domain, more).solution, wide.solution
        values, opened = union(near.values, meet(far.values, rest)), union(near.open, meet(far.open, rest))
        return replace(wide, solution=replace(far, values=values, open=opened))

    def _rank(self, relation: Relation) -> tuple[int, bool]:
        """Return when a relation is solved: first divisors, which are few, and last limits, and what is searched."""
        repeats = self._repeats(relation)
        is_searched = repeats > DIVIDES and not relation.name and self._exact(relation, self.chain.domain) is None
        return repeats or 3 * bool(relation.name), is_searched

    def _asked(self, relation: Relation, others: Iterable[Condition]) -> Condition:
        """Return a relation that was asked, solved within what others leave, or with the few that they leave."""
        left, is_late = self._left(others, possible=True), self.chain.known.unfinished > self.unfinished
        few, over = self._candidates(left, MOST_CANDIDATES), hull(left) or self.chain.domain
        with budget.part(1 if few is None else BEFORE_TRIAL):
            return self._condition(relation, over, few if is_late or self._repeats(relation) else None)

    def _tested(self, solved: Mapping[int, Condition]) -> dict[int, Condition]:
        """Return the conditions that are not decided everywhere, with those of the few numbers left that meet them."""
        more: dict[int, Condition] = {}
        for place, condition in solved.items():
            if not (solution := condition.solution).open:
                continue
            others = [other for at, other in solved.items() if at != place]
            wholes = self._candidates(left := meet(self._left(others, possible=True), solution.open), MOST_CANDIDATES)
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
            return None
        if all(part.is_point for part in left):
            return self._at_points(relation, left)
        repeats, condition = self._repeats(relation), None
        candidates = self._candidates(left, MOST_CANDIDATES if repeats else MOST_TESTED)
        with suppress(QuestionError, ArithmeticTrapError):
            if candidates is not None:
                condition = self._condition(relation, domain, candidates)
            elif (condition := self._exact(relation, domain) if repeats else None) is None:
                with budget.part(FOR_LIMIT):
                    condition = self._condition(relation, domain)
        # What is proven of an endless set may miss all that others leave: that excludes nothing.
        if condition is None or (condition.solution.open and not meet_near(left, condition.solution.around)):
            self.unsolved.append(relation)
            return None
        return condition

    def _with_open(self, limit: Condition, others: Iterable[Condition], left: RealSet) -> Condition:
        """Return a limit that was solved within what others leave, open where others are: it says nothing of that."""
        undecided = meet(self._left(others, possible=True), complement(left))
        return replace(limit, solution=replace(limit.solution, open=union(limit.solution.open, undecided)))

    def _exact(self, relation: Relation, domain: Interval) -> Condition | None:
        """Return a relation inverted over a domain, or None where it has to be searched or has no inverse."""
        shown, right = self.execution.resolved(relation), self.execution.shown_right(relation)
        try:
            solution = (chain := self._chain_over(domain)).solve(shown, right, search=False)
        except (QuestionError, ArithmeticTrapError):
            return None
        return None if solution is None else Condition(relation, chain, solution, right)

    def _at_points(self, relation: Relation, points: RealSet) -> Condition:
        """Return a limit at single values."""
        holds = test_of(self.chain, self.execution.resolved(relation))
        met = union(tuple(part for part in points if holds(part.lower)))
        return Condition(relation, self.chain, Solution(met, Method.CONSTANT))

    def bounds(
        self,
        cells: Iterable[Cell],
        conditions: Sequence[Condition],
        counts: Iterable[Cell] = (),
        present: Iterable[Relation] = (),
    ) -> list[Condition]:
        """Return the bounds of cells that follow from the unknown, where they exclude something of what is left.

        `counts` among them must be whole, and what is `present` must have a value. A single value at which a count is
        not whole remains, to be shown with that.
        """
        implied, left = list[Condition](), self._left(conditions, possible=True)
        if not left:
            return implied
        fractional = (cell for cell in counts if not is_always_whole(self.chain, cell))
        lacking = [relation for relation in present if may_lack_value(self.chain, relation.left, left)]
        for relation in (*bounds_of(exceeding(self.chain, cells, left)), *lacking, *whole(fractional)):
            are_points, is_count = all(part.is_point for part in left), isinstance(relation.left, Mod)
            if is_count and are_points and len(left) == 1:
                continue
            points: Sequence[Number] | None = [part.lower for part in left] if are_points else None
            numbers = self._candidates(left, MOST_CANDIDATES) if is_count and not are_points else points
            over = hull(left) or self.chain.domain
            if relation in lacking:
                own = Condition(relation, self.chain, where_valued(self.chain, relation.left))
            elif (own := self._condition(relation, over, numbers)) and relation.left in self.beside:
                own = replace(own, solution=with_gaps(own.solution, own.chain, relation.left, left, numbers))
            less, steps = meet_near(left, self._left((own,), possible=True)), own.solution.progressions
            if self.chain.integer and has_all_wholes(own.solution, left):
                continue
            leaves_out = any(not (self.chain.integer and part.is_every_whole) for part in steps)
            if not (steps or less == left) or leaves_out or meet(own.solution.open, left):
                implied.append(replace(own, implied=True))
                left = less
        return implied

    def _repeats(self, relation: Relation) -> int:
        """Return 0 for a relation without a periodic function on its way; others are solved within what is left.

        These are DIVIDES where they divide by the unknown, for divisors are few, else 2.
        """
        links, sides = self.chain.links, (relation.left, relation.right)
        if not repeats(links, relation):
            return 0
        parts = (part for side in sides for part in links.parts(side))
        divisors = (mod.args[1].free_symbols for part in parts for mod in part.atoms(Mod))
        return 2 if all(map(links.symbols.isdisjoint, divisors)) else DIVIDES

    def _candidates(self, left: RealSet, most: int) -> list[int] | None:
        """Return the whole numbers of a set, as long as they are few."""
        numbers, more = wholes_in(left, most) if self.chain.integer else ([], True)
        return None if more else numbers

    def _left(self, conditions: Iterable[Condition], *, possible: bool = False) -> RealSet:
        """Return the values that conditions leave of the domain; with what they may leave, where that is asked."""
        solutions = (condition.solution for condition in conditions)
        sets = (union(own.around, own.open) if possible and own.open else own.around for own in solutions)
        return meet_all([(self.chain.domain,), *sets])

    def _chain_over(self, domain: Interval) -> Chain:
        return self.chain if domain == self.chain.domain else replace(self.chain, domain=domain)

    def _condition(self, relation: Relation, domain: Interval, candidates: Sequence[Number] | None = None) -> Condition:
        """Return a relation solved over a domain, or with those of the candidates that meet it."""
        shown, right = self.execution.resolved(relation), self.execution.shown_right(relation)
        is_box = candidates is None and not domain.is_point
        chain = self._chain_over(widened(domain).meet(self.chain.domain) if is_box else domain)
        if candidates is not None:
            return Condition(relation, chain, held_by(chain, candidates, shown), right)
        if domain.is_point and holds_at(chain, domain.lower, shown):
            return Condition(relation, chain, Solution(point(domain.lower), Method.CONSTANT), right)
        solution = solved_within(self.bounded, chain, shown, right)
        if solution is None:
            raise cannot_invert(self.execution.question.sheet.cells[chain.unknown], shown, self.execution.names)
        return Condition(relation, chain, solution, right)
