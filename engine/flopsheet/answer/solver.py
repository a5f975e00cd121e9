"""One attempt at a question: settle what contradicts, solve for one unknown after the other, complete and check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.answer.answer import Answer
from flopsheet.answer.diagnosis import contradicted, lacking, undetermined
from flopsheet.answer.execute import Execution
from flopsheet.answer.outcome import around, outcome
from flopsheet.answer.results import Outcome, Step
from flopsheet.answer.rounding_error import met
from flopsheet.answer.unknown import Found, as_known, find
from flopsheet.answer.verify import add_steps, complete
from flopsheet.errors import NotInvertibleError, QuestionError, UnderdeterminedError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.graph.blocks import plan
from flopsheet.graph.structure import Structure, equations, stated_equations
from flopsheet.numbers.sets import Interval, point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.graph.structure import Equation
    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Question
    from flopsheet.units import Number

PERIODS = 200


class Attempt:
    """One attempt at a question.

    Args:
        question: what is asked.
        assumed: the value that is followed of each cell that has several.
    """

    def __init__(self, question: Question, assumed: Mapping[str, Number]) -> None:
        self.question, self.assumed = question, assumed
        self.known: dict[str, Number] = {}
        self._matched: tuple[list[Equation], Structure] | None = None
        dropped = self._settled()
        self.answered = Answer(question, dropped_defaults=(*_displaced_defaults(question), *dropped))

    def answer(self) -> Answer:
        """Return the answer.

        Raises:
            QuestionError: the question is under- or over-determined, or needs an inverse that is not there.
            SeveralValuesError: a cell on the way has several values.
        """
        self._solve_all()
        answered, question = self.answered, self.question
        answered.outcomes = {name: answered.outcomes[name] for name in question.unknowns}
        complete(answered, self.system, self.assumed, self.known)
        return answered

    def _settled(self) -> tuple[str, ...]:
        """Test equations that say what others say too; return the defaults that gave way."""
        dropped: tuple[str, ...] = ()
        while True:
            self.system = equations(self.question, dropped)
            gives_way = self._contradicting_default()
            if gives_way is None:
                return dropped
            dropped = (*dropped, gives_way)

    def _contradicting_default(self) -> str | None:
        """Return a default that must give way, or None.

        Raises:
            OverdeterminedError, AmbiguousDefaultError: the equations contradict each other.
        """
        question, structure = self.question, self._structure()
        for key in structure.unmatched:
            conflict = structure.conflict(key)
            defaults = [each.target for each in conflict if each.kind == "default"]
            if not defaults and any(name in each.cells for each in conflict for name in question.unknowns):
                continue  # it is one more condition on the unknown
            relation = structure.equations[key].relation
            try:
                execution = self._run(structure, relation.cells)
            except NotInvertibleError:
                continue  # another order of the equations may show it; the answer is checked against all of them
            sides = (evaluate(relation.left, execution.values), evaluate(relation.right, execution.values))
            if met(relation, sides, execution):
                continue
            if len(defaults) == 1:
                return defaults[0]
            raise contradicted(question, structure, key, sides)
        return None

    def _structure(self) -> Structure:
        if self._matched is None or self._matched[0] is not self.system:
            self._matched = self.system, Structure(self.system, self.question.sheet.choices)
        return self._matched[1]

    def _run(self, structure: Structure, cells: Iterable[str]) -> Execution:
        execution = Execution(self.question, self.assumed)
        execution.run(structure, plan(structure, cells, execution.names))
        return execution

    def _solve_all(self) -> None:
        """Solve for each unknown, in an order in which each rests on those before; what is found is then known.

        Raises:
            UnderdeterminedError, NotInvertibleError: one is left that nothing determines, or that no way here finds.
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
        structure = self._structure()
        direct = self._is_direct(structure, name)
        result, steps = self._direct(structure, name) if direct else self._unknown(structure, name)
        self.answered.outcomes[name] = result
        add_steps(self.answered, steps)
        if result.si is not None and not direct:
            self.system = [as_known(name, result.si), *self.system]

    def _is_direct(self, structure: Structure, name: str) -> bool:
        """Whether an equation gives a cell without rearranging, from what is known."""
        if name not in structure.determined:
            return False
        blocks = plan(structure, [name], self.question.sheet.cells)
        return next(block for block in blocks if name in block.cells).direct

    def _direct(self, structure: Structure, name: str) -> tuple[Outcome, list[Step]]:
        equation = structure.equation(name)
        own = equation.key == f"formula {name}"
        why = "Its own formula gives it." if own else f"'{equation.relation.text}' gives it."
        return self._computed(structure, name, why)

    def _unknown(self, structure: Structure, name: str) -> tuple[Outcome, list[Step]]:
        """Return the outcome of one unknown and the steps to it."""
        try:
            found = find(self.question, self.system, name, self.assumed)
        except NotInvertibleError as error:
            if name not in structure.determined:
                raise lacking(self.question, structure, name) or error from None
            return self._computed(structure, name, "It follows from the relations taken together.")
        if found is None:
            raise undetermined(self.question, self.system, name)
        near = self.question.near.get(name)
        result = outcome(found, near)
        if near is not None and not result.complete and len(result.solutions) > 1:
            around = _around(result.solutions, near)
            found = find(self.question, self.system, name, self.assumed, around) or found
            result = outcome(found, near)
        self.known |= found.execution.computed
        boundary = result.si if result.boundary is None else result.boundary
        steps = list(found.execution.steps)
        return result, [*steps, _solving_step(found, result, boundary)] if boundary is not None else steps

    def _computed(self, structure: Structure, name: str, why: str) -> tuple[Outcome, list[Step]]:
        execution = self._run(structure, [name])
        cell = self.question.sheet.cells[name]
        value = execution.number(name)
        if value not in cell.bounds:
            text = f"{why} But that makes it {cell.text(value)}, and {name} is {cell.bounds.text(cell.unit)}."
            return Outcome(cell, "none", why=text), execution.steps
        steps = [step for step in execution.steps if step.cell is cell]
        wholes, found = around(cell, value), point(value)
        result = Outcome(cell, "value", found, found[0], value, value, neighbours=wholes, form=_form_of(steps), why=why)
        return result, execution.steps


def _displaced_defaults(question: Question) -> tuple[str, ...]:
    """Return the cells whose default the question itself replaces: asked for, given, or stated by an equation."""
    cells = question.sheet.cells
    stated = [each.target for each in stated_equations(question)]
    names = dict.fromkeys((*question.pins, *question.unknowns, *stated))
    pins = question.pins
    changed = (name for name in names if name not in pins or pins[name].value != cells[name].default)
    return tuple(name for name in changed if name and cells[name].default is not None)


def _around(solutions: RealSet, near: Number) -> Interval:
    """Return a range around a value that is as wide as some hundred of the values that repeat themselves."""
    spacing = float(solutions[-1].lower - solutions[0].lower) / (len(solutions) - 1)
    return Interval(float(near) - PERIODS * spacing, float(near) + PERIODS * spacing)


def _form_of(steps: list[Step]) -> Callable[[], Any | None]:
    return lambda: steps[0].form if steps else None


def _solving_step(found: Found, result: Outcome, boundary: Number) -> Step:
    """Return the step that turns the deciding condition round."""
    deciding = next((each for each in found.conditions if each.relation is result.deciding), found.conditions[0])
    return Step(found.cell, deciding.solution.how, boundary, lambda: (deciding.composed, result.closed_form))
