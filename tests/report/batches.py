"""Files in batches, so that each call of another program has its own limit of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TOGETHER = 16  # pages or workbooks that a program takes in one call
T = TypeVar("T")


def batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the items, `TOGETHER` at a time."""
    for first in range(0, len(items), TOGETHER):
        yield items[first : first + TOGETHER]
