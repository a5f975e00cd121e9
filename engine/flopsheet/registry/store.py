"""Finds records by name over all packs. A file that is broken is named, and takes nothing else down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError, find, joined
from flopsheet.registry.assembly import Builder, Registry, places
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
    """Return the records of a kind, and what is wrong with those that do not work."""
    return _registry(kind, packs())


@cached_from_files
def _registry(kind: str, active: tuple[Pack, ...]) -> Registry:
    return Builder(KINDS[kind], active, record).registry()


def problems() -> list[FlopsheetError]:
    """Return what is wrong with the files of all packs: each mistake once."""
    every: list[FlopsheetError] = [each for kind in KINDS for each in registry(kind).problems]
    return list({str(each): each for each in [*pack_problems(), *every, *all_sources()[1]]}.values())


@fresh
def record(kind: str, name: str, where: str = "record") -> Record:
    """Return the record with this name or alias.

    Args:
        kind: `chip`, `system`, `datacenter` or `architecture`.
        name: its name or an alias.
        where: the place that an error names.

    Raises:
        UnknownNameError: there is none; the message has the nearest.
    """
    known = records(kind)
    if name in known:
        return known[name]
    aliases = {alias: key for key, each in known.items() for alias in each.aliases}
    if name not in aliases:
        find(name, known, kind, where, aliases=aliases, more=f"{_broken(kind)} {_misplaced()}".strip())
    return known[aliases[name]]


def any_record(name: str, where: str, kind: str = "") -> Record:
    """Return the record with this name or alias, of any kind unless one is said.

    Raises:
        UnknownNameError: there is none; the message has the nearest.
        RegistryError: there are several, of different kinds.
    """
    kinds = [kind] if kind else list(KINDS)
    every = [each for one in kinds for each in records(one).values()]
    names = [key for each in every for key in (each.key, *each.aliases)]
    if name not in names:
        find(name, names, kind or "record", where, more=_misplaced())
    found = [each for each in every if name in (each.key, *each.aliases)]
    if len(found) > 1:
        problem = f"'{name}' is a {joined([each.kind for each in found])}."
        raise RegistryError(where, problem, f"Say which: --kind {found[0].kind}.")
    return found[0]


def _places() -> list[tuple[str, str]]:
    """Return every folder with records, with the pattern of its files."""
    return [place for kind in KINDS.values() for place in places(kind)]


def misplaced() -> list[str]:
    """Return the YAML files in `hardware/` of packs that are in none of the places where records are read."""
    found: list[str] = []
    known = _places()
    for pack in packs():
        read = {file for inside, pattern in known for file in pack.files(inside, pattern)}
        every = sorted((pack.folder / "hardware").rglob("*.[yY]*[mM][lL]"))
        found += [pack.shown(file) for file in every if file not in read and file.name != "sources.yaml"]
    return found


def _misplaced() -> str:
    files = misplaced()
    folders = joined([kind.folder for kind in KINDS.values()], "or")
    return f"{joined(files[:3])} is not read: YAML files belong into {folders}." if files else ""


def _broken(kind: str) -> str:
    found = registry(kind).problems
    return f"A file has mistakes: {found[0]}" if found else ""
