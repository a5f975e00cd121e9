"""Carries a plan out: a value for each cell, and a step for each that had to be computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.errors import NotInvertibleError, OverdeterminedError, UnderdeterminedError
from flopsheet.sheets.cell import Bounds, symbol
from flopsheet.sheets.functions import Select, taken
from flopsheet.sheets.order import in_text
from flopsheet.sheets.relation import Relation
from flopsheet.solver.answer import Step
from flopsheet.solver.condition import Scope, Solution
from flopsheet.solver.evaluate import evaluate
from flopsheet.solver.intervals import Interval
from flopsheet.solver.plan import Block, Tearing, torn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.sheets.cell import Cell
    from flopsheet.solver.question import Question
    from flopsheet.solver.structure import Equation
    from flopsheet.units import Number


_ORIGINS = {"demand": "given", "unknown": "solved"}


class Execution:
    """Values and steps, growing block by block.

    Args:
        question: what is asked.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.names = tuple(question.sheet.cells)
        self.values: dict[str, Number | str] = {**question.options, **question.literals}
        self.origins: dict[str, str] = {}
        self.steps: list[Step] = []

    def number(self, name: str) -> Number:
        """Return the value of a cell [base units]."""
        value = self.values[name]
        if isinstance(value, str):
            raise TypeError(f"{name} is a choice")
        return value

    def run(self, blocks: Iterable[Block]) -> None:
        """Compute the blocks in order.

        Raises:
            ArithmeticTrapError: a formula has no value at these numbers.
            NotInvertibleError: a block is simultaneous, or its cell has none or several values.
        """
        for block in blocks:
            if block.direct:
                self._direct(block.cells[0], block.equations[0])
            else:
                self._torn(block)

    def _direct(self, name: str, equation: Equation) -> None:
        if equation.value is not None:
            self.values[name] = equation.value
            self.origins[name] = _ORIGINS.get(equation.kind, equation.kind)
            return
        self.refuse_open_choice(equation.relation.right)
        self.values[name] = value = evaluate(equation.relation.right, self.values, f"cell '{name}'")
        self.origins[name] = "computed"
        self._step(name, equation.relation, equation.relation.right, "direct", value)

    def refuse_open_choice(self, expression: Any) -> None:
        """Refuse an expression that depends on a choice nobody made.

        Raises:
            UnderdeterminedError: it does.
        """
        for case in expression.atoms(Select):
            choice = self.question.sheet.choices.get(case.args[0].name)
            if choice is not None and choice.name not in self.values:
                fix = f"Add '{choice.name} = {choice.options[0]}', or another of {', '.join(choice.options)}."
                raise UnderdeterminedError(f"choice '{choice.name}'", f"'{choice.name}' is not given.", fix)

    def _step(self, name: str, condition: Relation, form: Any, how: str, value: Number) -> None:
        text = condition.text or f"{name} = {in_text(condition.right, self.names)}"
        self.steps.append(Step(self.question.sheet.cells[name], text, condition, form, how, value))

    def _torn(self, block: Block) -> None:
        tearing = torn(block, self.question.unknowns)
        if tearing is None:
            cells = ", ".join(block.cells)
            problem = f"These cells depend on each other and cannot be found one after the other: {cells}."
            raise NotInvertibleError("question", problem, "Give one of them.")
        solution = self.tear_solution(tearing)
        if not solution.values:
            raise self._outside(tearing)
        points = [each.lower for each in solution.values if each.is_point]
        if len(points) != 1 or len(solution.values) != 1:
            raise self._not_one(tearing, points)
        self.values[tearing.tear] = points[0]
        self.origins[tearing.tear] = "computed"
        condition = self._composed(tearing)
        self._step(tearing.tear, condition, solution.form_at(points[0], self.values), solution.how, points[0])
        for name, equation in tearing.assignments:
            self._direct(name, equation)

    def tear_solution(self, tearing: Tearing) -> Solution:
        """Return the values of the tear cell at which the block's residual equation holds."""
        condition = self._composed(tearing)
        cell = self.question.sheet.cells[tearing.tear]
        solution = Scope(cell.symbol, as_interval(cell.bounds), self.values).solve(condition)
        if solution is None:
            raise cannot_invert(cell, condition, self.names)
        return solution

    def _composed(self, tearing: Tearing) -> Relation:
        """Return the residual over the tear cell, and make the values of pins in it known."""
        relation, pins = tearing.residual.relation, self.question.pins
        self.values |= {name: pins[name].value for name in relation.cells & pins.keys()}
        formulas = {name: equation.relation.right for name, equation in tearing.assignments}
        for side in (relation.left, relation.right, *formulas.values()):
            self.refuse_open_choice(side)
        return over_cells(relation, self.question, formulas)

    def _outside(self, tearing: Tearing) -> OverdeterminedError:
        cell = self.question.sheet.cells[tearing.tear]
        text = tearing.residual.relation.text or f"the formula of {tearing.residual.target}"
        problem = f"It holds for no value of '{cell.name}' within its bounds ({cell.bounds.text(cell.unit)})."
        return OverdeterminedError(f"relation '{text}'", problem, "Check the values that are given.")

    def _not_one(self, tearing: Tearing, points: list[Number]) -> NotInvertibleError:
        name = tearing.tear
        many = f"has {len(points)} values" if points else "has a range of values"
        problem = (
            f"'{name}', which the answer needs, {many} by '{tearing.residual.relation.text or tearing.residual.key}'."
        )
        return NotInvertibleError(f"cell '{name}'", problem, f"Give '{name}' itself.")


def over_cells(relation: Relation, question: Question, formulas: dict[str, Any]) -> Relation:
    """Return a relation with cells replaced by their formulas, so that the unknown shows.

    A cell that the question sets to a value stays a symbol on the other side: `params = 1e12` becomes
    `2 * d_model * d_ff * n_blocks = params`, so that the closed form speaks of cells and not of numbers.
    """
    found = substituted(relation, formulas)
    found = replace(found, left=taken(found.left, question.options), right=taken(found.right, question.options))
    name = relation.left.name if relation.left.is_Symbol else ""
    pin = question.pins.get(name)
    return replace(found, right=symbol(name)) if pin is not None and pin.relation is relation else found


def substituted(relation: Relation, formulas: dict[str, Any]) -> Relation:
    """Return a relation with cells replaced by formulas, last one first, each of which may use those before it."""
    left, right = relation.left, relation.right
    for name in reversed(formulas):
        replacement = {symbol(name): formulas[name]}
        left, right = left.xreplace(replacement), right.xreplace(replacement)
    return Relation(left, relation.operator, right, relation.text, relation.name, relation.doc, relation.literals)


def as_interval(bounds: Bounds) -> Interval:
    """Return the bounds of a cell as an interval."""
    lower_closed = bounds.lower_closed and bounds.lower != -math.inf
    return Interval(bounds.lower, bounds.upper, lower_closed, bounds.upper != math.inf)


def cannot_invert(cell: Cell, condition: Relation, names: tuple[str, ...]) -> NotInvertibleError:
    """Return the error for a condition that no way here can turn round."""
    text = condition.text or f"{in_text(condition.left, names)} {condition.operator} {in_text(condition.right, names)}"
    problem = f"'{cell.name}' cannot be found from '{text}': it occurs several times, and not as a low polynomial."
    return NotInvertibleError(f"unknown '{cell.name}'", problem, f"Give '{cell.name}' and ask for another cell.")
