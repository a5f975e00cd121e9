"""What a kind of records has besides fields: figures that it adds to others, and features that sheets may leave out."""

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
    counted_by: str = ""  # a cell of sheets that count it without using the field
