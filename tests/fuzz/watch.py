"""The watch of the fuzzers: no foreign exception, nothing over its time, nothing over 500 MB.

A fuzzer is a test with a fixed seed for each of its chunks, marked slow. Time is that of the processor, so a busy
machine changes nothing. A call that exceeds it is stopped, and tried once more with twice the time, longer on a slow
machine.
"""

from __future__ import annotations

import gc
import resource
import signal
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tests.pace import slowness

from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

T = TypeVar("T")
TOO_LONG = "over its time"
SECONDS, MEMORY = 1.0, 500_000  # of one call: seconds of the processor, and kB beside those of the process
PEAK = Path("/proc/self/clear_refs")
LONGEST, MOST = 300, 10  # letters and failures that are shown


class Looks:
    """A clock that goes on each time it is looked at, so that time ends at the same place in every run."""

    def __init__(self, step: float = 1 / 5000) -> None:
        """Go on by so much at each look [s]."""
        self.step, self._now = step, 0.0

    def __call__(self) -> float:
        """Return the time [s]."""
        self._now += self.step
        return self._now


class TooLongError(BaseException):
    """A call has exceeded its time; no `except Exception` catches it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise a TooLongError in the `with` block once it has taken so many seconds of the processor."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def failures(
    call: Callable[[T], object],
    inputs: Iterable[T],
    accepted: tuple[type[BaseException], ...] = (FlopsheetError,),
    seconds: float = SECONDS,
) -> list[str]:
    """Call a function with each input, and describe those at which it fails.

    Args:
        call: what is tried.
        inputs: its arguments.
        accepted: the exceptions that it may raise.
        seconds: what one call may take [s].
    """
    found = []
    gc.collect()  # what earlier tests left is not counted
    for content in inputs:
        with suppress(OSError):  # where Linux permits it, the peak of earlier calls is forgotten
            PEAK.write_text("5", encoding="ascii")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        problem = _problem(call, content, accepted, seconds)
        if problem == TOO_LONG:  # what it loads first, and a machine that slows for a while, are not its own time
            problem = _problem(call, content, accepted, 2 * seconds * slowness())
        if problem == TOO_LONG:
            problem = f"over {2 * seconds:g} s"
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory > MEMORY:
            problem = f"over {MEMORY:,} kB"
        if problem:
            found.append(f"{repr(content)[:LONGEST]}: {problem[:LONGEST]}")
    return found[:MOST]


def _problem(call: Callable[[T], object], content: T, accepted: tuple[type[BaseException], ...], seconds: float) -> str:
    """Call a function with an input, and return what fails; nothing if nothing does."""
    try:
        with limited(seconds):
            call(content)
    except accepted:
        return ""
    except TooLongError:
        return TOO_LONG
    except Exception as error:  # noqa: BLE001  # any foreign exception is what a fuzzer looks for
        return f"{type(error).__name__}: {error}"
    return ""
