"""From a question to its answer: equations, structure, blocks, one unknown after the other, verification."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.answer import Answer
from flopsheet.answer.execute import Execution, SeveralValuesError, Step
from flopsheet.answer.names import ranked
from flopsheet.answer.outcome import Outcome, around, outcome
from flopsheet.answer.reasons import contradicted, lacking, undetermined
from flopsheet.answer.unknown import find
from flopsheet.answer.verify import met, verify
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, QuestionError, UnderdeterminedError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.graph.blocks import plan
from flopsheet.graph.system import System, stated_equations, system_of
from flopsheet.numbers.sets import Interval, RealSet, point, union, without_doubles
from flopsheet.question.ask import ask, near_values
from flopsheet.session import fresh
from flopsheet.sheets.catalogue import sheet as sheet_by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.functions.symbols import Expr
    from flopsheet.question.question import Question
    from flopsheet.sheets.body import Sheet
    from flopsheet.units import Number

MOST_FORKS, MOST_VALUES, PERIODS = 3, 8, 200


@fresh
def solve(
    sheet: Sheet | str,
    unknown: str | Sequence[str] | None = (),
    where: Mapping[str, object] | Iterable[str] | None = (),
    near: Mapping[str, object] | object | None = None,
) -> Answer:
    """Return the answer to a question.

    Args:
        sheet: a sheet, or the name of one.
        unknown: the cell or cells asked for, numbers or names (a chip, an option); with none, everything that can be
            computed is.
        where: relations as texts (`["d_model = 16384", "device_memory <= 95 GiB"]`), or a mapping of cell to value.
        near: of several answers, the one near this value is taken: `4096`, `"90 GiB"`, or by unknown `{"x": 3}`.

    Raises:
        FlopsheetError: the question is put wrongly; each subclass is one mistake. A question without a solution is
            no error: its answer has the kind `none` and says why.

    Example:
        >>> from flopsheet import solve
        >>> stack = {"d_model": 16384, "d_ff": 53248, "n_blocks": 126, "batch": 128, "seq_len": 1024}
        >>> given = [f"{cell} = {value}" for cell, value in stack.items()]
        >>> answer = solve("ffn_memory", "n_fsdp", [*given, "chip = tpu-v5p", "device_memory <= chip.memory"])
        >>> print(answer)
        n_fsdp >= 45.76, so 46. 'device_memory <= chip.memory' holds for n_fsdp >= 45.76. 46 gives device_memory
        94.5 GiB. 45 gives device_memory 96.6 GiB.
        >>> answer.value
        46
    """
    question = ask(sheet_by_name(sheet) if isinstance(sheet, str) else sheet, unknown, where)
    if near is not None:
        question.near = near_values(question, near)
    return answer(question)


def answer(question: Question) -> Answer:
    """Return the answer to a question that was read before.

    Raises:
        QuestionError: it is under- or over-determined, or needs an inverse that is not there.
    """
    return ranked(question, answer) if question.names else _followed(question, {})


def _followed(question: Question, assumed: Mapping[str, Number]) -> Answer:
    """Return the answer; where a cell on the way has several values, follow each and merge the answers."""
    try:
        return _Solver(question, assumed).answer()
    except SeveralValuesError as several:
        name, values = several.name, several.values
    if len(assumed) >= MOST_FORKS or len(values) > MOST_VALUES:
        problem = f"Too many values are possible on the way: {len(values)} of '{name}' alone."
        raise NotInvertibleError(f"cell '{name}'", problem, f"Give '{name}'.")
    answers, errors = list[Answer](), list[ArithmeticTrapError | QuestionError]()
    for value in values:
        try:
            answers.append(_followed(question, {**assumed, name: value}))
        except (ArithmeticTrapError, QuestionError) as error:
            errors.append(error)
    if not answers:
        raise errors[0]
    return _merged(name, answers)


def _merged(name: str, answers: list[Answer]) -> Answer:
    """Return the answers for the values of a cell on the way as a single one."""
    solved = [answer for answer in answers if answer.solved]
    base = solved[0] if solved else answers[0]
    for unknown, own in base.outcomes.items():
        solutions = without_doubles(union(*(answer.outcomes[unknown].solutions for answer in solved)))
        if solutions != own.solutions and own.kind != "none" and len(solutions) > 1:
            kind = "values" if all(interval.is_point for interval in solutions) else own.kind
            why = f"{own.why} It has several values because {name} has."
            base.outcomes[unknown] = replace(own, kind=kind, solutions=solutions, why=why)
    shown = base.cells[name].cell.text(base.cells[name].si) if name in base.cells else "one of them"
    base.warnings.append(f"{name} has several values by the relations; the other cells are those at {shown}.")
    return base


class _Solver:
    """Solves one question, with one value assumed of each cell on the way that has several."""

    def __init__(self, question: Question, assumed: Mapping[str, Number]) -> None:
        self.question = question
        self.execution = Execution(question, assumed)
        self.system, dropped = self._consistent()
        dropped = (*_overridden_defaults(question), *dropped)
        self.answered = Answer(question, self.system, self.execution, dropped_defaults=dropped)

    def answer(self) -> Answer:
        """Return the answer; raise an error where a cell on the way has several values."""
        self._solve_all()
        outcomes = self.answered.outcomes
        self.answered.outcomes = {name: outcomes[name] for name in self.question.unknowns}
        verify(self.answered, self.system, self.execution)
        return self.answered

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
        """Return a default to be dropped because other equations contradict it, or None; raise other contradictions."""
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
        """Solve for each unknown, in an order in which each rests on those before; each value is then known."""
        near = self.question.near
        waiting = sorted(self.question.unknowns, key=lambda name: name not in near)  # it picks among several answers
        while waiting:
            errors: list[QuestionError] = []
            for name in waiting:
                try:
                    self._solve(name)
                except (UnderdeterminedError, NotInvertibleError) as error:
                    errors.append(error)
                else:
                    waiting.remove(name)
                    break
            else:
                raise errors[0]

    def _solve(self, name: str) -> None:
        structure = self.system.structure
        blocks = plan(structure, [name], self.execution.names) if name in structure.determined else []
        if any(block.direct for block in blocks if name in block.cells):
            equation = structure.equations[structure.of_cell[name]]
            own = equation.key == f"formula {name}"
            source = "its formula" if own else f"'{self.system.relation(equation).text}'"
            why = f"Computed from {source}."
            self.answered.outcomes[name] = self._computed(name, why)
            return
        result = self.answered.outcomes[name] = self._unknown(name)
        if result.si is not None:
            self.system = self.system.with_solved(name, result.si)

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
        self.execution = solutions.execution
        boundary = result.si if result.boundary is None else result.boundary
        if boundary is not None:
            deciding = result.condition or solutions.conditions[0]
            how = deciding.solution.how
            self.execution.log.append(
                Step(solutions.cell, how, boundary, lambda: (deciding.composed, result.closed_form))
            )
        return result

    def _computed(self, name: str, why: str) -> Outcome:
        """Return the outcome of an unknown that blocks of equations give."""
        self.execution.run(self.system, plan(self.system.structure, [name], self.execution.names))
        cell, value, execution = self.question.sheet.cells[name], self.execution.number(name), self.execution
        if value not in cell.bounds:
            text = f"{why} But that makes it {cell.text(value)}, and {name} is {cell.bounds.text(cell.unit)}."
            return Outcome(cell, "none", why=text)

        def form() -> Expr | None:
            return next((step.form for step in execution.steps() if step.cell is cell), None)

        solutions, wholes = point(value), around(cell, value)
        return Outcome(cell, "value", solutions, solutions[0], value, value, neighbours=wholes, why=why, form=form)


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
