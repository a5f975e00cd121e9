"""Choices on which an answer rests and that the question leaves at their default: other options may have an answer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import choices_in, taken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.question.question import Question

MOST_NAMED = 4


def unstated_choices(question: Question, cells: Iterable[str]) -> str:
    """Return the choices at their default on which cells rest, as a sentence; those of most formulas first.

    Those of parts are left out: the sheet sets most of them.
    """
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
    named = (name for name in sheet.choices if counts[name] and name in question.options and "." not in name)
    names = sorted(named, key=lambda name: -counts[name])
    if not names:
        return ""
    shown = [f"{name} = {question.options[name]}" for name in names[:MOST_NAMED]]
    shown += [f"{len(names) - MOST_NAMED} others"] * (len(names) > MOST_NAMED)
    return f" It rests on choices at their default: {joined(shown)}."
