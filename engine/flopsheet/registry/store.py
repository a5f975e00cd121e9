"""Records and sources by name over all packs. A file with mistakes is reported, and the others are read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from flopsheet.errors import FlopsheetError, RegistryError, expect_text, find, joined
from flopsheet.registry.additions import Added
from flopsheet.registry.assembly import Registry
from flopsheet.registry.disk_cache import get, key_of, put
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.names import unknown_name
from flopsheet.registry.pack_file import SOURCES, single_file
from flopsheet.registry.packs import FOLDERS, Pack, content, packs, packs_and_problems
from flopsheet.registry.records import RecordType
from flopsheet.session import cached_from_files, fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from flopsheet.registry.records import Record
    from flopsheet.registry.strict_yaml import Reader

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """The publication that states a value or a law."""

    title: str  # title, with author, table or page
    url: str = ""  # its address, or empty
    read: str = ""  # date on which it was read, or empty


def sources() -> Mapping[str, Source]:
    """Return all sources by key, from the `sources.yaml` files of all packs."""
    return _sources(packs())[0]


@cached_from_files
def _sources(packs: tuple[Pack, ...]) -> tuple[Mapping[str, Source], tuple[RegistryError, ...]]:
    """Return the sources of packs by key, and what is wrong with their files."""
    sources: dict[str, Source] = {}
    errors: list[RegistryError] = []
    for pack in packs:
        for place in (*(file for folder in FOLDERS[:2] for file in pack.files(folder, "sources.yaml")), None):
            try:
                rows = _read_section(pack) if place is None else _read_sources(place, pack.shown(place))
                for key, (title, url, read, spot) in rows.items():
                    if key in sources:
                        problem = f"Another file also declares the source '{key}'."
                        raise RegistryError(spot, problem, "Rename one.")  # noqa: TRY301
                    sources[key] = Source(title, url, read)
            except RegistryError as error:
                errors.append(error)
    return sources, tuple(errors)


def source_places(pack: Pack) -> dict[str, tuple[str, str]]:
    """Return address and place of each source of a pack, of the files without mistakes."""
    places: dict[str, tuple[str, str]] = {}
    for file in (*(file for folder in FOLDERS[:2] for file in pack.files(folder, "sources.yaml")), None):
        with suppress(RegistryError):
            rows = _read_section(pack) if file is None else _read_sources(file, pack.shown(file))
            places |= {key: (url, place) for key, (_, url, _, place) in rows.items()}
    return places


def _read_sources(file: Path, shown: str) -> dict[str, list[str]]:
    """Return title, address, date of reading and place of each source in a file."""
    return kept(file, shown, _sources_in, "sources")


def kept(file: Path, shown: str, parse: Callable[[Reader], T], *about: str) -> T:
    """Return what a YAML file gives, of the disk cache where it was parsed before: then nothing imports yaml.

    Args:
        file: the file.
        shown: its name in messages.
        parse: reads its content into what JSON can hold.
        about: what else the result depends on.
    """
    data = content(file, shown)
    cache_key = key_of(data, *about, shown)
    rows: T | None = get(cache_key)
    if rows is None:
        from flopsheet.registry.strict_yaml import Reader, decoded

        rows = parse(Reader(decoded(data, shown)))
        put(cache_key, rows)
    return rows


def _read_section(pack: Pack) -> dict[str, list[str]]:
    """Return the same of each source in the single file of a pack."""
    node = single_file(pack)[0].get(SOURCES)
    if node is None:
        return {}
    from flopsheet.registry.strict_yaml import Reader

    return _sources_in(Reader(node, SOURCES))


def _sources_in(reader: Reader) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for key in reader.node.items:
        inner = reader.inner(key)
        inner.check_keys(("title", "url", "read"), ("title",))
        rows[key] = [inner.text("title"), inner.text("url"), inner.date("read"), reader.place(key)]
    return rows


@fresh
def records(kind: str | RecordType) -> Mapping[str, Record]:
    """Return all records of a kind by name, in the order of packs and files.

    Raises:
        UnknownNameError: no such kind; the message has the nearest.
    """
    return registry(_kind(kind, "records")).records


def _kind(kind: str | RecordType, where: str) -> str:
    """Return the name of a kind, once it is one."""
    name = kind.kind if isinstance(kind, RecordType) else expect_text(kind, where, f"Write one of {', '.join(KINDS)}.")
    find(name, KINDS, "kind of records", where)
    return name


def registry(kind: str) -> Registry:
    """Return the records of a kind, and what is wrong with the invalid ones."""
    return _registry(kind, packs())


@cached_from_files
def _registry(kind: str, packs: tuple[Pack, ...]) -> Registry:
    registry = Registry(KINDS[kind], find_record, added(kind, packs))
    registry.read(packs)
    return registry


def added(kind: str, packs: tuple[Pack, ...]) -> Added:
    """Return the figures that records of another kind, in these packs, add to those of a kind."""
    giver = KINDS[kind].added_by
    if giver is None:
        return Added()
    return Added(giver, _registry(giver.kind, packs).records.values(), kind, [pack.name for pack in packs])


def problems() -> list[FlopsheetError]:
    """Return what is wrong with the files of all packs: each mistake once."""
    errors = [
        *packs_and_problems()[1],
        *(error for kind in KINDS for error in registry(kind).problems),
        *_sources(packs())[1],
    ]
    return list({str(error): error for error in errors}.values())


def warnings() -> list[RegistryError]:
    """Return what is doubtful about names of records in all packs."""
    return [warning for kind in KINDS for warning in registry(kind).names.warnings]


@fresh
def record(kind: str | RecordType, name: str, where: str = "record") -> Record:
    """Return the record with this name or alias.

    Args:
        kind: its kind, such as `chip` or `architecture`, or `Chip`.
        name: its name or an alias, or `PACK:NAME`.
        where: the place that an error names.

    Raises:
        UnknownNameError: no such kind or record; the message has the nearest.

    Example:
        >>> from flopsheet import record
        >>> chip = record("chip", "h100")
        >>> chip.key, chip.name
        ('h100-sxm', 'NVIDIA H100 SXM5 80GB')
        >>> print(chip.values["memory_bandwidth"].quantity)
        3.35 TB/s
    """
    return find_record(_kind(kind, where), expect_text(name, where, 'Write a name as "h100".'), where)


def find_record(kind: str, name: str, where: str, pack: Pack | None = None) -> Record:
    """Return the record of a kind that a name, an alias or `PACK:NAME` means, to a pack if one is given.

    Raises:
        UnknownNameError: there is no such record or pack; the message has the nearest.
        RegistryError: two packs give the name.
    """
    known = registry(kind)
    match = known.lookup(name, where, pack)
    if match is None:
        several = "`flopsheet compare` takes several names, and so does --vary." if "," in name else ""
        mistake = f"A file has mistakes: {known.problems[0]}" if known.problems else ""
        more = " ".join(filter(None, [several, mistake, _misplaced_files()]))
        raise unknown_name(name, [known.names], kind, where, shown=known.records, more=more)
    return match


def any_record(name: str, where: str, kind: str = "") -> Record:
    """Return the record with this name or alias, of any kind unless one is given.

    Raises:
        UnknownNameError: no such record; the message has the nearest.
        RegistryError: there are several, of different kinds.
    """
    registries = [registry(kind) for kind in ([kind] if kind else KINDS)]
    matches = [match for known in registries if (match := known.lookup(name, where)) is not None]
    if not matches:
        names = [name for known in registries for name in known.by_name]
        every = [known.names for known in registries]
        raise unknown_name(name, every, kind or "record", where, shown=names, more=_misplaced_files())
    if len(matches) > 1:
        problem = f"'{name}' is a {joined([match.kind for match in matches])}."
        raise RegistryError(where, problem, f"Say which: --kind {matches[0].kind}.")
    return matches[0]


def misplaced() -> list[str]:
    """Return the YAML files in `hardware/` of packs that are in none of the folders of records."""
    places = [place for kind in KINDS.values() for place in kind.places]
    files: list[str] = []
    for pack in packs():
        read = {file for inside, pattern in places for file in pack.files(inside, pattern)}
        every = sorted((pack.folder / "hardware").rglob("*.[yY]*[mM][lL]"))
        files += [pack.shown(file) for file in every if file not in read and file.name != "sources.yaml"]
    return files


def _misplaced_files() -> str:
    files = misplaced()
    folders = joined([kind.folder for kind in KINDS.values()], "or")
    return f"{joined(files[:3])} is not read: YAML files are read in {folders}." if files else ""
