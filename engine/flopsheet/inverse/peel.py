"""Peeling: inverts an expression layer by layer, on sets of numbers.

Working on sets makes equations, inequalities, plateaus of max and half-open steps of ceil one and the same case.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.trees import KEPT
from flopsheet.functions import entry_of
from flopsheet.numbers.sets import RealSet, union

if TYPE_CHECKING:
    from flopsheet.functions import Expr


def undo(expression: Expr, layer: Expr, target: RealSet, values: Values) -> RealSet:
    """Return where one term of an expression must lie for the expression to lie in a target.

    Args:
        expression: a sum, product, power or function.
        layer: the term; the others do not hold the unknown.
        target: where the expression must lie, in base units.
        values: all other cells in it, in base units.

    Raises:
        NoInverseError: the function has no inverse here.
    """
    place, rest = _split(expression, layer)
    value = None if rest is None else evaluate(rest, values)
    return union(entry_of(expression).preimage(expression, place, target, value))


@lru_cache(maxsize=KEPT)
def _split(expression: Expr, layer: Expr) -> tuple[int, Expr | None]:
    """Return the place of a term, and the other terms as one expression."""
    place = expression.args.index(layer)
    return place, entry_of(expression).rest(expression, place)
