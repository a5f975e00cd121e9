"""Answers as CSV, for spreadsheets and data frames: a row a cell, name or combination of values; numbers in full."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from flopsheet.report.as_json import number
from flopsheet.report.candidates import candidate_values, candidates, compared_values
from flopsheet.report.sentences import origin_text
from flopsheet.report.tables import Grid, table_as_list
from flopsheet.units import in_unit
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.names import Ranking
    from flopsheet.answer.table import Table
    from flopsheet.sheets.body import Sheet

CELL_COLUMNS = ("cell", "value", "unit", "origin", "source", "meaning")


def answer_as_csv(answer: Answer) -> str:
    """Return every cell of an answer with its value; of names or several counts, every name tried or tuple found."""
    if answer.ranking is not None:
        return _names(answer, answer.ranking).csv()
    return (_tuples(answer) if len(answer.tuples) > 1 else _cells(answer)).csv()


def table_as_csv(table: Table) -> str:
    """Return the rows of a table: what varies as it is written, then the shown cells in their units."""
    rows = [[_text(value) for value in row.values()] for row in table_as_list(table)]
    return Grid([*table.varied, *_with_units(table.sheet, table.shown), "remark"], rows).csv()


def compared_as_csv(table: Table) -> str:
    """Return the rows of a table with what tells its names apart, as `--template compare` has it."""
    units, rows = compared_values(table)
    head = [headed(name, unit) for name, unit in units.items()]
    return Grid([*table.varied, *head, "remark"], [[_text(value) for value in row.values()] for row in rows]).csv()


def _cells(answer: Answer) -> Grid:
    rows = [
        [name, _text(number(value.value)), value.cell.unit.text, value.origin, origin_text(value), value.cell.doc]
        for name, value in answer.cells.items()
    ]
    return Grid(CELL_COLUMNS, rows)


def _tuples(answer: Answer) -> Grid:
    """Return a row for each tuple: the unknowns, then what a page shows of it, as far as that was computed."""
    cells = answer.question.sheet.cells
    shown = [name for name in candidates(answer).head if name in cells and name not in answer.outcomes]
    rows = []
    for values, own in zip_longest(answer.tuples, answer.alternatives[: len(answer.tuples)]):
        row = [_text(number(in_unit(si, cells[name].unit))) for name, si in values.items()]
        row += [_text(number(own.cells[name].value)) if own and name in own.cells else "" for name in shown]
        rows.append(row)
    return Grid(_with_units(answer.question.sheet, [*answer.outcomes, *shown]), rows)


def _names(answer: Answer, ranking: Ranking) -> Grid:
    """Return a row for each candidate: its names, whether it works, what a page shows of those that do, and why not."""
    columns = candidate_values(answer)
    rows = []
    for place, candidate in enumerate((*ranking.working, *ranking.rejected)):
        shown = [_text(values[place]) for _, values in columns.values()]
        works = "no" if candidate.why else "yes"
        rows.append([*map(candidate.options.__getitem__, ranking.names), works, *shown, candidate.why])
    head = [headed(name, unit) for name, (unit, _) in columns.items()]
    return Grid([*ranking.names, "works", *head, "why"], rows)


def _with_units(sheet: Sheet, names: Iterable[str]) -> list[str]:
    """Return the names of columns: of a cell with its unit."""
    units = {name: sheet.cells[name].unit.text if name in sheet.cells else "" for name in names}
    return [headed(name, unit) for name, unit in units.items()]


def _text(value: str | float | None) -> str:
    return "" if value is None else str(value)
