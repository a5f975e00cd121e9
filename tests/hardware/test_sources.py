"""The sources of all built-in records: each has an address, and each verified figure a source with one."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.cases import each

from flopsheet import records
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.store import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.registry.records import Record, Value


def _figures(record: Record) -> Iterator[tuple[str, Value]]:
    """Yield all figures of a record by name, and what they are on other bases."""
    for name, value in record.values.items():
        yield name, value
        yield from ((f"{name}, {other.basis}", other) for other in value.others)


@each(sources())
def test_no_address_is_the_root_of_a_site(key: str) -> None:
    url = urlsplit(sources()[key].url)
    assert not url.netloc or url.path.strip("/") or url.query


@each(KINDS)
def test_every_source_of_a_figure_is_listed(kind: str) -> None:
    named = {key for record in records(kind).values() for _, value in _figures(record) for key in value.sources}
    assert named - set(sources()) == set()


@each(KINDS)
def test_a_verified_figure_has_a_source_with_an_address(kind: str) -> None:
    addressed = {key for key, source in sources().items() if source.url}
    assert [
        f"{record.key}: {name}"
        for record in records(kind).values()
        for name, value in _figures(record)
        if value.verified and value.sources and not addressed & set(value.sources)
    ] == []


@each(KINDS)
def test_a_figure_is_on_the_right_side_of_its_other_bases(kind: str) -> None:
    for record in records(kind).values():
        for name, value in record.values.items():
            where = f"{record.key}: {name}"
            assert value.usable is None or value.usable.si <= value.si, where
            assert value.sparse is None or value.si < value.sparse.si <= 4 * value.si, where
            if value.measured is not None and name.startswith("flops"):
                assert value.si / 4 < value.measured.si < value.si, where
