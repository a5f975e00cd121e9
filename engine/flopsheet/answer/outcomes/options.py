"""Options of choices at their default with which a count works that no number meets without them."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet import budget
from flopsheet.answer.execute import Execution
from flopsheet.answer.outcomes.wording import ranges_text
from flopsheet.answer.verification.mending import all_hold
from flopsheet.errors import ArithmeticTrapError, QuestionError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import choices_in, taken
from flopsheet.graph.system import system_of
from flopsheet.numbers.sets import whole_ends
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell

MOST_TRIED, MOST_NAMED = 60, 3  # options
SIZES = [2**power for power in range(14)]  # of the unknown at which they are tried


def helpful_options(answered: Answer, answer: Callable[[Question], Answer]) -> list[str]:
    """Return with which options a count works that is asked for and that no number meets, as a sentence.

    Options are tried one by one as far as there is time: what is asked is evaluated at some sizes of the count, and
    where that holds at one, `answer` answers the question with the option. Nothing is said of other options.
    """
    question, outcomes = answered.question, [*answered.outcomes.values()]
    is_none = len(outcomes) == 1 and outcomes[0].kind == "none" and not outcomes[0].open
    if question.names or not is_none or not outcomes[0].cell.integer:
        return []
    cell, found = outcomes[0].cell, list[str]()
    with suppress(TimeoutError):
        for choice, option in budget.in_time(_untried(question, [*question.stated, *question.limits])):
            trial = replace(question, choices={**question.choices, choice: option})
            if _holds_at_a_size(trial, cell) and (values := _values(answer, trial, cell)):
                found.append(f"{choice} = {option} ({values})")
            if len(found) == MOST_NAMED:
                break
    return [f"It works with {joined(found, 'or')}."] if found else []


def _holds_at_a_size(question: Question, cell: Cell) -> bool:
    """Whether all that is asked holds at one of the sizes of a count."""
    try:
        system = system_of(question).knowing((cell.name,))
    except QuestionError:
        return False
    cells = {name for relation in question.asked for name in relation.cells} - {cell.name}
    return cells <= system.known and any(_holds_at(system, cell, number) for number in _sizes(question, cell))


def _sizes(question: Question, cell: Cell) -> list[int]:
    """Return sizes of a count within what the question bounds it by, with the ends of that."""
    bounds = Execution(question).bounded(cell.name).bounds.interval
    ends = [int(end) for end in whole_ends(bounds) if is_finite(end)]
    return [*dict.fromkeys([*ends, *(size for size in SIZES if size in bounds)])]


def _holds_at(system: System, cell: Cell, number: int) -> bool:
    execution = Execution(system.question)
    execution.values[cell.name], execution.origins[cell.name] = number, "solved"
    return all_hold(system, execution, system.question.asked)


def _values(answer: Callable[[Question], Answer], question: Question, cell: Cell) -> str:
    """Return the values of a count that work, in words; nothing where none does, or a relation breaks."""
    try:
        other = answer(question)
    except (QuestionError, ArithmeticTrapError):
        return ""
    own = other.outcomes[cell.name]
    return ranges_text(own.listed, cell) if other.solved and own.listed else ""


def _untried(question: Question, relations: Iterable[Relation]) -> list[tuple[str, str]]:
    """Return the options that a question leaves out, of choices on which relations rest.

    Those of parts come last, and those that the sheet sets in its parts are no one else's to choose.
    """
    choices = question.sheet.choices
    every = unstated(question, {cell for own in relations for cell in own.cells})
    names = sorted((name for name in every if not choices[name].bound), key=lambda name: "." in name)
    options = ((name, own) for name in names for own in choices[name].options if own != question.options[name])
    return [*options][:MOST_TRIED]


def unstated(question: Question, cells: Iterable[str]) -> list[str]:
    """Return the choices at their default on which cells rest, those of most formulas first."""
    sheet, waiting, seen = question.sheet, [*cells], set[str]()
    counts = Counter[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in sheet.cells:
            continue
        seen.add(name)
        for formula in sheet.cells[name].formulas:
            waiting += cells_of(taken(formula, question.options))
            counts.update(choice for choice in choices_in(formula) if choice not in question.choices)
    named = (name for name in sheet.choices if counts[name] and name in question.options)
    return sorted(named, key=lambda name: -counts[name])
