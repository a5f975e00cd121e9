"""Solves for one unknown: all conditions that depend on it, seen as functions of it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.errors import NotInvertibleError
from flopsheet.sheets.cell import as_sympy, symbol
from flopsheet.sheets.order import in_text
from flopsheet.sheets.relation import Relation
from flopsheet.solver.arithmetic import near_whole
from flopsheet.solver.chain import Chain
from flopsheet.solver.closed_form import LARGEST_FORM, rearranged
from flopsheet.solver.condition import Solution
from flopsheet.solver.execute import Execution, bounds_interval, cannot_invert
from flopsheet.solver.intervals import ALL, Interval, RealSet, hull, meet, meet_all, point, widened
from flopsheet.solver.periodic import PERIODIC
from flopsheet.solver.plan import Block, split
from flopsheet.solver.structure import Equation, Structure
from flopsheet.solver.trees import put_in, too_large
from flopsheet.units import format_quantity, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.sheets.cell import Cell
    from flopsheet.solver.question import Question
    from flopsheet.units import Number

MOST_ORDERS = 12
SEARCHED = frozenset(("scan", "trial", "cases"))


@dataclass(frozen=True)
class Condition:
    """A relation that the unknown must meet.

    Args:
        relation: as it was asked.
        chain: the formulas between the unknown and the relation.
        solution: the values of the unknown that meet it.
        shown_right: the cell that the relation sets to a value, or None.
        implied: whether nobody asked it: it is the bound of a cell that follows from the unknown.
    """

    relation: Relation
    chain: Chain
    solution: Solution
    shown_right: Any | None = None
    implied: bool = False

    def side(self, expression: Any, value: Number) -> Number | None:
        """Return the value of a side of the relation where the unknown has a value; None where it has none."""
        return self.chain.at_or_none(value, expression)

    def depends(self, expression: Any) -> bool:
        """Whether a side of the relation depends on the unknown."""
        return any(
            each.name in self.chain.formulas or each.name == self.chain.unknown for each in expression.free_symbols
        )

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
class Found:
    """What the conditions leave of an unknown.

    Args:
        cell: the unknown.
        domain: the values that make sense for it.
        conditions: all that was asked of it.
        execution: the values and steps that the conditions rest on.
    """

    cell: Cell
    domain: Interval
    conditions: tuple[Condition, ...]
    execution: Execution

    @cached_property
    def solutions(self) -> RealSet:
        """The values that meet all conditions.

        For a count, ends within rounding of a whole number are that number; broken roots count only if all are broken.
        """
        found = meet_all([(self.domain,), *(condition.solution.values for condition in self.conditions)])
        if not self.cell.integer:
            return found
        snapped = tuple(_snapped(each) for each in found)
        whole = tuple(each for each in snapped if not each.is_point or each.lower == int(each.lower))
        return whole or snapped


def _snapped(each: Interval) -> Interval:
    return replace(each, lower=near_whole(each.lower), upper=near_whole(each.upper))


def as_known(name: str, value: Number | None = None) -> Equation:
    """Return the equation that takes a cell as known."""
    return Equation(f"unknown {name}", "unknown", (name,), name, value=value)


def find(
    question: Question,
    system: Sequence[Equation],
    name: str,
    assumed: Mapping[str, Number] | None = None,
    within: Interval = ALL[0],
) -> Found | None:
    """Return what the question's equations and inequalities leave of an unknown, or None if they say nothing of it.

    Several pinned cells may each serve to find what else depends on the unknown; where one cannot be turned round it
    becomes the condition, and another one is turned.

    Raises:
        NotInvertibleError: no condition can be turned round.
    """
    refused: NotInvertibleError | None = None
    for order in _orders(question, system, name):
        try:
            return _find(question, order, name, assumed or {}, within)
        except NotInvertibleError as error:
            refused = refused or error
    raise refused or NotInvertibleError(f"unknown '{name}'", "It cannot be turned round.")


def _orders(question: Question, system: Sequence[Equation], name: str) -> Iterator[Sequence[Equation]]:
    """Return the system, and the same with one of the equations that say too much together as the last to claim."""
    yield system
    structure = Structure([as_known(name), *system], question.sheet.choices)
    keys = dict.fromkeys(each.key for key in structure.unmatched for each in structure.conflict(key))
    movable = [each for each in system if each.key in keys and each.kind in ("demand", "formula")]
    for last in movable[:MOST_ORDERS]:
        yield [*(each for each in system if each is not last), last]


def _find(
    question: Question, system: Sequence[Equation], name: str, assumed: Mapping[str, Number], within: Interval
) -> Found | None:
    structure = Structure([as_known(name), *system], question.sheet.choices)
    execution = Execution(question, assumed)
    surplus = [structure.equations[key] for key in structure.unmatched]
    relations = [*(_worded(each, execution) for each in surplus), *question.inequalities]
    known = structure.determined | question.sheet.choices.keys()
    asked = [each for each in relations if each.cells <= known and name in structure.needed(each.cells)]
    if not asked:
        return None
    formulas, turned = _formulas(structure, execution, asked, name)
    cell = question.sheet.cells[name]
    search = _Search(
        Chain(name, bounds_interval(cell.bounds).meet(within), formulas, execution.values, cell.integer), execution
    )
    conditions = search.solve(asked)
    conditions += search.bounds(turned, conditions)
    return Found(cell, search.chain.domain, tuple(conditions), execution)


def _worded(equation: Equation, execution: Execution) -> Relation:
    """Return the relation of an equation; that of a formula, which nobody wrote as a relation, with its text."""
    relation = equation.relation
    if relation.text:
        return relation
    return replace(relation, text=f"{equation.target} = {in_text(relation.right, execution.names)}")


class _Search:
    """Solves conditions one after the other over one chain.

    Args:
        chain: from the unknown to every cell that depends on it.
        execution: the values that it rests on.
    """

    def __init__(self, chain: Chain, execution: Execution) -> None:
        self.chain, self.execution = chain, execution

    def solve(self, asked: list[Relation]) -> list[Condition]:
        """Return the conditions in the order asked; what repeats itself, jumps or is scanned within the others' range.

        Raises:
            NotInvertibleError: one cannot be turned round.
        """
        found: dict[int, Condition] = {}
        repeating = [self._repeats(relation) for relation in asked]
        for place in sorted(range(len(asked)), key=repeating.__getitem__):
            narrow = self._within(found.values()) if repeating[place] else self.chain.domain
            found[place] = self._condition(asked[place], narrow)
        for place, condition in list(found.items()):
            narrow = self._within(each for other, each in found.items() if other != place)
            if condition.solution.how in SEARCHED and narrow != condition.chain.domain:
                found[place] = self._condition(asked[place], narrow)
        return [found[place] for place in range(len(asked))]

    def bounds(self, turned: Iterable[str], conditions: Sequence[Condition]) -> list[Condition]:
        """Return the bounds of cells that were turned round, as conditions, where they exclude something."""
        found: list[Condition] = []
        for name in turned:
            cell = self.execution.question.sheet.cells[name]
            for relation in _bounds_of(cell):
                condition = self._condition(relation, self.chain.domain)
                before = meet_all([each.solution.values for each in (*conditions, *found)])
                if meet(before, condition.solution.values) != before:
                    found.append(replace(condition, implied=True))
        return found

    def _repeats(self, relation: Relation) -> bool:
        """Whether a relation rests on a function that repeats itself: it is solved last, within what others leave."""
        return any(self.chain.links.has(side, PERIODIC) for side in (relation.left, relation.right))

    def _within(self, conditions: Iterable[Condition]) -> Interval:
        sets = [(self.chain.domain,), *(each.solution.values for each in conditions)]
        return hull(meet_all(sets)) or self.chain.domain

    def _condition(self, relation: Relation, domain: Interval) -> Condition:
        shown, right = self.execution.ready(relation), self.execution.shown_right(relation)
        chain = self._within_domain(domain if domain.is_point else widened(domain).meet(self.chain.domain))
        solution = _at_point(chain, shown) or chain.solve(shown, right)
        if solution is None:
            cell = self.execution.question.sheet.cells[chain.unknown]
            raise cannot_invert(cell, shown, self.execution.names)
        return Condition(relation, chain, solution, right)

    def _within_domain(self, domain: Interval) -> Chain:
        return self.chain if domain == self.chain.domain else replace(self.chain, domain=domain)


def _at_point(chain: Chain, relation: Relation) -> Solution | None:
    """Return the single point that a chain is narrowed down to, where a relation holds there; else None."""
    at = chain.domain.lower
    if not chain.domain.is_point:
        return None
    sides = [chain.at_or_none(at, side) for side in (relation.left, relation.right)]
    left, right = sides
    holds = left is not None and right is not None and relation.holds(left, right)
    return Solution(point(at), "constant") if holds else None


def _bounds_of(cell: Cell) -> Iterator[Relation]:
    """Return the bounds of a cell as relations."""
    ends = ((">=" if cell.bounds.lower_closed else ">", cell.bounds.lower), ("<=", cell.bounds.upper))
    for sign, end in ends:
        if is_finite(end):
            yield Relation(cell.symbol, sign, as_sympy(end), f"{cell.name} {sign} {format_quantity(end, cell.unit)}")


def _formulas(
    structure: Structure, execution: Execution, asked: list[Relation], name: str
) -> tuple[dict[str, Any], list[str]]:
    """Compute what does not depend on the unknown; return the formulas of what does, and which were turned round."""
    cells = {cell for relation in asked for cell in relation.cells}
    before, behind = split(structure, cells, execution.names, name)
    execution.run(structure, before)
    formulas = {block.cells[0]: _follows(structure, block, name, execution) for block in behind}
    turned = [cell for cell in formulas if execution.question.sheet.cells[cell].formula is None]
    return formulas, turned


def _follows(structure: Structure, block: Block, name: str, execution: Execution) -> Any:
    """Return the formula of a cell that depends on the unknown, its equation turned round where it must be."""
    relation = execution.ready(structure.equations[block.keys[0]].relation)
    formula = relation.right if block.direct else None
    if formula is None and len(block.cells) == 1:
        cell = execution.question.sheet.cells[block.cells[0]]
        positive = cell.bounds.lower >= 0
        formula = rearranged(relation.left, relation.right, cell.symbol, positive=positive)
    if formula is None:
        cells = ", ".join(block.cells)
        problem = f"'{name}' decides {cells} in a way that cannot be turned round."
        raise NotInvertibleError(f"unknown '{name}'", problem, f"Give one of {cells}.")
    return formula
