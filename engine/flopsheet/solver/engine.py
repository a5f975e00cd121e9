"""The engine: from a question to its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.errors import NotInvertibleError, UnderdeterminedError
from flopsheet.sheets.catalogue import sheet as sheet_by_name
from flopsheet.solver.answer import Answer
from flopsheet.solver.complete import add_steps, complete
from flopsheet.solver.diagnosis import contradicted, lacking, undetermined
from flopsheet.solver.evaluate import evaluate
from flopsheet.solver.execute import Execution, SeveralValuesError
from flopsheet.solver.facts import Outcome, Step
from flopsheet.solver.intervals import point
from flopsheet.solver.names import ranked
from flopsheet.solver.outcome import around, merged, outcome
from flopsheet.solver.plan import plan
from flopsheet.solver.question import Question, ask
from flopsheet.solver.structure import Equation, Structure, equations, stated_equations
from flopsheet.solver.unknown import Found, as_known, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.sheets.body import Sheet
    from flopsheet.units import Number

MOST_FORKS = 6


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
    """
    return answer(ask(sheet_by_name(sheet) if isinstance(sheet, str) else sheet, unknown, where, near))


def answer(question: Question) -> Answer:
    """Return the answer to a question that was read before.

    Raises:
        QuestionError: it is under- or over-determined, or needs an inverse that is not there.
    """
    if question.names:
        return ranked(question, answer)
    return _followed(question, {})


def _followed(question: Question, assumed: Mapping[str, Number]) -> Answer:
    """Return the answer; where a cell on the way has several values, follow each and put the answers together."""
    try:
        return _answer(question, assumed)
    except SeveralValuesError as several:
        if len(assumed) >= MOST_FORKS:
            problem = f"Too many cells on the way have several values, the last of them '{several.name}'."
            raise NotInvertibleError(f"cell '{several.name}'", problem, f"Give '{several.name}'.") from None
        return merged(several.name, [_followed(question, {**assumed, several.name: each}) for each in several.values])


def _answer(question: Question, assumed: Mapping[str, Number]) -> Answer:
    dropped: tuple[str, ...] = ()
    while True:
        system = equations(question, dropped)
        gives_way = _settle(question, system, assumed)
        if gives_way is None:
            break
        dropped = (*dropped, gives_way)
    answered = Answer(question, dropped_defaults=(*_displaced_defaults(question), *dropped))
    known: dict[str, Number] = {}
    system = _solve_all(answered, system, assumed, known)
    answered.outcomes = {name: answered.outcomes[name] for name in question.unknowns}
    complete(answered, system, assumed, known)
    return answered


def _solve_all(
    answered: Answer, system: list[Equation], assumed: Mapping[str, Number], known: dict[str, Number]
) -> list[Equation]:
    """Solve for each unknown, in an order in which each rests on those before; return the system with their values.

    Raises:
        UnderdeterminedError: one is left that nothing determines.
    """
    question, waiting = answered.question, list(answered.question.unknowns)
    while waiting:
        refused: UnderdeterminedError | None = None
        for name in waiting:
            structure = Structure(system, question.sheet.choices)
            try:
                result, steps = _unknown(question, system, structure, name, assumed, known)
            except UnderdeterminedError as error:
                refused = refused or error
                continue
            answered.outcomes[name] = result
            add_steps(answered, steps)
            if result.si is not None and not _is_direct(question, structure, name):
                system = [as_known(name, result.si), *system]
            waiting.remove(name)
            refused = None
            break
        if refused is not None:
            raise refused
    return system


def _displaced_defaults(question: Question) -> tuple[str, ...]:
    """Return the cells whose default the question itself replaces: asked for, given, or stated by an equation."""
    cells = question.sheet.cells
    stated = [each.target for each in stated_equations(question)]
    names = dict.fromkeys((*question.pins, *question.unknowns, *stated))
    return tuple(name for name in names if name and cells[name].default is not None)


def _settle(question: Question, system: list[Equation], assumed: Mapping[str, Number]) -> str | None:
    """Test equations that say what others say too; return a default that must give way, or None.

    Raises:
        OverdeterminedError, AmbiguousDefaultError: the equations contradict each other.
    """
    structure = Structure(system, question.sheet.choices)
    for key in structure.unmatched:
        if any(name in each.cells for each in structure.conflict(key) for name in question.unknowns):
            continue  # it is one more condition on the unknown
        relation = structure.equations[key].relation
        execution = Execution(question, assumed)
        execution.run(plan(structure, relation.cells, execution.names))
        sides = (evaluate(relation.left, execution.values), evaluate(relation.right, execution.values))
        if relation.holds(*sides):
            continue
        defaults = [each.target for each in structure.conflict(key) if each.kind == "default"]
        if len(defaults) == 1:
            return defaults[0]
        raise contradicted(question, structure, key, sides)
    return None


def _unknown(
    question: Question,
    system: list[Equation],
    structure: Structure,
    name: str,
    assumed: Mapping[str, Number],
    known: dict[str, Number],
) -> tuple[Outcome, list[Step]]:
    """Return the outcome of one unknown and the steps to it."""
    if _is_direct(question, structure, name):
        equation = structure.equations[structure.of_cell[name]]
        own = equation.key == f"formula {name}"
        why = "Its own formula gives it." if own else f"'{equation.relation.text}' gives it."
        return _computed(question, structure, name, why, assumed)
    try:
        found = find(question, system, name, assumed)
    except NotInvertibleError as error:
        if name not in structure.determined:
            raise lacking(question, structure, name) or error from None
        return _computed(question, structure, name, "It follows from the relations taken together.", assumed)
    if found is None:
        raise undetermined(question, system, name)
    result = outcome(found, question.near.get(name))
    known |= found.execution.computed
    steps = list(found.execution.steps)
    boundary = result.si if result.boundary is None else result.boundary
    if boundary is not None:
        steps.append(_solving_step(found, result, boundary))
    return result, steps


def _is_direct(question: Question, structure: Structure, name: str) -> bool:
    """Whether an equation gives a cell without rearranging, from what is known."""
    if name not in structure.determined:
        return False
    blocks = plan(structure, [name], question.sheet.cells)
    return next(block for block in blocks if name in block.cells).direct


def _computed(
    question: Question, structure: Structure, name: str, why: str, assumed: Mapping[str, Number]
) -> tuple[Outcome, list[Step]]:
    execution = Execution(question, assumed)
    execution.run(plan(structure, [name], execution.names))
    cell = question.sheet.cells[name]
    value = execution.number(name)
    if value not in cell.bounds:
        text = f"{why} But that makes it {cell.text(value)}, and {name} is {cell.bounds.text(cell.unit)}."
        return Outcome(cell, "none", why=text), execution.steps
    steps = [step for step in execution.steps if step.cell is cell]
    wholes, found = around(cell, value), point(value)
    result = Outcome(cell, "value", found, found[0], value, value, neighbours=wholes, form=_form_of(steps), why=why)
    return result, execution.steps


def _form_of(steps: list[Step]) -> Callable[[], Any | None]:
    return lambda: steps[0].form if steps else None


def _solving_step(found: Found, result: Outcome, boundary: Number) -> Step:
    """Return the step that turns the deciding condition round."""
    deciding = next((each for each in found.conditions if each.relation is result.deciding), found.conditions[0])
    return Step(found.cell, deciding.solution.how, boundary, lambda: (deciding.composed, result.closed_form))
