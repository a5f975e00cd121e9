"""Packs: folders with any of `hardware/`, `models/` and `templates/`. The built-in content is pack 0."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError, expect_path, public, readable
from flopsheet.session import SESSION, cached_from_files

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "flopsheet.packs"
PATH, TRUST = "FLOPSHEET_PATH", "FLOPSHEET_TRUST"
FOLDERS = ("hardware", "models", "templates")
ENTRY_POINTS = "entry_points.txt"
PROJECT = ("hardware/*.yaml", "hardware/*/*.yaml", "models/architectures/*.yaml")
_named: list[Path] = []


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of content."""

    name: str  # its name in messages and before `/` or `:`
    folder: Path  # its folder
    origin: str = "built-in"  # or `installed`, `user`, `FLOPSHEET_PATH`, `project`, `--pack`: where it was found
    trusted: bool = True  # whether its Python sheets and its templates may be run

    def files(self, inside: str, pattern: str) -> list[Path]:
        """Return the files of a sub-folder whose names match, sorted; none where the pack has no such folder.

        Links and `..` that lead out of the pack, and what is not a regular file, are left out: see `strays`.
        """
        return sorted(file for file, why in self._matching(inside, pattern) if not why)

    def file(self, inside: str, name: str) -> Path | None:
        """Return one file of a sub-folder by its name, as `files` would; None where the pack does not have it."""
        file = self.folder / inside / name
        SESSION.watch(file)
        try:
            exists = Path(name).name == name and file.is_file()
        except OSError:  # no file has such a name
            return None
        return file if exists and not _why_not(file, os.path.realpath(self.folder)) else None

    def strays(self, inside: str, pattern: str) -> list[RegistryError]:
        """Return why files that match are not read."""
        strays = sorted((file, why) for file, why in self._matching(inside, pattern) if why)
        return [RegistryError(self.shown(file), why, "Copy the file into the pack.") for file, why in strays]

    def shown(self, file: Path) -> str:
        """Return the name of a file in messages: its path in the pack, after the name of any but pack 0."""
        inside = readable(file.relative_to(self.folder).as_posix())
        return inside if self.origin == "built-in" else f"{self.name}/{inside}"

    def _matching(self, inside: str, pattern: str) -> Iterator[tuple[Path, str]]:
        root = os.path.realpath(self.folder)
        SESSION.watch(self.folder / inside)
        try:
            for file in (self.folder / inside).glob(pattern):
                yield file, _why_not(file, root)
        except OSError:
            return


def _why_not(file: Path, root: str) -> str:
    """Return why a file is not read; an empty text if it is."""
    real = os.path.realpath(file)
    if os.path.commonpath((root, real)) != root:
        return "This leads out of the pack, and is not read."
    try:
        return "" if stat.S_ISREG(Path(real).stat().st_mode) else "This is not a regular file, and is not read."
    except OSError as error:
        return f"The file cannot be read: {error.strerror}."


def packs() -> tuple[Pack, ...]:
    """Return the active packs, the least first: later ones may override records of earlier ones."""
    return packs_and_problems()[0]


@cached_from_files
def packs_and_problems() -> tuple[tuple[Pack, ...], tuple[RegistryError, ...]]:
    """Return the active packs, and what is wrong with the places that name packs."""
    packs: dict[str, Pack] = {}
    problems: list[RegistryError] = []
    for pack in _candidates(problems):
        place = os.path.realpath(pack.folder)
        if pack.origin == "--pack" and packs.get(place, pack).origin != "built-in":
            before = packs.pop(place, pack)
            pack = replace(pack, trusted=pack.trusted or before.trusted)  # noqa: PLW2901  # the same folder
        packs.setdefault(place, pack)
    for entry in filter(None, os.environ.get(TRUST, "").split(os.pathsep)):
        if not Path(entry).is_absolute():
            fix = "Write the full path of the folder: a name, or a relative path, can be that of another folder."
            problems.append(RegistryError(TRUST, f"'{readable(entry)}' is not a full path, and is ignored.", fix))
    return tuple(packs.values()), tuple(problems)


@public
def use_pack(folder: Path | str) -> None:
    """Make a folder the last pack, as `--pack` does.

    Raises:
        RegistryError: there is no such folder, or it has none of the folders of a pack.
    """
    folder = expect_path(folder, "pack")
    if not _holds_something(folder):
        is_folder = os.path.isdir(folder)  # noqa: PTH112  # pathlib raises for names that are too long
        problem = "It has none of hardware/, models/ and templates/." if is_folder else "Not a directory."
        raise RegistryError(f"pack {folder}", problem, "Name the folder that has them.")
    _named.append(folder)
    SESSION.drop_files()


def _candidates(problems: list[RegistryError]) -> Iterator[Pack]:
    """Yield the packs in the order of their origins, also those with several."""
    import flopsheet.builtin

    builtin = Path(next(iter(flopsheet.builtin.__path__)))
    if builtin == Path(str(flopsheet.builtin.__file__)).parent:  # in a wheel, not in a checkout
        SESSION.do_not_watch(builtin)
    yield Pack("flopsheet", builtin)
    yield from _installed(problems)
    yield from _folders(list(filter(Path.is_absolute, [_user_folder()])), "user")  # not below the current folder
    named = os.environ.get(PATH, "")
    yield from _folders([Path(folder) for folder in named.split(os.pathsep) if folder], PATH)
    yield from _folders(_project(builtin), "project")
    yield from _folders(_named, "--pack")


def _project(builtin: Path) -> list[Path]:
    """Return the current folder if it holds records, and is not that of the built-in content."""
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return []
    if here == builtin:
        return []
    for folder in (here, here / "hardware", *(here / "hardware").glob("*/"), here / "models" / "architectures"):
        SESSION.watch(folder)
    return [here] if any(map(any, map(here.glob, PROJECT))) else []


def _folders(folders: list[Path], origin: str) -> Iterator[Pack]:
    for folder in filter(_holds_something, folders):
        name = "user" if origin == "user" else readable(folder.absolute().name or str(folder))
        yield Pack(name, folder.absolute(), origin, trusted=origin == "user" or _is_trusted(folder))


def _holds_something(folder: Path) -> bool:
    SESSION.watch(folder)
    try:
        return any((folder / name).is_dir() for name in FOLDERS)
    except OSError:
        return False


def _is_trusted(folder: Path) -> bool:
    """Whether Python of a folder may run: its full path is trusted. Anybody can give a folder a name."""
    trusted = filter(os.path.isabs, os.environ.get(TRUST, "").split(os.pathsep))
    return os.path.realpath(folder) in map(os.path.realpath, trusted)


def _import_path() -> list[str]:
    """Return where installed packages lie: `sys.path` without the current folder, which `python -m` puts first."""
    try:
        is_here = Path(sys.path[0]).samefile(Path.cwd())
    except (OSError, IndexError):
        is_here = False
    return [folder for folder in sys.path[is_here:] if folder]


def _may_name_packs(folder: str) -> bool:
    """Whether an installed distribution in a folder names the group; asking `importlib.metadata` takes 30 ms."""
    try:
        with os.scandir(folder or ".") as entries:
            about = [Path(entry.path) for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        about = []
    return Path(folder).is_file() or any(GROUP.encode() in _content(path / ENTRY_POINTS) for path in about)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _user_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir("flopsheet"))


def _installed(problems: list[RegistryError]) -> Iterator[Pack]:
    """Yield the installed packs: their folders are looked up, their code is not run."""
    path = _import_path()
    if not any(map(_may_name_packs, path)):
        return
    try:
        points = _entry_points(path)
    except Exception as error:  # noqa: BLE001  # the metadata of any distribution may be invalid in any way
        problem = f"They cannot be listed: {error}."
        problems.append(RegistryError("installed packs", problem, "Repair or remove that package."))
        return
    for name, value in points:
        top, *inside = value.partition(":")[0].split(".")
        folders = _package_folders(top, path)
        if not folders:
            problem = f"It names '{value}', which is not a package."
            problems.append(RegistryError(f"installed pack '{readable(name)}'", problem, "Reinstall the package."))
        for folder in folders:
            yield Pack(readable(name), Path(folder, *inside), "installed")


def _entry_points(path: list[str]) -> list[tuple[str, str]]:
    """Return name and value of each entry point of the group, sorted; of several distributions of a name, the first."""
    from importlib.metadata import distributions

    by_name = {name: found for found in reversed([*distributions(path=path)]) if (name := found.metadata["Name"])}
    return sorted(
        {(point.name, point.value) for found in by_name.values() for point in found.entry_points.select(group=GROUP)}
    )


def _package_folders(name: str, path: list[str]) -> list[str]:
    """Return the folder of a top-level package as a list of one, without importing it; an empty list for no package."""
    from importlib.machinery import PathFinder

    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(name, path if finder is PathFinder else None)
        except (ImportError, ValueError, AttributeError):
            continue
        if spec is not None:
            return [*(spec.submodule_search_locations or ())][:1]
    return []


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
