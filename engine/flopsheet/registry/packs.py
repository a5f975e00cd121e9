"""Packs: folders with any of `hardware/`, `models/` and `templates/`. The built-in content is pack 0."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError, expect_path, public, readable
from flopsheet.registry.installed import installed_folders
from flopsheet.session import SESSION, cached_from_files

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH, TRUST = "FLOPSHEET_PATH", "FLOPSHEET_TRUST"
FOLDERS = ("hardware", "models", "templates")
LARGEST_FILE = 500_000  # bytes
SINGLE = "flopsheet.yaml"  # the file of a pack that may hold records of every kind, sheets and questions
ADDED = "packs"  # below the folder of the user: where `flopsheet pack add` copies packs to
BUILT_IN = "built-in"  # origin of pack 0, and its name in `built-in:NAME`
OWN = "engine/flopsheet/builtin/__init__.py"  # in checkouts of flopsheet, whose content is no project
_PROJECT = ("hardware/*.yaml", "hardware/*/*.yaml", "models/architectures/*.yaml", "models/questions/*.yaml")
_SHEETS = {"*.yaml": rb"^sheet\s*:", "*.py": rb"\bflopsheet\b"}  # what files of sheets in a folder `models` hold
_named: list[Path] = []
_asked: ContextVar[Path | None] = ContextVar("_asked", default=None)  # folder of the question file that was read last


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of content."""

    name: str  # its name in messages and before `/` or `:`
    folder: Path  # its folder
    # Where it was found: else `installed`, `user`, `added`, `FLOPSHEET_PATH`, `project`, `question` or `--pack`.
    origin: str = BUILT_IN
    trusted: bool = True  # whether its Python sheets and its templates may be run

    @property
    def address(self) -> str:
        """Its name in `PACK:NAME`."""
        return BUILT_IN if self.origin == BUILT_IN else self.name

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
        return inside if self.origin == BUILT_IN else f"{self.name}/{inside}"

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


def packs_and_problems() -> tuple[tuple[Pack, ...], tuple[RegistryError, ...]]:
    """Return the active packs, and what is wrong with the places that name packs."""
    return _packs_and_problems(_asked.get())


@cached_from_files
def _packs_and_problems(asked: Path | None) -> tuple[tuple[Pack, ...], tuple[RegistryError, ...]]:
    """Return the active packs with that of a folder of questions, and what is wrong with the places that name packs."""
    packs: dict[str, Pack] = {}
    problems: list[RegistryError] = []
    for pack in _candidates(problems, asked):
        place = os.path.realpath(pack.folder)
        if pack.origin == "--pack" and packs.get(place, pack).origin != BUILT_IN:
            before = packs.pop(place, pack)
            pack = replace(pack, trusted=pack.trusted or before.trusted)  # noqa: PLW2901  # the same folder
        packs.setdefault(place, pack)
        if pack.origin in ("project", "question", "--pack"):  # what it was copied or installed from, most likely
            for other in [other for other, found in packs.items() if other != place and _gives_way(found, pack)]:
                del packs[other]
    for entry in filter(None, os.environ.get(TRUST, "").split(os.pathsep)):
        if not Path(entry).is_absolute():
            fix = "Write the full path of the folder: a name, or a relative path, can be that of another folder."
            problems.append(RegistryError(TRUST, f"'{readable(entry)}' is not a full path, and is ignored.", fix))
    return tuple(packs.values()), tuple(problems)


def _gives_way(found: Pack, pack: Pack) -> bool:
    """Whether a pack is a copy, added or installed, of which the folder is in use too."""
    return found.origin in ("added", "installed") and found.name == pack.name


@public
def use_pack(folder: Path | str) -> None:
    """Make a folder the last pack, as `--pack` does.

    Raises:
        RegistryError: there is no such folder, or it has none of the folders of a pack.
    """
    folder = expect_path(folder, "pack")
    if not _holds_something(folder):
        is_folder = os.path.isdir(folder)  # noqa: PTH112  # pathlib raises for names that are too long
        problem = f"It has none of hardware/, models/, templates/ and {SINGLE}." if is_folder else "Not a directory."
        raise RegistryError(f"pack {folder}", problem, "Name the folder that has them.")
    _named.append(Path(os.path.abspath(folder)))  # noqa: PTH100  # `..` has a name too
    SESSION.drop_files()


def use_pack_of(question: Path) -> None:
    """Make the pack that holds a question file active, until another question file is read in this thread."""
    _asked.set(question.absolute().parent)


def _candidates(problems: list[RegistryError], asked: Path | None) -> Iterator[Pack]:
    """Yield the packs in the order of their origins, also those with several."""
    import flopsheet.builtin

    builtin = Path(next(iter(flopsheet.builtin.__path__)))
    if builtin == Path(str(flopsheet.builtin.__file__)).parent:  # in a wheel, not in a checkout
        SESSION.do_not_watch(builtin)
    yield Pack("flopsheet", builtin)
    yield from _installed(problems)
    user = _user_folder()
    if user.is_absolute():  # not below the current folder
        yield from _folders([user], "user")
        yield from _folders(_added(user / ADDED), "added")
    named = os.environ.get(PATH, "")
    yield from _folders([Path(folder) for folder in named.split(os.pathsep) if folder], PATH)
    with suppress(OSError):  # the current folder was removed
        yield from _folders(_project(Path.cwd(), builtin), "project")
    yield from _folders(_project(asked, builtin) if asked else [], "question")
    yield from _folders(_named, "--pack")


def _installed(problems: list[RegistryError]) -> Iterator[Pack]:
    for name, folder in installed_folders(problems):
        if _holds_something(folder):
            yield Pack(name, folder, "installed")
        else:
            problem = f"Its folder {folder} has none of hardware/, models/, templates/ and {SINGLE}."
            fix = "Its data files were not packaged: include them in its build, and reinstall it."
            problems.append(RegistryError(f"installed pack '{name}'", problem, fix))


def _added(folder: Path) -> list[Path]:
    SESSION.watch(folder)
    try:
        return sorted(inner for inner in folder.iterdir() if inner.is_dir())
    except OSError:
        return []


def _project(start: Path, builtin: Path) -> list[Path]:
    """Return the innermost of a folder and those above it that holds records, sheets or questions, as a list of one.

    The search ends at the root of a repository, below the home folder and that of another owner, and where the
    built-in content is, be it that of another copy of flopsheet: in a checkout, an installed one uses its own.
    """
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  # pathlib raises where there is none
    for folder in (start, *start.parents):
        if (
            folder == builtin
            or (folder / OWN).is_file()
            or (folder != start and (folder == home or _owner(folder) != _owner(start)))
        ):
            return []
        if _is_project(folder):
            return [folder]
        SESSION.watch(folder / ".git")
        if (folder / ".git").exists():
            return []
    return []


def _owner(folder: Path) -> int:
    try:
        return folder.stat().st_uid
    except OSError:
        return -1


def _is_project(folder: Path) -> bool:
    """Whether a folder is a pack: `models/` and `hardware/` alone may be folders of anything."""
    models, hardware = folder / "models", folder / "hardware"
    inner = (*hardware.glob("*/"), models / "architectures", models / "questions")
    for place in (folder, folder / SINGLE, hardware, models, *inner):
        SESSION.watch(place)
    if (folder / SINGLE).is_file() or any(map(any, map(folder.glob, _PROJECT))):
        return True
    return any(_declares_sheet(file) for pattern in _SHEETS for file in models.glob(pattern))


def _declares_sheet(file: Path) -> bool:
    """Whether a file surely is a sheet: Python has the class that is named like the file, of two words or one."""
    named = "".join(word.title() for word in file.stem.split("_"))
    return is_sheet_file(file) and (file.suffix == ".yaml" or f"class {named}(".encode() in content(file, str(file)))


def is_sheet_file(file: Path) -> bool:
    """Whether a file of a folder `models` is meant as a sheet: such folders often hold models of another kind."""
    try:
        head = content(file, str(file))
    except RegistryError:
        return False
    return re.search(_SHEETS[f"*{file.suffix}"], head, re.MULTILINE) is not None


def _folders(folders: list[Path], origin: str) -> Iterator[Pack]:
    for folder in filter(_holds_something, folders):
        name = "user" if origin == "user" else readable(folder.absolute().name or str(folder))
        yield Pack(name, folder.absolute(), origin, trusted=origin == "user" or _is_trusted(folder))


def _holds_something(folder: Path) -> bool:
    SESSION.watch(folder)
    try:
        return any((folder / name).is_dir() for name in FOLDERS) or (folder / SINGLE).is_file()
    except OSError:
        return False


def _is_trusted(folder: Path) -> bool:
    """Whether Python of a folder may run: its full path is trusted. Anybody can give a folder a name."""
    trusted = filter(os.path.isabs, os.environ.get(TRUST, "").split(os.pathsep))
    return os.path.realpath(folder) in map(os.path.realpath, trusted)


def _user_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir("flopsheet"))


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
