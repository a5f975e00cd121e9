"""The session: every in-memory cache of the process, and the files that some of them were filled from.

There are two sorts. `cached` stores results of pure functions over immutable arguments: an entry never becomes stale,
and `maxsize` bounds the memory. `cached_from_files` stores what was read from files, each entry with the files and
folders passed to `watch` while it was read. Public functions are `fresh`: inside one call, each file is checked once,
when an entry that depends on it is first used, and an entry whose files have changed is read again. So a call sees one
state of each file.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import _lru_cache_wrapper

SETTLED = 2_000_000_000  # nanoseconds: the coarsest clock of a file system; a younger file may change within one tick
P = ParamSpec("P")
T = TypeVar("T")


class _Stamp(NamedTuple):
    """The state of a path: mode, time of the last change, size, inode, and a checksum where these do not suffice."""

    status: tuple[int, int, int, int] | None
    content: int | None
    settled: bool


class _Watched:
    """A file or folder that entries depend on; its version is incremented with every change."""

    def __init__(self, path: str) -> None:
        self.path, self.version, self.call, self.stamp = path, 0, 0, _stamp(path)

    def current(self, call: int) -> int:
        """Return the version, after checking the file once in a public call."""
        if call != self.call:
            self.call = call
            before = self.stamp
            if not before.settled or _status(self.path) != before.status:
                self.stamp = _stamp(self.path, checksum=before.content is not None)
                same_content = before.content is not None and self.stamp.content == before.content
                self.version += not (same_content or self.stamp == before)
        return self.version


@dataclass(slots=True)
class _Entry:
    """A result, the version of each file that it depends on, and the public call that last compared these."""

    value: Any
    versions: dict[_Watched, int]
    call: int

    def holds(self, call: int) -> bool:
        if call != self.call:
            if any(watched.current(call) != version for watched, version in self.versions.items()):
                return False
            self.call = call
        return True


class _Thread(threading.local):
    """The public call that a thread is in, and the files of each entry that it is reading, the innermost last."""

    running = False

    def __init__(self) -> None:
        self.reading: list[dict[_Watched, int]] = []


class Session:
    """Owns the in-memory caches of the process, and reloads them."""

    def __init__(self) -> None:
        self.call = 0
        self.thread = _Thread()
        self._caches: list[FileCache[Any, Any] | _lru_cache_wrapper[Any]] = []
        self._watched: dict[str, _Watched] = {}
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
            watched = self._watch(name)
            self.thread.reading[-1][watched] = watched.current(self.call)

    def do_not_watch(self, folder: str | os.PathLike[str]) -> None:
        """Take the files of an installed package as constant, as its code is while the process runs."""
        self._installed = os.path.join(folder, "")  # noqa: PTH118

    def version(self, path: str) -> int:
        """Return a number that changes with each change of a file."""
        return self._watch(path).current(self.call)

    def _watch(self, path: str) -> _Watched:
        return self._watched.get(path) or self._watched.setdefault(path, _Watched(path))

    def begin_call(self) -> None:
        """Start a public call: files are checked again, and dropped if a setting that selects packs has changed."""
        self.call += 1
        settings = _settings()
        if settings != self._settings:
            self._settings = settings
            self.drop_files()


SESSION = Session()


class FileCache(Generic[P, T]):
    """A function whose results are cached until a file that it has read changes."""

    def __init__(self, function: Callable[P, T]) -> None:
        self._function = function
        self._entries: dict[Any, _Entry] = {}
        SESSION.register(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the cached result, or read the files again if one of them has changed."""
        key = (args, *kwargs.items())
        entry = self._entries.get(key)
        if entry is None or not entry.holds(SESSION.call):
            entry = self._entries[key] = self._read(*args, **kwargs)
        if SESSION.thread.reading:
            SESSION.thread.reading[-1].update(entry.versions)
        return entry.value  # type: ignore[no-any-return]

    def _read(self, *args: P.args, **kwargs: P.kwargs) -> _Entry:
        versions: dict[_Watched, int] = {}
        SESSION.thread.reading.append(versions)
        try:
            return _Entry(self._function(*args, **kwargs), versions, SESSION.call)
        finally:
            SESSION.thread.reading.pop()

    def cache_clear(self) -> None:
        """Forget every result."""
        self._entries.clear()


def cached(maxsize: int, *, typed: bool = False) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Return a decorator that caches the last `maxsize` results of a pure function over immutable arguments."""

    def decorate(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        cache = lru_cache(maxsize, typed)(function)
        SESSION.register(cache)
        return cache

    return decorate


def cached_from_files(function: Callable[P, T]) -> FileCache[P, T]:
    """Cache the results of a function that reads files until one of them changes; readers call `SESSION.watch`."""
    return FileCache(function)


def fresh(function: Callable[P, T]) -> Callable[P, T]:
    """Return a public function that checks for changed files once, also for the public functions that it calls."""

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


def _stamp(path: str, *, checksum: bool = False) -> _Stamp:
    """Return the state of a path; that of a folder is decided by the names in it."""
    status = _status(path)
    if status is None:
        return _Stamp(None, None, settled=True)
    settled = status[1] < time.time_ns() - SETTLED
    summed = checksum or not settled or stat.S_ISDIR(status[0])
    return _Stamp(status, _checksum(path, status[0]) if summed else None, settled)


def _status(path: str) -> tuple[int, int, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  # pathlib would double the time
    except (OSError, ValueError):
        return None
    return status.st_mode, status.st_mtime_ns, status.st_size, status.st_ino


def _checksum(path: str, mode: int) -> int | None:
    """Return a checksum of the bytes of a file or of the names in a folder, or None where neither can be read."""
    try:
        if stat.S_ISDIR(mode):
            return crc32("\0".join(sorted(os.listdir(path))).encode("utf-8", "surrogateescape"))  # noqa: PTH208
        if not stat.S_ISREG(mode):
            return None
        with open(path, "rb") as file:  # noqa: PTH123
            return crc32(file.read())
    except (OSError, ValueError):
        return None


def _settings() -> tuple[str | None, ...]:
    try:
        here = os.getcwd()  # noqa: PTH109  # the same
    except OSError:
        here = None
    return here, os.environ.get("FLOPSHEET_PATH"), os.environ.get("FLOPSHEET_TRUST")
