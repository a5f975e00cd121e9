"""Reads records from strict YAML, and reports all mistakes of a file at once."""

from __future__ import annotations

import re
from datetime import date

from flopsheet.errors import RegistryError, joined, refuse_all, suggest
from flopsheet.registry.figures import read_figure
from flopsheet.registry.records import KEY, Record, RecordType, Value
from flopsheet.registry.strict_yaml import Node, Reader

DATE = r"\d{4}(-\d{2}(-\d{2})?)?"
MOST_MISTAKES = 100  # reading stops after so many
_ABOUT = ("name", "released", "aliases", "source", "note", "extends", "override")


def read_records(
    node: Node, record_type: RecordType, pack: str = "", problems: list[RegistryError] | None = None
) -> list[Record]:
    """Return the records of a kind in the content of a file of a pack; more mistakes are added to its problems.

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
    """Raise a RegistryError for a text that cannot be the name of a record."""
    if not re.fullmatch(KEY, key):
        fix = "Write small letters, digits, '-', '_' and '.', at most 64 of them."
        raise RegistryError(where, "This cannot be the name of a record.", fix)


class _RecordReader:
    """Reads one record."""

    def __init__(self, reader: Reader, record_type: RecordType) -> None:
        self.reader, self.type = reader, record_type
        self.fields = {field.name: field for field in record_type.fields}
        self.groups: dict[str, dict[str, str]] = {}  # names of fields and labels by group and by key in it
        for name in (*self.fields, *record_type.labels):
            group, _, key = name.partition(".")
            self.groups.setdefault(group, {})[key or group] = name
        self.sources: tuple[str, ...] = ()
        self.verified = True
        self.labels: dict[str, str] = {}
        self.values: dict[str, Value] = {}

    def record(self, key: str, pack: str) -> Record:
        """Return the record; mistakes go to the reader."""
        reader, kind = self.reader, self.type
        extends = self._text("extends")
        allowed = [*_ABOUT, kind.maker, "verified", *kind.names, *self.groups]
        reader.check_keys(allowed, () if extends else kind.required)
        self.sources = self._texts("source")
        self.verified = reader.recover(True, reader.flag, "verified", default=True)
        for group in filter(reader.has, self.groups):
            self._read_group(group)
        if extends and not all(value.sources for value in self.values.values()):
            reader.check_keys(reader.node.keys, ["source"])
        if kind.adds and not extends:
            self._check_receiver(kind.adds.kinds)
        return Record(
            key=key,
            kind=kind.kind,
            name=self._text("name"),
            vendor=self._text(kind.maker),
            released=reader.recover("", reader.date, "released"),
            aliases=reader.recover((), self._aliases),
            sources=self.sources,
            note=self._text("note"),
            labels=self.labels,
            values=self.values,
            references={name: self._text(name) for name in kind.names if reader.has(name)},
            extends=extends,
            override=reader.recover(False, reader.flag, "override", default=False),
            pack=pack,
            spot=reader.node.spot,
        )

    def _check_receiver(self, kinds: tuple[str, ...]) -> None:
        """Report a record that adds its figures to no record or to several, or that has none."""
        reader, named = self.reader, [kind for kind in kinds if self.reader.has(kind)]
        if len(named) != 1:
            problem = f"It names {joined(named)}." if named else f"It names no {joined(list(kinds), 'or')}."
            fix = f"Write one of {joined([repr(f'{kind}: ...') for kind in kinds], 'or')}."
            reader.report(RegistryError(reader.place_here(), problem, fix))
        if not any(name.partition(".")[0] in reader.node.items for name in self.fields):
            fix = f"Write one of {joined(list(self.fields), 'or')}."
            reader.report(RegistryError(reader.place_here(), "It has no figure.", fix))

    def _aliases(self) -> tuple[str, ...]:
        """Return the aliases, each of which can be the name of a record."""
        aliases = self.reader.texts("aliases")
        for alias in aliases:
            check_key(alias, f"{self.reader.place('aliases')}, alias '{alias[:64]}'")
        return aliases

    def _text(self, key: str) -> str:
        return self.reader.recover("", self.reader.text, key)

    def _texts(self, key: str) -> tuple[str, ...]:
        return self.reader.recover((), self.reader.texts, key)

    def _read_group(self, group: str) -> None:
        """Read the fields and labels of a group; alone, a name is a group of its own."""
        holder, names = self.reader, self.groups[group]
        if group not in names.values():
            inner = self.reader.recover(None, self.reader.inner, group)
            if inner is None:
                return
            holder = inner
            holder.check_keys(names)
            if not holder.node.items:
                fix = "Add a figure, or leave it out."
                self.reader.report(RegistryError(self.reader.place(group), "It is empty.", fix))
        for key, name in names.items():
            if not holder.has(key):
                continue
            if name not in self.fields:
                self.labels[name] = holder.recover("", self._label, holder, key, name)
                continue
            value = holder.recover(
                None, read_figure, holder, key, self.fields[name], self.sources, verified=self.verified
            )
            if value:
                self.values[name] = value

    def _label(self, holder: Reader, key: str, name: str) -> str:
        text, options = ", ".join(holder.texts(key)), self.type.options.get(name)
        if options and text not in options:
            fix = suggest(text, options) or f"Write one of {joined(list(options), 'or')}."
            raise RegistryError(holder.place(key), f"'{text}' is none of its values.", fix)
        if name in self.type.dates and not is_date(text):
            raise RegistryError(
                holder.place(key), f"'{text}' is not a date.", "Write it as 2022-09-20, 2022-09 or 2022."
            )
        return text


def is_date(text: str) -> bool:
    """Whether a text is a day, a month or a year: 2022-09-20, 2022-09 or 2022."""
    if not re.fullmatch(DATE, text):
        return False
    try:
        date.fromisoformat(text + "-01-01"[: len("2022-09-20") - len(text)])
    except ValueError:
        return False
    return True
