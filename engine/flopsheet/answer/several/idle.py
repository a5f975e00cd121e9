"""Numbers that are asked for beside a name, and on which nothing rests with it: every value of them works."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.outcome import Outcome
from flopsheet.answer.outcomes.told import Told
from flopsheet.errors import UnderdeterminedError
from flopsheet.graph.system import system_of
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.answer import Answer
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell


def without_idle(question: Question, answer: Callable[[Question], Answer]) -> Answer:
    """Return the answer with a name; where a number has no value since nothing rests on it, every one works.

    Raises:
        UnderdeterminedError: something that is asked, or a limit, rests on it.
        QuestionError: there is no answer for another reason.
    """
    cells = question.sheet.cells
    try:
        return answer(question)
    except UnderdeterminedError:
        structure = system_of(question).structure.with_known(*question.unknowns)
        asked = frozenset().union(*(own.cells for own in question.relations)) - question.sheet.choices.keys()
        rested_on = structure.needed(asked.union(*(own.cells for own in question.limits)))
        kept = tuple(name for name in question.unknowns if name in rested_on or cells[name].formula is not None)
        if kept == question.unknowns or not asked <= structure.determined:
            raise
        result = answer(replace(question, unknowns=kept))
    result.question = question
    result.outcomes = {name: result.outcomes.get(name) or _any_value(cells[name]) for name in question.unknowns}
    return result


def _any_value(cell: Cell) -> Outcome:
    bounds = cell.bounds.interval
    why = f"Every value of {cell.name} works: nothing that is asked rests on it."
    first = bounds.lower if bounds.lower_closed and is_finite(bounds.lower) else None
    return Outcome(cell, "range", listed=(bounds,), interval=bounds, si=first, reason=Told(why))
