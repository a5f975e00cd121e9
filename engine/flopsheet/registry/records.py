"""Kinds of records, and records: named figures, each with its place and source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError
from flopsheet.registry.reader import Reader
from flopsheet.registry.strict_yaml import Mapping, Node, Spot
from flopsheet.units import Quantity, Unit, unit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Mapping as AbstractMapping

NOWHERE = Spot("", 0, 0)
_ABOUT = ("name", "vendor", "released", "aliases", "source", "note")


@dataclass(frozen=True)
class Field:
    """A numeric field of a kind of records.

    Args:
        name: dotted name: `memory`, `flops.bf16`.
        unit: unit in which it is shown.
        doc: what it means, with its convention.
        latex: LaTeX symbol.
        integer: whether only whole numbers make sense.
        between: smallest and largest value in base units of a figure that may be negative; None for a positive one.
    """

    name: str
    unit: Unit
    doc: str
    latex: str = ""
    integer: bool = False
    between: tuple[int, int] | None = None


@dataclass(frozen=True)
class RecordType:
    """A kind of records, e.g. all chips.

    Args:
        kind: its name, `chip`.
        folder: where its files lie inside `hardware/`.
        fields: the numeric fields.
        labels: text fields inside groups, as `link.name`.
        required: what each record must have.
        listed: the figures that a list of records shows.
    """

    kind: str
    folder: str
    fields: tuple[Field, ...]
    labels: tuple[str, ...] = ()
    required: tuple[str, ...] = ("name", "source")
    listed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Value:
    """A figure of a record.

    Args:
        quantity: the figure as printed.
        source: key of its source, the record's own unless said otherwise.
        note: what to know about it.
        verified: whether somebody read it in the source.
        spot: file and line.
    """

    quantity: Quantity
    source: str
    note: str
    verified: bool
    spot: Spot


@dataclass(frozen=True)
class Record:
    """One registry entry.

    Args:
        key: its name on the command line, `h100-sxm`.
        kind: its kind, `chip`.
        name: its full name.
        vendor: who makes it.
        released: date, or empty.
        aliases: other names on the command line.
        source: key of the source of figures that name none.
        note: what to know about it.
        labels: text fields inside groups.
        values: the figures by field name.
        spot: file and line.
    """

    key: str
    kind: str
    name: str
    vendor: str
    released: str
    aliases: tuple[str, ...]
    source: str
    note: str
    labels: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    spot: Spot = NOWHERE


def read_records(node: Node, record_type: RecordType) -> list[Record]:
    """Return the records of a file.

    Raises:
        RegistryError: a record breaks a rule; the message names file, line, column and key path.
    """
    reader = Reader(node)
    return [_record(key, reader.inner(key), record_type) for key in reader.node.items]


def _record(key: str, reader: Reader, record_type: RecordType) -> Record:
    groups = list(dict.fromkeys(name.partition(".")[0] for name in _names(record_type)))
    reader.check_keys([*_ABOUT, *groups], record_type.required)
    source = reader.text("source")
    labels: dict[str, str] = {}
    values: dict[str, Value] = {}
    for group in filter(reader.has, groups):
        holder, prefix = (reader, "") if group in _names(record_type) else (reader.inner(group), f"{group}.")
        if prefix:
            holder.check_keys(name.removeprefix(prefix) for name in _names(record_type) if name.startswith(prefix))
            if not holder.node.items:
                raise RegistryError(reader.place(group), "There is nothing in it.", "Add a figure, or leave it out.")
        for name in record_type.labels:
            if prefix and name.startswith(prefix) and holder.has(name.removeprefix(prefix)):
                labels[name] = holder.text(name.removeprefix(prefix))
        for each in record_type.fields:
            inner = each.name.removeprefix(prefix)
            if each.name.partition(".")[0] == group and holder.has(inner):
                values[each.name] = _value(holder, inner, each, source)
    return Record(
        key=key,
        kind=record_type.kind,
        name=reader.text("name"),
        vendor=reader.text("vendor"),
        released=reader.date("released"),
        aliases=reader.texts("aliases"),
        source=source,
        note=reader.text("note"),
        labels=labels,
        values=values,
        spot=reader.node.spot,
    )


def _names(record_type: RecordType) -> Iterable[str]:
    return [*(each.name for each in record_type.fields), *record_type.labels]


def _value(holder: Reader, name: str, expected: Field, source: str) -> Value:
    node = holder.node.items[name]
    if isinstance(node, Mapping):
        inner = holder.inner(name)
        inner.check_keys(("value", "source", "note", "verified"), ("value",))
        quantity = inner.quantity("value", expected.unit)
        source, note = inner.text("source", source), inner.text("note")
        verified = inner.flag("verified", default=True)
    else:
        quantity, note, verified = holder.quantity(name, expected.unit), "", True
    if not _makes_sense(quantity, expected):
        what = "a positive whole number" if expected.integer else "positive"
        what = f"between {expected.between[0]} and {expected.between[1]}" if expected.between else what
        raise RegistryError(holder.place(name), f"'{quantity}' is not {what}.", f"It means: {expected.doc}.")
    return Value(quantity, source, note, verified, node.spot)


def _makes_sense(quantity: Quantity, expected: Field) -> bool:
    if expected.between is not None:
        return expected.between[0] <= quantity.si <= expected.between[1]
    return quantity.value > 0 and (not expected.integer or quantity.value == int(quantity.value))


def fields(
    *rows: tuple[str, str, str, str], between: AbstractMapping[str, tuple[int, int]] | None = None
) -> tuple[Field, ...]:
    """Return fields from rows of name, unit (`count` for whole numbers), LaTeX symbol and meaning.

    Args:
        rows: the rows.
        between: smallest and largest value of fields that may be zero or negative, in base units.
    """
    spans = between or {}
    return tuple(
        Field(name, unit("" if shown == "count" else shown), doc, latex, shown == "count", spans.get(name))
        for name, shown, latex, doc in rows
    )
