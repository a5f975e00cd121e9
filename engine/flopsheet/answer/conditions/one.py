"""Solves one relation for an unknown: over a domain, among candidates, or at single values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sympy import Mod

from flopsheet.answer.cell_bounds import solved_within
from flopsheet.answer.conditions.condition import Condition, repeats
from flopsheet.answer.outcomes.refusals import cannot_invert
from flopsheet.answer.outcomes.wording import wholes_in
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution
from flopsheet.inverse.tested_ends import held_by, holds_at, test_of
from flopsheet.numbers.sets import Interval, RealSet, meet_all, point, union, widened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.inverse.chain import Chain
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_CANDIDATES, MOST_TESTED = 2000, 200
DIVIDES = 1  # how a relation repeats that divides by the unknown


class RelationSolver:
    """Solves relations over one chain, from the unknown to every cell that depends on it.

    The bounds of `bounded` cells narrow a search.
    """

    def __init__(self, chain: Chain, execution: Execution, bounded: Sequence[Cell] = ()) -> None:
        self.chain, self.execution, self.bounded = chain, execution, bounded

    def over(self, relation: Relation, domain: Interval, candidates: Sequence[Number] | None = None) -> Condition:
        """Return a relation solved over a domain, or with those of the candidates that meet it.

        Raises:
            QuestionError: no method inverts it.
        """
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

    def exact(self, relation: Relation, domain: Interval) -> Condition | None:
        """Return a relation inverted over a domain, or None where it has to be searched or has no inverse."""
        shown, right = self.execution.resolved(relation), self.execution.shown_right(relation)
        try:
            solution = (chain := self._chain_over(domain)).solve(shown, right, search=False)
        except (QuestionError, ArithmeticTrapError):
            return None
        return None if solution is None else Condition(relation, chain, solution, right)

    def at_points(self, relation: Relation, points: RealSet) -> Condition:
        """Return a relation at single values: those that meet it."""
        holds = test_of(self.chain, self.execution.resolved(relation))
        met = union(tuple(part for part in points if holds(part.lower)))
        return Condition(relation, self.chain, Solution(met, Method.CONSTANT))

    def repeats(self, relation: Relation) -> int:
        """Return 0 for a relation without a periodic function on its way; others are solved within what is left.

        These are DIVIDES where they divide by the unknown, for divisors are few, else 2.
        """
        links, sides = self.chain.links, (relation.left, relation.right)
        if not repeats(links, relation):
            return 0
        parts = (part for side in sides for part in links.parts(side))
        divisors = (mod.args[1].free_symbols for part in parts for mod in part.atoms(Mod))
        return 2 if all(map(links.symbols.isdisjoint, divisors)) else DIVIDES

    def candidates(self, left: RealSet, most: int) -> list[int] | None:
        """Return the whole numbers of a set, as long as they are few."""
        numbers, more = wholes_in(left, most) if self.chain.integer else ([], True)
        return None if more else numbers

    def left(self, conditions: Iterable[Condition], *, possible: bool = False) -> RealSet:
        """Return the values that conditions leave of the domain; with what they may leave, where that is asked."""
        solutions = (condition.solution for condition in conditions)
        sets = (union(own.around, own.open) if possible and own.open else own.around for own in solutions)
        return meet_all([(self.chain.domain,), *sets])

    def _chain_over(self, domain: Interval) -> Chain:
        return self.chain if domain == self.chain.domain else replace(self.chain, domain=domain)
