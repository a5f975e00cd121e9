"""A question with its unknowns at numbers: what its cells have there, and which relations hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.answer import Answer
from flopsheet.answer.outcomes.outcome import Outcome
from flopsheet.answer.solve import answer as answer_to
from flopsheet.answer.verification.checks import checks_of
from flopsheet.errors import FlopsheetError
from flopsheet.formulas.relation import cells_of
from flopsheet.question.question import Pin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.question.question import Question
    from flopsheet.units import Number


def answer_at(answer: Answer, values: Mapping[str, Number], *, same_inputs: bool = False) -> Answer | None:
    """Return an answer with the unknowns at some numbers; None where the question cannot be computed there.

    Of the equations that would give them otherwise, one is left out. With the same inputs, so many are left out that
    none of the others sets a default.
    """
    question, outcomes = answer.question, answer.outcomes
    for asked in _without_equation(question, values):
        try:
            found = answer_to(asked)
        except FlopsheetError:
            continue
        execution = found.execution
        if not all(name in execution.origins for name in outcomes):
            continue
        if same_inputs and not all(_is_same(name, value, found) for name, value in answer.cells.items()):
            continue
        execution.origins |= dict.fromkeys(values, "computed")
        execution.values |= question.literals
        try:
            checks = checks_of(execution, question.stated)
            limits = checks_of(execution, question.chosen_limits)
        except FlopsheetError:
            return None
        checked = {check.relation.text for check in checks}
        if not all(relation.text in checked for relation in question.stated):
            continue
        numbers = ((name, execution.number(name)) for name in outcomes)
        return Answer(
            question,
            found.system,
            execution,
            {name: Outcome(outcomes[name].cell, "range", si=si, boundary=si, sign=">=") for name, si in numbers},
            checks=checks,
            limits=[replace(check, lifted=check.relation.name in question.without) for check in limits],
            dropped_defaults=answer.dropped_defaults,
            remarks=answer.warnings,
            derive_steps=found.derive_steps,
        )
    return None


def _is_same(name: str, value: CellValue, found: Answer) -> bool:
    """Whether a cell that is an input, and has no formula by which it follows, is one in another answer too."""
    return not value.is_input or value.cell.formula is not None or name not in found.cells or found.cells[name].is_input


def _without_equation(question: Question, values: Mapping[str, Number]) -> Iterator[Question]:
    """Yield a question that gives its unknowns, without each equation that rests on them, then with all of them."""
    given = {name: Pin(name, value, f"{name} = {value}") for name, value in values.items()}
    plain = replace(question, unknowns=(), shown=(), best=None, near={}, substituted=())
    demands = {pin.cell: frozenset({pin.cell}) for pin in question.demands}
    equations = {own.text: own.cells for own in question.asked if own.is_equation}
    resting = [key for key, cells in (demands | equations).items() if _rests_on(question, cells, values.keys())]
    for left_out in (*((key,) for key in resting), resting, ()):
        pins = {name: pin for name, pin in question.pins.items() if name not in left_out}
        relations = [own for own in question.asked if own.text not in left_out]
        yield replace(plain, pins={**pins, **given}, relations=relations)


def _rests_on(question: Question, cells: Iterable[str], names: Collection[str]) -> bool:
    """Whether cells follow by formulas from one of some others."""
    waiting, seen = [*cells], set[str]()
    while waiting:
        name = waiting.pop()
        if name in names:
            return True
        formula = None if name in seen or name not in question.sheet.cells else question.formula(name)
        seen.add(name)
        waiting += () if formula is None else cells_of(formula)
    return False
