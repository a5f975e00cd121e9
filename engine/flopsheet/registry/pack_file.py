"""The file `flopsheet.yaml` in the root of a pack: records of every kind, sheets, questions and sources in sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import SINGLE, Pack
from flopsheet.registry.reading_time import reading
from flopsheet.session import cached_from_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.registry.records import RecordType
    from flopsheet.registry.strict_yaml import Mapping

SHEETS, QUESTIONS, SOURCES = "sheets", "questions", "sources"


def section_of(kind: RecordType) -> str:
    """Return the section with the records of a kind: `chips`."""
    return kind.folder.rpartition("/")[2]


def sections() -> list[str]:
    """Return the names of all sections."""
    return [*(section_of(kind) for kind in KINDS.values()), SHEETS, QUESTIONS, SOURCES]


def has_single(pack: Pack) -> bool:
    """Whether a pack has such a file; the built-in one has none."""
    return pack.file("", SINGLE) is not None


def mistakes_in(packs: Iterable[Pack]) -> str:
    """Return what is wrong with the first of these files that has mistakes, as the end of a fix; else an empty text."""
    problems = (problem for pack in packs for problem in single_file(pack)[1])
    return next((f"A file has mistakes: {str(problem).splitlines()[0]}" for problem in problems), "")


@cached_from_files
def single_file(pack: Pack) -> tuple[dict[str, Mapping], tuple[RegistryError, ...]]:
    """Return the sections of the file of a pack by name, and what is wrong with the file as a whole."""
    file, shown = pack.folder / SINGLE, pack.shown(pack.folder / SINGLE)
    if not has_single(pack):
        return {}, tuple(pack.strays("", SINGLE))
    from flopsheet.registry.strict_yaml import Mapping, Reader, read  # imports yaml, which cached records do not need

    problems: list[RegistryError] = []
    try:
        with reading(shown):
            reader = Reader(read(file, shown), problems=problems)
            reader.check_keys(sections())
    except RegistryError as error:
        return {}, (error,)
    found: dict[str, Mapping] = {}
    for name, node in reader.node.items.items():
        if name in sections() and isinstance(node, Mapping):
            found[name] = node
        elif name in sections():
            problem = "Expected a mapping of names to what they mean."
            problems.append(RegistryError(reader.place(name), problem, "Write 'NAME:' and what it is below, indented."))
    return found, tuple(problems)
