"""The object that templates see: an answer made ready to print, every text plain and every formula in LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.registry.sources import sources
from flopsheet.render.breaking import broken, displayed
from flopsheet.render.entries import Input, Line, Move, Reference, Result, Verdict
from flopsheet.render.environment import render
from flopsheet.render.latex import Formulas, cell_latex, sign_latex
from flopsheet.render.sentences import (
    MOST_MOVING,
    against_text,
    binding_text,
    every_value,
    move_text,
    outcome_text,
    question_text,
    ranking_text,
    rejections,
    strongest,
)
from flopsheet.render.tables import head, rows
from flopsheet.units import format_number, format_quantity
from flopsheet.units.text import format_between_latex, format_quantity_latex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.sheets.relation import Relation
    from flopsheet.solver.answer import Answer
    from flopsheet.solver.facts import CellValue, Check, Outcome, Step
    from flopsheet.solver.table import Table
    from flopsheet.units import Quantity

MOST_COLUMNS = 12
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


class WriteUp:
    """An answer made ready to print.

    Args:
        answer: the answer.
        title: the headline; names unknown and sheet if empty.
        every: whether to show the cells at every value that works.
        table: the same question at several values, or None.
    """

    def __init__(self, answer: Answer, title: str = "", *, every: bool = False, table: Table | None = None) -> None:
        sheet = answer.question.sheet
        self._answer = answer
        self._used: list[str] = []
        self._names = tuple(sheet.cells)
        self._formulas = Formulas(sheet.cells, _values(answer), _literals(answer))
        self.sheet = sheet.name
        self.sheet_title = sheet.title
        self.question = question_text(answer.question)
        self.title = title or f"{', '.join(answer.question.unknowns) or 'All cells'} by the sheet {sheet.name}"
        self.results = [self._result(each) for each in answer.outcomes.values()]
        self.ranking = answer.ranking
        self.ranked = "" if answer.ranking is None else ranking_text(answer.ranking)
        self.rejected = [] if answer.ranking is None else rejections(answer.ranking)
        self.bindings = [
            f"{binding_text(each, self._names)}, {against_text(each, self._names)}" for each in answer.bindings
        ]
        self.moves = _moves(answer)
        self.table_head, self.table_rows = ([], []) if table is None else (head(table), rows(table))
        self.columns, self.rows = every_value(answer, MOST_COLUMNS) if every else ([], [])
        self.inputs = [self._input(each) for each in self._needed_inputs()]
        self.steps = [self._line(step) for step in answer.steps]
        self.checks = [self._verdict(check) for check in answer.checks]
        self.limits = [self._verdict(check) for check in answer.limits]
        self.dropped_defaults = [_gave_way(name, answer) for name in answer.dropped_defaults]
        self.warnings = answer.cautions
        self.assumptions = list(sheet.assumptions)
        self.notes = list(sheet.notes)
        self.others = [self._other(value) for value in self._other_cells()]
        self.sheet_sources = ", ".join(sorted(map(self._cite, sheet.sources), key=int))
        self.sources = [self._reference(place, key) for place, key in enumerate(self._used, 1)]

    def _needed_inputs(self) -> list[CellValue]:
        answer = self._answer
        names = {symbol.name for step in answer.steps if step.form is not None for symbol in step.form.free_symbols}
        names |= {cell for check in answer.checks for cell in check.relation.cells}
        inputs = [value for name, value in answer.cells.items() if name in names]
        return [value for value in inputs if value.origin in ("given", "default", "record")]

    def _other_cells(self) -> list[CellValue]:
        told = {step.cell.name for step in self._answer.steps}
        values = self._answer.cells.values()
        return [value for value in values if value.origin == "computed" and value.cell.name not in told]

    def _result(self, outcome: Outcome) -> Result:
        form = outcome.closed_form
        shown = ""
        if form is not None:
            shown = displayed(cell_latex(outcome.cell), sign_latex(outcome.sign), self._formulas.symbols(form))
        return Result(outcome.cell.name, outcome_text(outcome), outcome.why, shown)

    def _input(self, value: CellValue) -> Input:
        cell = value.cell
        origin = f"default ({cell.place})" if value.origin == "default" and cell.place.line else value.origin
        sources: tuple[str, ...] = (cell.source,) if cell.source else ()
        doc = cell.doc
        if value.record is not None and value.figure is not None:
            origin = f"{value.said_by} ({value.figure.spot.file}:{value.figure.spot.line})"
            origin += "" if value.figure.verified else ", not verified"
            sources = value.figure.sources
            doc = f"{doc} ({value.figure.note})" if value.figure.note else doc
        cited = "" if value.origin == "given" else ", ".join(map(self._cite, sources))
        return Input(cell.name, cell_latex(cell), format_quantity(value.si, cell.unit), doc, origin, cited)

    def _other(self, value: CellValue) -> Input:
        cell = value.cell
        return Input(cell.name, cell_latex(cell), format_quantity(value.si, cell.unit), cell.doc, value.origin, "")

    def _line(self, step: Step) -> Line:
        how = "" if step.how == "direct" else f"from '{step.relation(self._names)}', {_HOW.get(step.how, step.how)}"
        outcome = self._answer.outcomes.get(step.cell.name)
        sign = "=" if step.how == "direct" or outcome is None else sign_latex(outcome.sign)
        condition = "" if step.how == "direct" else self._condition(step.condition)
        return Line(step.cell.name, step.cell.doc, how, condition, self._lines(step, sign))

    def _lines(self, step: Step, sign: str) -> tuple[str, ...]:
        """Return symbols, numbers and result; what would stand there twice stands there once."""
        shown = format_between_latex if step.cell.integer else format_quantity_latex
        sides = [shown(step.si, step.cell.unit)]
        if step.form is not None:
            numbers = [] if step.form.is_Symbol else [self._formulas.numbers(step.form)]
            sides = [self._formulas.symbols(step.form), *numbers, *sides]
        first, *others = broken(dict.fromkeys(sides), sign)
        return (f"{cell_latex(step.cell)} {first}", *others)

    def _condition(self, condition: Relation) -> str:
        left, right = (self._formulas.symbols(side) for side in (condition.left, condition.right))
        return displayed(left, sign_latex(condition.operator), right)

    def _verdict(self, check: Check) -> Verdict:
        left, right = (format_quantity(side, check.unit) for side in (check.left, check.right))
        relation = check.relation
        slack = f"{format_number(100 * check.slack)} %"
        return Verdict(relation.name, relation.text, left, relation.operator, right, check.holds, slack)

    def _cite(self, key: str) -> str:
        if key not in self._used:
            self._used.append(key)
        return str(self._used.index(key) + 1)

    def _reference(self, place: int, key: str) -> Reference:
        source = sources().get(key)
        return Reference(place, source.title, source.url, source.read) if source else Reference(place, key, "", "")


def _moves(answer: Answer) -> list[Move]:
    """Return the strongest moves, of several unknowns an equal share each."""
    written = _literals(answer)
    found = {name: strongest(answer.elasticities(name)) for name in answer.outcomes}
    moved = [name for name, moves in found.items() if moves]
    share = max(MOST_MOVING // max(len(moved), 1), 1)
    return [_move(name, *each, written) for name in moved for each in found[name][:share]][:MOST_MOVING]


def _move(name: str, by: str, elasticity: str, written: Mapping[str, Quantity]) -> Move:
    if by not in written:
        return Move(name, by, "1 % more", elasticity, move_text(elasticity))
    shown = format_quantity(written[by].si, written[by].unit)
    return Move(name, shown, "1 % more than", elasticity, move_text(elasticity))


def _values(answer: Answer) -> dict[str, Any]:
    return {**answer.question.choices, **{name: value.si for name, value in answer.cells.items()}}


def _literals(answer: Answer) -> dict[str, Quantity]:
    relations = [*answer.question.relations, *(pin.relation for pin in answer.question.pins.values())]
    return {name: quantity for relation in relations for name, quantity in relation.literals.items()}


def _gave_way(name: str, answer: Answer) -> str:
    cell = answer.question.sheet.cells[name]
    default = "" if cell.default is None else format_quantity(cell.default, cell.unit)
    return f"{name} = {default}"


def write_up(
    answer: Answer, template: str = "derivation", title: str = "", *, every: bool = False, table: Table | None = None
) -> str:
    """Return an answer as text through a template.

    Args:
        answer: the answer.
        template: name of the template.
        title: the headline; names unknown and sheet if empty.
        every: whether to show the cells at every value that works.
        table: the same question at several values, or None.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    return render(template, w=WriteUp(answer, title, every=every, table=table))
