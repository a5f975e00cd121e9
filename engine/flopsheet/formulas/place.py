"""Where a row of a sheet was declared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from flopsheet.session import cached


@dataclass(frozen=True, slots=True)
class Place:
    """Where a cell was declared: file and line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{_short(self.file)}:{self.line}"


@cached(maxsize=4096)
def _short(file: str) -> str:
    return "/".join(PurePath(file).parts[-2:])


NOWHERE = Place("", 0)
