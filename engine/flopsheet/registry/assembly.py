"""Puts the records of packs together: what extends, overrides and names what. An invalid one takes no other down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, suggest
from flopsheet.registry.disk_cache import get_records, key_of, put
from flopsheet.registry.packs import Pack, content
from flopsheet.registry.reading_time import paused, reading
from flopsheet.registry.records import Record, RecordType, Value
from flopsheet.units import Quantity, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


class Registry:
    """The records of a kind, in the order of packs, files and lines: each may build on those before it.

    Args:
        record_type: the kind of records.
        find: returns a record of another kind by kind and name; the third text is the place that an error names.
    """

    def __init__(self, record_type: RecordType, find: Callable[[str, str, str], Record]) -> None:
        self.type, self.find = record_type, find
        self.records: dict[str, Record] = {}  # the valid ones by name
        self.by_name: dict[str, Record] = {}  # the same by name and by alias
        self.history: dict[str, tuple[Record, ...]] = {}  # all that were declared under a name, the first one first
        self.problems: list[FlopsheetError] = []  # what is wrong with the others, each mistake once
        self._owners: dict[str, Pack] = {}

    def read(self, packs: Iterable[Pack]) -> None:
        """Add the records of packs; later packs may override records of earlier ones."""
        with paused():
            for pack in packs:
                for inside, pattern in self.type.places:
                    self.problems += pack.strays(inside, pattern)
                    for file in pack.files(inside, pattern):
                        self.add(self._read(file, pack), pack)

    def add(self, records: Iterable[Record], pack: Pack) -> None:
        """Add the records of a file; an invalid one is added to the problems instead."""
        for record in records:
            try:
                self._check_names(record, pack)
                resolved = self._with_aliases(self._with_references(self._with_base(record)))
            except FlopsheetError as error:
                self.problems.append(error)
                continue
            for name in (resolved.key, *resolved.aliases):
                self.by_name[name], self._owners[name] = resolved, pack
            self.history[record.key] = (*self.history.get(record.key, ()), resolved)
            self.records[record.key] = resolved

    def _read(self, file: Path, pack: Pack) -> list[Record]:
        shown = pack.shown(file)
        try:
            data = content(file, shown)
            key = key_of(data, self.type.kind, shown, pack.name)
            return get_records(key) or self._parse(data, key, shown, pack)
        except RegistryError as error:
            self.problems.append(error)
            return []

    def _parse(self, data: bytes, key: str, shown: str, pack: Pack) -> list[Record]:
        from flopsheet.registry.reading import read_records
        from flopsheet.registry.strict_yaml import decoded

        mistakes: list[RegistryError] = []
        with reading(shown):
            records = read_records(decoded(data, shown, mistakes), self.type, pack.name, mistakes)
        put(key, records)
        return records

    def _with_aliases(self, record: Record) -> Record:
        """Return a record with the aliases of the one that it replaces."""
        earlier = self.records[record.key].aliases if record.key in self.records else ()
        return replace(record, aliases=tuple(dict.fromkeys((*record.aliases, *earlier)))) if earlier else record

    def _with_base(self, record: Record) -> Record:
        """Return a record with the values of the one that it extends."""
        if not record.extends:
            return record
        base = self.by_name.get(record.extends)
        if base is None:
            fix = suggest(record.extends, self.by_name) or "Declare it above, or in an earlier file or pack."
            problem = f"It extends the {record.kind} '{record.extends}', which is not declared before it."
            raise RegistryError(f"{record.spot}, key '{record.key}.extends'", problem, fix)
        return record.over(base)

    def _with_references(self, record: Record) -> Record:
        """Return a record with the values of those that it names, and of the fields that it may leave out."""
        values = dict(record.values)
        for key, name in record.references.items():
            other = self.find(self.type.references[key].kind, name, f"{record.spot}, key '{record.key}.{key}'")
            for field, value in other.values.items():
                values[f"{key}.{field}"] = value if value.record else value._replace(record=other.key)
        for field_ in self.type.fields:
            if field_.absent is not None and field_.name not in values:
                default = Quantity(field_.absent, unit(""))
                values[field_.name] = Value(str(field_.absent), default, (), "", True, record.spot)
        return replace(record, values=values)

    def _check_names(self, record: Record, pack: Pack) -> None:
        """Reject a name that means another record, unless this one overrides it."""
        for name in (record.key, *record.aliases):
            other = self.by_name.get(name)
            if other is None or (name != record.key and other.key == record.key):
                continue
            problem = f"The {record.kind} '{other.key}' in {other.spot} also has the name '{name}'."
            if self._owners[name] is pack or other.key != record.key:
                raise RegistryError(f"{record.spot}, key '{record.key}'", problem, "Rename one of the two.")
            if not record.override:
                fix = "Rename it, or write 'override: true' to replace it."
                raise RegistryError(f"{record.spot}, key '{record.key}'", problem, fix)
        if record.override and record.key not in self.by_name:
            problem = "It states 'override: true', but there is no record of this name to override."
            raise RegistryError(f"{record.spot}, key '{record.key}'", problem, suggest(record.key, self.by_name))
