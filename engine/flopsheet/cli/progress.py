"""What a question is at, as one line on the error stream of a terminal, and Ctrl-C as the end of its time."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from flopsheet import budget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from flopsheet.budget import Watch

DELAY, EVERY = 1.0, 0.1  # seconds before the line is shown, and between two of its states


@contextmanager
def watching() -> Iterator[Watch]:
    """Show what takes long inside a `with` block, on a terminal, and let Ctrl-C end questions with what is proven.

    A second Ctrl-C, or one while no question is under way, is a KeyboardInterrupt.
    """
    with budget.watched() as watch, _stoppable(watch):
        if not sys.stderr.isatty():
            yield watch
            return
        line = _Line(watch)
        line.start()
        try:
            yield watch
        finally:
            line.stop()


@contextmanager
def _stoppable(watch: Watch) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        if watch.stopped or not watch.depth:
            raise KeyboardInterrupt
        watch.stopped = True

    if threading.current_thread() is not threading.main_thread():  # signals only reach that one
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Line:
    """One line that a thread rewrites while a question is under way; it is erased before the answer is printed."""

    def __init__(self, watch: Watch) -> None:
        self.watch, self._lock, self._done, self._width = watch, threading.Lock(), threading.Event(), 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        watch.at_rest = self._erase

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._done.set()
        self._thread.join()
        self._erase()

    def _run(self) -> None:
        while not self._done.wait(EVERY):
            with self._lock:
                if self.watch.depth and monotonic() - self.watch.since >= DELAY:
                    text = progress_text(self.watch)[: shutil.get_terminal_size().columns - 1]
                    self._write(text.ljust(self._width))
                    self._width = len(text)

    def _erase(self) -> None:
        with self._lock:
            if self._width:
                self._write(" " * self._width + "\r")
            self._width = 0

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(f"\r{text}")
        sys.stderr.flush()


def progress_text(watch: Watch) -> str:
    """Return what a question is at: `n_fsdp: 9,000 boxes, 1.4 s of 2 s`, `3 of 9 rows, 17 of 49 chips, 1 s of 2 s`."""
    tried = "".join(f"{loop.done} of {loop.total} {loop.kind}, " for loop in [*watch.loops])
    searched = f"{watch.task}: {watch.boxes:,} boxes, " if watch.task and watch.boxes else ""
    stopping = ", stopping" if watch.stopped else ""
    return f"{tried}{searched}{monotonic() - watch.begun:.1f} s of {watch.seconds:g} s{stopping}"
