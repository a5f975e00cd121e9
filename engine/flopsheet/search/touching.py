"""Where a formula touches a level at a number, and bends away from it on both sides: there is no other value nearby."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.spans import between
from flopsheet.search.field import Field
from flopsheet.search.program import program_of

if TYPE_CHECKING:
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval, RealSet
    from flopsheet.search.one_unknown import Cover
    from flopsheet.units import Number

LARGEST = 200  # nodes of a formula whose second derivative is taken
BROKEN = Trait.STEPPED | Trait.EXTREME | Trait.PERIODIC | Trait.CHOOSES | Trait.PIECEWISE


def apart_from_touching(cover: Cover, target: RealSet, formula: Expr, unknown: str, values: Values) -> RealSet:
    """Return what a search left open, without what lies next to a number at which the formula touches its level.

    Bounds cannot separate the two: the formula differs from the level by the square of the distance only.

    Args:
        cover: the values that were found, and what was left open.
        target: the set in which the formula must lie.
        formula: of the unknown and other cells.
        unknown: its name.
        values: the other cells, in base units.
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
