"""Boxes in which a formula rises throughout, or falls, and so has each value once; and where it touches a level."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import ALL, Interval, RealSet, union
from flopsheet.numbers.spans import between
from flopsheet.search.field import Field
from flopsheet.search.grid import Reals
from flopsheet.search.points import Points
from flopsheet.search.program import program_of
from flopsheet.search.pruning import Pruning
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.spans import Span
    from flopsheet.search.one_unknown import Cover
    from flopsheet.units import Number

MOST_BOXES = 100
LARGEST = 200  # nodes of a formula whose second derivative is taken
BROKEN = Trait.STEPPED | Trait.EXTREME | Trait.PERIODIC | Trait.CHOOSES | Trait.PIECEWISE


@dataclass(frozen=True)
class Rise:
    """A formula over an interval with finite ends in which it is continuous, and rises or falls."""

    field: Field
    interval: Interval
    rises: bool

    def of(self, value: Number) -> Number | None:
        """Return the formula at a number; None beyond the interval."""
        return self.field.value(value) if self.interval.lower <= value <= self.interval.upper else None

    def at(self, level: Number) -> Number:
        """Return the number at which the formula has a value, or the end of the interval next to it."""
        low, high = float(self.interval.lower), float(self.interval.upper)
        if self._is_past(low, level) or not self._is_past(high, level):
            return low if self._is_past(low, level) else high
        ends = self._points.bisected(low, high, level, lambda at: self._is_past(at, level))
        return min(ends, key=lambda at: abs(self.field.gap(at, level)))

    def _is_past(self, at: Number, level: Number) -> bool:
        gap = self.field.gap(at, level)
        return gap >= 0 if self.rises else gap <= 0

    @cached_property
    def _points(self) -> Points:
        return Points(self.field, ALL, Reals())

    @property
    def values(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        ends = [self.field.gap(end, 0) for end in (self.interval.lower, self.interval.upper)]
        return (ends[0], ends[1]) if self.rises else (ends[1], ends[0])


def rises(field: Field, interval: Interval, matters: Callable[[Span], bool]) -> tuple[list[Rise], RealSet]:
    """Return the parts of an interval in which a formula rises, or falls; and where that is not known.

    Numbers whose bounds of the formula do not matter are left out next to a turn.
    """
    pruning, grid = Pruning(field, ALL, integer=False), Reals()
    found, opened = list[Rise](), list[Interval]()
    waiting = deque([(float(interval.lower), float(interval.upper))])
    if not all(map(is_finite, waiting[0])):
        return [], (interval,)
    for _ in range(MOST_BOXES):
        if not waiting:
            break
        low, high = waiting.popleft()
        way = pruning.way(low, high)
        if way is not None:
            found.append(Rise(field, Interval(low, high), way))
        elif matters(field.bounds(grid.span(low, high))):
            parts = grid.split(low, high)
            waiting += parts or []
            opened += [] if parts else [Interval(low, high)]
    found.sort(key=lambda part: part.interval.lower)
    return _joined(found), union(tuple(opened), tuple(Interval(*box) for box in waiting))


def _joined(parts: list[Rise]) -> list[Rise]:
    """Return neighbours of one direction as one."""
    joined: list[Rise] = []
    for part in parts:
        if joined and joined[-1].interval.upper == part.interval.lower and joined[-1].rises == part.rises:
            part = Rise(part.field, Interval(joined.pop().interval.lower, part.interval.upper), part.rises)  # noqa: PLW2901
        joined.append(part)
    return joined


def apart_from_touching(cover: Cover, target: RealSet, formula: Expr, unknown: str, values: Values) -> RealSet:
    """Return what a search left open, without what lies next to a number at which the formula touches its level.

    Bounds cannot separate the two: the formula differs from the level by the square of the distance only.
    """
    spots = [part.lower for part in cover.values if part.is_point and not isinstance(part.lower, float)]
    if not spots or not cover.open or formula.has(*nodes(BROKEN)) or too_large(formula, LARGEST):
        return cover.open
    slope = sympy.diff(formula, symbol(unknown))
    bend = Field(program_of(sympy.diff(slope, symbol(unknown))), unknown, values)
    levels, opened = {end for part in target for end, _ in part.ends}, cover.open
    for spot in spots:
        here = {**values, unknown: spot}
        level, change = value_or_none(formula, here), value_or_none(slope, here)
        if change == 0 and level in levels and not isinstance(change, float) and not isinstance(level, float):
            opened = tuple(part for part in opened if not _has_one_sign(bend, part, spot))
    return opened


def _has_one_sign(bend: Field, part: Interval, spot: Number) -> bool:
    """Whether a second derivative has one sign from a number to a range, and all over the range."""
    bounds = bend.bounds(between(min(part.lower, spot), max(part.upper, spot)))
    return bounds.total and (bounds.low > 0 or bounds.high < 0)
