"""Whether rounding took part in an inversion in the last digits of what was found only: then no value is lost by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.numbers.ends import has_floats

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet

MOST_LAYERS = 1  # exponentials and logarithms inverted at floats: each may enlarge their rounding


class Sharpness:
    """What rounding did on the way to the unknown: `is_kept` until it may have found or lost a value."""

    def __init__(self) -> None:
        self.is_kept = True
        self._left = MOST_LAYERS

    def blur(self) -> None:
        """Note that values are compared within rounding."""
        self.is_kept = False

    def pass_layer(self, expression: Expr, inside: tuple[Expr, ...], target: RealSet) -> None:
        """Note that a layer is inverted at a target: at floats, factors and powers keep digits, and few others do.

        Args:
            expression: the layer.
            inside: its terms that hold the unknown.
            target: the set in which it must lie.
        """
        is_one = len(inside) == 1
        if not has_floats(target) or (is_one and (expression.is_Mul or expression.is_Pow)):
            return
        self.is_kept &= is_one and self._left > 0 and isinstance(expression, (sympy.exp, sympy.log))
        self._left -= 1
