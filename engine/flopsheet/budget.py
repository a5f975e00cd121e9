"""How long a question may take: work ends when its time is spent or the user stops it, with what is proven so far."""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

DEFAULT = 2.0  # seconds
T = TypeVar("T")


@dataclass
class Loop:
    """Things that are tried one after the other."""

    kind: str  # `chips`
    total: int  # how many they are
    done: int = 0  # how many of them are done


@dataclass
class Watch:
    """What questions are at, for whoever shows it or stops them."""

    task: str = ""  # the unknown that is solved for
    begun: float = 0.0  # when the current question began, on the clock of `monotonic` [s]
    seconds: float = math.inf  # how long it may take
    boxes: int = 0  # how many boxes its searches have looked at
    loops: list[Loop] = field(default_factory=list)  # what is tried one after the other, the outermost first
    depth: int = 0  # how many questions and loops over them are under way, one inside of another
    since: float = 0.0  # when the outermost of them began
    stopped: bool = False  # whether the user has stopped them
    at_rest: Callable[[], None] = lambda: None  # is called when the last of them ends

    def enter(self) -> None:
        """Tell that a question or a loop over questions begins."""
        self.since = self.since if self.depth else monotonic()
        self.depth += 1

    def leave(self) -> None:
        """Tell that it ends."""
        self.depth -= 1
        if not self.depth:
            self.task = ""
            self.at_rest()


_current: ContextVar[tuple[float, float, int]] = ContextVar("budget", default=(math.inf, 1.0, 0))
_questions = count(1)
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let the work inside a `with` block take so many seconds together; one inside of another changes nothing.

    Searches also have a budget of work, so that answers do not depend on the machine; more seconds allow more work.
    """
    if _current.get()[0] < math.inf:
        yield
        return
    watch, begun = _watch.get() or Watch(), monotonic()
    watch.begun, watch.seconds, watch.boxes = begun, seconds, 0
    watch.enter()
    token = _current.set((begun + seconds, max(1.0, seconds / DEFAULT), next(_questions)))
    try:
        yield
    finally:
        _current.reset(token)
        watch.leave()


@contextmanager
def part(share: float) -> Iterator[None]:
    """Let the work inside a `with` block take a share of the time that is left."""
    end, more, number = _current.get()
    now = monotonic()
    token = _current.set((now + share * max(end - now, 0), more, number))
    try:
        yield
    finally:
        _current.reset(token)


def each(items: Collection[T], kind: str) -> Iterator[T]:
    """Yield items while there is time and the user does not stop it; the watch tells how many are done."""
    watch = _watch.get() or Watch()
    loop = Loop(kind, len(items))
    watch.loops.append(loop)
    watch.enter()
    try:
        for item in items:
            if is_over():
                break
            yield item
            loop.done += 1
    finally:
        watch.loops.remove(loop)
        watch.leave()


def check() -> None:
    """Raise a TimeoutError where the time of the question is over, or the user has stopped it."""
    if is_over():
        raise TimeoutError


def in_time(items: Iterable[T]) -> Iterator[T]:
    """Yield items, each after a `check`."""
    for item in items:
        check()
        yield item


def works_on(task: str) -> None:
    """Tell the watch which unknown is solved for."""
    if (watch := _watch.get()) is not None:
        watch.task = task


def is_spent() -> bool:
    """Whether a search has to end; it asks before each box, and the watch counts these."""
    if (watch := _watch.get()) is not None:
        watch.boxes += 1
    return is_over()


def is_over() -> bool:
    """Whether the time of the question is over, or the user has stopped it."""
    return is_stopped() or monotonic() > _current.get()[0]


def current() -> tuple[float, int]:
    """Return by what the work of the current question is multiplied, and its number."""
    _, more, number = _current.get()
    return more, number


def is_stopped() -> bool:
    """Whether the user has stopped what is asked."""
    watch = _watch.get()
    return watch is not None and watch.stopped


def work(evaluations: int) -> float:
    """Return how many evaluations a search may do that may do so many by default; more time allows more."""
    return evaluations * (1.0 if is_over() else _current.get()[1])


@contextmanager
def watched() -> Iterator[Watch]:
    """Yield what the questions inside a `with` block are at; setting `stopped` ends them with what is proven."""
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
