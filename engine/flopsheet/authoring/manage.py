"""Adds packs to those of the user, from a folder, or with pip from a repository or an index, and removes them."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, find
from flopsheet.registry import packs as registry_packs
from flopsheet.registry.installed import distribution_of
from flopsheet.registry.packs import ADDED, FOLDERS, SINGLE, Pack, packs
from flopsheet.report.missing import installer
from flopsheet.session import reload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
_REQUIREMENT = re.compile(r"git\+\S+|[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?([=<>!~]=?\S+)?", re.ASCII)


def add(what: str, say: Callable[[str], None]) -> Pack:
    """Add a pack: the folder with this path, what is behind `git+URL`, or a package with this name.

    Args:
        what: the path, address or name.
        say: prints a line: the command that is run.

    Raises:
        RegistryError: it is no pack, or there is one of its name.
        FlopsheetError: pip cannot install it.
    """
    if what and not what.startswith("git+") and (Path(what).is_dir() or "/" in what or "\\" in what):
        return _copied(Path(what))
    if not _REQUIREMENT.fullmatch(what):
        fix = "Write the path of a folder, git+https://..., or the name of a package."
        raise RegistryError("pack add", f"'{what[:60]}' is no folder, address or package.", fix)
    before = {pack.name for pack in packs() if pack.origin == "installed"}
    _run([*installer("install"), what], say)
    fresh = [pack for pack in _reloaded() if pack.origin == "installed" and pack.name not in before]
    if not fresh:
        problem = "It is installed, and brings no pack that was not there before."
        raise RegistryError(f"pack add {what}", problem, "A pack has an entry point in the group 'flopsheet.packs'.")
    return fresh[0]


def _copied(folder: Path) -> Pack:
    """Return the copy of a folder among the packs of the user."""
    if not folder.is_dir():
        raise RegistryError(f"pack add {folder}", "There is no such folder.", "A repository is named git+URL.")
    source = Pack(folder.absolute().name, folder.absolute(), "file")
    if not _NAME.fullmatch(source.name):
        raise RegistryError(f"pack add {folder}", "Its name cannot be that of a pack.", "Rename the folder.")
    files = _files(source)
    if not files:
        problem = f"It has none of hardware/, models/, templates/ and {SINGLE}."
        raise RegistryError(f"pack add {folder}", problem, "Name the folder that has them.")
    target = user_packs() / source.name
    if target.exists() or target.is_symlink():
        fix = f"To renew it: flopsheet pack remove {source.name}, then add it again."
        raise RegistryError(f"pack add {folder}", f"There is a pack '{source.name}' already, in {target}.", fix)
    for file in files:
        copy = target / file.relative_to(source.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    _reloaded()
    return Pack(source.name, target, "added", trusted=False)  # in use, unless its original is at hand


def _files(source: Pack) -> list[Path]:
    """Return the files of a pack; links that lead out of it are not followed."""
    inside = [folder.relative_to(source.folder).as_posix() for folder in _folders(source.folder)]
    files = [file for folder in inside for file in source.files(folder, "*")]
    return files + [file for file in [source.file("", SINGLE)] if file]


def _folders(folder: Path) -> list[Path]:
    tops = [folder / name for name in FOLDERS if (folder / name).is_dir() and not (folder / name).is_symlink()]
    inner = [path for top in tops for path in top.rglob("*") if path.is_dir() and "__pycache__" not in path.parts]
    return [*tops, *inner]


def user_packs() -> Path:
    """Return the folder of the packs that the user has added."""
    return registry_packs._user_folder() / ADDED  # noqa: SLF001  # tests patch it there


def remove(name: str, say: Callable[[str], None]) -> Pack:
    """Remove a pack that was added, or uninstall one that was installed, and return what it was.

    Raises:
        UnknownNameError: there is no such pack.
        RegistryError: it is neither added nor installed.
        FlopsheetError: pip cannot uninstall it.
    """
    active = {pack.address: pack for pack in packs()}
    removable = {pack.name: pack for pack in packs() if pack.origin in ("added", "installed")}
    if name not in removable:
        find(name, active, "pack", "pack remove", more="`flopsheet packs` lists them.")
        pack = active[name]
        problem = f"The pack '{name}' was not added: it is found as {pack.origin}."
        raise RegistryError("pack remove", problem, "Only added and installed packs are removed.")
    pack = removable[name]
    if pack.origin == "added":
        if pack.folder.is_symlink():
            pack.folder.unlink()
        else:
            shutil.rmtree(pack.folder)
    else:
        command = installer("uninstall")
        confirmed = [] if command[0] == "uv" else ["--yes"]
        _run([*command, *confirmed, distribution_of(pack.name)], say)
    if any(left.folder == pack.folder for left in _reloaded()):
        problem = f"Its files are still in {pack.folder}."
        raise FlopsheetError(f"pack remove {name}", problem, "Remove them where they were installed.")
    return pack


def _run(command: Sequence[str], say: Callable[[str], None]) -> None:
    say(f"Running: {shlex.join(command)}")
    try:
        done = subprocess.run(command, check=False)  # noqa: S603  # a list of arguments, and no shell
    except OSError as error:
        raise FlopsheetError(shlex.join(command), f"It cannot be run: {error.strerror}.") from None
    if done.returncode:
        problem = f"It ended with exit code {done.returncode}."
        raise FlopsheetError(shlex.join(command), problem, "Its own messages are above.")


def _reloaded() -> tuple[Pack, ...]:
    """Return the packs as they are now."""
    importlib.invalidate_caches()
    reload()
    return packs()
