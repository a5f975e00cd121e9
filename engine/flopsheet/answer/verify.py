"""Completes an answer: every other cell, the substitution into all relations and limits, and what to be wary of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.answer.execute import Execution, SeveralValuesError
from flopsheet.answer.results import CellValue, Check, Outcome, Step
from flopsheet.answer.rounding_error import met
from flopsheet.answer.wording import shown_unit
from flopsheet.errors import ArithmeticTrapError, QuestionError, joined
from flopsheet.formulas.evaluate import evaluate
from flopsheet.graph.blocks import plan
from flopsheet.graph.structure import Equation, Structure
from flopsheet.numbers.sets import point
from flopsheet.units import close, format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.question.question import Question
    from flopsheet.units import Number


def add_steps(answered: Answer, steps: Iterable[Step]) -> None:
    """Add the steps of cells that the answer has no step for yet."""
    known = {step.cell.name for step in answered.steps}
    answered.steps += [step for step in steps if step.cell.name not in known]


def complete(
    answered: Answer, system: list[Equation], assumed: Mapping[str, Number], known: Mapping[str, Number]
) -> None:
    """Compute every cell that the equations determine, and check all relations and limits.

    Where rounding makes the end of a range break a relation, the value is taken from inside the range.

    Args:
        answered: the answer so far: outcomes and the steps to them.
        system: the equations, each solved unknown taken as known.
        assumed: the value that is followed of each cell that has several.
        known: values of cells that do not depend on the unknowns.
    """
    warned = list(answered.warnings)
    execution, structure = _computed(answered, system, assumed, known)
    name = _broken_end(answered)
    if name:
        answered.warnings = warned
        found = answered.outcomes[name]
        inside = found.interval.inside() if found.interval is not None else found.si
        answered.outcomes[name] = replace(found, si=inside)
        system = [replace(each, value=inside) if each.key == f"unknown {name}" else each for each in system]
        execution, structure = _computed(answered, system, assumed, {})
    _refuse_broken(answered)
    answered.limits = _checks(execution, answered.question.sheet.limits.values())
    _warn(answered, structure)


def _broken_end(answered: Answer) -> str:
    """Return the unknown whose range ends where a relation is broken by rounding, if there is one."""
    if all(check.holds for check in answered.checks):
        return ""
    ranges = (name for name, found in answered.outcomes.items() if found.kind == "range" and found.whole is None)
    return next((name for name in ranges if not (answered.outcomes[name].interval or point(0)[0]).is_point), "")


def _computed(
    answered: Answer, system: list[Equation], assumed: Mapping[str, Number], known: Mapping[str, Number]
) -> tuple[Execution, Structure]:
    """Compute the cells and put them into the relations of the question."""
    question = answered.question
    structure = Structure(system, question.sheet.choices)
    execution = Execution(question, assumed, known)
    solved = answered.solved
    for block in plan(structure, structure.determined, execution.names):
        if not (solved or block.direct) or not all(map(execution.values.__contains__, block.inputs)):
            continue
        try:
            execution.run(structure, [block])
        except SeveralValuesError as several:
            shown = joined([execution.question.sheet.cells[several.name].text(each) for each in several.values], "or")
            answered.warnings.append(f"{several.name} is {shown}: give it to see what follows from it.")
        except (ArithmeticTrapError, QuestionError) as error:
            answered.warnings.append(f"{', '.join(block.cells)} not computed: {error}")
    _add_cells(answered, execution)
    wanted = _asked_cells(question) if question.unknowns else structure.determined
    needed = structure.needed(wanted & structure.determined) - _only_given(question, structure)
    add_steps(answered, [step for step in execution.steps if step.cell.name in needed])
    answered.checks = _checks(execution, _asked(question))
    return execution, structure


def _only_given(question: Question, structure: Structure) -> set[str]:
    """Return the cells that the question gives and nothing asked for moves: to derive them again would show nothing."""
    if question.substituted:  # a name may move any of them
        return set()
    asked = set(question.unknowns)
    return {name for name in question.pins if not asked & structure.needed([name])}


def _refuse_broken(answered: Answer) -> None:
    """Turn values into "none" where a relation does not hold that no value of the unknowns could mend."""
    for check in answered.checks:
        if check.holds:
            continue
        left, right = (format_quantity(side, check.unit) for side in (check.left, check.right))
        verdict = f"'{check.relation.text}' does not hold: {left} stands against {right}"
        why = f"{verdict}, and nothing asked for can change it."
        for name, found in answered.outcomes.items():
            if found.kind != "none":
                answered.outcomes[name] = Outcome(found.cell, "none", why=why)


def _asked(question: Question) -> list[Relation]:
    cells = question.sheet.cells
    pinned = [pin.relation for name, pin in question.pins.items() if cells[name].formula is not None]
    return [*pinned, *question.relations]


def _asked_cells(question: Question) -> frozenset[str]:
    return frozenset(cell for relation in _asked(question) for cell in relation.cells)


def _add_cells(answered: Answer, execution: Execution) -> None:
    question = answered.question
    answered.cells = {}
    used = used_cells(question)
    for name, cell in question.sheet.cells.items():
        origin = execution.origins.get(name)
        if origin is None or name not in used:
            continue
        origin = "given" if name in question.pins else origin
        record = question.records.get(cell.part) if origin == "record" else None
        figure = record.values[name.removeprefix(f"{cell.part}.")] if record else None
        written = question.pins[name].written if name in question.pins else None
        answered.cells[name] = CellValue(cell, execution.number(name), origin, figure, record, written)


def used_cells(question: Question) -> frozenset[str]:
    """Return the cells that play a part: the sheet's own, and those of records that a formula or relation uses."""
    sheet = question.sheet
    used = set(sheet.rows.used)
    for relation in [*sheet.limits.values(), *question.relations]:
        used |= relation.cells
    return frozenset(used | question.pins.keys() | {*question.unknowns})


def _checks(execution: Execution, relations: Iterable[Relation]) -> list[Check]:
    found = []
    for relation in relations:
        if not all(cell in execution.values for cell in relation.cells):
            continue
        sides = [_substituted(side, execution) for side in (relation.left, relation.right)]
        if not all({each.name for each in side.free_symbols} <= execution.values.keys() for side in sides):
            continue
        left, right = (evaluate(side, execution.values) for side in sides)
        unit = shown_unit(relation, execution.question.sheet.cells)
        found.append(Check(relation, left, right, unit, met(relation, (left, right), execution)))
    return found


def _substituted(side: Any, execution: Execution) -> Any:
    """Return a side of a relation; a pinned cell that its formula did not compute as that formula: no empty check."""
    name = side.name if side.is_Symbol else ""
    if execution.origins.get(name) != "given":
        return side
    formula = execution.question.formula(name)
    return side if formula is None else formula


def _warn(answered: Answer, structure: Structure) -> None:
    question = answered.question
    for value in answered.cells.values():
        if value.origin in ("computed", "solved") and value.si not in value.cell.bounds:
            answered.warnings.append(
                f"{value.cell.name} came out outside its bounds ({value.cell.bounds.text(value.cell.unit)})."
            )
        if value.figure is not None and not value.figure.verified and value.record is not None:
            answered.warnings.append(f"{value.cell.name} of {value.said_by} was not verified in its source.")
    _warn_open(answered)
    _warn_counts(answered)
    for check in [*answered.checks, *answered.limits]:
        if not check.holds and answered.solved:
            answered.warnings.append(f"'{check.relation.text}' does not hold.")
    answered.warnings = list(dict.fromkeys(answered.warnings))
    if not question.unknowns:
        _warn_missing(answered, structure)


def _warn_counts(answered: Answer) -> None:
    """Say which counts came out broken, and that later unknowns were found for one of several values of a first."""
    for name, value in answered.cells.items():
        if value.cell.integer and name not in answered.outcomes and not close(value.si, round(value.si)):
            answered.warnings.append(f"{name} came out at {value.cell.text(value.si)}, which is no whole number.")
    several = [name for name, found in answered.outcomes.items() if found.kind in ("range", "values")]
    if several and len(answered.outcomes) > 1:
        shown = [
            f"{name} = {answered.cells[name].cell.text(answered.cells[name].si)}"
            for name in several
            if name in answered.cells
        ]
        answered.warnings.append(
            f"The other unknowns were found at {joined(shown)}; at its other values they may be others."
        )


def _warn_open(answered: Answer) -> None:
    """Say that a range has no first value, and which relations could therefore not be put to the test."""
    for name, found in answered.outcomes.items():
        if not found.complete:
            text = f"Other values of {name} may work too: a relation repeats itself or jumps without end. Bound {name}."
            answered.warnings.append(text)
        if found.kind == "range" and found.si is None:
            text = f"No first value of {name} works, only those inside its range: give it to see the other cells."
            answered.warnings.append(text)
    checked = {check.relation.text for check in answered.checks}
    for relation in answered.question.relations:
        if relation.text not in checked and answered.solved:
            answered.warnings.append(f"'{relation.text}' could not be checked: not all of its cells are known.")


def _warn_missing(answered: Answer, structure: Structure) -> None:
    sheet = answered.question.sheet
    left_out = [name for name, cell in sheet.cells.items() if cell.formula is not None and name not in answered.cells]
    missing = [
        name
        for name, cell in sheet.cells.items()
        if cell.formula is None and not cell.part and name not in structure.of_cell
    ]
    missing += [name for name in sheet.parts if name not in answered.question.records]
    if left_out and missing:
        answered.warnings.append(f"Not computed: {joined(left_out)}. Not given: {joined(missing)}.")
