"""What a search leaves open next to a number at which a formula touches its level, or has a pole."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.formulas.trees import denominators, put_in, symbol_names, too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.arithmetic import short_ratio
from flopsheet.numbers.sets import Interval, complement, is_in, meet, point, union
from flopsheet.numbers.spans import between
from flopsheet.search.field import Field
from flopsheet.search.one_unknown import Cover, Search
from flopsheet.tolerances import NEAR_WHOLE
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number

MOST_ENDS = 100  # of parts, at which a formula may touch a level
MOST_PARTS = 8  # between neighbours, that are looked at
LARGEST = 200  # nodes of a formula whose second derivative is taken
DISTANCE = sympy.Symbol("__distance", real=True)
BROKEN = Trait.STEPPED | Trait.EXTREME | Trait.PERIODIC | Trait.CHOOSES | Trait.PIECEWISE


def apart(cover: Cover, target: RealSet, formula: Expr | None, unknown: str, values: Values) -> Cover:
    """Return a cover in which what a search left open next to a touching number or a pole is decided, by a formula."""
    if formula is None:
        return cover
    cover = apart_from_touching(cover, target, formula, unknown, values)
    return replace(cover, open=apart_from_poles(cover.open, target, formula, unknown, values))


def apart_from_touching(cover: Cover, target: RealSet, formula: Expr, unknown: str, values: Values) -> Cover:
    """Return a cover in which what a search left open next to a number at which the formula touches a level is decided.

    Bounds cannot separate the two: the formula differs from the level by the square of the distance only. The sign of
    its second derivative tells on which side of the level it lies.
    """
    if not cover.open or formula.has(*nodes(BROKEN)) or too_large(formula, LARGEST):
        return cover
    slope = sympy.diff(formula, symbol(unknown))
    if slope.has(*nodes(BROKEN)):
        return cover
    here, bend = (Field(program_of(way), unknown, values) for way in (formula, sympy.diff(slope, symbol(unknown))))
    levels, others = {end for part in target for end, _ in part.ends}, complement(target)
    inside, opened = cover.values, cover.open
    for spot in _spots(cover):
        level, change = (value_or_none(way, {**values, unknown: spot}) for way in (formula, slope))
        if change != 0 or level not in levels or isinstance(change, float) or isinstance(level, float):
            continue
        inside = union(inside, meet(opened, point(spot)) if is_in(level, target) else ())
        opened = meet(opened, complement(point(spot)))
        sides = [(part, _beyond(level, part, spot, here, bend)) for part in opened]
        inside = union(inside, tuple(part for part, side in sides if side and not meet(side, others)))
        opened = tuple(part for part, side in sides if not side or (meet(side, others) and meet(side, target)))
    return Cover(inside, opened)


def _spots(cover: Cover) -> list[Number]:
    """Return exact numbers at which a formula may touch a level: short ratios at ends, and zero."""
    ends = {end for part in (*cover.open, *cover.values) for end, _ in part.ends if is_finite(end)}
    ratios = {ratio for ratio in map(short_ratio, sorted(ends)[:MOST_ENDS]) if ratio is not None}
    return sorted(ratios | {0})


def _beyond(level: Number, part: Interval, spot: Number, here: Field, bend: Field) -> RealSet:
    """Return between which numbers, on one side of a level, a formula lies in a part beside a spot.

    Nothing unless its slope, zero at the spot, rises or falls all the way from there.
    """
    by = bend.bounds(between(min(part.lower, spot), max(part.upper, spot)))
    if not by.total or by.low <= 0 <= by.high:
        return ()
    value = here.bounds(between(part.lower, part.upper))
    return (Interval(*((level, value.high) if by.low > 0 else (value.low, level)), by.high < 0, by.low > 0),)


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
