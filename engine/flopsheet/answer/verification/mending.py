"""Counts at their default, such as one chip for a model, with which limits hold that do not hold otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.execute import Execution
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.verification.checks import checks_of
from flopsheet.errors import ArithmeticTrapError, QuestionError, joined
from flopsheet.graph.blocks import plan
from flopsheet.graph.system import system_of
from flopsheet.question.question import Pin
from flopsheet.units import Quantity, format_whole, unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from flopsheet.answer.verification.checks import Check
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question
    from flopsheet.units import Number

TRIED = 2, 4, 8, 16, 32, 64
CHIPS = "n_chips"  # the name of how many there are, in each sheet that has it
MOST_COUNTS, MOST_NAMED, MOST_BROKEN = 8, 3, 3


def mended(question: Question, broken: Sequence[Check], dropped: tuple[str, ...] = ()) -> str:
    """Return with which count all limits hold that is one by default, in a sentence; nothing where none does.

    Args:
        question: of which some limits do not hold.
        broken: these limits.
        dropped: the defaults that its answer leaves out.
    """
    system = system_of(question, dropped)
    needed = system.structure.needed({name for check in broken for name in check.relation.cells})
    counts = [name for name in _counts(question) if name in needed and name not in dropped][:MOST_COUNTS]
    least = ((name, _least(question, name, dropped)) for name in counts)
    found = [f"{name} = {value}{_chips(question, name, value, dropped)}" for name, value in least if value]
    if not found:
        return ""
    is_all = len(_computed(question, system.known)) == len(question.limits)
    limits = "All limits" if is_all else "The limits that are computed"
    return f"{limits} hold with {joined(found[:MOST_NAMED], 'or')}; the default is 1."


def _computed(question: Question, known: AbstractSet[str]) -> list[Relation]:
    """Return the limits of which all cells are known."""
    return [limit for limit in question.limits if limit.cells <= known]


def without_value(trap: ArithmeticTrapError, broken: Sequence[Check], fix: str) -> ArithmeticTrapError:
    """Return the error for a formula that has no value because limits do not hold."""
    failures = joined([check.failure for check in broken[:MOST_BROKEN]])
    error = type(trap)(trap.where, f"It has no value, since {failures}.", fix)
    error.limited = True
    return error


def _counts(question: Question) -> Iterator[str]:
    """Yield the whole numbers that are one unless a question says otherwise, as it does not."""
    given = {*question.pins, *question.unknowns}
    for name, cell in question.sheet.cells.items():
        is_one = cell.default == 1 or [str(formula) for formula in cell.inferred] == ["1"]
        if cell.integer and cell.formula is None and is_one and not cell.fixed and name not in given:
            yield name


def _chips(question: Question, name: str, value: int, dropped: tuple[str, ...]) -> str:
    """Return how many chips a count takes, ` (n_chips = 1024)`; nothing where it takes no more, or is their number."""
    if CHIPS not in question.sheet.cells or CHIPS in question.pins:
        return ""
    before, after = (_value(own, CHIPS, dropped) for own in (question, _with(question, name, value)))
    return "" if after in (None, before, value) else f" ({CHIPS} = {format_whole(after)})"


def _value(question: Question, name: str, dropped: tuple[str, ...]) -> Number | None:
    """Return the value of a cell, or None where it cannot be computed."""
    system, execution = system_of(question, dropped), Execution(question)
    if name not in system.structure.determined:
        return None
    try:
        execution.run(system, plan(system.structure, [name], execution.names))
    except (ArithmeticTrapError, QuestionError, SeveralValuesError):
        return None
    return execution.number(name)


def _with(question: Question, name: str, value: int) -> Question:
    """Return a question that gives a count."""
    pin = Pin(name, value, f"{name} = {value}", Quantity(value, unit("")))
    return replace(question, pins={**question.pins, name: pin})


def _least(question: Question, name: str, dropped: tuple[str, ...]) -> int | None:
    """Return the smallest power of two for a count with which all limits hold that can be computed, or None."""
    for value in TRIED:
        is_valid = value in question.sheet.cells[name].bounds
        if is_valid and _all_hold(_with(question, name, value), dropped):
            return value
    return None


def _all_hold(question: Question, dropped: tuple[str, ...]) -> bool:
    system = system_of(question, dropped)
    return all_hold(system, Execution(question), _computed(question, system.known))


def all_hold(system: System, execution: Execution, relations: Sequence[Relation]) -> bool:
    """Whether relations hold, all of whose cells are known or follow from values of an execution; it gets these too."""
    cells = {name for relation in relations for name in relation.cells} & system.structure.determined
    try:
        execution.run(system, plan(system.structure, cells, execution.names))
        return all(check.holds for check in checks_of(execution, relations))
    except (ArithmeticTrapError, QuestionError, SeveralValuesError):
        return False
