"""Files that we write: each is written beside its place, then moved there: a full disk or a kill keeps the old."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

PART = ".part"  # the ending of a file that is being written
_WRITE_BITS = 0o222


def obstacle(path: str | os.PathLike[str]) -> str:
    """Return why a file cannot be written at a path, as a sentence; an empty text if nothing is known against it.

    Links are not followed, as what they lead to was not named; FIFOs and devices cannot be replaced.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        return f"The file cannot be written: {getattr(error, 'strerror', None) or error}."
    if stat.S_ISLNK(mode):
        return "This is a link, which is not followed."
    if not stat.S_ISREG(mode):
        return "This is a directory." if stat.S_ISDIR(mode) else "This is not a regular file."
    return "" if mode & _WRITE_BITS and os.access(path, os.W_OK) else "The file is read-only."


def replace(path: str | os.PathLike[str], data: bytes, *, durable: bool = True) -> None:
    """Write a file as a whole: readers see the old content or the new one, also after a crash if `durable`.

    The permissions of an existing file are kept.

    Raises:
        OSError: it cannot be written; the old file is unchanged.
    """
    part = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}{PART}")  # noqa: PTH118, PTH120  # called often
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:  # noqa: PTH123  # the same
            with suppress(FileNotFoundError):
                os.chmod(part, stat.S_IMODE(os.lstat(path).st_mode))  # noqa: PTH101  # the same
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(part, path)  # noqa: PTH105  # the same
    except BaseException:
        with suppress(OSError):
            os.unlink(part)  # noqa: PTH108  # the same
        raise
