"""What searches prove of a formula over boxes, whatever they look for: a later search begins with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.functions.near_one import Cancelling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.formulas.program import Operation
    from flopsheet.numbers.spans import Span
    from flopsheet.search.enclosure import Growths
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
    operations: Mapping[int, Operation], place: int, here: Sequence[Span], growths: Growths, factor: Fraction = ONE
) -> Iterator[tuple[Fraction, int | None]]:
    """Yield all terms of a sum, those of sums in it too: numbers that are known, and the signs of what is not.

    So are those of a sum times numbers: `x*(1 + 2**(-x))` at x = 5000. A power less 1 is -1 and the power, which is
    positive. Anything else is one term, of sign 0 where that is not known.
    """
    operation, side = operations.get(place), 1 if factor > 0 else -1
    if _is_known(here[place]):
        yield factor * Fraction(here[place].low), None
    elif operation is not None and operation.node.is_Add:
        for term in operation.terms:
            yield from terms_of(operations, term, here, growths, factor)
    elif operation is not None and len(inner := _inner(operation, here)) == 1:
        known = [Fraction(here[term].low) for term in operation.terms if term not in inner]
        yield from terms_of(operations, inner[0], here, growths, factor * math.prod(known))
    elif operation is not None and (above := _above(operation, here)) is not None:
        yield factor * above, side
    else:
        yield Fraction(0), side * growths.sign(place)


def _inner(operation: Operation, here: Sequence[Span]) -> list[int]:
    """Return the factors of a product that are not known."""
    return [term for term in operation.terms if not _is_known(here[term])] if operation.node.is_Mul else []


def _above(operation: Operation, here: Sequence[Span]) -> int | None:
    """Return what an operation exceeds there by less than digits may show."""
    entry = operation.entry
    has_value = isinstance(entry, Cancelling) and entry.has_value([here[term] for term in operation.terms], ())
    return entry.above if isinstance(entry, Cancelling) and has_value else None


def _is_known(span: Span) -> bool:
    return bool(span.exact and span.low == span.high)
