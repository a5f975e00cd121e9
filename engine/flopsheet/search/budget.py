"""How long a question may take: searches end when its time is spent, with what is proven so far."""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT = 2.0  # seconds
_current: ContextVar[tuple[float, float]] = ContextVar("budget", default=(math.inf, 1.0))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let the searches inside a `with` block take so many seconds together; one inside of another changes nothing.

    Searches also have a budget of work, so that answers do not depend on the machine; more seconds allow more work.
    """
    if _current.get()[0] < math.inf:
        yield
        return
    token = _current.set((monotonic() + seconds, max(1.0, seconds / DEFAULT)))
    try:
        yield
    finally:
        _current.reset(token)


def is_spent() -> bool:
    """Whether the time of the question is over."""
    return monotonic() > _current.get()[0]


def work(evaluations: int) -> float:
    """Return how many evaluations a search may do that may do so many by default."""
    return evaluations * _current.get()[1]
