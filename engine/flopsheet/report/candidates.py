"""The names that work as a table: what was asked for, what ranks them, what relations compare, and their records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.registry.kinds import KINDS
from flopsheet.report.tables import MOST_COLUMNS, NO_VALUE, Grid
from flopsheet.units import format_number, format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.names import Candidate

MOST_CANDIDATES = 20
PLACES = 4  # of a slack: where an end is exact, less is rounding
SLACK, FIGURES = "slack", ("memory", "hourly_price", "power")  # of records, also where the sheet does not read them


def candidates(answer: Answer) -> Grid:
    """Return a row for each of several names that work, the best first: the other unknowns, then what differs.

    That is the cell that ranks them, those that relations and limits compare, the least room in these where that
    differs, and figures of the records. Where the names are too many, the last row is one of dots.
    """
    ranking = answer.ranking
    if ranking is None or len(ranking.working) < 2:
        return Grid([], [])
    shown = ranking.working[:MOST_CANDIDATES]
    columns = _cells(answer, shown)
    slacks = [_slack(candidate) for candidate in shown]
    columns |= {SLACK: slacks} if any(slack != NO_VALUE for slack in slacks) and SLACK not in columns else {}
    columns |= {name: column for name, column in _figures(answer, shown) if name not in columns}
    head = [*ranking.names, *columns]
    rows = [
        [*map(candidate.options.__getitem__, ranking.names), *(column[row] for column in columns.values())]
        for row, candidate in enumerate(shown)
    ]
    return Grid(head, [*rows, ["..."] * len(head)] if len(ranking.working) > len(shown) else rows)


def _cells(answer: Answer, shown: tuple[Candidate, ...]) -> dict[str, list[str]]:
    """Return the columns of cells: those asked for, then of the others the first that differ."""
    question, names = answer.question, () if answer.ranking is None else answer.ranking.names
    cells, asked = question.sheet.cells, [name for name in question.unknowns if name not in names]
    related = {name for relation in (*question.relations, *question.limits) for name in relation.cells}
    compared = [name for name, cell in cells.items() if name in related and cell.part not in names]
    figures = [name for name in question.shown_cells if cells[name].part in names]
    wanted = dict.fromkeys([*asked, *([question.best.cell] if question.best else []), *compared, *figures])
    columns = {name: [_text(candidate.answer, name) for candidate in shown] for name in wanted}
    differing = {name: column for name, column in columns.items() if name in asked or len(set(column)) > 1}
    return dict([*differing.items()][: max(MOST_COLUMNS, len(asked))])


def _figures(answer: Answer, shown: tuple[Candidate, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield memory, price and power of the records that were asked for, where they have them."""
    names = () if answer.ranking is None else answer.ranking.names
    for part in (name for name in names if name in answer.question.sheet.parts):
        for figure in FIGURES:
            column = [_figure(candidate.answer, part, figure) for candidate in shown]
            if any(text != NO_VALUE for text in column):
                yield f"{part}.{figure}", column


def _figure(answer: Answer | None, part: str, figure: str) -> str:
    record = None if answer is None else answer.question.records.get(part)
    if record is None or figure not in record.values:
        return NO_VALUE
    return format_quantity(record.values[figure].si, KINDS[record.kind].all_fields[figure].unit)


def _slack(candidate: Candidate) -> str:
    """Return the least room in an inequality in which the names differ, in percent of its bound."""
    return NO_VALUE if candidate.room is None else f"{format_number(round(100 * candidate.room, PLACES))} %"


def _text(answer: Answer | None, name: str) -> str:
    value = None if answer is None else answer.cells.get(name)
    return NO_VALUE if value is None else format_quantity(value.si, value.cell.unit)
