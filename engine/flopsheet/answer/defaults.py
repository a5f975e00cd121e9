"""Defaults that a question overrides: stated otherwise, or contradicted by the other equations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.reasons import contradicted, rests_on_name
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.verification.checks import met
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, OverdeterminedError, QuestionError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.relation import cells_of
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
    dropped = tuple(given_way)
    while True:
        system = system_of(question, dropped)
        default = _contradicting_default(system, execution) or _outweighed_default(system, dropped, execution)
        if default is None:
            return system.knowing_defaults(), (*_overridden(question), *dropped)
        dropped = (*dropped, default)


def with_following(question: Question) -> Question:
    """Return a question that asks for the number to infer which follows from several unknowns, as for these.

    That is so where inequalities or a ranking decide on them: `n_chips = 256` gives `n_dp` for each `n_tp` and `n_pp`;
    with one replica, as by default, it would exclude most of them.
    """
    if len(question.unknowns) < 2 or not (question.inequalities or question.best):
        return question
    structure = system_of(question).structure.with_known(*question.unknowns)
    for key in structure.unmatched:
        conflict = structure.conflict(key) if structure.equations[key].kind == "demand" else []
        asked = {name for equation in conflict for name in equation.cells}.intersection(question.unknowns)
        numbers = [one.target for one in conflict if one.is_usual_number]
        if len(asked) > 1 and len(numbers) == 1:
            return replace(question, unknowns=(*question.unknowns, numbers[0]))
    return question


def as_given(system: System, dropped: Iterable[str]) -> System:
    """Return the equations without the defaults that agree with what the question states: what it gives stays given.

    A default that contradicts is dropped already. One that happens to agree would give the cell where inputs move.
    """
    structure = system.structure
    agreeing: tuple[str, ...] = structure.derived(("agreeing defaults",), lambda: tuple(_agreeing(system, [*dropped])))
    return system_of(system.question, (*dropped, *agreeing)) if agreeing else system


def _agreeing(system: System, dropped: list[str]) -> Iterator[str]:
    while default := next(filter(None, (_yielding(own, system.question) for _, own in _conflicts(system))), None):
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
            if default := _yielding(_without_value(system, relation, execution.copy()), system.question):
                return default
            raise
        except NotInvertibleError:
            continue  # another order of the equations may show it; the answer is checked against all of them
        except SeveralValuesError:
            if trial.open.keys() <= execution.open.keys():
                raise
            continue
        # at a value that is still open, the equations may agree
        if not trial.open.keys() <= execution.open.keys() or met(relation, sides, trial):
            continue
        default = _yielding(conflict, system.question)
        if default is None:
            raise contradicted(system, key, sides)
        return default
    return None


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
    if len(question.unknowns) != 1 or not question.inequalities or not _rested_on([], question):
        return None
    for relation in question.inequalities:
        names = tuple(name for name in question.sheet.cells if name in relation.cells)
        if structure.missing(names):
            continue
        demand = Equation(f"demand {' '.join(names)}", "demand", names, "")
        conflict = structure.with_last(demand).conflict(demand.key)
        near = []
        if (structure.needed(names) - {*names}).issuperset(question.unknowns):
            near = _near(conflict, question)
        if len(near) != 1 and (question.unknowns[0] not in names or _fails(system, relation, execution)):
            near = _inferred_beside(conflict, question)
            if not near and _fails(system, relation, execution):
                near = _inferred_beside(conflict, question, formulas=True)
        if len(near) == 1:
            without = system_of(question, (*dropped, near[0])).structure
            if not without.with_known(*question.unknowns).missing(names):
                return near[0]
    return None


def _yielding(conflict: Iterable[Equation], question: Question) -> str | None:
    """Return the default that a conflict overrides: the only one, or the only one of those that yield first.

    The one from which a cell with a formula would follow that is asked for yields first: else the answer would be that
    default, whatever else is stated. So does a number to infer beside it, as `n_dp` for `n_chips`. Formulas over other
    cells yield before numbers that are declared as inferred, and both before other numbers. What follows from a record
    that the question names, or from a figure that it gives in place of one, as `params` from its model, yields last.
    None yields to a figure of a name that is tried: that name does not fit.
    """
    conflict = list(conflict)
    if rests_on_name(conflict, question):
        return _replaced(conflict, question) if question.yields_to_names else None
    defaults = [equation for equation in conflict if equation.is_default]
    others = [equation for equation in defaults if not is_of_record(equation, question)]
    inferred = [equation for equation in others if equation.kind == "inferred"]
    asked = _near(conflict, question)
    near = [equation for equation in others if equation.target in asked]
    beside = [equation for equation in others if equation.target in _inferred_beside(conflict, question)]
    for yielding in (defaults, near, beside, [one for one in inferred if len(one.cells) > 1], inferred, others):
        if len(yielding) == 1:
            return yielding[0].target
    return None


def _replaced(conflict: Iterable[Equation], question: Question) -> str | None:
    """Return the only default from which a cell that is given would follow directly: what is given replaces it."""
    given = [cells_of(question.formula(pin.cell)) for pin in question.demands]
    own = [one.target for one in conflict if one.kind == "default" and any(one.target in cells for cells in given)]
    return own[0] if len(own) == 1 else None


def replaces_default(question: Question) -> bool:
    """Whether a cell that a question gives would follow directly from a default."""
    cells = question.sheet.cells
    inputs = frozenset().union(*(cells_of(question.formula(pin.cell)) for pin in question.demands))
    return any(cells[name].default is not None for name in inputs & cells.keys() - question.pins.keys())


def _near(conflict: list[Equation], question: Question) -> list[str]:
    """Return the cells whose default yields to a cell that is asked for and would follow from it."""
    asked, defaults = _rested_on(conflict, question), (equation for equation in conflict if equation.is_default)
    return [one.target for one in defaults if one.target in asked and not is_of_record(one, question)]


def _inferred_beside(conflict: Iterable[Equation], question: Question, *, formulas: bool = False) -> list[str]:
    """Return the numbers to infer that a conflict and the formula of the only unknown have: `n_dp` for `n_chips`.

    Or, where these are asked for, the cells there that have a formula to infer.
    """
    cells, unknowns = question.sheet.cells, question.unknowns
    if len(unknowns) != 1 or unknowns[0] not in cells or cells[unknowns[0]].formula is None:
        return []
    inputs = cells_of(question.formula(unknowns[0]))
    inferred = (one for one in conflict if one.kind == "inferred" and (len(one.cells) > 1) is formulas)
    return [one.target for one in inferred if one.target in inputs]


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


def _rested_on(conflict: list[Equation], question: Question) -> set[str]:
    """Return the cells on which those that are asked for rest by their formulas, as far as a conflict goes."""
    cells = question.sheet.cells
    found = {name for name in question.unknowns if name in cells and cells[name].formula is not None}
    while more := {name for one in conflict if one.target in found for name in one.cells} - found:
        found |= more
    return found


def is_of_record(equation: Equation, question: Question) -> bool:
    """Whether a default follows from figures of records that a question names or gives, and from nothing else."""
    inputs = [name for name in equation.cells if name != equation.target and name in question.sheet.cells]
    return len(equation.cells) == len(inputs) + 1 > 1 and all(_is_recorded(name, question) for name in inputs)


def _is_recorded(name: str, question: Question) -> bool:
    """Whether a cell is a figure of a record that a question names or gives, or a default of it follows from some."""
    cell = question.sheet.cells.get(name)
    if cell is None or cell.part:
        return cell is not None and (cell.part in question.records or name in question.pins)
    used = (cells_of(formula) for formula in cell.inferred if name not in question.pins)
    return any(cells and all(_is_recorded(own, question) for own in cells) for cells in used)


def always_contradicted(system: System, solutions: SolutionSet) -> str | None:
    """Return the default that excludes every value of an unknown, because an equation is constant and fails, or None.

    The default then says nothing of the unknown: the equation gives the cell in its place.
    """
    structure = system.structure.with_known(solutions.cell.name)
    constant = [condition for condition in solutions.asked if condition.solution.how is Method.CONSTANT]
    failing = [condition.relation for condition in constant if not condition.solution.values]
    for key in solutions.used if failing else ():
        if system.worded(structure.equations[key]) in failing:
            return _yielding(structure.conflict(key), solutions.execution.question)
    return _inferred_number(structure, solutions)


def _inferred_number(structure: Structure, solutions: SolutionSet) -> str | None:
    """Return the default that is a number to infer, where an equation that was asked gives the cell in its place.

    `n_chips = 2048` gives the replicas for each number of stages, and what else was asked then decides on the stages.
    Only where nothing else was asked does one replica give the stages, as far as it leaves any.
    """
    demands = [key for key in structure.unmatched if structure.equations[key].kind == "demand"]
    if len(solutions.asked) <= len(demands) and (solutions.solutions or solutions.open):
        return None
    for key in demands:
        numbers = [one for one in structure.conflict(key) if one.is_usual_number]
        if len(numbers) == 1:
            return numbers[0].target
    return None


def _overridden(question: Question) -> tuple[str, ...]:
    """Return the cells whose default the question itself overrides: asked for, given, or stated by an equation."""
    cells, pins = question.sheet.cells, question.pins
    stated = [equation.target for equation in stated_equations(question)]
    names = dict.fromkeys((*pins, *question.unknowns, *stated))
    own = (name for name in names if name in cells and not cells[name].part)  # any model may differ from the usual one
    defaults = {name: cells[name].default for name in own if cells[name].default is not None}
    return tuple(name for name, default in defaults.items() if name not in pins or pins[name].value != default)
