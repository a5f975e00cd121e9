"""Puts the records of packs together: what extends, overrides and names what. A broken one takes no other down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, suggest
from flopsheet.registry import record_cache
from flopsheet.registry.files import content
from flopsheet.registry.records import Record, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from flopsheet.registry.fields import RecordType
    from flopsheet.registry.packs import Pack


@dataclass(frozen=True)
class Registry:
    """The records of a kind.

    Args:
        records: all that work, by name, in the order of packs and files.
        problems: what does not, each mistake once.
        history: every record that was declared under a name, the first one first.
    """

    records: Mapping[str, Record]
    problems: tuple[FlopsheetError, ...]
    history: Mapping[str, tuple[Record, ...]]


class Builder:
    """Puts the records of packs together.

    Args:
        record_type: the kind of records.
        active: the packs, the least first.
        record: finds a record of another kind by kind and name; the third text is the place that an error names.
    """

    def __init__(
        self, record_type: RecordType, active: tuple[Pack, ...], record: Callable[[str, str, str], Record]
    ) -> None:
        self.type, self.packs, self.record = record_type, active, record
        self.found: dict[str, Record] = {}
        self.taken: dict[str, Record] = {}
        self.owners: dict[str, Pack] = {}
        self.history: dict[str, tuple[Record, ...]] = {}
        self.problems: list[FlopsheetError] = []

    def registry(self) -> Registry:
        """Return the records of the packs, and what is wrong with the others."""
        for pack in self.packs:
            for inside, pattern in places(self.type):
                self.problems += pack.strays(inside, pattern)
                for file in pack.files(inside, pattern):
                    self.add(self._read(file, pack), pack)
        return Registry(self.found, tuple(self.problems), self.history)

    def add(self, records: Iterable[Record], pack: Pack) -> None:
        """Add the records of a file; what is wrong with one of them goes to the problems."""
        for each in records:
            self._tried(each, pack)

    def _read(self, file: Path, pack: Pack) -> list[Record]:
        shown = pack.shown(file)
        try:
            data = content(file, shown)
            name = record_cache.stamp(data, self.type.kind, shown, pack.name)
            return record_cache.load(name) or self._parsed(data, name, shown, pack)
        except RegistryError as error:
            self.problems.append(error)
            return []

    def _parsed(self, data: bytes, name: str, shown: str, pack: Pack) -> list[Record]:
        from flopsheet.registry.reading import read_records
        from flopsheet.registry.strict_yaml import decoded

        mistakes: list[RegistryError] = []
        records = read_records(decoded(data, shown, mistakes), self.type, pack.name, mistakes)
        record_cache.keep(name, records)
        return records

    def _tried(self, each: Record, pack: Pack) -> None:
        try:
            self._check_names(each, pack)
            whole = self._named(self._completed(self._based(each)))
        except FlopsheetError as error:
            self.problems.append(error)
            return
        for name in (whole.key, *whole.aliases):
            self.taken[name], self.owners[name] = whole, pack
        self.history[each.key] = (*self.history.get(each.key, ()), whole)
        self.found[each.key] = whole

    def _named(self, each: Record) -> Record:
        """Return a record with the other names of the one that it takes the place of."""
        earlier = self.found[each.key].aliases if each.key in self.found else ()
        return replace(each, aliases=tuple(dict.fromkeys((*each.aliases, *earlier))))

    def _based(self, each: Record) -> Record:
        """Return a record with the figures of the one that it extends."""
        if not each.extends:
            return each
        base = self.taken.get(each.extends)
        if base is None:
            fix = suggest(each.extends, self.taken) or "It must stand above, or in an earlier file or pack."
            problem = f"It extends the {each.kind} '{each.extends}', which is not declared before it."
            raise RegistryError(f"{each.spot}, key '{each.key}.extends'", problem, fix)
        return each.over(base)

    def _completed(self, each: Record) -> Record:
        """Return a record with the figures of those that it names, and those that it means by saying nothing."""
        values = dict(each.values)
        for key, name in each.references.items():
            other = self.record(self.type.references[key].kind, name, f"{each.spot}, key '{each.key}.{key}'")
            for field, value in other.values.items():
                values[f"{key}.{field}"] = value if value.record else replace(value, record=other.key)
        for field_ in self.type.fields:
            if field_.absent is not None and field_.name not in values:
                silent = Value(str(field_.absent), field_.absent, str(field_.absent), (), "", True, each.spot)
                values[field_.name] = silent
        return replace(each, values=values)

    def _check_names(self, each: Record, pack: Pack) -> None:
        """Refuse a name that means another record, unless this one says that it takes its place."""
        for name in (each.key, *each.aliases):
            other = self.taken.get(name)
            if other is None or (name != each.key and other.key == each.key):
                continue
            problem = f"The name '{name}' is also one of the {each.kind} '{other.key}' in {other.spot}."
            if self.owners[name] is pack or other.key != each.key:
                raise RegistryError(f"{each.spot}, key '{each.key}'", problem, "Rename one of the two.")
            if not each.override:
                fix = "Rename it, or say 'override: true' to take its place."
                raise RegistryError(f"{each.spot}, key '{each.key}'", problem, fix)
        if each.override and each.key not in self.taken:
            problem = "It says 'override: true', and there is nothing that it takes the place of."
            raise RegistryError(f"{each.spot}, key '{each.key}'", problem, suggest(each.key, self.taken))


def places(kind: RecordType) -> list[tuple[str, str]]:
    """Return where files of a kind lie: in their folder, or beside it under its name: `hardware/chips.yaml`."""
    above, _, name = kind.folder.rpartition("/")
    return [(above, f"{name}.yaml"), (kind.folder, "*.yaml")]
