"""Counts that follow from what is given in place of their default: they have to be whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import OverdeterminedError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.units import close

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.question.question import Question


def refuse_fractions(answered: Answer) -> None:
    """Refuse a count that is no whole number and follows in place of its default.

    128 chips with 8 times 3 times 4 ranks leave 1.333 context-parallel ranks: what is given contradicts itself.

    Raises:
        OverdeterminedError: there is such a count.
    """
    question, values = answered.question, answered.execution.values
    cells = question.sheet.cells
    asked = {cell for relation in question.asked if relation.is_equation for cell in relation.cells}
    stated = asked.union(question.pins, question.unknowns)  # of these a question itself says what they are
    followed = (name for name in answered.dropped_defaults if name not in stated)
    for name in followed:
        value = values.get(name)
        if name not in cells or not cells[name].integer or value is None or isinstance(value, str):
            continue
        if close(value, round(value)):
            continue
        given = [f"'{pin.relation.text}'" for pin in question.demands if name in _behind(pin.cell, question)]
        problem = (
            f"It would be {cells[name].text(value)} by {joined(given) or 'what is given'}, which is no whole number."
        )
        raise OverdeterminedError(f"cell '{name}'", problem, "Check the numbers that are given.")


def _behind(name: str, question: Question) -> set[str]:
    """Return the cells in the formula of a cell, and in theirs."""
    behind, waiting = set[str](), [name]
    while waiting:
        formula = question.formula(waiting.pop())
        more = set() if formula is None else cells_of(formula) - behind
        behind |= more
        waiting += more
    return behind
