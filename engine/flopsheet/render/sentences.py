"""Questions and answers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.solver.wording import ranges_text
from flopsheet.units import format_number, format_quantity

if TYPE_CHECKING:
    from flopsheet.solver.answer import Answer, Outcome
    from flopsheet.solver.question import Question


def question_text(question: Question) -> str:
    """Return a question as a sentence: what is asked, under which relations."""
    sheet = question.sheet
    asked = [f"{name} ({_lower_first(sheet.cells[name].doc)})" for name in question.unknowns]
    goals = [relation.text for relation in question.relations]
    goals += [pin.relation.text for name, pin in question.pins.items() if sheet.cells[name].formula is not None]
    what = f"What is {joined(asked)}" if asked else "What follows"
    return f"{what}{f', so that {joined(goals)}' if goals else ''}?"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def outcome_text(outcome: Outcome) -> str:
    """Return the answer for one unknown: `n_fsdp >= 45.76, so 46`."""
    cell = outcome.cell
    if outcome.kind == "none":
        return f"no {cell.name} works"
    if outcome.kind == "values":
        shown = [format_quantity(each.lower, cell.unit) for each in outcome.solutions]
        return f"{cell.name} = {joined(shown, 'or')}"
    value = "" if outcome.si is None else cell.text(outcome.si)
    if outcome.kind == "value":
        wholes = joined([format_number(each) for each in outcome.neighbours])
        between = f", between the whole numbers {wholes}" if outcome.neighbours else ""
        return f"{cell.name} = {value}{between}"
    if outcome.boundary is None:
        return f"any {cell.name} works ({cell.bounds.text(cell.unit)})"
    bounds = ranges_text(outcome.solutions, cell)
    return bounds if outcome.whole is None else f"{bounds}, so {value}"


def answer_text(answer: Answer) -> str:
    """Return the whole answer in one paragraph."""
    parts = [f"{outcome_text(each)}. {each.why}".strip() for each in answer.outcomes.values()]
    return " ".join(parts) or f"{len(answer.cells)} cells of {answer.question.sheet.name} have a value."
