"""Lists of hardware that were printed before: printed again at once, if nothing that they are made of has changed.

Reading all records takes little; importing what reads them takes most of the time that a list costs.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMMAND = ["hardware", "list"]
SETTLED = 2_000_000_000  # nanoseconds after which a file cannot change again with the same time stamp
_SETTINGS = ("FLOPSHEET_PATH", "FLOPSHEET_TRUST", "HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA")


def printed(words: Sequence[str]) -> bool:
    """Print the list that a command line asks for as it was printed before; return False if there is none."""
    if list(words[:2]) != COMMAND:
        return False
    try:
        with open(_file(words), encoding="utf-8") as kept:  # noqa: PTH123  # pathlib would double the time
            found = json.load(kept)
        current = bool(found["asked"] == _asked(words) and found["stamps"] == _stamps(found["stamps"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if current:
        sys.stdout.write(found["text"])
    return current


def keep(words: Sequence[str], text: str, paths: Iterable[str]) -> None:
    """Keep a list that was printed.

    Args:
        words: the command line.
        text: what was printed.
        paths: the files and folders that it rests on, those included that might come into being.
    """
    import time

    from flopsheet.registry.cache import put

    stamps = _stamps(paths)
    latest = max((stamp[place] for stamp in stamps.values() if stamp for place in (0, 1)), default=0)
    if list(words[:2]) == COMMAND and latest < time.time_ns() - SETTLED:
        put(os.path.basename(_file(words)), {"asked": _asked(words), "stamps": stamps, "text": text})  # noqa: PTH119


def _asked(words: Sequence[str]) -> list[Any]:
    """Return all that decides what is looked up where."""
    settings = [os.environ.get(name) for name in _SETTINGS]
    return [list(words), os.getcwd(), sys.path, settings]  # noqa: PTH109


def _file(words: Sequence[str]) -> str:
    from zlib import crc32

    from flopsheet.registry.places import cache_folder

    return os.path.join(cache_folder(), f"list-{crc32(repr(_asked(words)).encode()):08x}.json")  # noqa: PTH118


def _stamps(paths: Iterable[str]) -> dict[str, list[int] | None]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> list[int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]
