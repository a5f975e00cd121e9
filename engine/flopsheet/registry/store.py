"""Finds records and sources by name over all packs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError, find
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import packs
from flopsheet.registry.reader import Reader
from flopsheet.registry.records import Record, read_records
from flopsheet.registry.strict_yaml import read

if TYPE_CHECKING:
    from collections.abc import Mapping


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


@cache
def records(kind: str) -> Mapping[str, Record]:
    """Return all records of a kind by name, in the order of packs and files.

    Raises:
        RegistryError: a file breaks a rule, or two records share a name.
    """
    found: dict[str, Record] = {}
    taken: dict[str, Record] = {}
    for pack in packs():
        for file in pack.files(f"hardware/{KINDS[kind].folder}", "*.yaml"):
            for record in read_records(read(file, pack.shown(file)), KINDS[kind]):
                for name in (record.key, *record.aliases):
                    if taken.setdefault(name, record) is not record:
                        problem = (
                            f"The name '{name}' is also one of the {kind} '{taken[name].key}' in {taken[name].spot}."
                        )
                        raise RegistryError(str(record.spot), problem, "Rename one of the two.")
                found[record.key] = record
    return found


def record(kind: str, name: str, where: str) -> Record:
    """Return the record with this name or alias.

    Raises:
        UnknownNameError: there is none; the message has the nearest.
    """
    known = records(kind)
    aliases = {alias: key for key, each in known.items() for alias in each.aliases}
    find(name, known, kind, where, aliases=aliases)
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


@cache
def sources() -> Mapping[str, Source]:
    """Return all sources by key, from the `sources.yaml` files of all packs."""
    found: dict[str, Source] = {}
    for pack in packs():
        for inside in ("hardware", "models"):
            for file in pack.files(inside, "sources.yaml"):
                reader = Reader(read(file, pack.shown(file)))
                for key in reader.node.items:
                    if key in found:
                        raise RegistryError(
                            reader.place(key), f"The source '{key}' stands in another file too.", "Rename one."
                        )
                    found[key] = _source(reader.inner(key))
    return found


def _source(reader: Reader) -> Source:
    reader.check_keys(("title", "url", "read"), ("title",))
    return Source(reader.text("title"), reader.text("url"), reader.date("read"))
