"""Solves for one unknown: all conditions that depend on it, seen as functions of it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.answer.condition import Condition, Search
from flopsheet.answer.execute import Execution, bounds_interval
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError
from flopsheet.formulas.order import in_text
from flopsheet.graph.blocks import Block, split
from flopsheet.graph.structure import Equation, Structure
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.closed_form import rearranged
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import ALL, Interval, RealSet, meet_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_ORDERS = 12


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
    refused: NotInvertibleError | ArithmeticTrapError | None = None
    for order in _orders(question, system, name):
        try:
            return _find(question, order, name, assumed or {}, within)
        except (NotInvertibleError, ArithmeticTrapError) as error:  # turned round, a formula may divide by zero
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
    search = Search(
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
