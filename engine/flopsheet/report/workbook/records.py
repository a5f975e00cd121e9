"""Sheets of records: the registry's chips with the figures that a model uses, picked from a list in the sheet Model.

A record that is picked later may have other figures than the one that was asked about. Its figure gives a cell, or
the first formula over figures that the record has: all ways are written, in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.store import records
from flopsheet.report.workbook.writer import SheetWriter, column_name, quoted
from flopsheet.units import in_unit
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xlsxwriter import Workbook

    from flopsheet.answer.answer import Answer
    from flopsheet.functions import Expr
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.report.workbook.formulas import ExcelFormulas
    from flopsheet.sheets.cell import Cell

FIRST = 3  # the first column with a figure, behind key, name and vendor
OTHER_NAME = "It is not in the list. The sheet {} has other names that are taken too."
FROM_RECORD = "from the record of {}"
MISSING = "NA()"


class Records:
    """The records of the kinds that answers to one question use; each kind has a sheet."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._questions = [answer.question for answer in answers]
        parts = self._questions[0].sheet.parts
        self._kinds = {name: parts[name].kind for question in self._questions for name in question.records}
        self._columns: dict[str, dict[str, Cell]] = {kind: {} for kind in self._kinds.values()}
        for cell in (cell for answer in answers for cell in figures_of(answer)):
            self._columns[self._kinds[cell.part]].setdefault(cell.figure, cell)
        self._rows = {kind: self._listed(kind) for kind in self._columns}
        self._aliases = {
            kind: [(alias, own.key) for own in rows for alias in own.aliases] for kind, rows in self._rows.items()
        }

    def _listed(self, kind: str) -> list[Record]:
        pairs = (pair for question in self._questions for pair in question.records.items())
        own = {record.key: record for name, record in pairs if self._kinds[name] == kind}
        every = {**{key: record.at(self._questions[0].figures) for key, record in records(kind).items()}, **own}
        return sorted(every.values(), key=lambda record: (record.vendor.casefold(), record.key))

    def owner(self, question: Question, name: str) -> str:
        """Return the part whose record names that of a part, or an empty text: the system of a chip."""
        part = question.sheet.parts[name]
        if part.of not in question.records or part.kind not in self._columns:
            return ""
        key = KINDS[self._kinds[part.of]].key_of(part.kind)
        return part.of if question.records[part.of].references.get(key) == question.records[name].key else ""

    def meaning(self, question: Question, name: str) -> str:
        """Return what a part is, and the name of its record."""
        doc, record = question.sheet.parts[name].doc, question.records[name]
        return f"{doc}: {record.name}" if doc else record.name

    def live_meaning(self, question: Question, name: str, names: Mapping[str, str]) -> str:
        """Return the same as a formula, without its `=`, for the record that is picked."""
        doc, found = question.sheet.parts[name].doc, self._found(self._kinds[name], 1, names[name])[1:]
        return f"{quoted(f'{doc}: ')}&{found}" if doc else found

    def origin(self, question: Question, name: str) -> str:
        """Return where the record of a part comes from."""
        owner = self.owner(question, name)
        return FROM_RECORD.format(owner) if owner else "given"

    def write_key(self, writer: SheetWriter, at: int, question: Question, name: str, names: Mapping[str, str]) -> None:
        """Write the key of a record into a column of the current row, to be picked from those of its sheet."""
        key, owner = question.records[name].key, self.owner(question, name)
        if owner:
            kind = self._kinds[owner]
            column = FIRST + len(self._columns[kind]) + self._references(kind).index(name)
            writer.formula(at, self._found(kind, column, names[owner]), key)
        else:
            writer.text(at, key, "choice")
            kind = self._kinds[name]
            writer.options(
                at, f"={self._range(kind, 0)}", OTHER_NAME.format(title(kind)) if self._aliases[kind] else ""
            )

    def lookup(self, cell: Cell, names: Mapping[str, str]) -> str | None:
        """Return the place of a figure in the record that is picked, empty where it has none; None without a column."""
        kind = self._kinds[cell.part]
        columns = self._columns[kind]
        if cell.figure not in columns or columns[cell.figure].unit != cell.unit:
            return None
        return self._found(kind, FIRST + [*columns].index(cell.figure), names[cell.part])[1:]

    def _found(self, kind: str, column: int, name: str) -> str:
        """Return the formula of what the record has in a column whose key, or one of its other names, is in a place."""
        key, others = name, self._aliases[kind]
        if others:
            key = f"IFERROR(VLOOKUP({name},{self._other_names(kind)},2,FALSE),{name})"
        return f"=INDEX({self._range(kind, column)},MATCH({key},{self._range(kind, 0)},0))"

    def _other_names(self, kind: str) -> str:
        """Return the range of the other names of records, each beside the key."""
        first, last = map(column_name, (self._width(kind), self._width(kind) + 1))
        return f"{title(kind)}!${first}$2:${last}${len(self._aliases[kind]) + 1}"

    def _width(self, kind: str) -> int:
        """Return how many columns a sheet has before the other names."""
        return FIRST + len(self._columns[kind]) + len(self._references(kind))

    def _range(self, kind: str, column: int) -> str:
        letters, last = column_name(column), len(self._rows[kind]) + 1
        return f"{title(kind)}!${letters}$2:${letters}${last}"

    def _references(self, kind: str) -> list[str]:
        """Return the parts whose records those of a kind name."""
        pairs = ((question, name) for question in self._questions for name in question.records)
        owned = {name for question, name in pairs if self._kinds.get(self.owner(question, name)) == kind}
        return [name for name in self._kinds if name in owned]

    def write(self, book: Workbook) -> None:
        """Write a sheet for each kind."""
        for kind, rows in self._rows.items():
            columns, references, width = self._columns[kind], self._references(kind), self._width(kind)
            writer = SheetWriter(book, title(kind), (28, 34, 16, *(16,) * (width - FIRST), 28, 28))
            heads = [headed(figure, cell.unit.text) for figure, cell in columns.items()]
            heads += [*references, *(("other name", f"{kind} of that name") if self._aliases[kind] else ())]
            numbers = range(FIRST, FIRST + len(columns))
            writer.head(kind, "name", KINDS[kind].maker, *heads, numbers=numbers)
            writer.freeze()
            for record in rows:
                self._record(writer, kind, record)
            for column, cell in enumerate(columns.values(), FIRST):
                writer.count(column, cell.unit.text, len(rows))
            for writer.line, names in enumerate(self._aliases[kind], 1):
                for column, name in enumerate(names, width):
                    writer.text(column, name, "plain")
            writer.sheet.autofilter(0, 0, len(rows), width - 1)

    def _record(self, writer: SheetWriter, kind: str, record: Record) -> None:
        columns, references = self._columns[kind], self._references(kind)
        writer.row(record.key, record.name, record.vendor)
        for column, (figure, cell) in enumerate(columns.items(), FIRST):
            if figure in record.values:
                writer.number(column, in_unit(record.values[figure].si, cell.unit), "computed")
        for column, name in enumerate(references, FIRST + len(columns)):
            key = KINDS[kind].key_of(self._kinds[name])
            writer.text(column, record.references.get(key, ""))


def title(kind: str) -> str:
    """Return the name of the sheet of a kind: `chips`."""
    return f"{kind}s"


def figures_of(answer: Answer) -> Iterator[Cell]:
    """Yield the figures of the records of an answer that give a cell of it, or would if they had them."""
    cells, records = answer.question.sheet.cells, answer.question.records
    for name in answer.cells:
        ways = (name, *(own for formula in cells[name].inferred for own in sorted(cells_of(formula))))
        yield from (cells[own] for own in ways if own in cells and cells[own].part in records)


def chosen_ways(answer: Answer, records: Records, formulas: ExcelFormulas) -> dict[str, str]:
    """Return the formulas of the cells of an answer that picked records give, each in all ways, by cell.

    Args:
        answer: the answer.
        records: the sheets of records.
        formulas: writes expressions, over the rows of cells.
    """
    structure, question = answer.system.structure, answer.question
    texts: dict[str, str] = {}
    for name, value in answer.cells.items():
        is_inferred = name in structure.of_cell and structure.of_cell[name] == f"inferred {name}"
        stated = name in question.pins or name in answer.outcomes or name in answer.dropped_defaults
        if stated or not (is_inferred or value.origin in ("record", "default")):
            continue
        ways = [*_ways(value.cell, answer, records, formulas)]
        if any(test for test, _ in ways):
            last = MISSING
            for test, text in reversed(ways):
                last = f"IF({test},{text},{last})" if test else text
            texts[name] = f"={last}"
    return texts


def _ways(cell: Cell, answer: Answer, records: Records, formulas: ExcelFormulas) -> Iterator[tuple[str, str]]:
    """Yield what gives a cell, each with the test that the picked records have it; no test where nothing is needed."""
    cells, known = answer.question.sheet.cells, answer.question.records
    found = records.lookup(cell, formulas.names) if cell.part in known else None
    if found is not None:
        yield f'{found}<>""', found
    for formula in cell.inferred:
        figures = [cells[name] for name in sorted(cells_of(formula)) if name in cells and cells[name].part]
        places = {own.name: records.lookup(own, formulas.names) for own in figures if own.part in known}
        if all(places.get(own.name) or own.name in formulas.names for own in figures):
            there = {name: place for name, place in places.items() if place is not None}
            yield _all_there(there.values()), _written(formula, cell, formulas, there, figures)
    if cell.default is not None:
        yield "", repr(float(in_unit(cell.default, cell.unit)))


def _all_there(places: Iterable[str]) -> str:
    tests = [f'{place}<>""' for place in places]
    return f"AND({','.join(tests)})" if len(tests) > 1 else "".join(tests)


def _written(
    formula: Expr, cell: Cell, formulas: ExcelFormulas, places: Mapping[str, str], figures: Sequence[Cell]
) -> str:
    text = formulas.beside(places, {own.name: own.unit for own in figures}).formula(formula, cell.unit)
    return MISSING if text is None else text[1:]
