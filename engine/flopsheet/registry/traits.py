"""What a kind of records has besides fields: figures for others, features, ceilings, and what is presumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Additions:
    """Where the figures of a kind go, and which of several records gives them: see `registry/additions.py`.

    Args:
        kinds: kinds of the records that get them; each record names one of one of these kinds, `chip: h100-sxm`.
        preferred: the label with options, the first option preferred.
        dated: the label with the date, the newest preferred.
    """

    kinds: tuple[str, ...]
    preferred: str
    dated: str


class Feature(NamedTuple):
    """What records of a kind may have, and a sheet may leave out: a gate, experts, a vocabulary."""

    field: str  # the field that tells whether a record has it
    without: int | str  # its value in records without it, or the field that it equals there
    words: str  # what it is, as sentences name it
    settled_by: tuple[str, ...] = ()  # cells of sheets that count it otherwise, or whose quantity has none of it
    off: tuple[tuple[str, str | int], ...] = ()  # a choice or cell, and the option or value by which it does not count
    missing_in: tuple[str, ...] = ()  # cells whose quantity it belongs to, though no sheet counts it there
    instead_of: tuple[str, ...] = ()  # fields that may be 0 in records that have it


class Ceiling(NamedTuple):
    """A figure above which cells of sheets ask more of a record than it was made for."""

    field: str
    cells: tuple[str, ...]  # names of such cells, the one that says most first


class Presumed(NamedTuple):
    """A figure in place of which sheets take one of their own, where no record of the question has it."""

    field: str
    cell: str  # the cell of sheets that takes it
    counts: tuple[str, ...]  # cells of sheets of which one must exceed 1 for the figure to matter
