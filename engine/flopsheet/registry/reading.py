"""Reads records from strict YAML, and reports all mistakes of a file at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError, refuse_all
from flopsheet.registry.reader import Reader
from flopsheet.registry.records import KEY, Record, Value
from flopsheet.registry.strict_yaml import Mapping, Node

if TYPE_CHECKING:
    from flopsheet.registry.records import Field, RecordType
    from flopsheet.units import Quantity

MOST_MISTAKES = 100  # reading stops after so many
_ABOUT = ("name", "released", "aliases", "source", "note", "extends", "override")


def read_records(
    node: Node, record_type: RecordType, pack: str = "", problems: list[RegistryError] | None = None
) -> list[Record]:
    """Return the records of a file.

    Args:
        node: the content of the file.
        record_type: the kind of its records.
        pack: name of the pack that it belongs to.
        problems: the mistakes in the file so far; more are added.

    Raises:
        RegistryError: a record breaks a rule; the message names file, line, column and key path.
    """
    errors: list[RegistryError] = [] if problems is None else problems
    records: list[Record] = []
    try:
        reader = Reader(node, problems=errors)
    except RegistryError as error:
        errors.append(error)
    else:
        for key, spot in reader.node.keys.items():
            try:
                check_key(key, f"{spot}, key '{key[:64]}'")
                inner = reader.inner(key)
            except RegistryError as error:
                errors.append(error)
            else:
                records.append(_RecordReader(inner, record_type).record(key, pack))
            if len(errors) > MOST_MISTAKES:
                break
    refuse_all(node.spot.file, errors)
    return records


def check_key(key: str, where: str) -> None:
    """Reject a text that cannot be the name of a record.

    Raises:
        RegistryError: it cannot.
    """
    if not re.fullmatch(KEY, key):
        fix = "Write small letters, digits, '-', '_' and '.', at most 64 of them."
        raise RegistryError(where, "This cannot be the name of a record.", fix)


class _RecordReader:
    """Reads one record."""

    def __init__(self, reader: Reader, record_type: RecordType) -> None:
        self.reader, self.type = reader, record_type
        self.names = [*(field.name for field in record_type.fields), *record_type.labels]
        self.groups = list(dict.fromkeys(name.partition(".")[0] for name in self.names))
        self.sources: tuple[str, ...] = ()

    def record(self, key: str, pack: str) -> Record:
        """Return the record; mistakes go to the reader."""
        reader, kind = self.reader, self.type
        extends = self._text("extends")
        required = [] if extends else kind.required
        reader.check_keys([*_ABOUT, kind.maker, *kind.references, *self.groups], required)
        self.sources = self._texts("source")
        labels: dict[str, str] = {}
        values: dict[str, Value] = {}
        for group in filter(reader.has, self.groups):
            self._read_group(group, labels, values)
        if extends and not all(value.sources for value in values.values()):
            reader.check_keys(reader.node.keys, ["source"])
        return Record(
            key=key,
            kind=kind.kind,
            name=self._text("name"),
            vendor=self._text(kind.maker),
            released=reader.recover(lambda: reader.date("released"), ""),
            aliases=self._texts("aliases"),
            sources=self.sources,
            note=self._text("note"),
            labels=labels,
            values=values,
            references={name: self._text(name) for name in kind.references if reader.has(name)},
            extends=extends,
            override=reader.recover(lambda: reader.flag("override", default=False), False),
            pack=pack,
            spot=reader.node.spot,
        )

    def _text(self, key: str) -> str:
        return self.reader.recover(lambda: self.reader.text(key), "")

    def _texts(self, key: str) -> tuple[str, ...]:
        return self.reader.recover(lambda: self.reader.texts(key), ())

    def _read_group(self, group: str, labels: dict[str, str], values: dict[str, Value]) -> None:
        holder, prefix = self._holder(group)
        if holder is None:
            return
        inside = [name.removeprefix(prefix) for name in self.names if name.startswith(prefix)]
        if prefix:
            holder.check_keys(inside)
            if not holder.node.items:
                place = self.reader.place(group)
                self.reader.recover(lambda: _refuse_empty(place), None)
        for name in self.type.labels:
            inner = name.removeprefix(prefix)
            if name.startswith(prefix) and (prefix or name == group) and holder.has(inner):
                labels[name] = ", ".join(holder.recover(lambda inner=inner: holder.texts(inner), ()))  # type: ignore[misc]
        for field in self.type.fields:
            inner = field.name.removeprefix(prefix)
            if (field.name == group or (prefix and field.name.startswith(prefix))) and holder.has(inner):
                value = holder.recover(lambda inner=inner, field=field: self._value(holder, inner, field), None)  # type: ignore[misc]
                if value is not None:
                    values[field.name] = value

    def _holder(self, group: str) -> tuple[Reader | None, str]:
        """Return the mapping with the fields of a group, and the prefix of their names."""
        if group in self.names:
            return self.reader, ""
        return self.reader.recover(lambda: self.reader.inner(group), None), f"{group}."

    def _value(self, holder: Reader, name: str, expected: Field) -> Value:
        node = holder.node.items[name]
        sources, note, verified = self.sources, "", True
        if isinstance(node, Mapping):
            inner = holder.inner(name)
            inner.check_keys(("value", "source", "note", "verified"), ("value",))
            if not inner.has("value"):
                raise RegistryError(inner.place_here(), "It has no 'value'.", "Add 'value: ...'.")
            quantity = inner.quantity("value", expected.unit)
            sources, note = inner.texts("source") or sources, inner.text("note")
            verified, text = inner.flag("verified", default=True), inner.text("value")
        else:
            quantity, text = holder.quantity(name, expected.unit), holder.text(name)
        if not _makes_sense(quantity, expected):
            what = "a positive whole number" if expected.integer else "positive"
            what = f"between {expected.between[0]} and {expected.between[1]}" if expected.between else what
            raise RegistryError(holder.place(name), f"'{quantity}' is not {what}.", f"It means: {expected.doc}.")
        return Value(text, quantity, sources, note, verified, node.spot)


def _refuse_empty(place: str) -> None:
    raise RegistryError(place, "It is empty.", "Add a figure, or leave it out.")


def _makes_sense(quantity: Quantity, expected: Field) -> bool:
    whole = not expected.integer or quantity.value == int(quantity.value)
    if expected.between is not None:
        return expected.between[0] <= quantity.si <= expected.between[1] and whole
    return quantity.value > 0 and whole
