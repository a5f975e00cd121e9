"""Solves for one unknown: all conditions that depend on it as functions of it alone, each within what others leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sympy import Mod

from flopsheet.answer.execute import Execution, bounds_interval, cannot_invert
from flopsheet.answer.wording import wholes_of
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import Relation
from flopsheet.formulas.trees import put_in, too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import Expr, as_sympy, symbol
from flopsheet.graph.blocks import Block, split
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.closed_form import LARGEST_FORM, rearranged
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import ALL, Interval, RealSet, hull, meet, meet_all, point, union, whole_ends, widened
from flopsheet.units import Number, format_quantity, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.graph.structure import Equation
    from flopsheet.graph.system import System
    from flopsheet.sheets.cell import Cell

SEARCHED = frozenset((Method.SCAN, Method.TRIAL, Method.CASES))
MOST_ORDERS, MOST_CANDIDATES = 12, 2000


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


@dataclass(frozen=True)
class SolutionSet:
    """What the conditions leave of an unknown."""

    cell: Cell  # the unknown
    domain: Interval  # the values that make sense for it
    conditions: tuple[Condition, ...]  # all that was asked of it
    execution: Execution  # the values and steps on which the conditions rest

    @cached_property
    def values(self) -> RealSet:
        """The values that meet all conditions.

        For a count, ends within rounding of a whole number are that number; fractional roots count only where no root
        is whole.
        """
        common = meet_all([(self.domain,), *(condition.solution.values for condition in self.conditions)])
        if not self.cell.integer:
            return common
        snapped = tuple(replace(part, lower=near_whole(part.lower), upper=near_whole(part.upper)) for part in common)
        return tuple(part for part in snapped if not part.is_point or part.lower == int(part.lower)) or snapped


def find(system: System, name: str, execution: Execution, within: Interval = ALL[0]) -> SolutionSet | None:
    """Return what a question's equations and inequalities leave of an unknown, or None if they say nothing of it.

    Several pinned cells may each serve to find what else depends on the unknown; where one cannot be inverted it
    becomes the condition, and another one is inverted. The values so far are added to in a copy, held by the result.

    Raises:
        NotInvertibleError: no condition can be inverted.
    """
    refused: NotInvertibleError | ArithmeticTrapError | None = None
    for ordered in _orders(system, name):
        try:
            return _find(ordered, name, execution.copy(), within)
        except (NotInvertibleError, ArithmeticTrapError) as error:  # inverted, a formula may divide by zero
            refused = refused or error
    raise refused or NotInvertibleError(f"unknown '{name}'", "It cannot be inverted.")


def _orders(system: System, name: str) -> Iterator[System]:
    """Yield the system, and the same with one of the equations that over-determine it as the last to claim a cell."""
    yield system
    structure = system.structure.with_known(name)
    keys = {conflicting.key for key in structure.unmatched for conflicting in structure.conflict(key)}
    equations = system.structure.equations.values()
    movable = [equation for equation in equations if equation.key in keys and equation.kind in ("demand", "formula")]
    for last in movable[:MOST_ORDERS]:
        yield replace(system, structure=system.structure.with_last(last))


def _find(system: System, name: str, execution: Execution, within: Interval) -> SolutionSet | None:
    system = replace(system, structure=system.structure.with_known(name))
    question, structure, cell = system.question, system.structure, system.question.sheet.cells[name]
    surplus = [_worded(system, structure.equations[key]) for key in structure.unmatched]
    known = structure.determined | question.sheet.choices.keys()
    asked = []
    for relation in [*surplus, *question.inequalities]:
        cells = relation.cells
        if cells <= known and name in structure.needed(cells):
            asked.append(relation)
    if not asked:
        return None
    formulas = _formulas(system, execution, asked, name)
    domain = bounds_interval(cell.bounds).meet(within)
    solver = _Solver(Chain(name, domain, formulas, execution.with_pins(), cell.integer), execution)
    conditions = solver.solve(asked)
    dependents = [question.sheet.cells[dependent] for dependent in formulas]
    conditions += solver.bounds([dependent for dependent in dependents if dependent.formula is None], conditions)
    return SolutionSet(cell, domain, tuple(conditions), execution)


def _worded(system: System, equation: Equation) -> Relation:
    """Return the relation of an equation; that of a formula, which nobody wrote as a relation, with its text."""
    relation = system.relation(equation)
    if relation.text:
        return relation
    names = tuple(system.question.sheet.cells)
    return replace(relation, text=f"{equation.target} = {in_text(relation.right, names)}")


def _formulas(system: System, execution: Execution, asked: Iterable[Relation], name: str) -> dict[str, Expr]:
    """Compute what does not depend on the unknown; return the formulas of what does, in their order."""
    cells = {cell for relation in asked for cell in relation.cells}
    before, behind = split(system.structure, cells, execution.names, name)
    execution.run(system, before)
    return {block.cells[0]: _definition(system, block, name, execution) for block in behind}


def _definition(system: System, block: Block, name: str, execution: Execution) -> Expr:
    """Return the formula of a cell that depends on the unknown, its equation inverted where it must be."""
    relation = execution.resolved(system.relation(system.structure.equations[block.keys[0]]))
    formula = relation.right if block.direct else None
    if formula is None and len(block.cells) == 1:
        cell = system.question.sheet.cells[block.cells[0]]
        formula = rearranged(relation.left, relation.right, cell.symbol, positive=cell.bounds.lower >= 0)
    if formula is None:
        cells = ", ".join(block.cells)
        problem = f"'{name}' decides {cells} in a way that cannot be inverted."
        raise NotInvertibleError(f"unknown '{name}'", problem, f"Give one of {cells}.")
    return formula


class _Solver:
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
