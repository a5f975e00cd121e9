"""An answer as a workbook: change an input in a spreadsheet program, and all that depends on it is recalculated.

XlsxWriter writes it: a text is a text whatever it begins with, each formula has its result, and nothing else is
needed. The sheet Model has a row for each cell with a value, inputs as numbers, all else as live formulas. Of a
cycle of formulas, one cell has its closed form, or its value with a note that it does not follow the inputs.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cached_property
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING

from flopsheet.answer.table import each_value
from flopsheet.formulas.printing import in_text
from flopsheet.functions import taken
from flopsheet.graph.system import stated_equations
from flopsheet.registry.store import sources
from flopsheet.report import Extras, sentences
from flopsheet.report.tables import every_value, grid_of
from flopsheet.report.workbook.formulas import ExcelFormulas
from flopsheet.report.workbook.writer import SheetWriter, excel_names
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xlsxwriter import Workbook

    from flopsheet.answer.answer import Answer, CellValue, Check
    from flopsheet.answer.execute import Step
    from flopsheet.functions import Expr
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell, Choice

MODEL = "Model"
SOLVED = "solved for this question: does not follow the inputs"
CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same answer gives the same file
MOST_COLUMNS = 12
LONGEST_LIST = 250  # characters of a list of options that programs take
_OPTION = re.compile(r"[\w.-]+(?: [\w.-]+)*")


def workbook(answer: Answer, extras: Extras | None = None) -> bytes:
    """Return an answer as an XLSX file: sheets Model and Answer, and Values or Table where there is one.

    Raises:
        FlopsheetError: XlsxWriter is not installed.
    """
    try:
        import xlsxwriter
    except ImportError:
        from flopsheet.report.missing import not_installed

        raise not_installed("--as xlsx", "Workbooks", "XlsxWriter") from None
    buffer, extras = BytesIO(), extras or Extras()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    book.set_properties({"title": extras.title or answer.question.sheet.name, "created": CREATED.replace(tzinfo=None)})
    model = _Model(answer)
    model.write(book)
    _Conclusion(answer, model, SheetWriter(book, "Answer", (24, 44, 22, 6, 22, 14, 10))).write(extras)
    if extras.every:
        values, answers = every_value(answer, MOST_COLUMNS), [alternative for _, alternative in each_value(answer)]
        _write_rows(SheetWriter(book, "Values", (18,) * MOST_COLUMNS), values.head, values.rows, answers)
    if extras.table is not None:
        grid, names = grid_of(extras.table), (*extras.table.varied, *extras.table.shown)
        head, row_answers = [*names, *grid.head[len(names) :]], [row.answer for row in extras.table.rows]
        _write_rows(SheetWriter(book, "Table", (18,) * len(head)), head, grid.rows, row_answers)
    book.close()
    return buffer.getvalue()


def _write_rows(
    writer: SheetWriter, names: Sequence[str], rows: Sequence[Sequence[str]], answers: Sequence[Answer | None]
) -> None:
    """Write answers as rows: numbers in the unit of their cell, which the heading names, the rest as text."""
    cells = next((answer.question.sheet.cells for answer in answers if answer is not None), {})
    units = [cells[name].unit.text if name in cells else "" for name in names]
    writer.head(*(f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)))
    for row, answer in zip_longest(rows, answers[: len(rows)]):
        writer.row()
        for column, (name, text) in enumerate(zip(names, row, strict=True)):
            value = None if answer is None else answer.cells.get(name)
            if value is None:
                writer.text(column, text)
            else:
                writer.number(column, value.exact, "computed")


class _Model:
    """The sheet Model, the defined name of each cell and choice with a value, and formulas over these names."""

    def __init__(self, answer: Answer) -> None:
        self._answer, question = answer, answer.question
        self.names = excel_names((*question.options, *answer.cells))
        units = {name: value.cell.unit for name, value in answer.cells.items()}
        self.formulas = ExcelFormulas(self.names, units, question.literals, tuple(question.sheet.cells))
        equations = {equation.key: equation for equation in stated_equations(question)}
        equations = {**answer.system.structure.equations, **equations}
        self._stated = {
            equation.target: _whole(question, equation.target, equation.stated.right)
            for equation in equations.values()
            if equation.stated is not None and equation.key.startswith(("stated", "inferred"))
        }

    @cached_property
    def _steps(self) -> dict[str, Step]:
        steps = (*self._answer.execution.steps(), *self._answer.steps)
        return {step.cell.name: step for step in steps}

    def write(self, book: Workbook) -> None:
        """Write the rows, and give each value its name."""
        writer, question = SheetWriter(book, MODEL, (30, 24, 14, 56, 56, 44, 30)), self._answer.question
        writer.head("name", "value", "unit", "formula", "meaning", "source", "origin")
        writer.freeze()
        for name, option in question.options.items():
            self._choice(writer, question.sheet.choices[name], option, given=name in question.choices)
            book.define_name(self.names[name], f"={MODEL}!$B${writer.line + 1}")
        for name, value in self._answer.cells.items():
            self._cell(writer, value)
            book.define_name(self.names[name], f"={MODEL}!$B${writer.line + 1}")

    @staticmethod
    def _choice(writer: SheetWriter, choice: Choice, option: str, *, given: bool) -> None:
        writer.row(choice.name, "", "", "", choice.doc, "", "given" if given else "default")
        writer.text(1, option, "choice")
        if all(map(_OPTION.fullmatch, choice.options)) and len(",".join(choice.options)) <= LONGEST_LIST:
            writer.options(1, choice.options)

    def _cell(self, writer: SheetWriter, value: CellValue) -> None:
        cell, formula = value.cell, self._stated.get(value.cell.name, self._formula(value.cell))
        # None for an input, and where something in the formula has no value.
        live = None if formula is None else self.formulas.formula(formula, cell.unit)
        written = "" if cell.formula is None else in_text(cell.formula, tuple(self._answer.question.sheet.cells))
        solved = live is None and not value.is_input
        origin = (
            SOLVED if solved else sentences.origin_text(value) + (", computed here" if live and value.is_input else "")
        )
        known = ((key, sources().get(key)) for key in sentences.sources_of(value))
        source = "; ".join(source.title if source else key for key, source in known)
        writer.row(cell.name, "", cell.unit.text, written, sentences.meaning_text(value), source, origin)
        if live is None:
            writer.number(1, value.exact, "solved" if solved else "input")
        else:
            writer.formula(1, live, value.exact)

    def _formula(self, cell: Cell) -> Expr | None:
        """Return what gives a cell; of a cycle of formulas, which programs reject, only what follows in the steps."""
        question = self._answer.question
        if cell.name not in question.sheet.rows.tied:
            return cell.formula
        step = None if cell.name in question.pins else self._steps.get(cell.name)
        return None if step is None else step.form


class _Conclusion:
    """The sheet Answer, whose formulas refer to the sheet Model."""

    def __init__(self, answer: Answer, model: _Model, writer: SheetWriter) -> None:
        self._answer, self._model, self._writer = answer, model, writer

    def write(self, extras: Extras) -> None:
        """Write all sections."""
        question, writer = self._answer.question, self._writer
        writer.head(extras.question or extras.title or sentences.headline(question))
        writer.row("Question", sentences.question_text(question, extras.varied))
        for text in extras.before:
            writer.row("", text)
        writer.row("Sheet", question.sheet.title)
        for name, record in question.records.items():
            writer.row(name, record.key)
        for name, option in question.options.items():
            writer.row(name)
            writer.formula(1, f"={self._model.names[name]}", option)
        self._texts("Not checked, or not holding", sentences.broken_texts(self._answer))
        self._unknowns()
        self._checks("Checks", self._answer.checks)
        self._checks("Limits", self._answer.limits)
        self._texts("Warnings", self._answer.cautions)
        self._texts("Overridden defaults", self._answer.dropped_defaults)
        self._texts("Assumptions", question.sheet.assumptions)
        self._texts("Notes", question.sheet.notes)
        self._sources()
        self._texts("Remarks", extras.after)

    def _unknowns(self) -> None:
        answer, writer = self._answer, self._writer
        if answer.outcomes or answer.ranking:
            writer.section("unknown", "answer", "value", "", "", "unit")
        if answer.ranking is not None:
            writer.row(
                ", ".join(answer.ranking.names), f"{sentences.ranking_text(answer.ranking)}. {answer.ranking.why}"
            )
            for text in sentences.rejections(answer.ranking):
                writer.row("", f"Not {text}")
        for name, outcome in answer.outcomes.items():
            text = f"{sentences.outcome_text(outcome)}. {outcome.why}".strip()
            writer.row(name, text, "", "", "", outcome.cell.unit.text)
            if name in answer.cells:
                writer.formula(2, f"={self._model.names[name]}", answer.cells[name].exact)

    def _checks(self, heading: str, checks: Sequence[Check]) -> None:
        formulas, writer = self._model.formulas, self._writer
        if checks:
            writer.section(heading)
            writer.head("name", "relation", "left", "", "right", "unit", "holds")
        for check in checks:
            relation = check.relation
            # A sign alone would be a formula to some programs: the writer writes it as a text, like every other.
            writer.row(relation.name, relation.text, "", relation.operator, "", check.unit.text)
            for column, side, si in ((2, relation.left, check.left), (4, relation.right, check.right)):
                writer.formula(column, formulas.formula(side, check.unit), in_unit(si, check.unit))
            writer.formula(6, formulas.holds(relation.left, relation.operator, relation.right), check.holds)

    def _texts(self, heading: str, texts: Sequence[str]) -> None:
        if texts:
            self._writer.section(heading)
        for text in texts:
            self._writer.row("", text)

    def _sources(self) -> None:
        cited = [key for value in self._answer.cells.values() for key in sentences.sources_of(value)]
        keys = dict.fromkeys([*cited, *self._answer.question.sheet.sources])
        if keys:
            self._writer.section("Sources")
        for key in keys:
            source = sources().get(key)
            self._writer.row(key, *((source.title, source.url, "", source.read) if source else ()))


def _whole(question: Question, name: str, formula: Expr) -> Expr:
    """Return the formula of a default with all of its branches, of which one was taken; any other as it is."""
    formulas = question.sheet.cells[name].inferred
    return next((inferred for inferred in formulas if taken(inferred, question.options) == formula), formula)
