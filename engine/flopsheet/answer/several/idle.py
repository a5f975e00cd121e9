"""Numbers that are asked for beside a name, and on which nothing that is asked rests with it: bounds alone decide."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.cell_bounds import own_bound
from flopsheet.errors import UnderdeterminedError
from flopsheet.graph.system import system_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.answer import Answer
    from flopsheet.question.question import Question


def without_idle(question: Question, answer: Callable[[Question], Answer]) -> Answer:
    """Return the answer with a name; where nothing rests on a number, every one within bounds works.

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
        bounds = [own_bound(cells[name]) for name in question.unknowns if name not in kept]
        result = answer(replace(question, relations=[*question.relations, *bounds]))
    result.question = question
    result.checks = [check for check in result.checks if check.relation not in bounds]
    return result
