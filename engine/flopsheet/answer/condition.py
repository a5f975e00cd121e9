"""A condition on one unknown, and the solver of several: one after the other, each within what the others leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sympy import Mod

from flopsheet.answer.execute import Execution, cannot_invert
from flopsheet.answer.wording import wholes_of
from flopsheet.formulas.relation import Relation
from flopsheet.formulas.trees import put_in, too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import Expr, as_sympy, symbol
from flopsheet.inverse.closed_form import LARGEST_FORM
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution
from flopsheet.numbers.sets import Interval, RealSet, hull, meet, meet_all, point, union, whole_ends, widened
from flopsheet.units import Number, format_quantity, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.inverse.chain import Chain
    from flopsheet.sheets.cell import Cell

SEARCHED = frozenset((Method.SCAN, Method.TRIAL, Method.CASES))
MOST_CANDIDATES = 2000


@dataclass(frozen=True)
class Condition:
    """A relation that the unknown must meet."""

    relation: Relation  # as it was asked
    chain: Chain  # the formulas between the unknown and the relation
    solution: Solution  # the values of the unknown that meet it
    shown_right: Expr | None = None  # the cell that the relation sets to a value
    implied: bool = False  # whether nobody asked it: it is the bound of a cell that follows from the unknown

    def depends(self, expression: Expr) -> bool:
        """Whether a side of the relation depends on the unknown."""
        return not self.chain.links.symbols.isdisjoint(expression.free_symbols)

    @cached_property
    def composed(self) -> Relation:
        """The relation over the unknown and cells that do not depend on it; as it was asked if that is too long."""
        relation = self.relation
        for name in reversed([*self.chain.formulas]):
            formula = {symbol(name): self.chain.formulas[name]}
            relation = replace(relation, left=put_in(relation.left, formula), right=put_in(relation.right, formula))
            if too_large(relation.left, LARGEST_FORM) or too_large(relation.right, LARGEST_FORM):
                return self.relation
        return relation if self.shown_right is None else replace(relation, right=self.shown_right)


class ConditionSolver:
    """Solves conditions one after the other over one chain, from the unknown to every cell that depends on it."""

    def __init__(self, chain: Chain, execution: Execution) -> None:
        self.chain, self.execution = chain, execution

    def solve(self, asked: list[Relation]) -> list[Condition]:
        """Return the conditions in the order asked; what is periodic, jumps or is scanned within the others' range."""
        solved: dict[int, Condition] = {}
        tested: set[int] = set()
        repeating = [self._repeats(relation) for relation in asked]
        for place in sorted(range(len(asked)), key=repeating.__getitem__):
            domain = self._within(solved.values()) if repeating[place] else self.chain.domain
            candidates = self._candidates(solved.values()) if repeating[place] else None
            if candidates is not None:
                tested.add(place)
            solved[place] = self._condition(asked[place], domain, candidates)
        for place, condition in list(solved.items()):
            if place not in tested and condition.solution.how in SEARCHED:
                narrow = self._within(other for at, other in solved.items() if at != place)
                if narrow != condition.chain.domain:
                    solved[place] = self._condition(asked[place], narrow)
        return [solved[place] for place in range(len(asked))]

    def bounds(self, inverted: Iterable[Cell], conditions: Sequence[Condition]) -> list[Condition]:
        """Return the bounds of cells whose equation was inverted, as conditions, where they exclude something."""
        implied: list[Condition] = []
        for cell in inverted:
            for relation in _bounds_of(cell):
                condition = self._condition(relation, self.chain.domain)
                before = meet_all([other.solution.values for other in (*conditions, *implied)])
                if meet(before, condition.solution.values) != before:
                    implied.append(replace(condition, implied=True))
        return implied

    def _repeats(self, relation: Relation) -> int:
        """Return 0 for a relation without a periodic function on its way; others are solved within what is left.

        These are 1 where they divide by the unknown, for divisors are few, else 2.
        """
        links, sides = self.chain.links, (relation.left, relation.right)
        if not any(links.has(side, nodes(Trait.PERIODIC)) for side in sides):
            return 0
        parts = (part for side in sides for part in links.parts(side))
        divisors = (mod.args[1].free_symbols for part in parts for mod in part.atoms(Mod))
        return 2 if all(map(links.symbols.isdisjoint, divisors)) else 1

    def _candidates(self, conditions: Iterable[Condition]) -> list[int] | None:
        """Return the whole numbers that other conditions leave, as long as they are few."""
        if not self.chain.integer:
            return None
        runs = [Interval(first, last) for first, last in map(whole_ends, self._left(conditions)) if first <= last]
        numbers, more = wholes_of(runs, MOST_CANDIDATES)
        return None if more else numbers

    def _within(self, conditions: Iterable[Condition]) -> Interval:
        return hull(self._left(conditions)) or self.chain.domain

    def _left(self, conditions: Iterable[Condition]) -> RealSet:
        """Return the values that conditions leave of the domain."""
        return meet_all([(self.chain.domain,), *(condition.solution.values for condition in conditions)])

    def _condition(self, relation: Relation, domain: Interval, candidates: list[int] | None = None) -> Condition:
        """Return a relation solved over a domain, or with those of the candidates that meet it."""
        shown, right = self.execution.resolved(relation), self.execution.shown_right(relation)
        if candidates is None and not domain.is_point:
            domain = widened(domain).meet(self.chain.domain)
        chain = self.chain if domain == self.chain.domain else replace(self.chain, domain=domain)
        if candidates is not None:
            met = [number for number in candidates if _holds_at(chain, number, shown)]
            return Condition(relation, chain, Solution(union(*map(point, met)), Method.TRIAL), right)
        at_point = domain.is_point and _holds_at(chain, domain.lower, shown)
        solution = Solution(point(domain.lower), Method.CONSTANT) if at_point else chain.solve(shown, right)
        if solution is None:
            raise cannot_invert(self.execution.question.sheet.cells[chain.unknown], shown, self.execution.names)
        return Condition(relation, chain, solution, right)


def _holds_at(chain: Chain, at: Number, relation: Relation) -> bool:
    """Whether a relation holds where the unknown of a chain has a value."""
    left, right = (chain.at_or_none(at, side) for side in (relation.left, relation.right))
    return left is not None and right is not None and relation.holds(left, right)


def _bounds_of(cell: Cell) -> Iterator[Relation]:
    ends = ((">=" if cell.bounds.lower_closed else ">", cell.bounds.lower), ("<=", cell.bounds.upper))
    for sign, end in ends:
        if is_finite(end):
            yield Relation(cell.symbol, sign, as_sympy(end), f"{cell.name} {sign} {format_quantity(end, cell.unit)}")
