"""Finds records and sources by name over all packs. A file that is broken is named, and takes nothing else down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, find, suggest
from flopsheet.registry import cache as kept
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import Pack, packs
from flopsheet.registry.packs import looked_at as places_of_packs
from flopsheet.registry.records import Record, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from flopsheet.registry.fields import RecordType

_MOST_BYTES = 500_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure or law was read.

    Args:
        title: what it is: title, author, table or page.
        url: where it is found, or empty.
        read: date on which it was read, or empty.
    """

    title: str
    url: str = ""
    read: str = ""


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


def records(kind: str) -> Mapping[str, Record]:
    """Return all records of a kind by name, in the order of packs and files."""
    return registry(kind).records


def registry(kind: str) -> Registry:
    """Return the records of a kind, and what is wrong with those that do not work."""
    return _registry(kind, packs())


@cache
def _registry(kind: str, active: tuple[Pack, ...]) -> Registry:
    return _Builder(KINDS[kind], active).registry()


def forget() -> None:
    """Read every file anew when it is asked for next: for programs that run while files change."""
    _registry.cache_clear()
    _read_all_sources.cache_clear()


def problems() -> list[FlopsheetError]:
    """Return what is wrong with the files of all packs: each mistake once."""
    every: list[FlopsheetError] = [each for kind in KINDS for each in registry(kind).problems]
    return list({str(each): each for each in [*every, *_sources()[1]]}.values())


def record(kind: str, name: str, where: str) -> Record:
    """Return the record with this name or alias.

    Raises:
        UnknownNameError: there is none; the message has the nearest.
    """
    known = records(kind)
    aliases = {alias: key for key, each in known.items() for alias in each.aliases}
    if name not in known and name not in aliases:
        find(name, known, kind, where, aliases=aliases, more=_broken(kind))
    return known[aliases.get(name, name)]


def any_record(name: str, where: str) -> Record:
    """Return the record of any kind with this name or alias.

    Raises:
        UnknownNameError: there is none; the message has the nearest.
    """
    every = [each for kind in KINDS for each in records(kind).values()]
    known = {key: each for each in every for key in (each.key, *each.aliases)}
    find(name, known, "record", where)
    return known[name]


def _broken(kind: str) -> str:
    found = registry(kind).problems
    return f"A file has mistakes: {found[0]}" if found else ""


def looked_at() -> list[str]:
    """Return every place on which the records depend: packs, folders, files, and the code that reads them."""
    inside = [place for kind in KINDS.values() for place in _places(kind)]
    folders = [str(pack.folder / folder) for pack in packs() for folder, _ in inside]
    files = [str(file) for pack in packs() for folder, pattern in inside for file in pack.files(folder, pattern)]
    return list(dict.fromkeys((*places_of_packs(), *folders, *files, *kept.code_files())))


class _Builder:
    """Puts the records of all packs together."""

    def __init__(self, record_type: RecordType, active: tuple[Pack, ...]) -> None:
        self.type, self.packs = record_type, active
        self.found: dict[str, Record] = {}
        self.taken: dict[str, Record] = {}
        self.history: dict[str, tuple[Record, ...]] = {}
        self.problems: list[FlopsheetError] = []

    def registry(self) -> Registry:
        for pack in self.packs:
            for inside, pattern in _places(self.type):
                self.problems += pack.strays(inside, pattern)
                for file in pack.files(inside, pattern):
                    for each in self._read(file, pack):
                        self._tried(each)
        return Registry(self.found, tuple(self.problems), self.history)

    def _read(self, file: Path, pack: Pack) -> list[Record]:
        shown = pack.shown(file)
        name = kept.stamp(_content(file), self.type.kind, shown, pack.name)
        known = kept.load(name)
        if known is not None:
            return known
        try:
            records = _parsed(file, shown, self.type, pack)
        except RegistryError as error:
            self.problems.append(error)
            return []
        kept.keep(name, records)
        return records

    def _tried(self, each: Record) -> None:
        try:
            self._check_names(each)
            whole = self._named(self._completed(self._based(each)))
        except FlopsheetError as error:
            self.problems.append(error)
            return
        for name in (whole.key, *whole.aliases):
            self.taken[name] = whole
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
            other = record(self.type.references[key].kind, name, f"{each.spot}, key '{each.key}.{key}'")
            for field, value in other.values.items():
                values[f"{key}.{field}"] = value if value.record else replace(value, record=other.key)
        for field_ in self.type.fields:
            if field_.absent is not None and field_.name not in values:
                silent = Value(str(field_.absent), field_.absent, str(field_.absent), (), "", True, each.spot)
                values[field_.name] = silent
        return replace(each, values=values)

    def _check_names(self, each: Record) -> None:
        """Refuse a name that means another record, unless this one says that it takes its place."""
        for name in (each.key, *each.aliases):
            other = self.taken.get(name)
            if other is None or (name != each.key and other.key == each.key):
                continue
            problem = f"The name '{name}' is also one of the {each.kind} '{other.key}' in {other.spot}."
            if other.pack == each.pack or other.key != each.key:
                raise RegistryError(f"{each.spot}, key '{each.key}'", problem, "Rename one of the two.")
            if not each.override:
                fix = "Rename it, or say 'override: true' to take its place."
                raise RegistryError(f"{each.spot}, key '{each.key}'", problem, fix)
        if each.override and each.key not in self.taken:
            problem = "It says 'override: true', and there is nothing that it takes the place of."
            raise RegistryError(f"{each.spot}, key '{each.key}'", problem, suggest(each.key, self.taken))


def _places(kind: RecordType) -> list[tuple[str, str]]:
    """Return where files of a kind lie: in their folder, or beside it under its name: `hardware/chips.yaml`."""
    above, _, name = kind.folder.rpartition("/")
    return [(above, f"{name}.yaml"), (kind.folder, "*.yaml")]


def _parsed(file: Path, shown: str, record_type: RecordType, pack: Pack) -> list[Record]:
    from flopsheet.registry.reading import read_records
    from flopsheet.registry.strict_yaml import read

    problems: list[RegistryError] = []
    return read_records(read(file, shown, problems), record_type, pack.name, problems)


def _sources() -> tuple[Mapping[str, Source], tuple[RegistryError, ...]]:
    return _read_all_sources(packs())


@cache
def _read_all_sources(active: tuple[Pack, ...]) -> tuple[Mapping[str, Source], tuple[RegistryError, ...]]:
    found: dict[str, Source] = {}
    wrong: list[RegistryError] = []
    for pack, file in _source_files(active):
        try:
            _read_sources(file, pack.shown(file), found)
        except RegistryError as error:
            wrong.append(error)
    return found, tuple(wrong)


def _source_files(active: tuple[Pack, ...]) -> Iterator[tuple[Pack, Path]]:
    for pack in active:
        for inside in ("hardware", "models"):
            for file in pack.files(inside, "sources.yaml"):
                yield pack, file


def _read_sources(file: Path, shown: str, found: dict[str, Source]) -> None:
    name = f"{kept.stamp(_content(file), 'sources', shown)}.json"
    known = kept.get(name)
    if known is None:
        known = _parsed_sources(file, shown)
        kept.put(name, known)
    for key, (title, url, read, place) in known.items():
        if key in found:
            raise RegistryError(place, f"The source '{key}' stands in another file too.", "Rename one.")
        found[key] = Source(title, url, read)


def _parsed_sources(file: Path, shown: str) -> dict[str, list[str]]:
    """Return title, address, date of reading and place of each source in a file."""
    from flopsheet.registry.reader import Reader
    from flopsheet.registry.strict_yaml import read

    reader, found = Reader(read(file, shown)), {}
    for key in reader.node.items:
        inner = reader.inner(key)
        inner.check_keys(("title", "url", "read"), ("title",))
        found[key] = [inner.text("title"), inner.text("url"), inner.date("read"), reader.place(key)]
    return found


def _content(file: Path) -> bytes:
    """Return what a file holds, up to a little more than any may."""
    try:
        with file.open("rb") as opened:
            return opened.read(_MOST_BYTES + 1)
    except OSError:
        return b""


def sources() -> Mapping[str, Source]:
    """Return all sources by key, from the `sources.yaml` files of all packs."""
    return _sources()[0]
