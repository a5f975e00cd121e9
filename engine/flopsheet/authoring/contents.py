"""What packs hold, counted by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.question.names import question_names
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.pack_file import QUESTIONS, SHEETS, section_of
from flopsheet.registry.packs import packs
from flopsheet.registry.store import registry
from flopsheet.report.tables import NO_VALUE, Grid
from flopsheet.sheets.catalogue import listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.registry.packs import Pack


def contents_of(pack: Pack) -> dict[str, int]:
    """Return how many records of each kind, sheets, questions and templates a pack holds."""
    counts = {section_of(kind): registry(name).names.count(pack) for name, kind in KINDS.items()}
    counts[SHEETS] = listing(packs()).names.count(pack)
    counts[QUESTIONS] = question_names(packs())[0].count(pack)
    counts["templates"] = len(pack.files("templates", "*.j2"))
    return counts


def counted(contents: Mapping[str, int]) -> str:
    """Return counts in words: `1 chip, 2 sheets`."""
    counts = [
        f"{number} {kind.removesuffix('s') if number == 1 else kind}" for kind, number in contents.items() if number
    ]
    return joined(counts) or "nothing"


def pack_list() -> Grid:
    """Return a table of the active packs: where each was found, whether its code runs, and what it holds."""
    counts = [contents_of(pack) for pack in packs()]
    kinds = [kind for kind in counts[0] if any(count[kind] for count in counts)]
    rows = [
        [
            *(pack.address, pack.origin, "yes" if pack.trusted else "no"),
            *(str(count[kind] or NO_VALUE) for kind in kinds),
            str(pack.folder),
        ]
        for pack, count in zip(packs(), counts, strict=True)
    ]
    return Grid(["pack", "found as", "runs code", *kinds, "folder"], rows)
