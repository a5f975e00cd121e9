"""Solves for one unknown: all conditions that depend on it, seen as functions of it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.answer.condition import Condition, ConditionSolver
from flopsheet.answer.execute import Execution, bounds_interval
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError
from flopsheet.formulas.printing import in_text
from flopsheet.graph.blocks import Block, split
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.closed_form import rearranged
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import ALL, Interval, RealSet, meet_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.graph.structure import Equation
    from flopsheet.graph.system import System
    from flopsheet.sheets.cell import Cell

MOST_ORDERS = 12


@dataclass(frozen=True)
class SolutionSet:
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
    def values(self) -> RealSet:
        """The values that meet all conditions.

        For a count, ends within rounding of a whole number are that number; fractional roots count only where no root
        is whole.
        """
        common = meet_all([(self.domain,), *(condition.solution.values for condition in self.conditions)])
        if not self.cell.integer:
            return common
        snapped = tuple(
            replace(interval, lower=near_whole(interval.lower), upper=near_whole(interval.upper)) for interval in common
        )
        whole = tuple(
            interval for interval in snapped if not interval.is_point or interval.lower == int(interval.lower)
        )
        return whole or snapped


def find(system: System, name: str, execution: Execution, within: Interval = ALL[0]) -> SolutionSet | None:
    """Return what a question's equations and inequalities leave of an unknown, or None if they say nothing of it.

    Several pinned cells may each serve to find what else depends on the unknown; where one cannot be inverted it
    becomes the condition, and another one is inverted.

    Args:
        system: the equations.
        name: the unknown.
        execution: the values so far; they are added to in a copy, which the result holds.
        within: where the unknown is looked for.

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
    keys = dict.fromkeys(conflicting.key for key in structure.unmatched for conflicting in structure.conflict(key))
    equations = system.structure.equations.values()
    movable = [equation for equation in equations if equation.key in keys and equation.kind in ("demand", "formula")]
    for last in movable[:MOST_ORDERS]:
        yield replace(system, structure=system.structure.with_last(last))


def _find(system: System, name: str, execution: Execution, within: Interval) -> SolutionSet | None:
    question, structure = system.question, system.structure.with_known(name)
    surplus = [structure.equations[key] for key in structure.unmatched]
    relations = [*(_worded(system, equation) for equation in surplus), *question.inequalities]
    known = structure.determined | question.sheet.choices.keys()
    asked = [relation for relation in relations if relation.cells <= known and name in structure.needed(relation.cells)]
    if not asked:
        return None
    formulas, inverted = _formulas(system.knowing(name), execution, asked, name)
    cell = question.sheet.cells[name]
    domain = bounds_interval(cell.bounds).meet(within)
    solver = ConditionSolver(Chain(name, domain, formulas, execution.with_pins(), cell.integer), execution)
    conditions = solver.solve(asked)
    conditions += solver.bounds(inverted, conditions)
    return SolutionSet(cell, domain, tuple(conditions), execution)


def _worded(system: System, equation: Equation) -> Relation:
    """Return the relation of an equation; that of a formula, which nobody wrote as a relation, with its text."""
    relation = system.relation(equation)
    if relation.text:
        return relation
    names = tuple(system.question.sheet.cells)
    return replace(relation, text=f"{equation.target} = {in_text(relation.right, names)}")


def _formulas(
    system: System, execution: Execution, asked: list[Relation], name: str
) -> tuple[dict[str, Expr], list[str]]:
    """Compute what does not depend on the unknown; return the formulas of what does, and which were inverted."""
    cells = {cell for relation in asked for cell in relation.cells}
    before, behind = split(system.structure, cells, execution.names, name)
    execution.run(system, before)
    formulas = {block.cells[0]: _definition(system, block, name, execution) for block in behind}
    inverted = [cell for cell in formulas if system.question.sheet.cells[cell].formula is None]
    return formulas, inverted


def _definition(system: System, block: Block, name: str, execution: Execution) -> Expr:
    """Return the formula of a cell that depends on the unknown, its equation inverted where it must be."""
    stated = system.relation(system.structure.equations[block.keys[0]])
    relation = execution.resolved(stated)
    formula = relation.right if block.direct else None
    if formula is None and len(block.cells) == 1:
        cell = system.question.sheet.cells[block.cells[0]]
        positive = cell.bounds.lower >= 0
        formula = rearranged(relation.left, relation.right, cell.symbol, positive=positive)
    if formula is None:
        cells = ", ".join(block.cells)
        problem = f"'{name}' decides {cells} in a way that cannot be inverted."
        raise NotInvertibleError(f"unknown '{name}'", problem, f"Give one of {cells}.")
    return formula
