"""The object that templates see: an answer made ready to print, every text plain and every formula in LaTeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.formulas.relation import cells_of
from flopsheet.registry.sources import sources
from flopsheet.report.drivers import moves_of
from flopsheet.report.entries import Input, Line, Move, Reference, Result, Verdict
from flopsheet.report.maths.breaking import displayed
from flopsheet.report.maths.latex import Formulas
from flopsheet.report.maths.printer import sign_latex
from flopsheet.report.origins import meaning_text, origin_text, sources_of, value_text
from flopsheet.report.pictures.dependency_graph import mermaid_text, svg
from flopsheet.report.sentences import (
    against_text,
    binding_text,
    every_value,
    headline,
    outcome_text,
    question_text,
    ranking_text,
    rejections,
)
from flopsheet.report.steps import lines_of
from flopsheet.report.tables import head, rows
from flopsheet.report.templating.environment import render
from flopsheet.units import format_number, format_quantity
from flopsheet.units.text import format_quantity_latex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.question_file import QuestionFile
    from flopsheet.answer.results import CellValue, Check, Outcome, Ranking
    from flopsheet.answer.table import Table

MOST_COLUMNS = 12
_ADDRESS = re.compile(r"https?://\S+")


class WriteUp:
    """An answer made ready to print.

    Args:
        answer: the answer.
        title: the headline; names unknown and sheet if empty.
        every: whether to show the cells at every value that works.
        table: the same question at several values, or None.
        prose: paragraphs before the answer, and behind it.

    Attributes:
        title: headline.
        question: the question as a sentence.
        before: paragraphs before the answer.
        after: paragraphs behind it.
        names: the records and options that are given: `chip = h100-sxm`.
        sheet: name of the sheet.
        sheet_title: first line of the sheet's description.
        results: what is known of each unknown.
        ranking: of unknown names, the ranking with `why` (a sentence) and `names` (those asked for), else None.
        ranked: the names that work in words, the best first; empty for none.
        first: of these, the one that all else is about; empty for none.
        rejected: the names that do not work, each with the reason.
        table_head: of a question with a table, the names with their units.
        table_rows: of a question with a table, the rows.
        columns: with `--all`, the names of a table of every value that works.
        rows: with `--all`, the rows of that table.
        inputs: values that the answer rests on.
        dropped_defaults: defaults that gave way to the question.
        steps: the derivation, in order.
        checks: relations of the question with the answer put in.
        limits: limits of the sheet with the answer put in.
        bindings: what decides in each max and min of the steps, in words.
        moves: what moves the answer most.
        others: further cells that have a value.
        warnings: what a reader should know.
        assumptions: assumptions of the sheet.
        notes: notes of the sheet.
        sheet_sources: numbers of the sources of the sheet in the list of sources, as text; empty for none.
        sources: the list of sources.
    """

    title: str
    question: str
    before: list[str]
    after: list[str]
    names: list[str]
    sheet: str
    sheet_title: str
    results: list[Result]
    ranking: Ranking | None
    ranked: str
    first: str
    rejected: list[str]
    table_head: list[str]
    table_rows: list[list[str]]
    columns: list[str]
    rows: list[list[str]]
    inputs: list[Input]
    dropped_defaults: list[str]
    steps: list[Line]
    checks: list[Verdict]
    limits: list[Verdict]
    bindings: list[str]
    moves: list[Move]
    others: list[Input]
    warnings: Sequence[str]
    assumptions: list[str]
    notes: list[str]
    sheet_sources: str
    sources: list[Reference]

    def __init__(
        self,
        answer: Answer,
        title: str = "",
        *,
        every: bool = False,
        table: Table | None = None,
        prose: tuple[Sequence[str], Sequence[str]] = ((), ()),
    ) -> None:
        sheet = answer.question.sheet
        self._answer = answer
        self._used: list[str] = []
        self._names = tuple(sheet.cells)
        self.before, self.after = map(list, prose)
        written = answer.question.quantities
        self._formulas = Formulas(sheet.cells, answer.values, written, lambda name: answer.cells[name].is_input)
        self.sheet = sheet.name
        self.sheet_title = sheet.title
        varied = () if table is None else table.varied
        self.question = question_text(answer.question, varied)
        named = {name: each.key for name, each in answer.question.records.items()} | answer.question.choices
        tried = () if answer.ranking is None else answer.ranking.names
        self.names = [f"{name} = {each}" for name, each in named.items() if name not in (*varied, *tried)]
        self.first = joined([f"{name} = {named[name]}" for name in tried if name in named])
        self.title = title or headline(answer.question)
        self.results = [self._result(each) for each in answer.outcomes.values()]
        self.ranking = answer.ranking
        self.ranked = "" if answer.ranking is None else ranking_text(answer.ranking)
        self.rejected = [] if answer.ranking is None else rejections(answer.ranking)
        derived = {step.cell.name for step in answer.steps}
        self.bindings = [
            f"{binding_text(each, self._names)}, {against_text(each, self._names)}"
            for each in answer.bindings
            if each.cell.name in derived
        ]
        self.moves = moves_of(answer)
        self.table_head, self.table_rows = ([], []) if table is None else (head(table), rows(table))
        self.columns, self.rows = every_value(answer, MOST_COLUMNS) if every else ([], [])
        self.inputs = [self._input(each) for each in self._needed_inputs()]
        self.steps = lines_of(answer, self._formulas)
        self.checks = [self._verdict(check) for check in answer.checks]
        self.limits = [self._verdict(check) for check in answer.limits]
        self.dropped_defaults = [_gave_way(name, answer) for name in answer.dropped_defaults]
        self.warnings = answer.cautions
        self.assumptions = list(sheet.assumptions)
        self.notes = list(sheet.notes)
        self.others = [self._other(value) for value in self._other_cells()]
        self.sheet_sources = ", ".join(sorted(map(self._cite, sheet.sources), key=int))
        self.sources = [self._reference(place, key) for place, key in enumerate(self._used, 1)]

    @property
    def graph(self) -> str:
        """What feeds what on the way to the answer, as Mermaid text."""
        return mermaid_text(self._answer.graph)

    @property
    def drawing(self) -> str:
        """The same as SVG, which needs nothing beside it."""
        return svg(self._answer)

    @property
    def shows_graph(self) -> bool:
        """Whether the graph has a place on the page: that of an unknown, or of everything where all of it fits."""
        return bool(self.steps) and (bool(self.results) or not self._answer.graph.left_out)

    def _needed_inputs(self) -> list[CellValue]:
        """Return what was given, and the inputs in steps, in relations, and in the formulas of cells of these."""
        answer, question = self._answer, self._answer.question
        names = {name for step in answer.steps if step.form is not None for name in cells_of(step.form)}
        turned = [step.condition for step in answer.steps if step.how != "direct"]
        told = {cell for relation in (*question.relations, *turned) for cell in relation.cells}
        cells = question.sheet.cells
        laws = (question.formula(name) for name in told | question.pins.keys() if name in cells)
        names |= told | {name for law in laws if law is not None for name in cells_of(law)}
        return [
            value
            for name, value in answer.cells.items()
            if value.origin == "given" or (name in names and value.is_input)
        ]

    def _other_cells(self) -> list[CellValue]:
        told = {step.cell.name for step in self._answer.steps}
        values = self._answer.cells.values()
        return [value for value in values if value.origin == "computed" and value.cell.name not in told]

    def _result(self, outcome: Outcome) -> Result:
        form, symbol = outcome.closed_form, self._formulas.symbol(outcome.cell.name)
        if form is None:
            return Result(outcome.cell.name, outcome_text(outcome), outcome.why, "", ())
        shown = self._formulas.symbols(form)
        if not outcome.is_one_of_several or outcome.boundary is None:
            lines = displayed(symbol, sign_latex(outcome.sign), shown)
            return Result(outcome.cell.name, outcome_text(outcome), outcome.why, "", lines)
        value = format_quantity_latex(outcome.boundary, outcome.cell.unit)
        lines = displayed(symbol, "=", shown if shown == value else f"{shown} = {value}")
        which = "The value that the steps go on with" if outcome.kind == "values" else "One of the ends"
        return Result(outcome.cell.name, outcome_text(outcome), outcome.why, which, lines)

    def _input(self, value: CellValue) -> Input:
        cell, cited = value.cell, ", ".join(map(self._cite, sources_of(value)))
        symbol, shown = self._formulas.symbol(cell.name), value_text(value)
        meaning, origin = meaning_text(value), origin_text(value)
        return Input(cell.name, symbol, shown, meaning, value.origin, origin, cited)

    def _other(self, value: CellValue) -> Input:
        cell, symbol = value.cell, self._formulas.symbol(value.cell.name)
        return Input(cell.name, symbol, value_text(value), cell.doc, value.origin, value.origin, "")

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
        if source is not None:
            return Reference(place, source.title, source.url, source.read)
        return Reference(place, key, key if _ADDRESS.fullmatch(key) else "", "")


def _gave_way(name: str, answer: Answer) -> str:
    cell = answer.question.sheet.cells[name]
    default = "" if cell.default is None else format_quantity(cell.default, cell.unit)
    return f"{name} = {default}"


def write_up(  # noqa: PLR0913  # one keyword for each thing that stands around an answer
    answer: Answer,
    template: str = "derivation",
    title: str = "",
    *,
    every: bool = False,
    table: Table | None = None,
    prose: tuple[Sequence[str], Sequence[str]] = ((), ()),
    form: str = "markdown",
) -> str:
    """Return an answer as text through a template.

    Args:
        answer: the answer.
        template: name of the template.
        title: the headline; names unknown and sheet if empty.
        every: whether to show the cells at every value that works.
        table: the same question at several values, or None.
        prose: paragraphs before the answer, and behind it.
        form: `markdown`, `html` or `latex`.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    return render(template, form, w=WriteUp(answer, title, every=every, table=table, prose=prose))


def write_file(asked: QuestionFile, template: str = "", answered: Answer | None = None) -> str:
    """Return the write-up of a question file, through its own template unless another is said.

    Args:
        asked: the question file.
        template: name of the template.
        answered: the answer, where it is known already.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    from flopsheet.answer.solve import answer

    found, prose = answered or answer(asked.question), (asked.before, asked.after)
    return write_up(found, template or asked.template, asked.title, table=asked.table, prose=prose)
