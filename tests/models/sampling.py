"""Which questions of a sheet are asked: all where they are few, else a sample that is the same in every run."""

from __future__ import annotations

import math
from itertools import zip_longest
from random import Random
from typing import TYPE_CHECKING, TypeVar

from tests.cases import KEY

from flopsheet import sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.cases import Record

Case = TypeVar("Case")

QUICK = 3  # questions of one kind that the quick suite asks a sheet
LARGE, OF_LARGE = 400, 3  # a question of a sheet with more cells takes several times as long: a third of them is asked
CELLS_OF_PART = 20  # the slow questions of a sheet are one test for so many cells, which two workers can share


def in_turn(pairs: Sequence[tuple[str, str]], key: str) -> list[tuple[str, str]]:
    """Return (input, output) pairs in a random order, in which each input comes once before any comes again."""
    chance = Random(key)  # noqa: S311  # the same each time
    outputs = dict[str, list[tuple[str, str]]]()
    for pair in chance.sample(pairs, len(pairs)):
        outputs.setdefault(pair[0], []).append(pair)
    return [pair for turn in zip_longest(*outputs.values()) for pair in turn if pair is not None]


def both_ways(pairs: Sequence[tuple[str, str]], ways: tuple[Case, Case]) -> list[tuple[str, str, Case]]:
    """Return each pair with one of two ways to ask by turns, and then each with the other way."""
    return [(*pair, ways[(number + turn) % 2]) for turn in range(2) for number, pair in enumerate(pairs)]


def quick(cases: Sequence[Case]) -> Sequence[Case]:
    """Return the first cases, which the quick suite takes."""
    return cases[:QUICK]


def rest(cases: Sequence[Case], name: str, part: int, most: int, record: Record) -> Sequence[Case]:
    """Return a part of those cases of the first `most` that the quick suite leaves, and record what is left out."""
    first = len(quick(cases))
    return share(cases[first:], name, part, max(most - first, 0), record)


def share(cases: Sequence[Case], name: str, part: int, most: int, record: Record) -> Sequence[Case]:
    """Return a part of the first `most` cases of a sheet, and record what is left out."""
    parts = number_of_parts(name)
    asked = cases[: most if len(sheet(name).cells) <= LARGE else most // OF_LARGE][part::parts]
    record(KEY, ["asked", len(asked), len(cases[part::parts])])
    return asked


def parts_of(names: Iterable[str]) -> list[tuple[str, int]]:
    """Return (sheet, part) for all parts of sheets, more for those with more cells."""
    return [(name, part) for name in names for part in range(number_of_parts(name))]


def number_of_parts(name: str) -> int:
    """Return the number of tests that share the slow questions of a sheet."""
    return math.ceil(len(sheet(name).cells) / CELLS_OF_PART)
