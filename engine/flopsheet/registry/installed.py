"""Packs that are installed with pip: entry points name their folders, which are found without running any code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from flopsheet.errors import RegistryError, readable

GROUP = "flopsheet.packs"
ENTRY_POINTS = "entry_points.txt"


def installed_folders(problems: list[RegistryError]) -> list[tuple[str, Path]]:
    """Return name and folder of each installed pack; what is wrong with the others is added to the problems."""
    path = _import_path()
    if not any(map(_may_name_packs, path)):
        return []
    try:
        points = _entry_points(path)
    except Exception as error:  # noqa: BLE001  # the metadata of any distribution may be invalid in any way
        problem = f"They cannot be listed: {error}."
        problems.append(RegistryError("installed packs", problem, "Repair or remove that package."))
        return []
    found: list[tuple[str, Path]] = []
    for name, value in points:
        top, *inside = value.partition(":")[0].split(".")
        folders = _package_folders(top, path)
        if not folders:
            problem = f"It names '{value}', which is not a package."
            problems.append(RegistryError(f"installed pack '{readable(name)}'", problem, "Reinstall the package."))
        found += [(readable(name), Path(folder, *inside)) for folder in folders]
    return found


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


def distribution_of(name: str) -> str:
    """Return the name of the distribution that brings an installed pack; its own name where none is found."""
    return next((owner for entry, _, owner in _all_entry_points(_import_path()) if readable(entry) == name), name)


def _entry_points(path: list[str]) -> list[tuple[str, str]]:
    """Return name and value of each entry point of the group, sorted; of several distributions of a name, the first."""
    return sorted({(name, value) for name, value, _ in _all_entry_points(path)})


def _all_entry_points(path: list[str]) -> list[tuple[str, str, str]]:
    """Return name, value and distribution of each entry point of the group."""
    from importlib.metadata import distributions

    by_name = {name: found for found in reversed([*distributions(path=path)]) if (name := found.metadata["Name"])}
    return [
        (point.name, point.value, owner)
        for owner, found in by_name.items()
        for point in found.entry_points.select(group=GROUP)
    ]


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
