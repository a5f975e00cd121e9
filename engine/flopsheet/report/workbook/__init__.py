"""An answer as a workbook: change an input in a spreadsheet program, and all that depends on it is recalculated.

XlsxWriter writes it: a text is a text whatever it begins with, each formula has its result, and nothing else is
needed. The sheet Model has a row for each cell with a value, inputs as numbers, all else as live formulas; unknowns
too, in closed form or by the sheet Search. What has no live form has its value, and says so in red. The sheet
Scenarios has a column for each row of a table, or for each name where names were asked for.
"""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING

from flopsheet.answer.table import each_value
from flopsheet.report import Extras
from flopsheet.report.tables import every_value, grid_of
from flopsheet.report.workbook.blocks.sheet import SearchSheet
from flopsheet.report.workbook.blocks.solving import Solving
from flopsheet.report.workbook.columns import Columns, answers_of, live_answers
from flopsheet.report.workbook.conclusion import WIDTHS, Conclusion
from flopsheet.report.workbook.curves.drawn import drawn_of
from flopsheet.report.workbook.curves.sheet import CurveSheet
from flopsheet.report.workbook.headlines import far_ends
from flopsheet.report.workbook.model.model import Model
from flopsheet.report.workbook.model.sheet import MODEL, SOLVED, ModelSheet
from flopsheet.report.workbook.model.sheet import WIDTHS as MODEL_WIDTHS
from flopsheet.report.workbook.names import order_of, table_of_names
from flopsheet.report.workbook.records import Records
from flopsheet.report.workbook.scenarios import Scenarios
from flopsheet.report.workbook.tried import tried
from flopsheet.report.workbook.writer import SheetWriter
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xlsxwriter import Workbook

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Table

__all__ = ["SOLVED", "workbook"]
CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same answer gives the same file
MOST_COLUMNS = 12


def workbook(answer: Answer, extras: Extras | None = None) -> bytes:
    """Return an answer as an XLSX file.

    It has the sheets Answer and Model, Curve where a page has one, Values where each value is asked for, Scenarios for
    a table, Table for its rows that are not live, Search where something is searched for, and one for each kind of
    records.

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
    table = extras.table or table_of_names(answer)
    order = order_of(answer) if extras.table is None else None
    trial = tried(answer)
    live = [] if table is None else live_answers(table)
    records = Records([trial.answer if trial else answer, *answers_of(live)])
    model = Model(trial or answer, records)
    columns = None if table is None else Columns(table, model, records, live)
    search = SearchSheet(book)
    conclusion = Conclusion(answer, model, SheetWriter(book, "Answer", WIDTHS))
    drawn = drawn_of(answer, model) if table is None else None
    if drawn is not None:
        CurveSheet(book, model, drawn).write()
    rows = SheetWriter(book, MODEL, MODEL_WIDTHS)
    if extras.every:
        values, answers = every_value(answer, MOST_COLUMNS), [alternative for _, alternative in each_value(answer)]
        _write_rows(SheetWriter(book, "Values", (18,) * MOST_COLUMNS), values.head, values.rows, answers)
    scenarios = None if table is None or columns is None else Scenarios(book, table, columns, order)
    Solving(model, search).write(far_ends(answer))
    if table is not None and scenarios is not None and columns is not None:
        scenarios.write(search)
        _write_rest(book, table, len(columns.every))
    ModelSheet(model, rows, {} if columns is None else columns.places).write()
    conclusion.write(extras, scenarios.names if scenarios is not None and extras.table is None else None)
    records.write(book)
    search.shade()
    book.close()
    return buffer.getvalue()


def _write_rest(book: Workbook, table: Table, count: int) -> None:
    """Write the rows of a table behind those that are live, with numbers that do not follow the inputs."""
    grid, names = grid_of(table), (*table.varied, *table.shown)
    head, answers = [*names, *grid.head[len(names) :]], [row.answer for row in table.rows[count:]]
    if answers:
        _write_rows(SheetWriter(book, "Table", (18,) * len(head)), head, grid.rows[count:], answers)


def _write_rows(
    writer: SheetWriter, names: Sequence[str], rows: Sequence[Sequence[str]], answers: Sequence[Answer | None]
) -> None:
    """Write answers as rows: numbers in the unit of their cell, which the heading names, the rest as text."""
    cells = next((answer.question.sheet.cells for answer in answers if answer is not None), {})
    units = [cells[name].unit.text if name in cells else "" for name in names]
    writer.head(*map(headed, names, units))
    for row, answer in zip_longest(rows, answers[: len(rows)]):
        writer.row()
        for column, (name, text) in enumerate(zip(names, row, strict=True)):
            value = None if answer is None else answer.cells.get(name)
            if value is None:
                writer.text(column, text)
            else:
                writer.number(column, value.exact, "computed")
                writer.count(column, value.cell.unit.text)
