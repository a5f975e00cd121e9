"""The formulas of a write-up: closed forms of the unknowns, and the steps of the derivation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.inverse.method import Method
from flopsheet.layout import nodes
from flopsheet.layout.latex import latex
from flopsheet.report.entries import Line, Result
from flopsheet.report.maths.formulas import chain_of, relation_of
from flopsheet.report.sentences import outcome_text
from flopsheet.units.text import between_layout, quantity_layout

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.answer.outcome import Outcome
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.report.maths.formulas import Formulas


def results_of(answer: Answer, formulas: Formulas) -> list[Result]:
    """Return the outcome for each unknown, with its closed form where it has one."""
    return [_result(outcome, formulas) for outcome in answer.outcomes.values()]


def _result(outcome: Outcome, formulas: Formulas) -> Result:
    name, form = outcome.cell.name, outcome.closed_form
    if form is None:
        return Result(name, outcome_text(outcome), outcome.why, "", ())
    sign, right, which = outcome.sign, formulas.symbols(form), ""
    if outcome.is_one_of_several and outcome.boundary is not None:
        value = quantity_layout(outcome.boundary, outcome.cell.unit)
        sign, right = "=", right if latex(right) == latex(value) else nodes.relation(right, "=", value)
        which = "The value used in the steps" if outcome.kind == "values" else "One bound of the solution"
    lines = relation_of(formulas.symbol(name), sign, right)
    return Result(name, outcome_text(outcome), outcome.why, which, lines)


def lines_of(answer: Answer, formulas: Formulas) -> list[Line]:
    """Return the steps of an answer, in order."""
    return [_line(number, step, answer, formulas) for number, step in enumerate(answer.steps, 1)]


def _line(number: int, step: Step, answer: Answer, formulas: Formulas) -> Line:
    sign, method = "=", ""
    condition: tuple[str, ...] = ()
    if step.how is not Method.DIRECT:
        method = f"from '{step.relation(formulas.names)}', {step.how.words}"
        condition = _condition(step.condition, answer, formulas)
        outcome = answer.outcomes.get(step.cell.name)
        sign = "=" if outcome is None or outcome.is_one_of_several else outcome.sign
    lines, value = _lines(step, sign, formulas), step.cell.text(step.si)
    return Line(number, step.cell.name, step.cell.doc, method, condition, lines, value)


def _lines(step: Step, sign: str, formulas: Formulas) -> tuple[str, ...]:
    """Return symbols, numbers and result, each once: a number substituted for a symbol may be the result already."""
    shown = between_layout if step.cell.integer else quantity_layout
    sides = [shown(step.si, step.cell.unit)]
    if step.form is not None:
        numbers = [] if step.form.is_Symbol else [formulas.numbers(step.form)]
        sides = [formulas.symbols(step.form), *numbers, *sides]
    return chain_of(formulas.symbol(step.cell.name), sign, tuple(sides))


def _condition(condition: Relation, answer: Answer, formulas: Formulas) -> tuple[str, ...]:
    left, right = (formulas.symbols(side) for side in (condition.left, condition.right))
    formula = None if cells_of(condition.right) else _pinned_formula(condition.left, answer)
    if formula is not None:
        left = nodes.relation(left, "=", formulas.symbols(formula))
    return relation_of(left, condition.operator, right)


def _pinned_formula(side: Expr, answer: Answer) -> Expr | None:
    """Return the formula of a cell whose value the question gives all the same."""
    name = side.name if side.is_Symbol else ""
    return answer.question.formula(name) if name in answer.question.pins else None
