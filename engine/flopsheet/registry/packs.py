"""Packs: folders that hold any of `hardware/`, `models/` and `templates/`. The built-in content is pack 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of content.

    Args:
        name: how it is called.
        folder: where it lies.
    """

    name: str
    folder: Path

    def files(self, inside: str, pattern: str) -> list[Path]:
        """Return the files of a sub-folder whose names match, sorted; none where the pack has no such folder."""
        return sorted((self.folder / inside).glob(pattern))

    def shown(self, file: Path) -> str:
        """Return how messages call one of its files: the path inside the pack."""
        return file.relative_to(self.folder).as_posix()


@cache
def packs() -> tuple[Pack, ...]:
    """Return the active packs, pack 0 first."""
    import flopsheet.builtin

    return (Pack("flopsheet", Path(next(iter(flopsheet.builtin.__path__)))),)
