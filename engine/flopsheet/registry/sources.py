"""Sources by key, from the `sources.yaml` files of all packs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError
from flopsheet.registry.disk_cache import get, key_of, put
from flopsheet.registry.files import content
from flopsheet.registry.packs import Pack, packs
from flopsheet.session import cached_from_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


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


def all_sources() -> tuple[Mapping[str, Source], tuple[RegistryError, ...]]:
    """Return all sources by key, and what is wrong with files of sources."""
    return read_all(packs())


@cached_from_files
def read_all(active: tuple[Pack, ...]) -> tuple[Mapping[str, Source], tuple[RegistryError, ...]]:
    """Return the sources of packs by key, and what is wrong with their files."""
    found: dict[str, Source] = {}
    wrong: list[RegistryError] = []
    for pack, file in files(active):
        try:
            _read_sources(file, pack.shown(file), found)
        except RegistryError as error:
            wrong.append(error)
    return found, tuple(wrong)


def files(active: tuple[Pack, ...]) -> Iterator[tuple[Pack, Path]]:
    """Return the files of sources of packs."""
    for pack in active:
        for inside in ("hardware", "models"):
            for file in pack.files(inside, "sources.yaml"):
                yield pack, file


def _read_sources(file: Path, shown: str, found: dict[str, Source]) -> None:
    data = content(file, shown)
    cache_key = key_of(data, "sources", shown)
    known = get(cache_key)
    if known is None:
        known = _parsed_sources(data, shown)
        put(cache_key, known)
    for key, (title, url, read, place) in known.items():
        if key in found:
            raise RegistryError(place, f"The source '{key}' stands in another file too.", "Rename one.")
        found[key] = Source(title, url, read)


def _parsed_sources(data: bytes, shown: str) -> dict[str, list[str]]:
    """Return title, address, date of reading and place of each source in a file."""
    from flopsheet.registry.reader import Reader
    from flopsheet.registry.strict_yaml import decoded

    reader, found = Reader(decoded(data, shown)), {}
    for key in reader.node.items:
        inner = reader.inner(key)
        inner.check_keys(("title", "url", "read"), ("title",))
        found[key] = [inner.text("title"), inner.text("url"), inner.date("read"), reader.place(key)]
    return found


def sources() -> Mapping[str, Source]:
    """Return all sources by key, from the `sources.yaml` files of all packs."""
    return all_sources()[0]
