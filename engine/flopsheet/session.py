"""The session: every in-memory cache of the process, and the files that some of them were filled from.

There are two sorts. `cached` stores results of pure functions over immutable arguments: an entry never becomes stale,
and `maxsize` bounds the memory. `cached_from_files` stores what was read from files, each entry with the state of the
files and folders passed to `watch` while it was read. Public functions are `fresh`: inside one call, each file is
checked once, when an entry that depends on it is first used, and an entry whose files have changed is read again. So a
call sees one state of each file.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar
from zlib import crc32

from flopsheet.errors import public

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from functools import _lru_cache_wrapper

SETTLED = 2_000_000_000  # nanoseconds: the coarsest clock of a file system; a younger file may change within one tick
State: TypeAlias = "tuple[int, int, int, int] | int | None"  # of a path: status or checksum; None where it is absent
P = ParamSpec("P")
T = TypeVar("T")


class _Thread(threading.local):
    """Whether a thread is in a public call, and the files of each entry that it is reading, the innermost last."""

    running = False

    def __init__(self) -> None:
        self.reading: list[dict[str, State]] = []


class Session:
    """Owns the in-memory caches of the process, and reloads them."""

    def __init__(self) -> None:
        self.call = 0
        self.thread = _Thread()
        self._caches: list[FileCache[Any, Any] | _lru_cache_wrapper[Any]] = []
        self._states: dict[tuple[str, bool], State] = {}  # those of the current call
        self._settings: tuple[str | None, ...] = ()
        self._installed = "\0"  # which no path begins with

    def register(self, cache: FileCache[Any, Any] | _lru_cache_wrapper[Any]) -> None:
        """Add a cache to those that `reload` empties."""
        self._caches.append(cache)

    def reload(self) -> None:
        """Empty every cache."""
        for cache in self._caches:
            cache.cache_clear()

    def drop_files(self) -> None:
        """Empty the caches of what was read from files."""
        for cache in self._caches:
            if isinstance(cache, FileCache):
                cache.cache_clear()

    def watch(self, path: str | os.PathLike[str]) -> None:
        """Make the entry being read depend on a file or folder, existing or not; call this before reading it."""
        name = os.fspath(path)
        if self.thread.reading and not name.startswith(self._installed):
            self.thread.reading[-1][name] = self.state(name)

    def do_not_watch(self, folder: str | os.PathLike[str]) -> None:
        """Take the files of an installed package as constant, as its code is while the process runs."""
        self._installed = os.path.join(folder, "")  # noqa: PTH118

    def state(self, path: str, *, content: bool = False) -> State:
        """Return the state of a path in the current public call, by its content if asked for."""
        key = path, content
        if key not in self._states:
            self._states[key] = _state(path, content=content)
        return self._states[key]

    def are_unchanged(self, states: Mapping[str, State]) -> bool:
        """Whether paths are in the same state as before; a checksum is compared with one."""
        known = self._states
        for path, state in states.items():
            key = path, isinstance(state, int)
            if (known[key] if key in known else self.state(path, content=key[1])) != state:
                return False
        return True

    def begin_call(self) -> None:
        """Start a public call: files are checked again, and dropped if a setting that selects packs has changed."""
        self.call += 1
        self._states = {}
        settings = _settings()
        if settings != self._settings:
            self._settings = settings
            self.drop_files()


SESSION = Session()


@dataclass(slots=True)
class _Entry:
    """A result, the state of each file that it depends on, and the public call that last compared these."""

    value: Any
    states: dict[str, State]
    call: int


class FileCache(Generic[P, T]):
    """A function whose results are cached until a file changes that it has read; it calls `SESSION.watch` for each."""

    def __init__(self, function: Callable[P, T]) -> None:
        self._function = function
        self._entries: dict[Any, _Entry] = {}
        SESSION.register(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the cached result, or read the files again if one of them has changed."""
        key = (args, *kwargs.items())
        entry = self._entries.get(key)
        if entry is None or (entry.call != SESSION.call and not SESSION.are_unchanged(entry.states)):
            entry = self._entries[key] = self._read(*args, **kwargs)
        entry.call = SESSION.call
        if SESSION.thread.reading:
            SESSION.thread.reading[-1].update(entry.states)
        return entry.value  # type: ignore[no-any-return]

    def _read(self, *args: P.args, **kwargs: P.kwargs) -> _Entry:
        states: dict[str, State] = {}
        SESSION.thread.reading.append(states)
        try:
            return _Entry(self._function(*args, **kwargs), states, SESSION.call)
        finally:
            SESSION.thread.reading.pop()

    def cache_clear(self) -> None:
        """Forget every result."""
        self._entries.clear()


cached_from_files = FileCache


def cached(maxsize: int, *, typed: bool = False) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Return a decorator that caches the last `maxsize` results of a pure function over immutable arguments."""

    def decorate(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        cache = lru_cache(maxsize, typed)(function)
        SESSION.register(cache)
        return cache

    return decorate


def fresh(function: Callable[P, T]) -> Callable[P, T]:
    """Return a `public` function that checks for changed files once, also for the public functions that it calls."""
    function = public(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        thread = SESSION.thread
        if thread.running:
            return function(*args, **kwargs)
        thread.running = True
        try:
            SESSION.begin_call()
            return function(*args, **kwargs)
        finally:
            thread.running = False

    return call


def reload() -> None:
    """Empty every cache of this process: packs, records, sheets and templates are read again when they are needed.

    A changed file is noticed without it. A pack that was installed while the process runs is not.
    """
    SESSION.reload()


def _state(path: str, *, content: bool) -> State:
    """Return the state of a path: a checksum of the names in a folder or the bytes of a file that changed just now.

    Their status suffices for those that have settled, and is all there is of those that cannot be read.
    """
    try:
        status = os.stat(path)  # noqa: PTH116  # pathlib would double the time
    except (OSError, ValueError):
        return None
    content = content or status.st_mtime_ns >= time.time_ns() - SETTLED
    try:
        if content and stat.S_ISDIR(status.st_mode):
            return crc32("\0".join(sorted(os.listdir(path))).encode("utf-8", "surrogateescape"))  # noqa: PTH208
        if content and stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:  # noqa: PTH123
                return crc32(file.read())
    except (OSError, ValueError):
        pass
    return status.st_mode, status.st_mtime_ns, status.st_size, status.st_ino


def _settings() -> tuple[str | None, ...]:
    try:
        here = os.getcwd()  # noqa: PTH109  # the same
    except OSError:
        here = None
    return here, os.environ.get("FLOPSHEET_PATH"), os.environ.get("FLOPSHEET_TRUST")
