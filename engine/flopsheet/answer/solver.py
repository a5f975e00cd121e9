"""The way from a question to its answer: equations, structure, blocks, one unknown after the other, verification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.answer import Answer
from flopsheet.answer.diagnosis import contradicted, lacking, undetermined
from flopsheet.answer.execute import Execution
from flopsheet.answer.outcome import around, outcome
from flopsheet.answer.results import Outcome, Step
from flopsheet.answer.rounding_error import met
from flopsheet.answer.unknown import SolutionSet, find
from flopsheet.answer.verify import verify
from flopsheet.errors import NotInvertibleError, QuestionError, UnderdeterminedError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.graph.blocks import plan
from flopsheet.graph.system import System, stated_equations, system_of
from flopsheet.numbers.sets import Interval, point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Question
    from flopsheet.units import Number

PERIODS = 200


class Solver:
    """Solves one question.

    Args:
        question: what is asked.
        assumed: the value that is followed of each cell that has several.
    """

    def __init__(self, question: Question, assumed: Mapping[str, Number]) -> None:
        self.question = question
        self.execution = Execution(question, assumed)
        self.system, dropped = self._consistent()
        self.answered = Answer(
            question, self.system, self.execution, dropped_defaults=(*_overridden_defaults(question), *dropped)
        )

    def answer(self) -> Answer:
        """Return the answer.

        Raises:
            QuestionError: the question is under- or over-determined, or needs an inverse that is not there.
            SeveralValuesError: a cell on the way has several values.
        """
        self._solve_all()
        answered = self.answered
        answered.outcomes = {name: answered.outcomes[name] for name in self.question.unknowns}
        verify(answered, self.system, self.execution)
        return answered

    def _consistent(self) -> tuple[System, tuple[str, ...]]:
        """Return the equations without contradictions, and the defaults that were dropped to resolve them."""
        dropped: tuple[str, ...] = ()
        while True:
            system = system_of(self.question, dropped)
            default = self._contradicting_default(system)
            if default is None:
                return system, dropped
            dropped = (*dropped, default)

    def _contradicting_default(self, system: System) -> str | None:
        """Return a default to be dropped because other equations contradict it, or None.

        Raises:
            OverdeterminedError, AmbiguousDefaultError: the equations contradict each other.
        """
        structure = system.structure
        for key in structure.unmatched:
            conflict = structure.conflict(key)
            defaults = [equation.target for equation in conflict if equation.kind == "default"]
            asked = {name for equation in conflict for name in equation.cells}.intersection(self.question.unknowns)
            if asked and not defaults:
                continue  # it is one more condition on the unknown
            relation, execution = system.relation(structure.equations[key]), self.execution.copy()
            try:
                execution.run(system, plan(structure, relation.cells, execution.names))
            except NotInvertibleError:
                continue  # another order of the equations may show it; the answer is checked against all of them
            sides = (evaluate(relation.left, execution.values), evaluate(relation.right, execution.values))
            if met(relation, sides, execution):
                continue
            if len(defaults) == 1:
                return defaults[0]
            raise contradicted(system, key, sides)
        return None

    def _solve_all(self) -> None:
        """Solve for each unknown, in an order in which each rests on those before; each value is then known.

        Raises:
            UnderdeterminedError, NotInvertibleError: one is left that nothing determines, or that no method solves for.
        """
        near = self.question.near
        waiting = sorted(self.question.unknowns, key=lambda name: name not in near)  # it picks among several answers
        while waiting:
            refused: QuestionError | None = None
            for name in waiting:
                try:
                    self._solve(name)
                except (UnderdeterminedError, NotInvertibleError) as error:
                    refused = refused or error
                    continue
                waiting.remove(name)
                break
            else:
                if refused is not None:
                    raise refused

    def _solve(self, name: str) -> None:
        if self._is_direct(name):
            equation = self.system.structure.equations[self.system.structure.of_cell[name]]
            own = equation.key == f"formula {name}"
            why = "Its own formula gives it." if own else f"'{self.system.relation(equation).text}' gives it."
            self.answered.outcomes[name] = self._computed(name, why)
            return
        result = self.answered.outcomes[name] = self._unknown(name)
        if result.si is not None:
            self.system = self.system.with_solved(name, result.si)

    def _is_direct(self, name: str) -> bool:
        """Whether an equation gives a cell without rearranging, from what is known."""
        structure = self.system.structure
        if name not in structure.determined:
            return False
        return next(block for block in plan(structure, [name], self.execution.names) if name in block.cells).direct

    def _unknown(self, name: str) -> Outcome:
        """Return the outcome of one unknown; the steps to it are added to the execution."""
        try:
            solutions = find(self.system, name, self.execution)
        except NotInvertibleError as error:
            if name not in self.system.structure.determined:
                raise lacking(self.system, name) or error from None
            return self._computed(name, "It follows from the relations taken together.")
        if solutions is None:
            raise undetermined(self.system, name)
        near = self.question.near.get(name)
        result = outcome(solutions, near)
        if near is not None and not result.complete and len(result.solutions) > 1:
            solutions = find(self.system, name, self.execution, _around(result.solutions, near)) or solutions
            result = outcome(solutions, near)
        self.execution = solutions.execution.copy()
        boundary = result.si if result.boundary is None else result.boundary
        if boundary is not None:
            self.execution.log.append(_solving_step(solutions, result, boundary))
        return result

    def _computed(self, name: str, why: str) -> Outcome:
        self.execution.run(self.system, plan(self.system.structure, [name], self.execution.names))
        cell, value = self.question.sheet.cells[name], self.execution.number(name)
        if value not in cell.bounds:
            text = f"{why} But that makes it {cell.text(value)}, and {name} is {cell.bounds.text(cell.unit)}."
            return Outcome(cell, "none", why=text)
        values, execution = point(value), self.execution

        def form() -> object:
            return next((step.form for step in execution.steps() if step.cell is cell), None)

        return Outcome(
            cell, "value", values, values[0], value, value, neighbours=around(cell, value), form=form, why=why
        )


def _overridden_defaults(question: Question) -> tuple[str, ...]:
    """Return the cells whose default the question itself overrides: asked for, given, or stated by an equation."""
    cells, pins = question.sheet.cells, question.pins
    stated = [equation.target for equation in stated_equations(question)]
    names = dict.fromkeys((*pins, *question.unknowns, *stated))
    defaults = {name: cells[name].default for name in names if name in cells and cells[name].default is not None}
    return tuple(name for name, default in defaults.items() if name not in pins or pins[name].value != default)


def _around(solutions: RealSet, near: Number) -> Interval:
    """Return a range around a value that is as wide as some hundred values of a periodic set."""
    spacing = float(solutions[-1].lower - solutions[0].lower) / (len(solutions) - 1)
    return Interval(float(near) - PERIODS * spacing, float(near) + PERIODS * spacing)


def _solving_step(solutions: SolutionSet, result: Outcome, boundary: Number) -> Step:
    """Return the step that inverts the deciding condition."""
    conditions = solutions.conditions
    deciding = next((condition for condition in conditions if condition.relation is result.deciding), conditions[0])
    method = deciding.solution.how
    return Step(solutions.cell, method, boundary, lambda: (deciding.composed, result.closed_form))
