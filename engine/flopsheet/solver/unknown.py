"""Solves for one unknown: all conditions that depend on it, seen as functions of it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flopsheet.errors import NotInvertibleError
from flopsheet.sheets.cell import symbol
from flopsheet.sheets.relation import Relation
from flopsheet.solver.closed_form import rearranged
from flopsheet.solver.condition import Scope, Solution
from flopsheet.solver.arithmetic import near_whole
from flopsheet.solver.execute import Execution, as_interval, cannot_invert, over_cells
from flopsheet.solver.intervals import Interval, RealSet, meet_all
from flopsheet.solver.plan import Block, plan
from flopsheet.solver.structure import Equation, Structure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.sheets.cell import Cell
    from flopsheet.solver.question import Question
    from flopsheet.units import Number


@dataclass(frozen=True)
class Condition:
    """A relation that the unknown must meet.

    Args:
        relation: as it was asked.
        composed: the same over the unknown and cells that do not depend on it.
        solution: the values of the unknown that meet it.
    """

    relation: Relation
    composed: Relation
    solution: Solution


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

    @property
    def solutions(self) -> RealSet:
        """The values that meet all conditions; for a count, ends within rounding of a whole number are that number."""
        found = meet_all([(self.domain,), *(condition.solution.values for condition in self.conditions)])
        return tuple(_snapped(each) for each in found) if self.cell.integer else found


def _snapped(each: Interval) -> Interval:
    return replace(each, lower=near_whole(each.lower), upper=near_whole(each.upper))


def as_known(name: str, value: Number | None = None) -> Equation:
    """Return the equation that takes a cell as known."""
    return Equation(f"unknown {name}", "unknown", (name,), name, Relation(symbol(name), "=", symbol(name), ""), value)


def find(question: Question, system: Sequence[Equation], name: str) -> Found | None:
    """Return what the question's equations and inequalities leave of an unknown, or None if they say nothing of it.

    Raises:
        NotInvertibleError: a condition cannot be turned round.
    """
    structure = Structure([as_known(name), *system], question.sheet.choices)
    execution = Execution(question)
    relations = [structure.equations[key].relation for key in structure.unmatched] + question.inequalities
    known = structure.determined | question.sheet.choices.keys()
    asked = [each for each in relations if each.cells <= known and name in structure.needed(each.cells)]
    if not asked:
        return None
    formulas = _formulas(structure, execution, asked, name)
    cell = question.sheet.cells[name]
    domain = as_interval(cell.bounds)
    conditions = []
    for relation in asked:
        composed = over_cells(relation, question, formulas)
        for side in (composed.left, composed.right):
            execution.refuse_open_choice(side)
        execution.values |= {pin: question.pins[pin].value for pin in relation.cells & question.pins.keys()}
        solution = Scope(cell.symbol, domain, execution.values).solve(composed)
        if solution is None:
            raise cannot_invert(cell, composed, execution.names)
        conditions.append(Condition(relation, composed, solution))
    return Found(cell, domain, tuple(conditions), execution)


def _formulas(structure: Structure, execution: Execution, asked: list[Relation], name: str) -> dict[str, Any]:
    """Compute what does not depend on the unknown, and return the formulas of what does, in order."""
    cells = {cell for relation in asked for cell in relation.cells}
    depending, formulas = {name}, {}
    for block in plan(structure, cells, execution.names, join=False):
        inputs = {cell for equation in block.equations for cell in equation.cells} - {*block.cells}
        if block.cells == (name,):
            continue
        if not inputs & depending:
            execution.run([block])
        else:
            formula = _follows(block, name)
            depending.add(block.cells[0])
            formulas[block.cells[0]] = formula
    return formulas


def _follows(block: Block, name: str) -> Any:
    """Return the formula of a cell that depends on the unknown, its equation turned round where it must be."""
    relation = block.equations[0].relation
    formula = relation.right if block.direct else None
    if formula is None and len(block.cells) == 1:
        formula = rearranged(relation.left, relation.right, symbol(block.cells[0]))
    if formula is None:
        cells = ", ".join(block.cells)
        problem = f"'{name}' decides {cells} in a way that cannot be turned round."
        raise NotInvertibleError(f"unknown '{name}'", problem, f"Give one of {cells}.")
    return formula
