"""Lists of records: as a table, and for a spreadsheet, with the conventions that their figures follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import find
from flopsheet.report.records import BOTH_WAYS, UNVERIFIED, columns_of, figure, label, texts_of, value_text
from flopsheet.report.tables import Grid
from flopsheet.units import in_unit, machine_number
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.registry.records import Record, RecordType

_LABEL = ".label"  # behind the name of a figure: the vendor's words
_VENDORS = ("sparse", BOTH_WAYS)  # versions of a figure that vendors print


def listing(records: Iterable[Record], kind: RecordType, columns: Sequence[str] = ()) -> Grid:
    """Return a table of records: name, full name, and the columns; the main figures by default.

    Raises:
        UnknownNameError: the kind has no such column.
    """
    names, fields = _columns(kind, columns), columns_of(kind)

    def cell(record: Record, name: str) -> str:
        return value_text(figure(record, name)) if name in fields else _text(record, name) or "-"

    rows = [[record.key, record.name, *(cell(record, name) for name in names)] for record in records]
    return Grid(["name", "full name", *names], rows, ("full name",))


def numbers(records: Iterable[Record], kind: RecordType, columns: Sequence[str] = ()) -> Grid:
    """Return the same table for a spreadsheet: units in the head, plain numbers below, empty where unknown.

    Two columns follow: the figures of the row that nobody has verified, and the conventions, the same in each row, so
    that the file stays a plain table.
    """
    names, fields = _columns(kind, columns), columns_of(kind)
    units = {name: fields[name].unit if name in fields else None for name in names}
    head = [headed(name, "" if unit is None else unit.text) for name, unit in units.items()]

    def cell(record: Record, name: str) -> str:
        unit, value = units[name], figure(record, name) if name in fields else None
        if unit is None:
            return _text(record, name) or ""
        return "" if value is None else repr(machine_number(in_unit(value.si, unit))).removesuffix(".0")

    def unverified(record: Record) -> str:
        values = {name: figure(record, name) for name in names if name in fields}
        return ", ".join(name for name, value in values.items() if value is not None and not value.verified)

    about = conventions(kind, names)
    rows = [
        [record.key, record.name, *(cell(record, name) for name in names), unverified(record), about]
        for record in records
    ]
    return Grid(["name", "full name", *head, f"unverified {UNVERIFIED}", "conventions"], rows)


def as_vendors_print(kind: RecordType, columns: Sequence[str] = ()) -> list[str]:
    """Return columns, each with those beside it that show the figure as vendors print it."""
    fields, names = columns_of(kind), _columns(kind, columns)
    beside = {name: [f"{name}.{version}" for version in _VENDORS if f"{name}.{version}" in fields] for name in names}
    beside |= {name: [f"{name}{_LABEL}"] for name in names if name == "memory"}
    return [column for name in names for column in (name, *beside[name])]


def conventions(kind: RecordType, columns: Sequence[str]) -> str:
    """Return the conventions that the figures of columns follow, as one text."""
    texts = {
        name: text
        for name, text in kind.conventions.items()
        if any(column == name or column.startswith(f"{name}.") for column in columns)
    }
    return "; ".join(f"{name}: {text}" for name, text in texts.items())


def legend(grid: Grid, kind: RecordType) -> str:
    """Return the lines below a table of records: the meaning of its marks, and the conventions of its figures."""
    marked = any(UNVERIFIED in cell for row in grid.rows for cell in row)
    names = [name.partition(",")[0] for name in (*grid.head, *(row[0] for row in grid.rows))]
    about = conventions(kind, names)
    lines = [f"{UNVERIFIED}: this figure has not been verified in its source."] if marked else []
    return "".join(f"{line}\n" for line in (*lines, *([f"Conventions: {about}."] if about else ())))


def _text(record: Record, name: str) -> str:
    """Return a text of a record, or the vendor's words for a figure; empty where it has none."""
    if not name.endswith(_LABEL):
        return label(record, name) or ""
    value = record.values.get(name.removesuffix(_LABEL))
    return "" if value is None else value.label


def _columns(kind: RecordType, names: Sequence[str]) -> list[str]:
    """Return the columns of a table of records, the main figures where none is named, once all are known."""
    known = [*columns_of(kind), *texts_of(kind), *(f"{name}{_LABEL}" for name in kind.all_fields)]
    for name in names:
        find(name, known, "field", f"{kind.kind}s")
    return list(names) or list(kind.columns)
