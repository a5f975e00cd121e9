"""What a search leaves open next to a number at which a formula touches its level, or has a pole."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.formulas.trees import denominators, put_in, symbol_names, too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import Interval
from flopsheet.numbers.spans import between
from flopsheet.search.field import Field
from flopsheet.search.one_unknown import Search
from flopsheet.tolerances import NEAR_WHOLE
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.one_unknown import Cover
    from flopsheet.units import Number

MOST_PARTS = 8  # between neighbours, that are looked at
LARGEST = 200  # nodes of a formula whose second derivative is taken
DISTANCE = sympy.Symbol("__distance", real=True)
BROKEN = Trait.STEPPED | Trait.EXTREME | Trait.PERIODIC | Trait.CHOOSES | Trait.PIECEWISE


def apart(cover: Cover, target: RealSet, formula: Expr, unknown: str, values: Values) -> RealSet:
    """Return what a search left open, without what lies next to a touching number or a pole and gives another value."""
    opened = apart_from_touching(cover, target, formula, unknown, values)
    return apart_from_poles(opened, target, formula, unknown, values)


def apart_from_touching(cover: Cover, target: RealSet, formula: Expr, unknown: str, values: Values) -> RealSet:
    """Return what a search left open, without what lies next to a number at which the formula touches its level.

    Bounds cannot separate the two: the formula differs from the level by the square of the distance only.
    """
    spots = [part.lower for part in cover.values if part.is_point and not isinstance(part.lower, float)]
    if not spots or not cover.open or formula.has(*nodes(BROKEN)) or too_large(formula, LARGEST):
        return cover.open
    slope = sympy.diff(formula, symbol(unknown))
    if slope.has(*nodes(BROKEN)):
        return cover.open
    bend = Field(program_of(sympy.diff(slope, symbol(unknown))), unknown, values)
    levels, opened = {end for part in target for end, _ in part.ends}, cover.open
    for spot in spots:
        here = {**values, unknown: spot}
        level, change = value_or_none(formula, here), value_or_none(slope, here)
        if change == 0 and level in levels and not isinstance(change, float) and not isinstance(level, float):
            # its slope rises or falls all the way from there
            bent = ((part, bend.bounds(between(min(part.lower, spot), max(part.upper, spot)))) for part in opened)
            opened = tuple(part for part, by in bent if not (by.total and (by.low > 0 or by.high < 0)))
    return opened


def apart_from_poles(opened: RealSet, target: RealSet, formula: Expr, unknown: str, values: Values) -> RealSet:
    """Return what a search left open, without what lies between floats and the pole of a formula next to them.

    With the distance from the pole as the unknown, what cancels at the pole is left out, and powers of it remain.
    """
    finite = (part for part in opened if is_finite(part.upper))
    narrow = [part for part in finite if part.upper - part.lower <= NEAR_WHOLE * size(part.upper)][:MOST_PARTS]
    poles = _poles(formula, unknown, values) if narrow else []
    if not poles:
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


def _poles(formula: Expr, unknown: str, values: Values) -> list[Fraction]:
    """Return where divisors that are linear in the unknown are zero."""
    poles = []
    for power in denominators(formula, symbol(unknown)):
        at = [value_or_none(power.base, {**values, unknown: number}) for number in range(3)]
        first, second, third = (None if value is None else Fraction(value) for value in at)
        if first is not None and second is not None and third is not None and third - second == second - first != 0:
            poles.append(first / (first - second))
    return poles


def _exactly(number: Number) -> Expr:
    return sympy.Rational(*number.as_integer_ratio())
