"""What searches prove of a formula over boxes, whatever they look for: a later search begins with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.formulas.program import Operation
    from flopsheet.numbers.spans import Span
    from flopsheet.search.field import Trend
    from flopsheet.search.grid import Box
    from flopsheet.units import Number

MOST_BOXES, ONE = 4096, Fraction(1)


@dataclass(slots=True)
class Fact:
    """What is proven of a formula over a box."""

    value: Span  # its bounds
    rising: bool | None = None  # whether it rises or falls throughout, and has a value everywhere; None if unproven
    parts: Sequence[Box] = ()  # boxes that cover the box, of which more may be known


class Facts:
    """What is proven of a formula over boxes of floats, or of whole numbers."""

    def __init__(self) -> None:
        self._boxes: dict[tuple[bool, Number, Number], Fact] = {}
        self.at: dict[tuple[Number, bool], Span] = {}  # bounds at single numbers, which are exact or not

    def __bool__(self) -> bool:
        return bool(self._boxes or self.at)

    def clear(self) -> None:
        """Forget all: what a search leaves open must not depend on how often it was tried."""
        self._boxes.clear()
        self.at.clear()

    def of(self, box: Box, *, is_dense: bool) -> Fact | None:
        """Return what is known of a box."""
        return self._boxes.get((is_dense, *box))

    def bound(self, box: Box, value: Span, *, is_dense: bool) -> None:
        """Note the bounds over a box."""
        if len(self._boxes) >= MOST_BOXES:
            self._boxes.clear()
        self._boxes.setdefault((is_dense, *box), Fact(value))

    def trend(self, box: Box, value: Span, trend: Trend, *, is_dense: bool) -> None:
        """Note how the formula changes over a box, but for a change beside a level, which is not that of another."""
        changes = [trend.rate] if trend.growth is None else [trend.rate, trend.growth.growth]
        fact = self.of(box, is_dense=is_dense)
        if fact is not None and value.total and any(change.low > 0 or change.high < 0 for change in changes):
            fact.value, fact.rising = value, trend.rising

    def split(self, box: Box, parts: Sequence[Box], *, is_dense: bool) -> None:
        """Note the parts of a box; what was cut off beside them, which is outside of one set only, is one as well."""
        fact, step = self.of(box, is_dense=is_dense), 0 if is_dense else 1
        if fact is not None and not fact.parts and [*parts] != [box]:
            low, high = min(low for low, _ in parts), max(high for _, high in parts)
            beside = [(box[0], low - step)] * (box[0] < low) + [(high + step, box[1])] * (high < box[1])
            fact.parts = (*parts, *beside)


def terms_of(
    operations: Mapping[int, Operation], place: int, here: Sequence[Span], factor: Fraction = ONE
) -> Iterator[tuple[int, Fraction]]:
    """Yield the places of all terms of a sum, those of sums in it too, each with a factor that is known there.

    So are those of a sum times numbers: `x*(1 + 2**(-x))` at x = 5000. Of anything else, its own place.
    """
    operation = None if _is_known(here[place]) else operations.get(place)
    if operation is None or not (operation.node.is_Add or operation.node.is_Mul):
        yield place, factor
        return
    inner = [term for term in operation.terms if operation.node.is_Add or not _is_known(here[term])]
    if operation.node.is_Mul:
        if len(inner) != 1:
            yield place, factor
            return
        factor *= math.prod(Fraction(here[term].low) for term in operation.terms if term not in inner)
    for term in inner:
        yield from terms_of(operations, term, here, factor)


def _is_known(span: Span) -> bool:
    return bool(span.exact and span.low == span.high)
