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
    """The publication that states a value or a law.

    Args:
        title: title, with author, table or page.
        url: its address, or empty.
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
    sources: dict[str, Source] = {}
    errors: list[RegistryError] = []
    for pack, file in files(active):
        try:
            for key, (title, url, read, place) in _read_sources(file, pack.shown(file)).items():
                if key in sources:
                    raise RegistryError(place, f"Another file also declares the source '{key}'.", "Rename one.")  # noqa: TRY301
                sources[key] = Source(title, url, read)
        except RegistryError as error:
            errors.append(error)
    return sources, tuple(errors)


def files(active: tuple[Pack, ...]) -> Iterator[tuple[Pack, Path]]:
    """Yield the `sources.yaml` files of packs, each with its pack."""
    for pack in active:
        for inside in ("hardware", "models"):
            for file in pack.files(inside, "sources.yaml"):
                yield pack, file


def _read_sources(file: Path, shown: str) -> dict[str, list[str]]:
    """Return title, address, date of reading and place of each source in a file."""
    data = content(file, shown)
    cache_key = key_of(data, "sources", shown)
    rows: dict[str, list[str]] | None = get(cache_key)
    if rows is None:
        rows = _parse_sources(data, shown)
        put(cache_key, rows)
    return rows


def _parse_sources(data: bytes, shown: str) -> dict[str, list[str]]:
    from flopsheet.registry.reader import Reader
    from flopsheet.registry.strict_yaml import decoded

    reader, rows = Reader(decoded(data, shown)), {}
    for key in reader.node.items:
        inner = reader.inner(key)
        inner.check_keys(("title", "url", "read"), ("title",))
        rows[key] = [inner.text("title"), inner.text("url"), inner.date("read"), reader.place(key)]
    return rows


def sources() -> Mapping[str, Source]:
    """Return all sources by key, from the `sources.yaml` files of all packs."""
    return all_sources()[0]
