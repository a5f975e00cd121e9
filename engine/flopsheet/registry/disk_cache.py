"""Files that are kept between runs: whole or not at all, believed only if they are as they were written.

Imports little: what is kept is read before anything else is loaded.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any
from zlib import crc32

CACHE = "FLOPSHEET_CACHE"
OWN = "flopsheet-kept"  # a folder of our own, wherever somebody points us: old files in it are removed
KEPT_FOR = 30 * 24 * 3600


def folder() -> str:
    """Return the folder of what is kept: in FLOPSHEET_CACHE, or where the system keeps such things."""
    named = os.environ.get(CACHE)
    if not named:
        import platformdirs

        named = platformdirs.user_cache_dir("flopsheet")
    return os.path.join(named, OWN)  # noqa: PTH118  # pathlib would double the time of a list


def get(name: str) -> Any:
    """Return what was kept under a name, or None where there is nothing, or it is not as it was written."""
    try:
        with open(os.path.join(folder(), name), encoding="utf-8") as file:  # noqa: PTH118, PTH123  # the same
            kept = json.load(file)
        return kept["content"] if kept["sum"] == _sum(kept["content"]) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def put(name: str, content: Any) -> None:
    """Keep content that JSON can hold. Where the disk takes nothing, nothing is kept.

    The file appears whole or not at all, so that processes that start at once do not meet halves of it.
    """
    place = os.path.join(folder(), name)  # noqa: PTH118
    part = f"{place}.{os.getpid()}.part"
    try:
        os.makedirs(folder(), mode=0o700, exist_ok=True)  # noqa: PTH103
        _forget_old()
        with open(part, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump({"sum": _sum(content), "content": content}, file)
        os.replace(part, place)  # noqa: PTH105
    except OSError:
        with suppress(OSError):
            os.unlink(part)  # noqa: PTH108


def _forget_old() -> None:
    """Remove what was kept long ago: files have changed since, and are kept under other names."""
    import time

    with os.scandir(folder()) as entries:
        for each in entries:
            with suppress(OSError):
                ours = each.name.endswith((".json", ".part")) and each.is_file(follow_symlinks=False)
                if ours and time.time() - each.stat().st_mtime > KEPT_FOR:
                    os.unlink(each.path)  # noqa: PTH108


def _sum(content: Any) -> int:
    return crc32(json.dumps(content).encode())
