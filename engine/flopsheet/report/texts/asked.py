"""What a question asks, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Choice, Part


def question_text(question: Question, varied: Sequence[str] = ()) -> str:
    """Return a question as a sentence: its unknowns, its relations, and the names that a table varies."""
    sheet = question.sheet
    others: dict[str, Part | Choice] = {**sheet.parts, **sheet.choices}
    asked = []
    for name in asked_for(question) if not varied or question.shown else question.unknowns:
        doc = sheet.cells[name].stated_doc if name in sheet.cells else others[name].doc
        asked.append(f"{name} ({doc[:1].lower() + doc[1:] if doc[1:2].islower() else doc})")
    goals = [relation.text for relation in question.relations]
    goals += [
        pin.relation.text
        for name, pin in question.pins.items()
        if sheet.cells[name].formula is not None and name not in varied
    ]
    start = f"What is {joined(asked)}" if asked else "What can be computed"
    link = ", such that " if question.unknowns else ", given that "
    goal = f"{link}{joined(goals)}" if goals else ""
    table = f", for several values of {joined(list(varied))}" if varied else ""
    lifted = f", without the limit{'' if len(question.without) == 1 else 's'} {joined(list(question.without))}"
    return f"{start}{goal}{table}{lifted if question.without else ''}?"


def asked_for(question: Question) -> tuple[str, ...]:
    """Return the names that are unknown; without any, the cells that the question shows or the sheet marks."""
    return question.unknowns or question.shown or tuple(question.sheet.rows.headline)


def headline(question: Question) -> str:
    """Return the default headline of a question."""
    return f"{', '.join(asked_for(question)) or 'All cells'} by the sheet {question.sheet.name}"
