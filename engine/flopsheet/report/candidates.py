"""Names or tuples as a table: what is asked for, what ranks them, what relations compare, and figures of records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.names import Candidate
from flopsheet.answer.verification.fit import with_rooms
from flopsheet.registry.kinds import KINDS
from flopsheet.report.as_json import number
from flopsheet.report.sentences import slack_text
from flopsheet.report.tables import MOST_COLUMNS, NO_VALUE, Grid, column_of, grid_of, quantities, table_as_list
from flopsheet.report.texts.tables import told
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Table
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record

MOST_CANDIDATES = 20
BINDS, SLACK, PRICE = "binds", "slack", "hourly_price"
FIGURES = ("memory", PRICE, "power")  # of records, also where the sheet does not read them
SIZES = ("params", "active_params")  # of models, whose widths tell a reader less


def candidates(answer: Answer) -> Grid:
    """Return a row for each of several names or tuples that work, the best first: the other unknowns, what differs.

    That is the cell that ranks them, those that relations and limits compare, the least room in these where that
    differs, and figures of the records. Where the names are too many, the last row is one of dots.
    """
    names, working = working_of(answer)
    if len(working) < 2:
        return Grid([], [])
    shown = working[:MOST_CANDIDATES]
    columns = _columns(answer.question, names, shown, [name for name in answer.question.unknowns if name not in names])
    head = [*names, *columns]
    rows = [
        [*map(candidate.options.__getitem__, names), *(column[row] for column in columns.values())]
        for row, candidate in enumerate(shown)
    ]
    rows += [["..."] * len(head)] if len(working) > len(shown) else []
    return Grid(head, rows, _dropped(columns, names))


def working_of(answer: Answer) -> tuple[tuple[str, ...], Sequence[Candidate]]:
    """Return what varies, and the names or tuples of unknowns that work, the best first."""
    if answer.ranking is not None:
        return answer.ranking.names, answer.ranking.working
    names, answers = tuple(answer.outcomes), answer.alternatives
    if len(answers) < 2:
        return names, []
    texts = [quantities([own.cells.get(name) for own in answers]) for name in names]
    named = [dict(zip(names, row, strict=True)) for row in zip(*texts, strict=True)]
    return names, with_rooms([Candidate(options, own) for options, own in zip(named, answers, strict=True)])


def compared(table: Table | None) -> list[list[str]]:
    """Return a table of answers turned: what varies, what is shown, and what else differs where names vary.

    That is what `side_by_side` has. Each line has a name, and its text for each answer.
    """
    grid = Grid([], []) if table is None else side_by_side(table)
    return [[head, *(row[place] for row in grid.rows)] for place, head in enumerate(grid.head)]


def side_by_side(table: Table) -> Grid:
    """Return a table of answers: what varies, what is shown, what binds if that differs, and where names vary the rest.

    The rest is what `candidates` has for names that work: cells that relations and limits compare, room, figures. A
    narrow terminal leaves that out first, then what is shown besides the answer, then all that varies but one.
    """
    grid, names = grid_of(table), [name for name in table.varied if name in table.sheet.parts]
    answers = [row.answer for row in table.rows]
    question = next((answer.question for answer in answers if answer is not None), None)
    if question is None:
        return grid
    binding = [_binding(answer) for answer in answers]
    columns = {BINDS: binding} if len({*binding} - {NO_VALUE}) > 1 else {}
    if names:
        rows_of = with_rooms([Candidate({}, answer) for answer in answers])
        others = _columns(question, names, rows_of, [own for own in question.unknowns if own in question.sheet.cells])
        columns |= {name: column for name, column in others.items() if name not in (*table.shown, *table.varied)}
    known = len(table.varied) + len(table.shown)  # a remark comes last
    head = [*grid.head[:known], *columns, *grid.head[known:]]
    rows = [
        [*row[:known], *(column[place] for column in columns.values()), *row[known:]]
        for place, row in enumerate(grid.rows)
    ]
    answer, shown = told(table, question), dict(zip(table.shown, grid.head[len(table.varied) :], strict=False))
    beside = [text for name, text in shown.items() if name not in answer]
    dropped = dict.fromkeys([*_dropped(columns, names), *reversed([*columns])])
    return Grid(head, rows, [*dropped, *reversed(beside), *reversed(table.varied[1:])])


def _binding(answer: Answer | None) -> str:
    """Return the relation, or the limit by name, that sets the first unknown which one sets."""
    outcomes = () if answer is None else answer.outcomes.values()
    deciding = next((outcome.deciding for outcome in outcomes if outcome.deciding is not None), None)
    return NO_VALUE if deciding is None else deciding.name or deciding.text


def widened(table: Table) -> Table:
    """Return a table of answers that also shows the cells by which `side_by_side` compares names."""
    return replace(table, shown=(*table.shown, *(name for name in _added(table) if name in table.sheet.cells)))


def compared_values(table: Table) -> tuple[dict[str, str], list[dict[str, str | float | None]]]:
    """Return the unit of each column of `side_by_side` [empty for texts], and its rows as JSON objects in full."""
    added, listed = _added(table), table_as_list(table)
    rows_of = with_rooms([Candidate({}, row.answer) for row in table.rows])
    columns = {name: _values(name, rows_of) for name in added}
    units = {name: table.sheet.cells[name].unit.text if name in table.sheet.cells else "" for name in table.shown}
    units |= {name: unit for name, (unit, _) in columns.items()}
    rows = []
    for place, row in enumerate(listed):
        remark = {"remark": row.pop("remark")}
        rows.append(row | {name: column[place] for name, (_, column) in columns.items()} | remark)
    return units, rows


def candidate_values(answer: Answer) -> dict[str, tuple[str, Sequence[str | float | None]]]:
    """Return the unit and the numbers of each column of `candidates` but the names, for every name that was tried.

    Where fewer than two names work, those that do not work say what differs.
    """
    if answer.ranking is None:
        return {}
    question, working, rejected = answer.question, answer.ranking.working, answer.ranking.rejected
    shown = (working if len(working) > 1 else (*working, *rejected))[:MOST_CANDIDATES]
    asked = [name for name in question.unknowns if name not in answer.ranking.names]
    first = dict.fromkeys([*asked, *([question.best.cell] if question.best else [])])
    names = {**first, **_columns(question, answer.ranking.names, shown, asked)}
    return {name: _values(name, (*working, *rejected)) for name in names}


def _added(table: Table) -> list[str]:
    """Return the columns of `side_by_side` besides what varies and what is shown."""
    known, grid = len(table.varied) + len(table.shown), side_by_side(table)
    return [name for name in grid.head[known:] if name != "remark"]


def _values(name: str, rows: Sequence[Candidate]) -> tuple[str, Sequence[str | float | None]]:
    """Return the unit of a column by which names are compared, and its number for each answer, or what binds."""
    if name == BINDS:
        return "", [_binding(row.answer) for row in rows]
    if name == SLACK:
        return "%", [None if row.room is None else 100 * row.room for row in rows]
    part, _, figure = name.rpartition(".")
    unit, numbers = "", list[float | None]()
    value: float | None
    for answer in (row.answer for row in rows):
        record = None if answer is None else answer.question.records.get(part)
        if answer is not None and name in answer.cells:
            unit, value = answer.cells[name].cell.unit.text, number(answer.cells[name].value)
        elif record is not None and figure in record.values:
            own = KINDS[record.kind].all_fields[figure].unit
            unit, value = own.text, number(in_unit(record.values[figure].si, own))
        else:
            value = None
        numbers.append(value)
    return unit, numbers


def _dropped(columns: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return the columns that a narrow terminal leaves out first: figures of records, prices last, then the slack."""
    figures = [column for column in columns if column.startswith(tuple(f"{name}." for name in names))]
    prices = [column for column in figures if column.endswith(f".{PRICE}")]
    return [*reversed([figure for figure in figures if figure not in prices]), *prices, SLACK]


def _columns(
    question: Question, names: Sequence[str], shown: Sequence[Candidate], asked: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Return the columns of a table of names: cells, the least room, figures of the records that differ."""
    columns = _cells(question, names, shown, asked)
    slacks = [_slack(candidate) for candidate in shown]
    columns |= {SLACK: slacks} if any(slack != NO_VALUE for slack in slacks) and SLACK not in columns else {}
    return columns | {name: column for name, column in _figures(shown) if name not in columns}


def _cells(
    question: Question, names: Sequence[str], shown: Sequence[Candidate], asked: Sequence[str]
) -> dict[str, list[str]]:
    """Return the columns of cells: those asked for, then of the others the first that differ, also from each other.

    What the question compares comes before what limits do.
    """
    cells, stated = question.sheet.cells, {name for relation in question.asked for name in relation.cells}
    related = stated.union(*(relation.cells for relation in question.limits))
    compared = [name for name, cell in cells.items() if name in related and not {name, cell.part} & {*names}]
    compared.sort(key=lambda name: name not in stated)
    parts = question.sheet.parts
    models = {name for name in names if name in parts and parts[name].bare}
    figures = [name for name in question.shown_cells if cells[name].part in {*names} - models]
    figures += [name for name in SIZES if models and name in cells]
    first = [*asked, *([question.best.cell] if question.best else [])]
    wanted = dict.fromkeys([*first, *compared, *figures])
    answers = [{} if candidate.answer is None else candidate.answer.cells for candidate in shown]
    columns = {name: quantities([own.get(name) for own in answers]) for name in wanted}
    told = {name: {text for text, own in zip(column, answers, strict=True) if own} for name, column in columns.items()}
    differing, seen = dict[str, list[str]](), set[tuple[str, ...]]()
    for name, column in columns.items():
        if name in asked or (len(told[name]) > 1 and tuple(column) not in seen):
            differing[name] = column
        seen.add(tuple(column))
    return dict([*differing.items()][: max(MOST_COLUMNS, len(asked))])


def _figures(shown: Sequence[Candidate]) -> Iterator[tuple[str, list[str]]]:
    """Yield memory, price and power of the records that differ, where they have them."""
    records = [{} if candidate.answer is None else candidate.answer.question.records for candidate in shown]
    for part in dict.fromkeys(name for own in records for name in own):
        if len({own[part].key for own in records if part in own}) < 2:
            continue
        for figure in FIGURES:
            column = _figure([own.get(part) for own in records], figure)
            if any(text != NO_VALUE for text in column):
                yield f"{part}.{figure}", column


def _figure(records: Sequence[Record | None], figure: str) -> list[str]:
    known = [record for record in records if record is not None and figure in record.values]
    units = [KINDS[record.kind].all_fields[figure].unit for record in known]
    texts = iter(column_of([record.values[figure].si for record in known], units[0]) if known else [])
    return [NO_VALUE if record is None or figure not in record.values else next(texts) for record in records]


def _slack(candidate: Candidate) -> str:
    """Return the least room in an inequality in which the names differ, in percent of its bound; none if one fails."""
    return NO_VALUE if candidate.room is None or candidate.why else slack_text(candidate.room)
