"""Lists of hardware that were printed before: printed again at once, if nothing that they are made of has changed.

Reading all records takes little; importing what reads them takes most of the time that a list costs.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any
from zlib import crc32

from flopsheet.registry.disk_cache import get, put

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMMAND = ["hardware", "list"]
SETTLED = 2_000_000_000  # nanoseconds after which a file cannot change again with the same time stamp
_SETTINGS = ("FLOPSHEET_PATH", "FLOPSHEET_TRUST", "HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA")


def printed(words: Sequence[str]) -> bool:
    """Print the list that a command line asks for as it was printed before; return False if there is none."""
    if list(words[:2]) != COMMAND:
        return False
    found = get(_name(words))
    try:
        if found["asked"] != _asked(words) or found["stamps"] != _stamps(found["stamps"]):
            return False
        sys.stdout.write(found["text"])
        sys.stdout.flush()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return True


def keep(words: Sequence[str], text: str, paths: Iterable[str]) -> None:
    """Keep a list that was printed.

    Args:
        words: the command line.
        text: what was printed.
        paths: the files and folders that it rests on, those included that might come into being.
    """
    import time

    stamps = _stamps(paths)
    latest = max((stamp[place] for stamp in stamps.values() if stamp for place in (0, 1)), default=0)
    if list(words[:2]) == COMMAND and latest < time.time_ns() - SETTLED:
        put(_name(words), {"asked": _asked(words), "stamps": stamps, "text": text})


def _asked(words: Sequence[str]) -> list[Any]:
    """Return all that decides what is looked up where."""
    settings = [os.environ.get(name) for name in _SETTINGS]
    try:
        here = os.getcwd()  # noqa: PTH109  # pathlib would double the time
    except OSError:
        here = ""
    return [list(words), here, sys.path, settings]


def _name(words: Sequence[str]) -> str:
    return f"list-{crc32(repr(_asked(words)).encode('utf-8', 'backslashreplace')):08x}.json"


def _stamps(paths: Iterable[str]) -> dict[str, list[int] | None]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> list[int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]
