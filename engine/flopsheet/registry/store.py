"""Records by name over all packs. A file with mistakes is reported, and the others are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, find, joined
from flopsheet.registry.assembly import Builder, Registry
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import Pack, packs
from flopsheet.registry.packs import problems as pack_problems
from flopsheet.registry.sources import all_sources
from flopsheet.session import cached_from_files, fresh

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.registry.records import Record


@fresh
def records(kind: str) -> Mapping[str, Record]:
    """Return all records of a kind by name, in the order of packs and files."""
    return registry(kind).records


def registry(kind: str) -> Registry:
    """Return the records of a kind, and what is wrong with the invalid ones."""
    return _registry(kind, packs())


@cached_from_files
def _registry(kind: str, packs: tuple[Pack, ...]) -> Registry:
    return Builder(KINDS[kind], packs, record).registry()


def problems() -> list[FlopsheetError]:
    """Return what is wrong with the files of all packs: each mistake once."""
    errors = [*pack_problems(), *(error for kind in KINDS for error in registry(kind).problems), *all_sources()[1]]
    return list({str(error): error for error in errors}.values())


@fresh
def record(kind: str, name: str, where: str = "record") -> Record:
    """Return the record with this name or alias.

    Args:
        kind: its kind, such as `chip` or `architecture`.
        name: its name or an alias.
        where: the place that an error names.

    Raises:
        UnknownNameError: no such record; the message has the nearest.

    Example:
        >>> from flopsheet import record
        >>> chip = record("chip", "h100")
        >>> chip.key, chip.name
        ('h100-sxm', 'NVIDIA H100 SXM5 80GB')
        >>> print(chip.values["memory_bandwidth"].quantity)
        3.35 TB/s
    """
    known = registry(kind)
    if name not in known.by_name:
        mistake = f"A file has mistakes: {known.problems[0]}" if known.problems else ""
        more = f"{mistake} {_misplaced_files()}".strip()
        find(name, known.records, kind, where, aliases=known.by_name, more=more)
    return known.by_name[name]


def any_record(name: str, where: str, kind: str = "") -> Record:
    """Return the record with this name or alias, of any kind unless one is given.

    Raises:
        UnknownNameError: no such record; the message has the nearest.
        RegistryError: there are several, of different kinds.
    """
    registries = [registry(kind) for kind in ([kind] if kind else KINDS)]
    matches = [known.by_name[name] for known in registries if name in known.by_name]
    if not matches:
        names = [name for known in registries for name in known.by_name]
        find(name, names, kind or "record", where, more=_misplaced_files())
    if len(matches) > 1:
        problem = f"'{name}' is a {joined([match.kind for match in matches])}."
        raise RegistryError(where, problem, f"Say which: --kind {matches[0].kind}.")
    return matches[0]


def misplaced() -> list[str]:
    """Return the YAML files in `hardware/` of packs that are in none of the folders of records."""
    places = [place for kind in KINDS.values() for place in kind.places]
    files: list[str] = []
    for pack in packs():
        read = {file for inside, pattern in places for file in pack.files(inside, pattern)}
        every = sorted((pack.folder / "hardware").rglob("*.[yY]*[mM][lL]"))
        files += [pack.shown(file) for file in every if file not in read and file.name != "sources.yaml"]
    return files


def _misplaced_files() -> str:
    files = misplaced()
    folders = joined([kind.folder for kind in KINDS.values()], "or")
    return f"{joined(files[:3])} is not read: YAML files are read in {folders}." if files else ""
