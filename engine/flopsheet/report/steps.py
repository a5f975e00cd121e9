"""The steps of a derivation: formula, numbers and result of each, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.formulas.relation import cells_of
from flopsheet.report.entries import Line
from flopsheet.report.maths.breaking import broken, displayed
from flopsheet.report.maths.printer import sign_latex
from flopsheet.units.text import format_between_latex, format_quantity_latex

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.results import Step
    from flopsheet.formulas.relation import Relation
    from flopsheet.report.maths.latex import Formulas

_HOW = {
    "peel": "solved by undoing one operation after the other",
    "linear": "solved as a linear equation",
    "quadratic": "solved as a quadratic equation",
    "polynomial": "solved as a polynomial, all real roots isolated",
    "cases": "solved case by case",
    "divisors": "solved by listing divisors",
    "trial": "solved by trying every whole number",
    "period": "solved by undoing one operation after the other, over all periods",
    "simultaneous": "solved together with the others by Newton's method",
    "scan": "found by a scan over all sizes, every bracket narrowed down",
    "constant": "it does not depend on the unknown",
}


def lines_of(answer: Answer, formulas: Formulas) -> list[Line]:
    """Return the steps of an answer, in order."""
    steps = _Steps(answer, formulas)
    return [steps.line(number, step) for number, step in enumerate(answer.steps, 1)]


class _Steps:
    """Writes the steps of an answer."""

    def __init__(self, answer: Answer, formulas: Formulas) -> None:
        self._answer, self._question, self._formulas = answer, answer.question, formulas

    def line(self, number: int, step: Step) -> Line:
        """Return a step of the derivation."""
        if step.how == "direct":
            return Line(number, step.cell.name, step.cell.doc, "", (), self._lines(step, "="), step.cell.text(step.si))
        how = f"from '{step.relation(self._formulas.names)}', {_HOW.get(step.how, step.how)}"
        outcome = self._answer.outcomes.get(step.cell.name)
        lines = self._lines(step, "=" if outcome is None or outcome.is_one_of_several else sign_latex(outcome.sign))
        condition = self._condition(step.condition)
        return Line(number, step.cell.name, step.cell.doc, how, condition, lines, step.cell.text(step.si))

    def _lines(self, step: Step, sign: str) -> tuple[str, ...]:
        """Return symbols, numbers and result; what would stand there twice stands there once."""
        shown = format_between_latex if step.cell.integer else format_quantity_latex
        sides = [shown(step.si, step.cell.unit)]
        if step.form is not None:
            numbers = [] if step.form.is_Symbol else [self._formulas.numbers(step.form)]
            sides = [self._formulas.symbols(step.form), *numbers, *sides]
        first, *others = broken(dict.fromkeys(sides), sign)
        return (f"{self._formulas.symbol(step.cell.name)} {first}", *others)

    def _condition(self, condition: Relation) -> tuple[str, ...]:
        left, right = (self._formulas.symbols(side) for side in (condition.left, condition.right))
        law = self._law(condition.left) if not cells_of(condition.right) else None
        left = left if law is None else f"{left} = {self._formulas.symbols(law)}"
        return displayed(left, sign_latex(condition.operator), right)

    def _law(self, side: Any) -> Any | None:
        """Return the formula of a cell that was given a number all the same."""
        name = side.name if side.is_Symbol else ""
        return self._question.formula(name) if name in self._question.pins else None
