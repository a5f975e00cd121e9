"""Reads regular files of bounded size. FIFOs and devices are rejected, so reading never blocks."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 500_000


def content(path: Path, shown: str, largest: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a regular file, at most one more than the largest size.

    Raises:
        RegistryError: it cannot be read, or is a FIFO, a device or a folder.
    """
    SESSION.watch(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise RegistryError(shown, "The file cannot be read: it is not a regular file.", "Name a regular file.")
        with path.open("rb") as file:
            return file.read(largest + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, RegistryError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise RegistryError(shown, f"The file cannot be read: {reason}.") from None
