"""What a search leaves open next to a number at which a formula touches its level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.formulas.trees import too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.spans import between
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.one_unknown import Cover

LARGEST = 200  # nodes of a formula whose second derivative is taken
BROKEN = Trait.STEPPED | Trait.EXTREME | Trait.PERIODIC | Trait.CHOOSES | Trait.PIECEWISE


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
