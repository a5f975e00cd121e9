"""Packs: folders that hold any of `hardware/`, `models/` and `templates/`. The built-in content is pack 0."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError
from flopsheet.registry.places import user_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "flopsheet.packs"
PATH, TRUST = "FLOPSHEET_PATH", "FLOPSHEET_TRUST"
FOLDERS = ("hardware", "models", "templates")
_named: list[Path] = []


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of content.

    Args:
        name: how it is called.
        folder: where it lies.
        found: how it was found: `built-in`, `installed`, `user`, `FLOPSHEET_PATH`, `project` or `--pack`.
        trusted: whether Python sheets in it may be run.
    """

    name: str
    folder: Path
    found: str = "built-in"
    trusted: bool = True

    def files(self, inside: str, pattern: str) -> list[Path]:
        """Return the files of a sub-folder whose names match, sorted; none where the pack has no such folder.

        What is no plain file, and what a link or `..` leads to outside of the pack, is left out: see `strays`.
        """
        return sorted(file for file, why in self._matching(inside, pattern) if not why)

    def strays(self, inside: str, pattern: str) -> list[RegistryError]:
        """Return why files that match are not read."""
        found = sorted((file, why) for file, why in self._matching(inside, pattern) if why)
        return [RegistryError(self.shown(file), why, "Copy the file into the pack.") for file, why in found]

    def shown(self, file: Path) -> str:
        """Return how messages call one of its files: the path inside the pack, behind the name of any but pack 0."""
        inside = file.relative_to(self.folder).as_posix()
        return inside if self.found == "built-in" else f"{self.name}/{inside}"

    def _matching(self, inside: str, pattern: str) -> Iterator[tuple[Path, str]]:
        root = os.path.realpath(self.folder)
        try:
            for file in (self.folder / inside).glob(pattern):
                yield file, _why_not(file, root)
        except OSError:
            return


def _why_not(file: Path, root: str) -> str:
    """Say why a file is not read; nothing if it is."""
    real = os.path.realpath(file)
    if os.path.commonpath((root, real)) != root:
        return "This leads out of the pack, and is not read."
    try:
        return "" if stat.S_ISREG(Path(real).stat().st_mode) else "This is no plain file, and is not read."
    except OSError as error:
        return f"The file cannot be read: {error.strerror}."


@cache
def packs() -> tuple[Pack, ...]:
    """Return the active packs, the least first: later ones may override records of earlier ones."""
    found: dict[str, Pack] = {}
    for pack in _candidates():
        found.setdefault(os.path.realpath(pack.folder), pack)
    return tuple(found.values())


def looked_at() -> list[str]:
    """Return the places on which depends which packs there are: a change there may bring a pack or take one away."""
    named = [each for each in os.environ.get(PATH, "").split(os.pathsep) if each]
    roots = [_user_folder(), *map(Path, named), Path.cwd(), *(pack.folder for pack in packs())]
    return [*sys.path, *(str(root / inside) for root in roots for inside in FOLDERS)]


def use_pack(folder: Path | str) -> None:
    """Make a folder the last pack, as `--pack` does.

    Raises:
        RegistryError: there is no such folder, or it holds nothing that a pack may hold.
    """
    folder = Path(folder)
    if not any((folder / each).is_dir() for each in FOLDERS):
        problem = "This is no folder." if not folder.is_dir() else "It holds none of hardware/, models/ and templates/."
        raise RegistryError(f"pack {folder}", problem, "Name the folder that holds them.")
    _named.append(folder)
    packs.cache_clear()


def _candidates() -> Iterator[Pack]:
    import flopsheet.builtin

    yield Pack("flopsheet", Path(next(iter(flopsheet.builtin.__path__))))
    yield from _installed()
    yield from _folders([_user_folder()], "user")
    named = os.environ.get(PATH, "")
    yield from _folders([Path(each) for each in named.split(os.pathsep) if each], PATH)
    here = Path.cwd()
    if any((here / "hardware").glob("*.yaml")) or any((here / "hardware").glob("*/*.yaml")):
        yield from _folders([here], "project")
    yield from _folders(_named, "--pack")


def _folders(folders: list[Path], found: str) -> Iterator[Pack]:
    trusted = os.environ.get(TRUST, "").split(os.pathsep)
    for folder in folders:
        name = folder.absolute().name or str(folder)
        if any((folder / each).is_dir() for each in FOLDERS):
            yield Pack(name, folder.absolute(), found, trusted=name in trusted)


def _may_name_packs(folder: str) -> bool:
    """Whether an installed distribution in a folder names the group; asking `importlib.metadata` takes 30 ms."""
    try:
        with os.scandir(folder or ".") as entries:
            about = [Path(each.path) for each in entries if each.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return Path(folder).is_file()
    return any(GROUP.encode() in _content(each / "entry_points.txt") for each in about)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _user_folder() -> Path:
    return Path(user_folder())


def _installed() -> Iterator[Pack]:
    """Find the packs that are installed: their folders are looked up, their code is not run."""
    if not any(map(_may_name_packs, sys.path)):
        return
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for point in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        top, *inside = point.value.partition(":")[0].split(".")
        try:
            spec = find_spec(top)
        except (ImportError, ValueError):
            spec = None
        for folder in (spec.submodule_search_locations or ())[:1] if spec else ():
            yield Pack(point.name, Path(folder, *inside), "installed")
