"""Defaults that a question overrides: stated otherwise, or contradicted by the other equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.reasons import contradicted
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.verification.checks import met
from flopsheet.answer.yielding import (
    beside_given,
    following_number,
    inferred_beside,
    near_asked,
    replaced_by_given,
    rested_on,
    yielding_default,
)
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, OverdeterminedError, QuestionError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.graph.blocks import plan
from flopsheet.graph.structure import Equation
from flopsheet.graph.system import System, stated_equations, system_of
from flopsheet.inverse.method import Method

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.answer.execute import Execution
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.structure import Structure
    from flopsheet.question.question import Question
    from flopsheet.units import Number


def consistent(
    question: Question, execution: Execution, given_way: Iterable[str] = ()
) -> tuple[System, tuple[str, ...]]:
    """Return the equations without contradictions, and the cells whose default is dropped.

    Args:
        question: the question.
        execution: the values known so far.
        given_way: cells whose default is dropped in any case.

    Raises:
        OverdeterminedError: equations contradict each other, and no single default could be dropped.
    """
    dropped = (*given_way, *replaced_by_given(question))
    while True:
        system = system_of(question, dropped)
        default = _contradicting_default(system, execution) or _outweighed_default(system, dropped, execution)
        if default is None:
            return system.knowing_defaults(), (*_overridden(question), *dropped)
        dropped = (*dropped, default)


def as_given(system: System, dropped: Iterable[str]) -> System:
    """Return the equations without the defaults that agree with what the question states: what it gives stays given.

    A default that contradicts is dropped already. One that happens to agree would give the cell where inputs move.
    """
    structure = system.structure
    agreeing: tuple[str, ...] = structure.derived(("agreeing defaults",), lambda: tuple(_agreeing(system, [*dropped])))
    return system_of(system.question, (*dropped, *agreeing)) if agreeing else system


def _agreeing(system: System, dropped: list[str]) -> Iterator[str]:
    while default := next(
        filter(None, (yielding_default(own, system.question) for _, own in _conflicts(system))), None
    ):
        yield default
        dropped.append(default)
        system = system_of(system.question, tuple(dropped))


def _contradicting_default(system: System, execution: Execution) -> str | None:
    """Return a default to be dropped because other equations contradict it, or None; raise other contradictions."""
    structure = system.structure
    for key, conflict in _conflicts(system):
        relation, trial = system.relation(structure.equations[key]), execution.copy()
        try:
            sides = _sides(system, relation, trial)
        except OverdeterminedError:
            if default := yielding_default(_without_value(system, relation, execution.copy()), system.question):
                return default
            raise
        except NotInvertibleError:  # another order of the equations may show it; the answer is checked against all
            continue
        except ArithmeticTrapError as trap:
            return _formula_not_needed(conflict, system.question, trap)
        except SeveralValuesError:
            if trial.open.keys() <= execution.open.keys():
                raise
            continue
        # at a value that is still open, the equations may agree
        if not trial.open.keys() <= execution.open.keys() or met(relation, sides, trial):
            continue
        default = yielding_default(conflict, system.question)
        if default is None:
            raise contradicted(system, key, sides)
        return default
    return None


def _formula_not_needed(conflict: Iterable[Equation], question: Question, trap: ArithmeticTrapError) -> str:
    """Return the formula to infer in a conflict that what is given replaces: it needs no value; else raise the trap."""
    given = beside_given(conflict, question)
    if len(given) != 1:
        raise trap
    return given[0]


def _conflicts(system: System) -> Iterator[tuple[str, list[Equation]]]:
    """Yield each equation too many with those that contradict it, but for those that are conditions on an unknown."""
    for key in system.structure.unmatched:
        conflict = system.structure.conflict(key)
        asked = {name for equation in conflict for name in equation.cells}.intersection(system.question.unknowns)
        if not asked or any(equation.is_default for equation in conflict):
            yield key, conflict


def _without_value(system: System, relation: Relation, execution: Execution) -> list[Equation]:
    """Return the first equations on the way to a relation that no values of their cells meet."""
    equations = system.structure.equations
    for block in plan(system.structure, relation.cells, execution.names):
        try:
            execution.run_block(system, block)
        except OverdeterminedError:
            return [equations[key] for key in block.keys]
    return []


def _outweighed_default(system: System, dropped: tuple[str, ...], execution: Execution) -> str | None:
    """Return the default from which the only unknown would follow, where an inequality says how far the unknown ranges.

    That is so where the inequality is of cells that rest on the unknown, and on nothing else that is not known then. An
    inequality of the unknown itself, or of cells beside it, is checked at the value that follows, which gives way to it
    where a number to infer is in the formula of the unknown: `n_chips >= 3` gives `n_dp`. A number to infer in
    the formula of the unknown is outweighed by cells beside it too: where `n_chips` is asked for, memory gives `n_dp`.
    So is a formula to infer there, if the inequality does not hold with it: `answer_replicas` of a usual load.
    """
    question, structure = system.question, system.structure
    if len(question.unknowns) != 1 or not rested_on([], question):
        return None
    for relation in question.inequalities:
        names = tuple(name for name in question.sheet.cells if name in relation.cells)
        if structure.missing(names):
            continue
        demand = Equation(f"demand {' '.join(names)}", "demand", names, "")
        conflict = structure.with_last(demand).conflict(demand.key)
        near = []
        if (structure.needed(names) - {*names}).issuperset(question.unknowns):
            near = near_asked(conflict, question)
        if len(near) != 1 and (question.unknowns[0] not in names or _fails(system, relation, execution)):
            near = inferred_beside(conflict, question)
            if not near and _fails(system, relation, execution):
                near = inferred_beside(conflict, question, formulas=True)
        if len(near) == 1:
            without = system_of(question, (*dropped, near[0])).structure
            if not without.with_known(*question.unknowns).missing(names):
                return near[0]
    return None


def _fails(system: System, relation: Relation, execution: Execution) -> bool:
    """Whether a relation can be computed before any unknown is known, and does not hold."""
    trial = execution.copy()
    try:
        return not met(relation, _sides(system, relation, trial), trial)
    except (ArithmeticTrapError, QuestionError, SeveralValuesError):
        return False


def _sides(system: System, relation: Relation, execution: Execution) -> tuple[Number, Number]:
    """Return the values of both sides of a relation; what they rest on is added to an execution."""
    execution.run(system, plan(system.structure, relation.cells, execution.names))
    return evaluate(relation.left, execution.values), evaluate(relation.right, execution.values)


def always_contradicted(system: System, solutions: SolutionSet) -> str | None:
    """Return the default that excludes every value of an unknown, because an equation is constant and fails, or None.

    The default then says nothing of the unknown: the equation gives the cell in its place.
    """
    structure = system.structure.with_known(solutions.cell.name)
    constant = [condition for condition in solutions.asked if condition.solution.how is Method.CONSTANT]
    failing = [condition.relation for condition in constant if not condition.solution.values]
    for key in solutions.used if failing else ():
        if system.worded(structure.equations[key]) in failing:
            return yielding_default(structure.conflict(key), solutions.execution.question)
    return _inferred_number(structure, solutions)


def _inferred_number(structure: Structure, solutions: SolutionSet) -> str | None:
    """Return the default that is a number to infer, where an equation that was asked gives the cell in its place.

    `n_chips = 2048` gives the replicas for each number of stages, and what else was asked then decides on the stages.
    Only where nothing else was asked does one replica give the stages, as far as it leaves any.
    """
    question = solutions.execution.question
    demands = [key for key in structure.unmatched if structure.equations[key].kind == "demand"]
    if len(solutions.asked) <= len(demands) and (solutions.solutions or solutions.open):
        return None
    numbers = (following_number(structure.equations[key], structure.conflict(key), question) for key in demands)
    return next(filter(None, numbers), None)


def _overridden(question: Question) -> tuple[str, ...]:
    """Return the cells whose default the question itself overrides: asked for, given, or stated by an equation."""
    cells, pins = question.sheet.cells, question.pins
    stated = [equation.target for equation in stated_equations(question)]
    names = dict.fromkeys((*pins, *question.unknowns, *stated))
    own = (name for name in names if name in cells and not cells[name].part)  # any model may differ from the usual one
    defaults = {name: cells[name].default for name in own if cells[name].default is not None}
    return tuple(name for name, default in defaults.items() if name not in pins or pins[name].value != default)
