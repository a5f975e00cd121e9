"""Poles: where divisors are zero, and what a search leaves open between floats around one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.formulas.trees import denominators, put_in, symbol_names
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import Interval
from flopsheet.search.field import Field
from flopsheet.search.one_unknown import Search
from flopsheet.tolerances import NEAR_WHOLE
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number

MOST_PARTS = 8  # between neighbours, that are looked at
DISTANCE = sympy.Symbol("__distance", real=True)


def poles_of(formula: Expr, unknown: str, values: Values) -> list[Fraction]:
    """Return where divisors that are linear in the unknown are zero."""
    poles = []
    for power in denominators(formula, symbol(unknown)):
        at = [value_or_none(power.base, {**values, unknown: number}) for number in range(3)]
        first, second, third = (None if value is None else Fraction(value) for value in at)
        if first is not None and second is not None and third is not None and third - second == second - first != 0:
            poles.append(first / (first - second))
    return poles


def apart_from_poles(
    opened: RealSet, target: RealSet, form: Callable[[], Expr | None], unknown: str, values: Values
) -> RealSet:
    """Return what a search left open, without what lies between floats and the pole of a formula next to them.

    With the distance from the pole as the unknown, what cancels at the pole is left out, and powers of it remain.
    """
    finite = (part for part in opened if is_finite(part.upper))
    narrow = [part for part in finite if part.upper - part.lower <= NEAR_WHOLE * size(part.upper)][:MOST_PARTS]
    formula = form() if narrow else None
    poles = [] if formula is None else poles_of(formula, unknown, values)
    if formula is None or not poles:
        return opened
    used = {name: values[name] for name in symbol_names(formula) if name in values}
    known = {symbol(name): _exactly(value) for name, value in used.items() if not isinstance(value, str)}

    def is_outside(pole: Fraction, end: Number) -> bool:
        if end == pole:
            return True
        place = _exactly(pole) + (1 if end > pole else -1) * DISTANCE
        search = Search(
            Field(program_of(put_in(formula, {**known, symbol(unknown): place})), DISTANCE.name, used), target
        )
        farthest = math.nextafter(float(abs(Fraction(end) - pole)), math.inf)
        return search.decides_beyond(Interval(0, farthest, lower_closed=False)) and not search.inside

    def has_pole(part: Interval) -> bool:
        inside = (pole for pole in poles if part.lower <= pole <= part.upper)
        return any(is_outside(pole, part.lower) and is_outside(pole, part.upper) for pole in inside)

    outside = [part for part in narrow if has_pole(part)]
    return tuple(part for part in opened if part not in outside)


def _exactly(number: Number) -> Expr:
    return sympy.Rational(*number.as_integer_ratio())
