"""Verifies an answer: every other cell, the substitution into all relations and limits, and what to be wary of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.answer import CellValue
from flopsheet.answer.checks import checks_of
from flopsheet.answer.outcome import Outcome
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.wording import not_excluded
from flopsheet.errors import ArithmeticTrapError, OverdeterminedError, QuestionError, joined
from flopsheet.graph.blocks import Plan, plan
from flopsheet.inverse.method import Proof
from flopsheet.numbers.progressions import hulls
from flopsheet.numbers.sets import union
from flopsheet.question.figures import absence, absent_figures, other_options
from flopsheet.question.left_out import left_out
from flopsheet.units import close

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.checks import Check
    from flopsheet.answer.execute import Execution, Step
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question

DEEPEST, BITS = 200, 200


def broken_limits(question: Question, system: System, execution: Execution, name: str) -> list[Check]:
    """Return the limits on a computed unknown that do not hold; those that cannot be computed are left out."""
    broken: list[Check] = []
    for limit in question.limits:
        trial = execution.copy()
        if not limit.cells <= system.structure.determined or name not in system.structure.needed(limit.cells):
            continue
        try:
            trial.run(system, plan(system.structure, limit.cells, trial.names))
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
    name = _violated_end(answered)
    if name:
        result = answered.outcomes[name] = _moved_inside(answered.outcomes[name])
        system = replace(system, solved={**system.solved, name: result.si}) if result.si is not None else system
        execution = execution.afresh()
        warnings = _complete(answered, system, execution)
    answered.execution = execution
    answered.derive_steps = lambda: _steps(answered, system, first.steps(solving))
    _refuse_violated(answered)
    lifted = answered.question.without
    limits = checks_of(execution, answered.question.sheet.limits.values(), answered.outcomes.values())
    answered.limits = [replace(check, lifted=check.relation.name in lifted) for check in limits]
    answered.warnings = list(dict.fromkeys([*answered.warnings, *warnings, *_warnings(answered, system)]))


def _violated_end(answered: Answer) -> str:
    """Return the unknown whose range ends where a relation is violated by rounding, if there is one."""
    if all(check.holds for check in answered.checks):
        return ""
    for name, result in answered.outcomes.items():
        if result.kind == "range" and result.interval is not None and _moved_inside(result) != result:
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
    """Compute the cells and substitute them into the relations of the question; return what could not be computed."""
    blocks = plan(system.structure, system.structure.determined, execution.names)
    warnings: list[str] = []
    try:
        if answered.meets_question or all(block.direct for block in blocks):
            execution.run(system, blocks)
        else:
            execution.run(system, _direct(system, blocks, execution))
            warnings = _one_by_one(answered, system, execution)
    except (ArithmeticTrapError, QuestionError, SeveralValuesError):
        warnings = _one_by_one(answered, system, execution)
    answered.checks = checks_of(execution, answered.question.stated, answered.outcomes.values())
    return warnings


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


def _one_by_one(answered: Answer, system: System, execution: Execution) -> list[str]:
    """Compute each block that can be; return why others cannot."""
    structure, solved, cells = system.structure, answered.meets_question, answered.question.sheet.cells
    warnings: list[str] = []
    for block in plan(structure, structure.determined, execution.names):
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
        needed -= {name for name in question.pins if structure.needed([name]).isdisjoint(question.unknowns)}
    steps: dict[str, Step] = {}
    for step in [*before, *(step for step in answered.execution.steps() if step.cell.name in needed)]:
        steps.setdefault(step.cell.name, step)
    return list(steps.values())


def _refuse_violated(answered: Answer) -> None:
    """Turn outcomes into "none" where a relation does not hold; what was solved from it stays open."""
    failing = next((check for check in answered.checks if not check.holds), None)
    if failing is None:
        return
    needed = answered.system.structure.needed(failing.relation.cells)
    solved = {
        name: result
        for name, result in answered.outcomes.items()
        if _is_solved_from(failing.relation, result) or (name in needed and result.kind in ("range", "whole", "values"))
    }
    for name, result in solved.items():
        opened = union(result.listed, hulls(result.progressions), result.open)
        why = f"{failing.failure} at the value of {name} that was found, maybe by rounding."
        why = f"{why} {not_excluded(opened, result.cell, 'Values of {} are')}"
        answered.outcomes[name] = Outcome(result.cell, "none", why=why, proof=Proof.OPEN, open=opened)
    if not solved:
        _refuse(answered, f"{failing.failure}, and nothing asked for can change it.")


def _is_solved_from(relation: Relation, result: Outcome) -> bool:
    """Whether a value of an unknown comes from a relation, so that rounding alone can keep that from holding."""
    condition = result.condition
    return condition is not None and any(map(condition.depends, (relation.left, relation.right)))


def _refuse(answered: Answer, why: str) -> None:
    """Turn outcomes into "none" for a reason."""
    for name, result in answered.outcomes.items():
        if result.kind != "none":
            answered.outcomes[name] = Outcome(result.cell, "none", why=why)


def _warnings(answered: Answer, system: System) -> list[str]:
    outside, fractional = _questionable(answered)
    checks = [*answered.checks, *answered.broken] if answered.meets_question else []
    failed = [f"'{check.relation.text}' does not hold." for check in checks if not check.holds]
    missing = [] if answered.question.unknowns else _missing(answered, system)
    return [
        *left_out(answered.question),
        *outside,
        *_open(answered),
        *fractional,
        *failed,
        *missing,
    ]


def _questionable(answered: Answer) -> tuple[list[str], list[str]]:
    """Return which values are outside their bounds or not verified in their source, and which counts are fractional."""
    question, origins, values = answered.question, answered.execution.origins, answered.execution.values
    cells, pins, outside, fractional = question.sheet.cells, question.pins, list[str](), list[str]()
    for name in question.used_cells:
        origin, value, cell = origins.get(name), values.get(name), cells[name]
        if origin is None or value is None or isinstance(value, str):
            continue
        if origin in ("computed", "solved") and value not in cell.bounds and name not in pins:
            outside.append(f"{name} came out outside its bounds ({cell.bounds.text(cell.unit)}).")
        elif origin == "record" and name not in pins:
            record = question.records[cell.part]
            figure = record.values[cell.figure]
            if not figure.verified and question.reads(name) and name in _read(answered):
                said_by = CellValue(cell, value, origin, figure, record).said_by
                outside.append(f"{name} of {said_by} was not verified in its source.")
        counted = cell.integer and not isinstance(value, int) and name not in answered.outcomes
        if counted and not close(value, round(value)):
            fractional.append(f"{name} came out at {cell.text(value)}, which is no whole number.")
    return outside, fractional


def _read(answered: Answer) -> frozenset[str]:
    """Return the cells on which the answer rests: where nothing is asked for by name, all."""
    question, structure = answered.question, answered.system.structure
    asked = _asked(question)
    if not asked:
        return frozenset(question.used_cells)
    return structure.needed([*asked, *(name for own in question.limits for name in own.cells)])


def _asked(question: Question) -> frozenset[str]:
    """Return the cells that a question asks for: unknown, shown, ranking names, or in its relations; none for all."""
    named = [*question.unknowns, *question.shown, *((question.best.cell,) if question.best else ())]
    if not (named or question.substituted):
        return frozenset()
    return frozenset([*named, *(name for own in question.stated for name in own.cells)])


def _open(answered: Answer) -> list[str]:
    """Return which values are not excluded, and which ranges have no first value."""
    warnings = []
    no_first = "No first value of {0} works, only those inside its range: give it to see the other cells."
    for name, result in answered.outcomes.items():
        warnings += [not_excluded(result.open, result.cell)] if result.open and result.kind != "none" else []
        warnings += [no_first.format(name)] if result.kind == "range" and result.si is None else []
    return warnings


def _missing(answered: Answer, system: System) -> list[str]:
    """Return which cells could not be computed, and which of those that nobody gave they rest on.

    Of what is asked for by name only these are named, with those on which they rest; others are counted.
    """
    question, known = answered.question, answered.execution.origins
    cells = question.sheet.cells.values()
    left_out = [cell.name for cell in cells if cell.formula is not None and cell.name not in known]
    asked, structure = _asked(question), system.structure
    used = structure.needed(asked) | structure.missing(asked) if asked else {*left_out}
    wanted = [name for name in left_out if name in used]
    if not wanted:
        return []
    free = (cell.name for cell in question.sheet.rows.shown if cell.formula is None)
    missing = [name for name in free if name not in structure.of_cell and (not asked or name in used)]
    named = (name for name, part in question.sheet.parts.items() if part.example and not part.bare)
    lacking = {question.sheet.cells[name].part for name in structure.missing(wanted)}
    missing += [name for name in named if name not in question.records and (not asked or name in lacking)]
    texts = [f"Not computed: {_counted(wanted, left_out)}. Not given: {joined(missing)}."] if missing else []
    figures = absent_figures(question, sorted(structure.missing(wanted)))
    return [*texts, *(_without_figure(question, system, wanted, figure) for figure in figures)]


def _counted(wanted: list[str], left_out: list[str]) -> str:
    """Return names, and how many cells are left out besides that nothing asked for rests on."""
    others = len(left_out) - len(wanted)
    return joined([*wanted, *([f"{others} other cell{'' if others == 1 else 's'}"] if others else [])])


def _without_figure(question: Question, system: System, left_out: list[str], figure: str) -> str:
    """Return which cells a record leaves out for want of a figure, with the options for which it has one."""
    names = [name for name in left_out if figure in system.structure.missing([name])]
    options = other_options(question, figure)
    return f"Not computed: {joined(names)}. {absence(question, [figure])}{f': choose {options}' if options else ''}."
