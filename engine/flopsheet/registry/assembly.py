"""Puts the records of packs together: what extends, overrides and names what. An invalid one takes no other down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, suggest
from flopsheet.registry.additions import Added
from flopsheet.registry.disk_cache import get_records, key_of, put
from flopsheet.registry.names import Holder, Names
from flopsheet.registry.pack_file import section_of, single_file
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
        find: returns a record of another kind by kind, name, the place that an error names, and the pack that asks.
        added: figures that records of another kind add.
    """

    def __init__(
        self, record_type: RecordType, find: Callable[[str, str, str, Pack], Record], added: Added | None = None
    ) -> None:
        self.type, self.find = record_type, find
        self.added = added or Added()
        self.records: dict[str, Record] = {}  # the valid ones by name; by `PACK:NAME` where two packs give the name
        self.by_name: dict[str, Record] = {}  # the same by name and by alias
        self.names: Names[Record] = Names(record_type.kind)  # all that are valid, those that others override too
        self.problems: list[FlopsheetError] = []  # what is wrong with the others, each mistake once
        self._addressed: dict[str, Record] = {}
        self._bases: dict[tuple[Pack, str], Record] = {}  # by pack and place, without the figures that others give

    def read(self, packs: Iterable[Pack]) -> None:
        """Add the records of packs; later packs may override records of earlier ones."""
        with paused():
            for pack in packs:
                for inside, pattern in self.type.places:
                    self.problems += pack.strays(inside, pattern)
                    for file in pack.files(inside, pattern):
                        self._add(self._read(file, pack), pack)
                self._add(self._read_section(pack), pack)
        self._settle()
        for name, record in self.added.unused(self.names.holders, self.names.addressed()).items():
            fix = suggest(name, self.by_name) or f"Declare this {self.type.kind}, or leave the {record.kind} out."
            where = f"{record.spot}, key '{record.key}.{self.type.kind}'"
            self.problems.append(RegistryError(where, f"There is no {self.type.kind} '{name}'.", fix))

    def add(self, records: Iterable[Record], pack: Pack) -> None:
        """Add the records of a file; an invalid one is added to the problems instead."""
        self._add(records, pack)
        self._settle()

    def lookup(self, name: str, where: str, pack: Pack | None = None) -> Record | None:
        """Return the record that a name or `PACK:NAME` means, to a pack if one is given; None where there is none.

        Raises:
            RegistryError: two packs give the name.
        """
        holder = self.names.lookup(name, where, pack)
        return None if holder is None else self._shown(holder)

    def _add(self, records: Iterable[Record], pack: Pack) -> None:
        for record in records:
            try:
                complete = self._with_aliases(self._with_base(record, pack))
                resolved = self._with_additions(self._with_references(complete, pack), pack)
                self._bases[pack, str(record.spot)] = complete
                holder = Holder(pack, resolved, str(resolved.spot), resolved.key, resolved.override)
                self.names.add(holder, resolved.aliases, _names_elsewhere(resolved))
            except FlopsheetError as error:
                self.problems.append(error)

    def _settle(self) -> None:
        """Find what each name means, once all records are known."""
        self.records, self.by_name = {}, {}
        for name in self.names.holders:
            for holder in (contenders := self.names.contenders(name)):
                shown = self._shown(holder)
                self.by_name[name if len(contenders) == 1 else holder.address(name)] = shown
                if name == holder.key:
                    self.records[shown.key] = shown

    def _shown(self, holder: Holder[Record]) -> Record:
        """Return the record of a holder under the name by which a question finds it."""
        name = self.names.shown_name(holder)
        if name == holder.key:
            return holder.item
        place = str(holder.item.spot)  # two packs may have the same name
        return self._addressed.setdefault(f"{name} {place}", replace(holder.item, key=name))

    def _read(self, file: Path, pack: Pack) -> list[Record]:
        shown = pack.shown(file)
        try:
            data = content(file, shown)
            key = key_of(data, self.type.kind, shown, pack.name)
            return get_records(key) or self._parse(data, key, shown, pack)
        except RegistryError as error:
            self.problems.append(error)
            return []

    def _read_section(self, pack: Pack) -> list[Record]:
        """Return the records of this kind in the single file of a pack."""
        sections, problems = single_file(pack)
        self.problems += problems
        if (node := sections.get(section_of(self.type))) is None:
            return []
        from flopsheet.registry.reading import read_records

        try:
            with reading(node.spot.file):
                return read_records(node, self.type, pack.name)
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
        """Return a record with the aliases of the one that it overrides."""
        earlier = self.names.winner(record.key) if record.override else None
        aliases = earlier.item.aliases if earlier is not None and earlier.key == record.key else ()
        return replace(record, aliases=tuple(dict.fromkeys((*record.aliases, *aliases)))) if aliases else record

    def _with_base(self, record: Record, pack: Pack) -> Record:
        """Return a record with the values of the one that it extends."""
        if not record.extends:
            return record
        where = f"{record.spot}, key '{record.key}.extends'"
        base = self.names.lookup(record.extends, where, pack)
        if base is None:
            fix = suggest(record.extends, self.names.holders) or "Declare it above, or in an earlier file or pack."
            problem = f"It extends the {record.kind} '{record.extends}', which is not declared before it."
            raise RegistryError(where, problem, fix)
        return record.over(self._bases[base.pack, base.place])

    def _with_references(self, record: Record, pack: Pack) -> Record:
        """Return a record with the values of those that it names, and of the fields that it may leave out."""
        values = dict(record.values)
        for key, other_type in self.type.references.items():
            if key in record.references:
                where = f"{record.spot}, key '{record.key}.{key}'"
                other = self.find(other_type.kind, record.references[key], where, pack)
                values |= {f"{key}.{field}": other_type.qualified(other, field) for field in other.values}
        for field, theirs in self.type.inherited.items():
            if field not in values and theirs in values:
                values[field] = values[theirs]
        for field_ in self.type.fields:
            if field_.absent is not None and field_.name not in values:
                default = Quantity(field_.absent, unit(""))
                values[field_.name] = Value(str(field_.absent), default, (), "", True, record.spot)
        return replace(record, values=values) if len(values) > len(record.values) else record

    def _with_additions(self, record: Record, pack: Pack) -> Record:
        """Return a record with the figures that records of another kind add to it."""
        names = (record.key, *record.aliases)
        added = self.added.figures((*names, *(f"{pack.address}:{name}" for name in names)), self.type)
        missing = {name: value for name, value in added.items() if name not in record.values}
        return replace(record, values={**record.values, **missing}) if missing else record


def _names_elsewhere(record: Record) -> tuple[str, ...]:
    """Return what others call a record: its repository, its whole name, and its names behind that of the vendor.

    The whole names of prices and systems, which speak of another record, are not theirs alone.
    """
    hub = record.labels.get("huggingface", "")
    repository = (hub, hub.rpartition("/")[2]) if hub else ()
    if not record.vendor or record.references:
        return repository
    return (*repository, record.name, *(f"{record.vendor} {name}" for name in (record.key, *record.aliases)))
