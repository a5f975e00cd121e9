"""How long a file may be read: 1 s for each 100 kB begun, so that no file keeps anybody waiting, whatever is in it.

Time is that of the processor in this thread: it does not pass while other programs run.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from time import thread_time
from typing import TYPE_CHECKING, TypeVar

from flopsheet.errors import RegistryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

T = TypeVar("T")
PORTION = 100_000  # bytes read in a second


@dataclass
class _Reading:
    """A file that is being read, and those that it includes."""

    begun: float  # [s]
    size: int = 0  # [byte]

    @property
    def seconds(self) -> int:
        """How long it may take."""
        return max(1, -(-self.size // PORTION))


_reading: ContextVar[_Reading | None] = ContextVar("reading", default=None)


class _TooSlowError(Exception):
    """The time is over; no mistake of one row, so it passes through what collects those."""


@contextmanager
def reading(shown: str) -> Iterator[None]:
    """Limit how long a file is read inside a `with` block; files read inside of it have times of their own.

    Raises:
        RegistryError: it takes longer.
    """
    outer, begun = _reading.get(), thread_time()
    own = _Reading(begun)
    token = _reading.set(own)
    try:
        yield
    except _TooSlowError:
        fix = "Split it, or simplify its formulas."
        raise RegistryError(shown, f"Reading it takes more than {own.seconds} s.", fix) from None
    finally:
        _reading.reset(token)
        if outer is not None:
            outer.begun += thread_time() - begun


def in_time(read: Callable[[Path | str], T]) -> Callable[[Path | str], T]:
    """Return a function that reads a file, limited in time."""

    @wraps(read)
    def limited(path: Path | str) -> T:
        with reading(str(path)):
            return read(path)

    return limited


@contextmanager
def paused() -> Iterator[None]:
    """Let the time of reading stand still inside a `with` block: what is done there has a budget of its own."""
    own, begun = _reading.get(), thread_time()
    token = _reading.set(None)
    try:
        yield
    finally:
        _reading.reset(token)
        if own is not None:
            own.begun += thread_time() - begun


def add_size(size: int) -> None:
    """Allow the file that is read the time for so many bytes more."""
    if (own := _reading.get()) is not None:
        own.size += size


def check_time() -> None:
    """End reading where its time is over; called for each row and formula."""
    own = _reading.get()
    if own is not None and thread_time() - own.begun > own.seconds:
        raise _TooSlowError
