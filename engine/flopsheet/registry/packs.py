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

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "flopsheet.packs"
PATH, TRUST = "FLOPSHEET_PATH", "FLOPSHEET_TRUST"
FOLDERS = ("hardware", "models", "templates")
ENTRY_POINTS = "entry_points.txt"
PROJECT = ("hardware/*.yaml", "hardware/*/*.yaml", "models/architectures/*.yaml")
_named: list[Path] = []
_broken: list[RegistryError] = []


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

    def file(self, inside: str, name: str) -> Path | None:
        """Return one file of a sub-folder by its name, as `files` would; None where the pack does not have it."""
        found = self.folder / inside / name
        try:
            plain = Path(name).name == name and found.is_file()
        except OSError:  # no file has such a name
            return None
        return found if plain and not _why_not(found, os.path.realpath(self.folder)) else None

    def strays(self, inside: str, pattern: str) -> list[RegistryError]:
        """Return why files that match are not read."""
        found = sorted((file, why) for file, why in self._matching(inside, pattern) if why)
        return [RegistryError(self.shown(file), why, "Copy the file into the pack.") for file, why in found]

    def shown(self, file: Path) -> str:
        """Return how messages call one of its files: the path inside the pack, behind the name of any but pack 0."""
        inside = readable(file.relative_to(self.folder).as_posix())
        return inside if self.found == "built-in" else f"{self.name}/{inside}"

    def _matching(self, inside: str, pattern: str) -> Iterator[tuple[Path, str]]:
        root = os.path.realpath(self.folder)
        try:
            for file in (self.folder / inside).glob(pattern):
                yield file, _why_not(file, root)
        except OSError:
            return


def readable(text: str) -> str:
    """Return a name of a file so that any screen can show it: what no letter or sign stands for is written as code."""
    shown = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in shown)


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
    _broken.clear()
    found: dict[str, Pack] = {}
    for pack in _candidates():
        place = os.path.realpath(pack.folder)
        if pack.found == "--pack" and found.get(place, pack).found != "built-in":
            found.pop(place, None)
        found.setdefault(place, pack)
    return tuple(found.values())


def looked_at() -> list[str]:
    """Return the places on which depends which packs there are: a change there may bring a pack or take one away."""
    named = [each for each in os.environ.get(PATH, "").split(os.pathsep) if each]
    here = _here()
    roots = [_user_folder(), *map(Path, named), *here, *(pack.folder for pack in packs())]
    own = [str(each) for root in here for each in (root / "hardware").glob("*/")]
    told = [str(about / ENTRY_POINTS) for folder in sys.path for about in _distributions(folder)]
    return [*sys.path, *told, *own, *(str(root / inside) for root in roots for inside in FOLDERS)]


def _here() -> list[Path]:
    """Return the current folder, or nothing where it was removed."""
    try:
        return [Path.cwd()]
    except OSError:
        return []


def use_pack(folder: Path | str) -> None:
    """Make a folder the last pack, as `--pack` does.

    Raises:
        RegistryError: there is no such folder, or it holds nothing that a pack may hold.
    """
    folder = Path(folder)
    if not _holds_something(folder):
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
    yield from _folders([here for here in _here() if any(map(any, map(here.glob, PROJECT)))], "project")
    yield from _folders(_named, "--pack")


def _folders(folders: list[Path], found: str) -> Iterator[Pack]:
    for folder in filter(_holds_something, folders):
        name = "user" if found == "user" else readable(folder.absolute().name or str(folder))
        yield Pack(name, folder.absolute(), found, trusted=_is_trusted(folder, name, found))


def _holds_something(folder: Path) -> bool:
    try:
        return any((folder / each).is_dir() for each in FOLDERS)
    except OSError:
        return False


def _is_trusted(folder: Path, name: str, found: str) -> bool:
    """Whether Python of a pack may run: its path is named, or its name, but for the folder one happens to stand in."""
    trusted = [each for each in os.environ.get(TRUST, "").split(os.pathsep) if each]
    paths = [os.path.realpath(each) for each in trusted if os.sep in each]
    return os.path.realpath(folder) in paths or (name in trusted and found != "project")


def _may_name_packs(folder: str) -> bool:
    """Whether an installed distribution in a folder names the group; asking `importlib.metadata` takes 30 ms."""
    return Path(folder).is_file() or any(
        GROUP.encode() in _content(each / ENTRY_POINTS) for each in _distributions(folder)
    )


def _distributions(folder: str) -> list[Path]:
    """Return the folders in which the distributions that are installed in a folder describe themselves."""
    try:
        with os.scandir(folder or ".") as entries:
            return [Path(each.path) for each in entries if each.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return []


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _user_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir("flopsheet"))


def _installed() -> Iterator[Pack]:
    """Find the packs that are installed: their folders are looked up, their code is not run."""
    if not any(map(_may_name_packs, sys.path)):
        return
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    try:
        points = sorted(entry_points(group=GROUP), key=lambda each: each.name)
    except Exception as error:  # noqa: BLE001  # a distribution of somebody else may describe itself in any broken way
        problem = f"They cannot be listed: {error}."
        _broken.append(RegistryError("installed packs", problem, "Mend or remove what is installed so."))
        return
    for point in points:
        top, *inside = point.value.partition(":")[0].split(".")
        try:
            spec = find_spec(top)
        except (ImportError, ValueError):
            spec = None
        folders = [*(spec.submodule_search_locations or ())][:1] if spec else []
        if not folders:
            problem = f"It names '{point.value}', which is no package."
            _broken.append(RegistryError(f"installed pack '{readable(point.name)}'", problem, "Install it anew."))
        for folder in folders:
            yield Pack(readable(point.name), Path(folder, *inside), "installed")


def problems() -> tuple[RegistryError, ...]:
    """Return what is wrong with the places where packs are named."""
    packs()
    return tuple(_broken)
