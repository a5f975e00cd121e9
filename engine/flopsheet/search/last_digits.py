"""The float nearest to a root that inversion in floats put a few floats beside it.

One step of the secant method finds it: between floats this near to each other a formula is as good as straight.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.many_digits import PRECISION, Irrational

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.formulas.program import Operation
    from flopsheet.numbers.sets import Interval
    from flopsheet.search.field import Field
    from flopsheet.units import Number

BESIDE, FURTHEST = 4096, 512  # floats between both points of the secant, and those that a root may be off
SECANT, BENT = 2.0**-20, 1 / 8  # the same of a secant in floats, as a share of the root; the slopes may differ so much


class LastDigits:
    """A formula less a level at single floats, with more digits than these.

    Args:
        field: the formula over its unknown; its cells are exact or known to all digits.
        level: the same.
    """

    def __init__(self, field: Field, level: Number) -> None:
        self._field, self._level = field, level

    def nearest(self, root: float, room: Interval) -> float | None:
        """Return the float nearest to a root beside a float; None where it is further off, or may jump there."""
        if self._field.stepped:
            return None
        here = self._gap(root)
        rise = self._rise(root) if here else None
        if not here or not rise:
            return root if here == 0 else None
        off = here / rise * math.ulp(root)
        nearest = root - off
        return nearest if abs(off) <= FURTHEST * math.ulp(root) and room.lower <= nearest <= room.upper else None

    def _rise(self, root: float) -> float | None:
        """Return by how much the formula changes from one float to the next beside a root."""
        if self._is_product:
            off = abs(root) * SECANT
            before, here, after = (self._field.value(at) for at in (root - off, root, root + off))
            if before is not None and here is not None and after is not None:
                left, right = float(here - before), float(after - here)
                if abs(left - right) <= BENT * abs(right):
                    return (left + right) / 2 * math.ulp(root) / off
        here, there = self._gap(root), self._gap(root + BESIDE * math.ulp(root))
        return None if here is None or there is None else (there - here) / BESIDE

    @cached_property
    def _is_product(self) -> bool:
        """Whether no sum may cancel digits of floats."""
        return not any(operation.node.is_Add for _, operation in self._field.varying)

    def _gap(self, at: float) -> float | None:
        """Return how far the formula lies above the level at a float; None where it has no value."""
        exactly = self._exactly(at)
        if exactly is None:
            return self._field.value_by_digits(at, PRECISION, self._level)
        try:
            return float(exactly - _ratio(self._level))
        except OverflowError:
            return None

    def _exactly(self, at: float) -> Number | None:
        """Return the formula at a float as a ratio, but for digits that no float has; None where it is no ratio."""
        if self._ratios is None:
            return None
        values = self._ratios | {self._field.place: Fraction(at)}
        return values[self._field.program.result] if _add(values, self._field.varying) else None

    @cached_property
    def _ratios(self) -> dict[int, Any] | None:
        """What does not vary, by place, as ratios; None where a formula has none, or gives no ratio for ratios."""
        field, program = self._field, self._field.program
        if not program.is_rational:
            return None
        try:
            values = {place: _ratio(number) for place, number in (*program.constants.items(), *field.inputs.items())}
        except (ArithmeticError, ValueError):
            return None
        is_known = not any(isinstance(value, float) for value in values.values())
        return values if is_known and _add(values, program.plan(field.places).known) else None


def _add(values: dict[int, Any], operations: Iterable[tuple[int, Operation]]) -> bool:
    """Add the values of operations on ratios, and return whether all of them are ratios."""
    try:
        for place, operation in operations:
            value = values[place] = operation.entry.exact(*map(values.__getitem__, operation.terms))
            if isinstance(value, float) or (not isinstance(value, str) and is_long(value)):
                return False
    except (ArithmeticError, ValueError):
        return False
    return True


def _ratio(number: Any) -> Any:
    """Return a number as an exact one, of an irrational one the middle of the ratios around it."""
    if not isinstance(number, Irrational):
        return number
    low, high = number.ends()
    return (low + high) / 2
