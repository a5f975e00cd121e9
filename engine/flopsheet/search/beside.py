"""What a search leaves open next to a number at which a formula touches its level, or has a pole."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.formulas.trees import put_in, symbol_names, too_large
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

LARGEST = 200  # nodes of a formula whose second derivative is taken
DISTANCE = sympy.Symbol("__distance", real=True)
BROKEN = Trait.STEPPED | Trait.EXTREME | Trait.PERIODIC | Trait.CHOOSES | Trait.PIECEWISE


def apart(cover: Cover, target: RealSet, formula: Expr, unknown: str, values: Values) -> RealSet:
    """Return what a search left open, without what lies next to a touching number or a pole and gives another value."""
    return apart_from_poles(
        apart_from_touching(cover, target, formula, unknown, values), target, formula, unknown, values
    )


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
            # its slope rises or falls all the way from there
            bent = ((part, bend.bounds(between(min(part.lower, spot), max(part.upper, spot)))) for part in opened)
            opened = tuple(part for part, by in bent if not (by.total and (by.low > 0 or by.high < 0)))
    return opened


def apart_from_poles(opened: RealSet, target: RealSet, formula: Expr, unknown: str, values: Values) -> RealSet:
    """Return what a search left open, without what lies between a float and the pole of a formula next to it.

    With the distance from the pole as the unknown, what cancels at the pole is left out, and powers of it remain.
    """

    def is_outside(part: Interval, pole: Fraction) -> bool:
        way, other = (1, part.upper) if pole == part.lower else (-1, part.lower)
        width = abs(Fraction(other) - pole) if is_finite(other) else other
        if width > NEAR_WHOLE * size(pole):
            return False
        used = {name: values[name] for name in symbol_names(formula) if name in values}
        known = {symbol(name): _exactly(value) for name, value in used.items() if not isinstance(value, str)}
        beside = put_in(formula, {**known, symbol(unknown): _exactly(pole) + way * DISTANCE})
        search = Search(Field(program_of(beside), DISTANCE.name, used), target)
        farthest = math.nextafter(float(width), math.inf)
        return search.decides_beyond(Interval(0, farthest, lower_closed=False)) and not search.inside

    poles = ((part, [end for end in (part.lower, part.upper) if isinstance(end, Fraction)]) for part in opened)
    return tuple(part for part, ends in poles if not any(is_outside(part, pole) for pole in ends))


def _exactly(number: Number) -> Expr:
    return sympy.Rational(*Fraction(number).as_integer_ratio())
