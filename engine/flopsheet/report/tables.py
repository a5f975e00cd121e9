"""Tables of texts for a terminal, as Markdown or as CSV; and tables of answers, as texts and as rows for JSON."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import unchecked_text
from flopsheet.answer.shortage import lacking
from flopsheet.errors import joined
from flopsheet.layout.latex import latex
from flopsheet.layout.nodes import Words
from flopsheet.report.numeric import is_numeric, markdown_rule
from flopsheet.report.terminal.columns import layout, wrapped
from flopsheet.units import is_finite
from flopsheet.units.columns import column_unit, format_column, headed
from flopsheet.units.text import format_input

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.answer.table import Row, Table
    from flopsheet.units import Number, Unit

MOST_COLUMNS = 6
NO_VALUE = "-"
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Grid:
    """The names of columns, and rows with a text for every column."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    least: Sequence[str] = ()  # the columns that a narrow terminal leaves out first

    @property
    def lists(self) -> list[list[str]]:
        """The rows as lists."""
        return [list(row) for row in self.rows]

    def text(self, width: int | None = None) -> str:
        """Return the table in columns padded with blanks; without rich, whose import takes longer than the listing."""
        shown = layout(self.head, self.rows, width, self.least)
        note = [] if width is None or not shown.note else wrapped(shown.note, width)
        return "\n".join([*shown.head, *(line for row in shown.rows for line in row), *note]) + "\n"

    def markdown(self) -> str:
        """Return the table as Markdown, its texts escaped."""
        from flopsheet.report.forms.markdown import escaped

        lines = [list(map(escaped, row)) for row in (self.head, *self.rows)]
        shown = [f"| {' | '.join(line)} |" for line in lines]
        return "\n".join([shown[0], markdown_rule(self.rows or [self.head]), *shown[1:]]) + "\n"

    def html(self) -> str:
        """Return the table as HTML, its texts escaped, numbers at the right."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.head)
        right = [' style="text-align: right"' if is_numeric(column) else "" for column in zip(*self.rows, strict=True)]
        rows = [
            "".join(f"<td{side}>{escape(text)}</td>" for text, side in zip(row, right, strict=True))
            for row in self.rows
        ]
        body = "\n".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"

    def latex(self) -> str:
        r"""Return the table as a formula between dollar signs, which both MathJax and LaTeX set: no `tabular`."""
        sides = "".join("r" if is_numeric(column) else "l" for column in zip(*self.rows, strict=True))
        head, *rows = (" & ".join(latex(Words(text)) for text in row) for row in (self.head, *self.rows))
        body = " \\\\\n".join(rows)
        return f"$$\\begin{{array}}{{{sides}}}\n{head} \\\\ \\hline\n{body}\n\\end{{array}}$$"

    def csv(self) -> str:
        """Return the table as CSV; a text that a spreadsheet would evaluate as a formula gets a leading quote."""
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows([self.head, *map(_harmless, self.rows)])
        return buffer.getvalue()


def _harmless(row: Sequence[str]) -> Iterator[str]:
    for cell in row:
        formula = cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _NUMBER.fullmatch(cell)
        yield f"'{cell}" if formula else cell


def grid_of(table: Table) -> Grid:
    """Return a table of answers: varied names, then shown cells with their units; remarks where there are any."""
    remarks, columns = [remark(row) for row in table.rows], [_column(table, name) for name in table.shown]
    head = [*table.varied, *(head for head, _ in columns)]
    rows = [[*spelled(table, row), *(texts[place] for _, texts in columns)] for place, row in enumerate(table.rows)]
    if any(remarks):
        return Grid([*head, "remark"], [[*row, remark] for row, remark in zip(rows, remarks, strict=True)])
    return Grid(head, rows)


def spelled(table: Table, row: Row) -> list[str]:
    """Return what a row varies, values of cells as inputs are spelled on a page: `1.4T token` for `1.4e12 token`."""
    pins = {} if row.answer is None else row.answer.question.pins
    known = {name: pins[name].value for name in table.varied if name in pins and is_finite(pins[name].value)}
    cells = table.sheet.cells
    return [
        format_input(known[name], cells[name].unit) if name in known else text
        for name, text in zip(table.varied, row.values, strict=True)
    ]


def markdown_table(table: Table) -> str:
    """Return a table in Markdown."""
    return grid_of(table).markdown()


def latex_table(table: Table) -> str:
    """Return a table in LaTeX."""
    return grid_of(table).latex()


def html_table(table: Table) -> str:
    """Return a table in HTML."""
    return grid_of(table).html()


def _column(table: Table, name: str) -> tuple[str, list[str]]:
    """Return the head of a column, with the unit of its numbers, and a text for each row."""
    answers = [row.answer for row in table.rows]
    if name not in table.sheet.cells:
        return name, [text_of(answer, name) or NO_VALUE for answer in answers]
    values = [None if answer is None or text_of(answer, name) else answer.cells.get(name) for answer in answers]
    numbers = [value.si for value in values if value is not None]
    unit = column_unit(numbers, table.sheet.cells[name].unit)
    texts = iter(format_column(numbers, unit))
    column = [
        text_of(answer, name) or (NO_VALUE if value is None else next(texts))
        for answer, value in zip(answers, values, strict=True)
    ]
    return headed(name, str(unit) if unit.text else ""), column


def quantities(values: Sequence[CellValue | None]) -> list[str]:
    """Return the values of one cell in several answers with their unit, all in one notation."""
    known = [value for value in values if value is not None]
    texts = iter(column_of([value.si for value in known], known[0].cell.unit) if known else [])
    return [NO_VALUE if value is None else next(texts) for value in values]


def column_of(values: Sequence[Number], declared: Unit) -> list[str]:
    """Return the values [base units] of a column, each with the unit that they share."""
    unit = column_unit(values, declared)
    return [f"{text} {unit}".strip() for text in format_column(values, unit)]


def text_of(answer: Answer | None, name: str) -> str:
    """Return what a table has for a name in place of a number; empty for a number."""
    if answer is None:
        return NO_VALUE
    if answer.ranking is not None and name in answer.ranking.names:
        return ", ".join(answer.ranking.options(name)) or "none"
    outcome = answer.outcomes.get(name)
    if outcome is not None and outcome.kind == "none":
        return "none"
    return answer.question.options.get(name, "")


def remark(row: Row) -> str:
    """Return why a row has no answer, the limits that do not hold in it, and whether it may have more values."""
    if row.answer is None:
        return row.problem
    reasons = [outcome.why for outcome in row.answer.outcomes.values() if outcome.kind == "none"]
    broken = [check.relation.name for check in row.answer.broken]
    violated = [f"{joined(broken)} {'do' if len(broken) > 1 else 'does'} not hold"] if broken else []
    unchecked = [unchecked_text(row.answer, relation) for relation in row.answer.unchecked]
    undecided = [f"Other values of {name} are not excluded." for name in undecided_in(row.answer)]
    absent = (lacking(row.answer.system, name) for name in not_shown(row.answer))
    reasons += [f"{error.problem} {error.fix}" for error in absent if error is not None]
    return " ".join([*dict.fromkeys(reasons), *violated, *unchecked, *undecided])


def not_shown(answer: Answer) -> list[str]:
    """Return the cells that a question asks to see, and that have no value."""
    return [name for name in answer.question.shown if name not in answer.cells]


def undecided_in(answer: Answer) -> list[str]:
    """Return the unknowns that have a value, and may have others beyond what was decided."""
    return [name for name, outcome in answer.outcomes.items() if outcome.open and outcome.kind != "none"]


def table_as_list(table: Table) -> list[dict[str, str | float | None]]:
    """Return the rows of a table as JSON objects: values in the unit of each cell, None where there is none."""
    return [
        dict(zip(table.varied, row.values, strict=True))
        | {name: _number(row.answer, name) for name in table.shown}
        | {"remark": remark(row)}
        for row in table.rows
    ]


def _number(answer: Answer | None, name: str) -> float | None:
    value = None if answer is None else answer.cells.get(name)
    return None if value is None else value.value


def every_value(answer: Answer, most: int = MOST_COLUMNS) -> Grid:
    """Return a row for each value that works, a column for each cell that differs among them.

    Where the values are too many, the last row is one of dots; where the cells are more than `most`, those in the
    question's relations and the limits take precedence.
    """
    from flopsheet.answer.table import MOST_VALUES, each_value  # listings of records need no solver

    answers = each_value(answer, MOST_VALUES + 1)
    truncated, answers = len(answers) > MOST_VALUES, answers[:MOST_VALUES]
    computed = dict.fromkeys(name for _, at in answers for name in at.cells if name not in answer.outcomes)
    columns = {}
    for name in computed:
        columns[name] = quantities([at.cells.get(name) for _, at in answers])
    constrained = {name for check in (*answer.checks, *answer.limits) for name in check.relation.cells}
    differing = [name for name, column in columns.items() if len(set(column)) > 1]
    names = sorted(sorted(differing, key=lambda name: name not in constrained)[:most], key=list(columns).index)
    rows = [[*unknowns.values(), *(columns[name][row] for name in names)] for row, (unknowns, _) in enumerate(answers)]
    head = [*(answers[0][0] if answers else ()), *names]
    return Grid(head, [*rows, ["..."] * len(head)] if truncated else rows)
