"""Sheets of records: the registry's chips with the figures that a model uses, picked from a list in the sheet Model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.registry.kinds import KINDS
from flopsheet.registry.store import records
from flopsheet.report.workbook.writer import SheetWriter, column_name
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xlsxwriter import Workbook

    from flopsheet.answer.answer import Answer, CellValue
    from flopsheet.registry.records import Record

FIRST = 3  # the first column with a figure, behind key, name and vendor
FROM_RECORD = "from the record of {}"


class _Column(NamedTuple):
    """A column of figures."""

    figure: str
    unit: str


class Records:
    """The records of the kinds that an answer uses; each kind has a sheet."""

    def __init__(self, answer: Answer) -> None:
        self._answer, question = answer, answer.question
        self._kinds = {name: question.sheet.parts[name].kind for name in question.records}
        self._columns: dict[str, dict[str, CellValue]] = {kind: {} for kind in self._kinds.values()}
        for value in answer.cells.values():
            if value.record is not None and value.figure is not None:
                self._columns[self._kinds[value.cell.part]].setdefault(value.cell.figure, value)
        self._rows = {kind: self._listed(kind) for kind in self._columns}

    def _listed(self, kind: str) -> list[Record]:
        question = self._answer.question
        own = {record.key: record for name, record in question.records.items() if self._kinds[name] == kind}
        every = {**{key: record.at(question.figures) for key, record in records(kind).items()}, **own}
        return sorted(every.values(), key=lambda record: (record.vendor.casefold(), record.key))

    def _owner(self, name: str) -> str:
        """Return the part whose record names that of a part, or an empty text: the system of a chip."""
        question, part = self._answer.question, self._answer.question.sheet.parts[name]
        if part.of not in question.records or part.kind not in self._columns:
            return ""
        key = KINDS[self._kinds[part.of]].key_of(part.kind)
        return part.of if question.records[part.of].references.get(key) == question.records[name].key else ""

    def row(self, writer: SheetWriter, name: str, names: Mapping[str, str]) -> None:
        """Write the row of a record: its key, to be picked from those of its sheet."""
        record, owner, part = self._answer.question.records[name], self._owner(name), name
        doc = self._answer.question.sheet.parts[part].doc
        writer.row(name, "", "", "", f"{doc}: {record.name}" if doc else record.name, "", "")
        if owner:
            writer.text(6, FROM_RECORD.format(owner))
            kind = self._kinds[owner]
            column = FIRST + len(self._columns[kind]) + self._references(kind).index(name)
            writer.formula(1, self._found(kind, column, names[owner]), record.key)
        else:
            writer.text(6, "given")
            writer.text(1, record.key, "choice")
            writer.options(1, f"={self._range(self._kinds[name], 0)}")

    def lookup(self, value: CellValue, names: Mapping[str, str]) -> str | None:
        """Return the formula of a figure: that of the record which is picked, #N/A where it has none."""
        kind = self._kinds[value.cell.part]
        columns = self._columns[kind]
        if value.cell.figure not in columns or columns[value.cell.figure].cell.unit != value.cell.unit:
            return None
        column = FIRST + [*columns].index(value.cell.figure)
        found = self._found(kind, column, names[value.cell.part])[1:]
        return f'=IF({found}="",NA(),{found})'

    def _found(self, kind: str, column: int, name: str) -> str:
        return f"=INDEX({self._range(kind, column)},MATCH({name},{self._range(kind, 0)},0))"

    def _range(self, kind: str, column: int) -> str:
        letters, last = column_name(column), len(self._rows[kind]) + 1
        return f"{title(kind)}!${letters}$2:${letters}${last}"

    def _references(self, kind: str) -> list[str]:
        """Return the parts whose records those of a kind name."""
        return [name for name in self._kinds if self._owner(name) and self._kinds[self._owner(name)] == kind]

    def write(self, book: Workbook) -> None:
        """Write a sheet for each kind."""
        for kind, rows in self._rows.items():
            columns, references = self._columns[kind], self._references(kind)
            width = len(columns) + len(references)
            writer = SheetWriter(book, title(kind), (28, 34, 16, *(16,) * width))
            heads = [
                f"{figure} [{value.cell.unit.text}]" if value.cell.unit.text else figure
                for figure, value in columns.items()
            ]
            writer.head(kind, "name", KINDS[kind].maker, *heads, *references)
            writer.freeze()
            for record in rows:
                self._record(writer, kind, record)
            writer.sheet.autofilter(0, 0, len(rows), FIRST + width - 1)

    def _record(self, writer: SheetWriter, kind: str, record: Record) -> None:
        columns, references = self._columns[kind], self._references(kind)
        writer.row(record.key, record.name, record.vendor)
        for column, (figure, value) in enumerate(columns.items(), FIRST):
            if figure in record.values:
                writer.number(column, in_unit(record.values[figure].si, value.cell.unit), "computed")
        for column, name in enumerate(references, FIRST + len(columns)):
            key = KINDS[kind].key_of(self._kinds[name])
            writer.text(column, record.references.get(key, ""))


def title(kind: str) -> str:
    """Return the name of the sheet of a kind: `chips`."""
    return f"{kind}s"
