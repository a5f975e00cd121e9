"""Numbers beyond all sizes that are searched: decided by bounds, or by how the formula grows from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.numbers.sets import ABOVE_ZERO, ALL, BELOW_ZERO, meet
from flopsheet.numbers.spans import NoValueError
from flopsheet.search.grid import from_further_in
from flopsheet.search.points import touches
from flopsheet.search.power_laws import power_law
from flopsheet.search.pruning import Pruning
from flopsheet.tolerances import PLATEAU
from flopsheet.units import size

if TYPE_CHECKING:
    from flopsheet.numbers.sets import Interval
    from flopsheet.numbers.spans import Span

_SIGNED = {1: (ABOVE_ZERO,), -1: (BELOW_ZERO,), 0: ALL}


class Beyond(Pruning):
    """Decides numbers that no box holds."""

    def decides_beyond(self, part: Interval) -> bool:
        """Return whether all numbers beyond a size are decided: from there, or from further in if powers overflow."""
        first, *others = from_further_in(part)
        return self._decides(first) or (self.field.overflows(first) and any(map(self._decides, others)))

    def _decides(self, part: Interval) -> bool:
        """Return whether bounds decide all numbers beyond a size, or how the formula grows from there."""
        spans = self.undecided(part.lower, part.upper)
        if spans is None or self._contracts(part, spans) or self._follows_power(part):
            return True
        left = self._grown(part, spans)
        return left is None or self._contracts(part, left)

    def _follows_power(self, part: Interval) -> bool:
        """Return whether the power as which the formula grows decides all numbers of a part."""
        try:
            law = power_law(self.field, part)
        except NoValueError:
            return True
        value, signed = law.span, _SIGNED[law.sign]
        is_level = self.is_thin and self.points.is_rounded and value.high - value.low <= PLATEAU * size(value.low)
        near = is_level and self.points.is_near(part.inside())  # met within rounding, as an output is
        inside = value.total and (near or not touches(value, meet(self.others, signed)))
        self.inside += [part] * inside
        return inside or not touches(value, meet(self.target, signed))

    def _contracts(self, part: Interval, spans: list[Span]) -> bool:
        """Return whether contraction by bounds decides all numbers of a part."""
        value = spans[self.field.program.result]
        if self._contracted(spans, self.target, value) is None:
            return True
        inside = value.total and not self.is_thin and self._contracted(spans, self.others, value) is None
        self.inside += [part] * inside
        return inside

    def _grown(self, part: Interval, spans: list[Span]) -> list[Span] | None:
        """Return bounds of all operations beyond a size, from how these grow from there; None where they decide."""
        try:
            growth, here, ratios = self.field.beyond(part, spans)
        except NoValueError:
            return spans
        signed = _SIGNED[growth.growths.sign(self.field.program.result)]
        value, sides = growth.value, [(growth, meet(self.target, signed), meet(self.others, signed))]
        if self.level is not None and (balance := self.field.balance(growth, here, self.level)) is not None:
            sides.append((balance, *self._beside_one))
        for grown, target, others in sides:
            bounds = grown.over(ratios)
            if not touches(bounds, target):
                return None
            if value.total and not touches(bounds, others):
                self.inside.append(part)
                return None
        return growth.growths.spans
