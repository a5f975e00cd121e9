"""What is unusual about records: figures outside of usual ranges, pairs that contradict each other, unknown names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.registry.records import Record
    from flopsheet.registry.store import Source


def doubts(records: Iterable[Record], sources: Mapping[str, Source]) -> list[RegistryError]:
    """Return what is unusual about records."""
    return [RegistryError(record.key, "", "") for record in records if record.key in sources]
