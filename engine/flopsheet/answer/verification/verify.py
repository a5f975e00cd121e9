"""Verifies an answer: every other cell, and the substitution into all relations and limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import in_words
from flopsheet.answer.several import verdicts
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.verification.checks import checks_of, never_has_value
from flopsheet.answer.verification.warnings import warnings_of
from flopsheet.errors import ArithmeticTrapError, OverdeterminedError, QuestionError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.blocks import Plan, plan
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Execution, Step
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.verification.checks import Check
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question


def broken_limits(question: Question, system: System, execution: Execution, name: str = "") -> list[Check]:
    """Return the limits that do not hold, those on a computed unknown if it is named; of those that can be computed."""
    broken: list[Check] = []
    structure = system.structure
    for limit in question.limits:
        trial = execution.copy()
        is_on = not name or not structure.resting_on([name]).isdisjoint(limit.cells)
        if not (is_on and limit.cells <= system.known):
            continue
        try:
            trial.run(system, plan(structure, limit.cells, trial.names))
            broken += [check for check in checks_of(trial, [limit]) if not check.holds]
        except (ArithmeticTrapError, QuestionError, SeveralValuesError):
            continue
    return broken


def verify(answered: Answer, system: System, execution: Execution) -> None:
    """Compute every cell that the equations determine, and check all relations and limits.

    Where rounding makes the end of a range violate a relation, the value is taken from inside the range. The answer has
    its outcomes so far, the system takes each solved unknown as known, and the execution holds the steps to these.
    """
    first, solving = execution, [*execution.log]
    warnings = _complete(answered, system, execution)
    name = _violated_end(answered, system)
    if name:
        result = answered.outcomes[name] = _moved_inside(answered.outcomes[name])
        system = replace(system, solved={**system.solved, name: result.si}) if result.si is not None else system
        execution = execution.afresh()
        warnings = _complete(answered, system, execution)
    answered.execution = execution
    answered.derive_steps = lambda: _steps(answered, system, first.steps(solving))
    _refuse_violated(answered)
    lifted = answered.question.without
    undefined: list[tuple[Relation, ArithmeticTrapError]] = []
    limits = checks_of(execution, answered.question.chosen_limits, answered.outcomes.values(), undefined)
    answered.undefined = {limit.name: trap.problem for limit, trap in undefined}
    answered.limits = [replace(own, lifted=True) if own.relation.name in lifted else own for own in limits]
    answered.derive_warnings = lambda: [*warnings, *warnings_of(answered, system)]


def _violated_end(answered: Answer, system: System) -> str:
    """Return the unknown whose range ends where rounding violates a relation that rests on it, if there is one."""
    violated = [check.relation.cells for check in answered.checks if not check.holds]
    for name, result in answered.outcomes.items() if violated else ():
        resting = system.structure.resting_on([name])
        rests = not all(map(resting.isdisjoint, violated))
        if rests and result.kind == "range" and result.interval is not None and _moved_inside(result) != result:
            return name
    return ""


def _moved_inside(result: Outcome) -> Outcome:
    """Return the outcome of a range with a value from inside of it: of whole numbers with the next one."""
    interval, whole = result.interval, result.whole
    if interval is None or interval.is_point:
        return result
    if whole is None:
        return replace(result, si=interval.inside())
    nearby = (number for number in (whole + 1, whole - 1) if number in interval)
    inside = next(nearby, whole)
    return replace(result, si=inside, whole=inside)


def _complete(answered: Answer, system: System, execution: Execution) -> list[str]:
    """Compute the cells and substitute them into the relations of the question; return what could not be computed.

    What rests on an unknown whose range has no first value is left out.
    """
    endless = [name for name, result in answered.outcomes.items() if result.kind == "range" and result.si is None]
    system = system.knowing(endless)
    blocks = _blocks(system, endless, execution)
    warnings: list[str] = []
    try:
        if answered.meets_question or all(block.direct for block in blocks):
            execution.run(system, blocks)
        else:
            execution.run(system, _direct(system, blocks, execution))
            warnings = _one_by_one(answered, system, blocks, execution)
    except (ArithmeticTrapError, QuestionError, SeveralValuesError):
        warnings = _one_by_one(answered, system, blocks, execution)
    traps: list[tuple[Relation, ArithmeticTrapError]] | None = [] if answered.outcomes else None
    answered.checks = checks_of(execution, answered.question.stated, answered.outcomes.values(), traps)
    for relation, trap in traps or ():
        _refuse_without_value(answered, execution, relation, trap.problem)
    _add_figures(answered.question, execution)
    return warnings


def _add_figures(question: Question, execution: Execution) -> None:
    """Add the figures of records that no equation has, where names are tried: an answer tells them as well."""
    figures = question.recorded
    for name in question.unread.difference(execution.origins, question.pins):
        value = figures.get(name, question.sheet.cells[name].default)
        if value is not None:
            execution.values[name], execution.origins[name] = value, "record" if name in figures else "default"


def _blocks(system: System, without: Sequence[str], execution: Execution) -> Plan:
    """Return the blocks of the cells that equations determine, without some that are known and what rests on them."""
    structure = system.structure
    left_out = structure.resting_on(without) if without else frozenset()
    return plan(structure, structure.determined - left_out, execution.names)


def _direct(system: System, blocks: Plan, execution: Execution) -> Plan:
    """Return the blocks that equations give directly from cells with values."""
    known = frozenset((*execution.origins, *execution.question.options))

    def direct() -> Plan:
        given, found = {*known}, Plan(())
        for block in blocks:
            if block.direct and block.inputs <= given:
                found.append(block)
                given.update(block.cells)
        return found

    return system.structure.derived(("direct", known), direct)


def _one_by_one(answered: Answer, system: System, blocks: Plan, execution: Execution) -> list[str]:
    """Compute each block that can be; return why others cannot."""
    structure, solved, cells = system.structure, answered.meets_question, answered.question.sheet.cells
    warnings: list[str] = []
    for block in blocks:
        done = execution.origins.keys() >= {*block.cells}
        if done or not (solved or block.direct) or not execution.values.keys() >= block.inputs:
            continue
        try:
            execution.run_block(system, block)
        except SeveralValuesError as several:
            name = several.names[0]
            shown = joined(
                [cells[name].text(value) for value in dict.fromkeys(first for first, *_ in several.tuples)], "or"
            )
            warnings.append(f"{name} is {shown}: give it to see what follows from it.")
            execution.forked |= {system.relation(structure.equations[key]).text for key in block.keys}
            others = (own for own in answered.question.asked if own.text not in execution.forked)
            if solved and any(not structure.needed(own.cells).isdisjoint(block.cells) for own in others):
                raise
        except (ArithmeticTrapError, QuestionError) as error:
            if isinstance(error, OverdeterminedError) and solved:
                _refuse(answered, f"{error.where[:1].upper()}{error.where[1:]}: {error.problem}")
                solved = False
            warnings.append(f"{', '.join(block.cells)} not computed: {error}")
    return warnings


def _steps(answered: Answer, system: System, before: list[Step]) -> list[Step]:
    """Return the steps to the outcomes, then those to what the relations speak of; each cell once."""
    question, structure = system.question, system.structure
    wanted = structure.determined
    if question.unknowns:
        limits = {name for result in answered.outcomes.values() for name in result.limits}
        shaping = [question.sheet.limits[name] for name in limits]
        wanted &= {cell for relation in (*question.stated, *shaping) for cell in relation.cells}
    needed = structure.needed(wanted)
    if not question.substituted:  # a name may affect any cell
        # deriving a cell again that is given and that no unknown affects would show nothing
        needed -= question.pins.keys() - structure.resting_on(question.unknowns)
    steps: dict[str, Step] = {}
    for step in [*before, *answered.execution.steps(of=needed)]:
        steps.setdefault(step.cell.name, step)
    return list(steps.values())


def _refuse_violated(answered: Answer) -> None:
    """Turn outcomes into "none" where a relation does not hold; what was solved from it stays open."""
    failing = next((check for check in answered.checks if not check.holds), None)
    if failing is None or not answered.outcomes:
        return
    needed = _behind(answered, failing.relation)
    refused = {
        name
        for name, result in answered.outcomes.items()
        if _is_solved_from(failing.relation, result) or (name in needed and result.kind in ("range", "whole", "values"))
    }
    refused |= {name for name, result in answered.outcomes.items() if _rests_on(refused, result)}
    solved = {name: answered.outcomes[name] for name in refused}
    for name, result in solved.items():
        is_certain = failing.is_exact and result.kind == "value" and result.proof is Proof.EXACT
        reason = "" if failing.is_exact else ", maybe by rounding"
        why = f"{failing.failure} at the value of {name} that was found{reason}."
        answered.outcomes[name] = verdicts.refused(result, why, () if is_certain else verdicts.possible(result))
    if not solved:
        _refuse(answered, f"{failing.failure}, and nothing asked for can change it.", everywhere=True)


def _refuse_without_value(answered: Answer, execution: Execution, relation: Relation, problem: str) -> None:
    """Turn outcomes into "none" where a side has no value; what rounding may have moved there stays open."""
    is_certain = never_has_value(relation, execution)
    reason = "" if is_certain else " This may be by rounding."
    for name, result in answered.outcomes.items():
        if result.kind != "none":
            left = result.open if is_certain else verdicts.possible(result)
            why = f"{in_words(relation)} cannot be met: {problem}{reason}"
            answered.outcomes[name] = verdicts.refused(result, f"{why[:1].upper()}{why[1:]}", left)


def _is_solved_from(relation: Relation, result: Outcome) -> bool:
    """Whether a value of an unknown comes from a relation, so that rounding alone can keep that from holding."""
    condition = result.condition
    return condition is not None and any(map(condition.depends, (relation.left, relation.right)))


def _rests_on(names: set[str], result: Outcome) -> bool:
    """Whether a value of an unknown was found from values of others."""
    if result.condition is None:
        return False
    relation, links = result.condition.relation, result.condition.chain.links
    return not names.isdisjoint(links.inputs(relation.left) | links.inputs(relation.right))


def _behind(answered: Answer, relation: Relation) -> frozenset[str]:
    """Return what a relation rests on, through the formulas of cells too where something else gives these."""
    structure, question, behind = answered.system.structure, answered.question, frozenset[str]()
    waiting = relation.cells
    while not waiting <= behind:
        behind |= structure.needed(waiting) | waiting
        formulas = (question.formula(name) for name in behind if name in question.sheet.cells)
        waiting = frozenset().union(*(cells_of(formula) for formula in formulas if formula is not None))
    return behind


def _refuse(answered: Answer, why: str, *, everywhere: bool = False) -> None:
    """Turn outcomes into "none" for a reason; where it holds not everywhere, other values of a range stay open."""
    for name, result in answered.outcomes.items():
        if result.kind != "none":
            others = result.open if result.kind == "value" else verdicts.possible(result)
            answered.outcomes[name] = verdicts.refused(result, why, () if everywhere else others)
