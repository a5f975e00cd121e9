"""An answer as a workbook: change an input in a spreadsheet program, and all that depends on it is recalculated.

XlsxWriter writes it: a text is a text whatever it begins with, each formula has its result, and nothing else is
needed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from flopsheet.answer.table import each_value
from flopsheet.errors import FlopsheetError
from flopsheet.registry.store import sources
from flopsheet.report.sentences import headline, outcome_text, question_text, ranking_text, rejections
from flopsheet.report.tables import every_value, grid_of
from flopsheet.report.workbook.formulas import ExcelFormulas
from flopsheet.report.workbook.model import Model, cited
from flopsheet.report.workbook.names import excel_names
from flopsheet.report.workbook.writer import SheetWriter
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer, Check
    from flopsheet.answer.table import Table
    from flopsheet.formulas.relation import Relation

MADE = datetime(2000, 1, 1, tzinfo=UTC)  # the same answer gives the same file
MOST_COLUMNS = 12
_CHECK_HEAD = ("name", "relation", "left", "", "right", "unit", "holds")


def workbook(
    answer: Answer,
    title: str = "",
    *,
    every: bool = False,
    table: Table | None = None,
    prose: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> bytes:
    """Return an answer as an XLSX file: sheets Model and Answer, and Values or Table where there is one.

    Args:
        answer: the answer.
        title: the headline; names unknown and sheet if empty.
        every: whether to list the cells at every value that works.
        table: the same question at several values, or None.
        prose: paragraphs before the answer, and behind it.

    Raises:
        FlopsheetError: XlsxWriter is not installed.
    """
    buffer = BytesIO()
    book = _library().Workbook(buffer, {"in_memory": True})
    book.set_properties({"title": title or answer.question.sheet.name, "created": MADE.replace(tzinfo=None)})
    names = excel_names((*answer.question.options, *answer.cells))
    model = Model(answer, _formulas(answer, names), names)
    model.write(book)
    asked = question_text(answer.question, () if table is None else table.varied)
    _Conclusion(answer, model, SheetWriter(book, "Answer", (24, 44, 22, 6, 22, 14, 10))).write(title, asked, prose)
    if every:
        values = every_value(answer, MOST_COLUMNS)
        answers = [alternative for _, alternative in each_value(answer)]
        _listed(SheetWriter(book, "Values", (18,) * MOST_COLUMNS), values.head, values.rows, answers)
    if table is not None:
        grid, columns = grid_of(table), (*table.varied, *table.shown)
        remarks = grid.head[len(columns) :]
        _listed(SheetWriter(book, "Table", (18,) * len(grid.head)), [*columns, *remarks], grid.rows, _answers(table))
    book.close()
    return buffer.getvalue()


def _library() -> Any:
    try:
        import xlsxwriter
    except ImportError:
        problem = "Workbooks need XlsxWriter, which is not installed."
        raise FlopsheetError("--as xlsx", problem, 'Install it: pip install "flopsheet[workbook]".') from None
    return xlsxwriter


def _formulas(answer: Answer, names: dict[str, str]) -> ExcelFormulas:
    units = {name: value.cell.unit for name, value in answer.cells.items()}
    return ExcelFormulas(names, units, answer.question.literals, tuple(answer.question.sheet.cells))


def _answers(table: Table) -> list[Answer | None]:
    return [row.answer for row in table.rows]


def _listed(
    writer: SheetWriter, names: Sequence[str], lines: Sequence[Sequence[str]], answers: Sequence[Answer | None]
) -> None:
    """Write answers as rows: numbers in the unit of their cell, which the heading names, the rest as text."""
    cells = next((answer.question.sheet.cells for answer in answers if answer is not None), {})
    units = [cells[name].unit.text if name in cells else "" for name in names]
    writer.head(*(f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)))
    for line, answer in zip_longest(lines, answers[: len(lines)]):
        writer.row()
        for column, (name, text) in enumerate(zip(names, line, strict=True)):
            value = None if answer is None else answer.cells.get(name)
            if value is None:
                writer.text(column, text)
            else:
                writer.number(column, value.value, "computed")


class _Conclusion:
    """Writes the sheet Answer.

    Args:
        answer: the answer.
        model: the sheet that its formulas speak of.
        writer: writes into the sheet.
    """

    def __init__(self, answer: Answer, model: Model, writer: SheetWriter) -> None:
        self._answer, self._model, self._writer = answer, model, writer

    def write(self, title: str, asked: str, prose: tuple[Sequence[str], Sequence[str]]) -> None:
        """Write all sections.

        Args:
            title: the headline; names unknown and sheet if empty.
            asked: the question as a sentence.
            prose: paragraphs before the answer, and behind it.
        """
        question, (before, after) = self._answer.question, prose
        self._writer.head(title or headline(question))
        self._writer.row("Question", asked)
        for text in before:
            self._writer.row("", text)
        self._writer.row("Sheet", question.sheet.title)
        for name, record in question.records.items():
            self._writer.row(name, record.key)
        for name in question.options:
            self._writer.row(name)
            self._writer.formula(1, f"={self._model.names[name]}", question.options[name])
        self._unknowns()
        self._checks("Checks", self._answer.checks)
        self._checks("Limits", self._answer.limits)
        self._texts("Warnings", self._answer.cautions)
        self._texts("Overridden defaults", self._answer.dropped_defaults)
        self._texts("Assumptions", question.sheet.assumptions)
        self._texts("Notes", question.sheet.notes)
        self._sources()
        self._texts("Remarks", list(after))

    def _unknowns(self) -> None:
        answer = self._answer
        if answer.outcomes or answer.ranking:
            self._writer.section("unknown", "answer", "value", "", "", "unit")
        if answer.ranking is not None:
            self._writer.row(", ".join(answer.ranking.names), f"{ranking_text(answer.ranking)}. {answer.ranking.why}")
            for text in rejections(answer.ranking):
                self._writer.row("", f"Not {text}")
        for name, outcome in answer.outcomes.items():
            self._writer.row(
                name, f"{outcome_text(outcome)}. {outcome.why}".strip(), "", "", "", outcome.cell.unit.text
            )
            if name in answer.cells:
                self._writer.formula(2, f"={self._model.names[name]}", answer.cells[name].value)

    def _checks(self, heading: str, checks: Sequence[Check]) -> None:
        if checks:
            self._writer.section(heading)
            self._writer.head(*_CHECK_HEAD)
        for check in checks:
            self._check(check, check.relation)

    def _check(self, check: Check, relation: Relation) -> None:
        formulas = self._model.formulas
        # A sign alone would be a formula to some programs: the writer writes it as a text, like every other.
        self._writer.row(relation.name, relation.text, "", relation.operator, "", check.unit.text)
        for column, side, si in ((2, relation.left, check.left), (4, relation.right, check.right)):
            self._writer.formula(column, formulas.formula(side, check.unit), in_unit(si, check.unit))
        self._writer.formula(6, formulas.holds(relation.left, relation.operator, relation.right), check.holds)

    def _texts(self, heading: str, texts: Sequence[str]) -> None:
        if texts:
            self._writer.section(heading)
        for text in texts:
            self._writer.row("", text)

    def _sources(self) -> None:
        keys = cited(self._answer)
        if keys:
            self._writer.section("Sources")
        for key in keys:
            source = sources().get(key)
            self._writer.row(key, *((source.title, source.url, "", source.read) if source else ()))
