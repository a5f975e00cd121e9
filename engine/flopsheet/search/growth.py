"""The relative change of formulas over a box: bounds of g in f(x) = f(m) (x / m)**g, between its middle and any point.

What factors have in common cancels in g, so a result is constant where they do, however many sizes the box spans.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import partial, reduce
from operator import mul
from typing import TYPE_CHECKING, Any

from flopsheet.functions.enclosed import ONE, ZERO
from flopsheet.functions.powers import exponentials_of
from flopsheet.numbers.spans import ANYTHING, Span, divided, sum_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.search.program import Operation

_NONE: dict[int, Span] = {}


class Growths:
    """Bounds of all operations over a box, and of their relative change by that of each unknown.

    `Enclosure.growths` makes it: `varying` has the operations that vary, in order, each with its place.
    """

    def __init__(
        self,
        varying: Sequence[tuple[int, Operation]],
        spans: Sequence[Span],
        middle: Sequence[Span],
        ratios: Mapping[int, Span],
    ) -> None:
        self.spans = [*spans]
        self._middle, self._ratios = middle, ratios
        self._growths = {place: {place: ONE} for place in ratios}
        self._signs = {place: 1 if spans[place].high > 0 else -1 for place in ratios}
        self._factors = {place: operation.terms for place, operation in varying if operation.node.is_Mul}
        self._narrowed = set[int]()
        for place, operation in varying:
            self._add(place, operation)

    def of(self, place: int, unknown: int) -> Span:
        """Return the growth of an operation by an unknown."""
        return self._growths.get(place, _NONE).get(unknown, ZERO)

    def _add(self, place: int, operation: Operation) -> None:
        """Add the growth of an operation, and contract its bounds by that where several of its terms vary."""
        terms = operation.taken(self.spans)
        known = [self._growths.get(term, _NONE) for term in operation.terms]
        unknowns, value = dict.fromkeys(unknown for growths in known for unknown in growths), self.spans[place]
        own = dict.fromkeys(unknowns, ANYTHING)
        try:
            if not self._narrowed.isdisjoint(operation.terms):
                value = value.meet(operation.entry.bounds(*terms)) or value
            beside = partial(self._quotient, operation)
            if value.low < 0 < value.high:
                value = operation.entry.compared(value, terms, beside)
            sign = 1 if value.low > 0 else -1 if value.high < 0 else 0
            if not (sign and value.total):
                signs = [*map(self.sign, operation.terms)]
                sign = sign or operation.entry.sign(value, terms, signs)
                if operation.entry.has_value(terms, signs):
                    total = all(term.total for term in terms if isinstance(term, Span))
                    value = Span(value.low, value.high, total, value.exact)
            self._signs[place] = sign
            if sign:
                for unknown in unknowns:
                    shares = [growths.get(unknown) for growths in known]
                    own[unknown] = operation.entry.growth(value, terms, shares, beside)
            if sum(map(bool, known)) > 1 and (change := self._change(own)) is not None:
                value = value.meet(self._middle[place] * exponentials_of(change)) or value
        except (ArithmeticError, ValueError):
            own = dict.fromkeys(unknowns, ANYTHING)
        if value is not self.spans[place]:
            self._narrowed.add(place)
        self.spans[place], self._growths[place] = value, own

    def sign(self, place: int) -> int:
        """Return the sign of an operation or a number, 0 where it may have both or be zero."""
        span: Any = self.spans[place]
        if place in self._signs or isinstance(span, str):
            return self._signs.get(place, 0)
        return 1 if span.low > 0 else -1 if span.high < 0 else 0

    def _quotient(self, operation: Operation, at: int, other: int) -> Span:
        """Return bounds of one term of an operation divided by another, which leave out what both have in common."""
        above, below = operation.terms[at], operation.terms[other]
        quotient = self._cancelled(above, below)
        mine, its = self._growths.get(above, _NONE), self._growths.get(below, _NONE)
        change = self._change(
            {unknown: self.of(above, unknown) - self.of(below, unknown) for unknown in {**mine, **its}}
        )
        if change is None:
            return quotient
        return quotient.meet(divided(self._middle[above], self._middle[below]) * exponentials_of(change)) or quotient

    def _cancelled(self, above: int, below: int) -> Span:
        """Return bounds of one operation divided by another, without the factors that both have."""
        mine, its = (Counter(self._factors.get(place, (place,))) for place in (above, below))
        if not (shared := mine & its):
            return divided(self.spans[above], self.spans[below])
        sides = ((side - shared).elements() for side in (mine, its))
        return divided(*(reduce(mul, map(self.spans.__getitem__, side), ONE) for side in sides))

    def _change(self, growths: Mapping[int, Span]) -> Span | None:
        """Return the logarithms of values beside that at the middle; None where some growth is not bounded."""
        if any(growth.low == -math.inf and growth.high == math.inf for growth in growths.values()):
            return None
        return sum_of([growth * self._ratios[unknown] for unknown, growth in growths.items()]) if growths else ZERO
