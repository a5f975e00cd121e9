"""What tells that a file was left as it was."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def state(path: Path | str) -> tuple[int, ...]:
    """Return what changes where `path` is written, replaced or given other rights, and not where it is read."""
    of = os.lstat(path)
    owner = of.st_mode, of.st_nlink, of.st_uid, of.st_gid
    return *owner, of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns
