"""How long a question may take: work ends when its time is spent or the user stops it, with what is proven so far."""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

DEFAULT = 2.0  # seconds
LONGER = 60  # seconds that are suggested where that was too little
LEAST_LEFT = 1 / 4  # of a question's time: reserved for warnings and hints even if solving used it all
MOST_JOINTLY = 1_500_000  # operations on intervals: a quarter of a minute
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


class _Limits(NamedTuple):
    """What a question may take."""

    end: float = math.inf  # on the clock of `monotonic` [s]
    more: float = 1.0  # by which all work is multiplied
    question: int = 0  # its number; 0 outside of questions
    done: list[float] | None = None  # the evaluations of each of its searches over several unknowns


_current: ContextVar[_Limits] = ContextVar("budget", default=_Limits())  # noqa: B039  # a tuple
_questions = count(1)
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def within(seconds: float, patience: float = 1.0, spent: float = 0.0) -> Iterator[None]:
    """Let the work inside a `with` block take so many seconds together; one inside of another changes nothing.

    Searches also have a budget of work, so that answers do not depend on the machine; more seconds allow more work.
    What is bounded by its work alone has the `patience` to take several times as long on a machine that is busy.
    What the same question `spent` before is deducted, but at least `LEAST_LEFT` of the seconds remain.
    """
    if _current.get().end < math.inf:
        yield
        return
    watch, begun = _watch.get() or Watch(), monotonic()
    watch.begun, watch.seconds, watch.boxes = begun, seconds, 0
    watch.enter()
    end = begun + max(patience * seconds - spent, LEAST_LEFT * seconds)
    token = _current.set(_Limits(end, max(1.0, seconds / DEFAULT), next(_questions), []))
    try:
        yield
    finally:
        _current.reset(token)
        watch.leave()


@dataclass
class Allowance:
    """The time of one question, shared by solving it and by working out the warnings and hints of its answer."""

    seconds: float
    spent: float = 0.0  # [s]

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let the work inside a `with` block take what is left."""
        begun = monotonic()
        with within(self.seconds, spent=self.spent):
            yield
        self.spent += monotonic() - begun


@contextmanager
def part(share: float) -> Iterator[None]:
    """Let the work inside a `with` block take a share of the time that is left."""
    limits, now = _current.get(), monotonic()
    token = _current.set(limits._replace(end=now + share * max(limits.end - now, 0)))
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def at_least(seconds: float) -> Iterator[None]:
    """Let the work inside a `with` block take so many seconds even where the time of the question is over."""
    limits = _current.get()
    token = _current.set(limits._replace(end=max(limits.end, monotonic() + seconds)))
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
    return is_stopped() or monotonic() > _current.get().end


def current() -> tuple[float, int]:
    """Return by what the work of the current question is multiplied, and its number."""
    limits = _current.get()
    return limits.more, limits.question


def longer() -> int:
    """Return how many seconds to ask for where those of the current question were too few."""
    return LONGER if _current.get().more * DEFAULT < LONGER else math.ceil(10 * _current.get().more * DEFAULT)


def is_stopped() -> bool:
    """Whether the user has stopped what is asked."""
    watch = _watch.get()
    return watch is not None and watch.stopped


def work(evaluations: int) -> float:
    """Return how many evaluations a search may do that may do so many by default; more time allows more."""
    return evaluations * (1.0 if is_over() else _current.get().more)


def do_jointly(evaluations: float) -> None:
    """Count what a search over several unknowns has done: those of one question share `MOST_JOINTLY`."""
    done = _current.get().done
    if done is not None:
        done.append(evaluations)


def left_jointly() -> float:
    """Return how many evaluations the searches over several unknowns may still do in the current question."""
    return max(work(MOST_JOINTLY) - sum(_current.get().done or ()), 0)


@contextmanager
def watched() -> Iterator[Watch]:
    """Yield what the questions inside a `with` block are at; setting `stopped` ends them with what is proven."""
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
