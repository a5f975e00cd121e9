"""All that packs define under a name: records of every kind, sheets and questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.question.names import question_names
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.names import unknown_name
from flopsheet.registry.packs import packs
from flopsheet.registry.store import registry
from flopsheet.report.tables import Grid
from flopsheet.sheets.catalogue import listing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.registry.names import Holder, Names


def definitions(text: str, kind: str = "") -> Grid:
    """Return a row for each record, sheet and question that a name, an alias or `PACK:NAME` may mean.

    Raises:
        UnknownNameError: no pack defines it.
    """
    address, _, name = text.rpartition(":")
    every = [*_all_names(kind)]
    rows = [
        [known.kind, holder.address(holder.key), holder.place, _extends(holder), _state(known, holder, name)]
        for known in every
        for holder in known.holders.get(name, ())
        if address in ("", holder.pack.address)
    ]
    if not rows:
        raise unknown_name(text, every, kind or "record, sheet or question", "hardware")
    return Grid(["kind", "name", "place", "extends", ""], rows)


def _all_names(kind: str) -> Iterator[Names[Any]]:
    for name in [kind] if kind else KINDS:
        yield registry(name).names
    if not kind:
        yield listing(packs()).names
        yield question_names(packs())[0]


def _extends(holder: Holder[Any]) -> str:
    return getattr(holder.item, "extends", "") or "-"


def _state(known: Names[Any], holder: Holder[Any], name: str) -> str:
    """Return what a name means: this holder, another, or neither of several."""
    contenders = known.contenders(name)
    if holder not in contenders:
        return "overridden" if holder not in known.live(name) else "not used"
    return "in force" if len(contenders) == 1 else "needs its pack"
