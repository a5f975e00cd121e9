"""Limits of time for tests, in seconds of the processor, longer on a machine that is slower than the usual one."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COUNTED, USUAL = 100_000, 0.01  # steps of a loop, and what they take on the usual machine [s]
TRIES = 3
T = TypeVar("T")


def slowness() -> float:
    """Return how many times as long as on the usual machine work takes now, 1 at least."""
    return max(1.0, min(_counting() for _ in range(3)) / USUAL)


@contextmanager
def at_most(seconds: float, about: object = "") -> Iterator[None]:
    """Fail where the work of a `with` block takes longer, on the processor: others may be busy.

    Args:
        seconds: what it may take on the usual machine [s].
        about: what the failure names.
    """
    gc.freeze()  # a search for garbage in what earlier tests left takes seconds
    begun = time.process_time()
    yield
    taken = time.process_time() - begun
    pace = slowness() if taken > seconds else 1.0
    assert taken <= seconds * pace, f"{about} takes {taken:.2f} s at a pace of 1/{pace:.2f}"


def in_time(work: Callable[[], T], seconds: float, about: object = "") -> T:
    """Return what a function without arguments returns, and fail where it never ends in time.

    A neighbour on the same processor doubles what one try takes, now and then: some try has to be in time.

    Args:
        work: the function, which is called up to three times.
        seconds: what it may take on the usual machine [s].
        about: what the failure names.
    """
    for _ in range(TRIES - 1):
        with suppress(AssertionError), at_most(seconds, about):
            return work()
    with at_most(seconds, about):
        return work()


def _counting() -> float:
    begun, total = time.process_time(), 0
    for step in range(COUNTED):
        total += step * step % 7
    return time.process_time() - begun
