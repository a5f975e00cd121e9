"""Lists of records: filtered, sorted, side by side."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from flopsheet.errors import ArithmeticTrapError, QuestionError, find
from flopsheet.report.grid import Grid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.registry.fields import RecordType
    from flopsheet.registry.records import Record, Value
    from flopsheet.units import Number

MOST_CONDITIONS = 50
ABOUT = ("key", "name", "vendor", "released", "pack")
_TEXTUAL = re.compile(r"\s*([A-Za-z_.]+)\s*(<=|>=|=|<|>)\s*(.+?)\s*")
_COMPARE: dict[str, Callable[[str, str], bool]] = {
    "=": lambda left, right: left.casefold() == right.casefold(),
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}


def label(record: Record, name: str) -> str | None:
    """Return a text of a record: who makes it, when, or one of its labels; None if there is no such text."""
    if name == "operator":
        name = "vendor"
    found = str(getattr(record, name)) if name in ABOUT else record.labels.get(name, record.references.get(name))
    return found or None


def texts_of(kind: RecordType) -> list[str]:
    """Return the names of all texts that records of a kind may have."""
    return [*ABOUT, kind.maker, *kind.labels, *kind.references]


def chosen(records: Iterable[Record], kind: RecordType, where: str) -> list[Record]:
    """Return the records that meet conditions joined by `and`: `memory >= 80 GB and vendor = NVIDIA`.

    A record that lacks a figure of a condition does not meet it.

    Raises:
        FlopsheetError: a condition is no relation over the figures and texts of the kind.
    """
    if other := re.search(r"\b(or|OR|AND|not)\b|!=", where):
        fix = "Conditions are joined by 'and', and each is a relation with =, <=, >=, < or >."
        raise QuestionError("conditions", f"'{other[0]}' is not read here.", fix)
    texts = re.split(r"\band\b", where) if where.strip() else []
    if len(texts) > MOST_CONDITIONS:
        raise QuestionError("conditions", f"There are {len(texts):,} of them, more than {MOST_CONDITIONS}.")
    conditions = [_condition(text, kind) for text in texts]
    return [each for each in records if all(meets(each) for meets in conditions)]


def _condition(text: str, kind: RecordType) -> Callable[[Record], bool]:
    match = _TEXTUAL.fullmatch(text)
    if match and match[1] in texts_of(kind):
        name, sign, wanted = match[1], match[2], match[3].strip("'\"")
        return lambda record: (found := label(record, name)) is not None and _COMPARE[sign](found, wanted)
    return _numeric(text, kind)


def _numeric(text: str, kind: RecordType) -> Callable[[Record], bool]:
    from flopsheet.formulas.dimensions import UnitCheck
    from flopsheet.formulas.evaluate import evaluate
    from flopsheet.formulas.parser import parse_relation, shortened

    where = f"condition '{shortened(text.strip())}'"
    relation = parse_relation(text.strip(), [*kind.all_fields, *texts_of(kind)], where)
    for name in sorted(relation.cells & set(texts_of(kind))):
        raise QuestionError(where, f"'{name}' is a text.", f"Write {name} = TEXT.")
    dimensions = {name: each.unit.dimension for name, each in kind.all_fields.items()}
    literals = {name: quantity.dimension for name, quantity in relation.literals.items()}
    UnitCheck({**dimensions, **literals}, where).sides(relation.left, relation.right)
    fixed = {name: quantity.si for name, quantity in relation.literals.items()}

    def meets(record: Record) -> bool:
        if not relation.cells <= record.values.keys():
            return False
        values: dict[str, Any] = {**fixed, **{name: record.values[name].si for name in relation.cells}}
        try:
            return relation.holds(evaluate(relation.left, values), evaluate(relation.right, values))
        except ArithmeticTrapError:
            return False

    return meets


def sorted_by(records: Iterable[Record], kind: RecordType, by: str) -> list[Record]:
    """Return records sorted by a figure, the largest first, or by a text; `-NAME` turns the order round.

    Records without it come last.

    Raises:
        UnknownNameError: the kind has no such figure or text.
    """
    name = by.removeprefix("-")
    find(name, [*kind.all_fields, *texts_of(kind)], "field", f"{kind.kind}s")
    numeric = name in kind.all_fields
    known: list[tuple[Any, Record]] = []
    unknown: list[Record] = []
    for each in records:
        key: Number | str | None = each.values[name].si if name in each.values else None
        key = key if numeric else label(each, name)
        known.append((key, each)) if key is not None else unknown.append(each)
    known.sort(key=lambda pair: pair[0], reverse=numeric != by.startswith("-"))
    return [each for _, each in known] + unknown


def listing(records: Iterable[Record], kind: RecordType, columns: Sequence[str] = ()) -> Grid:
    """Return a table of records: name, full name, and columns, which are the main figures unless said.

    Raises:
        UnknownNameError: the kind has no such column.
    """
    shown = list(columns) or list(kind.listed)
    for name in columns:
        find(name, [*kind.all_fields, *texts_of(kind)], "field", f"{kind.kind}s")
    rows = [[each.key, each.name, *(_cell(each, name, kind) for name in shown)] for each in records]
    return Grid(["name", "full name", *shown], rows)


def numbers(records: Iterable[Record], kind: RecordType, columns: Sequence[str] = ()) -> Grid:
    """Return the same table for a spreadsheet: units in the head, plain numbers below, nothing where nobody knows."""
    found = list(records)
    head, rows = ["name", "full name"], [[each.key, each.name] for each in found]
    for name in columns or kind.listed:
        unit = kind.all_fields[name].unit if name in kind.all_fields else None
        head.append(f"{name} [{unit.text}]" if unit is not None and unit.text else name)
        for row, each in zip(rows, found, strict=True):
            value = each.values.get(name)
            number = "" if value is None or unit is None else repr(float(value.si / unit.factor))
            row.append(number.removesuffix(".0") if unit is not None else label(each, name) or "")
    return Grid(head, rows)


def _cell(record: Record, name: str, kind: RecordType) -> str:
    if name in kind.all_fields:
        return _shown(record.values.get(name))
    return label(record, name) or "-"


def _shown(value: Value | None) -> str:
    return "-" if value is None else value.shown + ("" if value.verified else " (?)")


def legend(grid: Grid) -> str:
    """Return what the marks in a table mean, or an empty text."""
    marked = any("(?)" in cell for row in grid.rows for cell in row)
    return "(?): nobody has read this figure in its source.\n" if marked else ""


def comparison(records: Sequence[Record], kind: RecordType) -> Grid:
    """Return records side by side: a row for each figure or text that one of them has, with ratios to the first."""
    rows = [[name, *(label(each, name) or "-" for each in records)] for name in ("name", "vendor", "released")]
    rows += [
        [name, *(label(each, name) or "-" for each in records)]
        for name in (*kind.references, *kind.labels)
        if any(label(each, name) for each in records)
    ]
    for name in kind.all_fields:
        values = [each.values.get(name) for each in records]
        if any(values):
            rows.append([name, *(_with_ratio(each, values[0]) for each in values)])
    return Grid(["", *(each.key for each in records)], rows)


def _with_ratio(value: Value | None, first: Value | None) -> str:
    from flopsheet.units import format_number

    shown = _shown(value)
    if value is None or first is None or value is first or first.si in (0, value.si):
        return shown
    return f"{shown} ({format_number(value.si / first.si)}x)"


def as_list(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return records as plain data for JSON: every figure with source, place and whether it is verified."""
    return [_plain(each) for each in records]


def _plain(record: Record) -> dict[str, Any]:
    about = {"key": record.key, "kind": record.kind, "name": record.name, "vendor": record.vendor}
    about |= {"released": record.released, "note": record.note, "pack": record.pack, "extends": record.extends}
    place = {"file": record.spot.file, "line": record.spot.line}
    lists = {"aliases": list(record.aliases), "sources": list(record.sources)}
    named = {"labels": record.labels, "references": record.references}
    figures = {name: _figure(value) for name, value in record.values.items()}
    return {**about, **place, **lists, **named, "values": figures}


def _figure(value: Value) -> dict[str, Any]:
    shown = {"text": value.text, "si": float(value.si), "source": list(value.sources), "verified": value.verified}
    shown |= {"record": value.record} if value.record else {}
    return {**shown, "note": value.note, "file": value.spot.file, "line": value.spot.line}
