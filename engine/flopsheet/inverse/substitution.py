"""Writes an expression over a part of it that contains every occurrence of the unknown: `log(x)`, or a root of `x`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import sympy

if TYPE_CHECKING:
    from flopsheet.functions import Expr

from flopsheet.formulas.trees import MOST_CACHED, depends, irrational_parts
from flopsheet.session import cached

PART = sympy.Dummy("_part", real=True)  # no cell begins with a line


@cached(maxsize=MOST_CACHED)
def over_part(expression: Expr, unknown: Expr) -> tuple[Expr, Expr] | None:
    """Return the one function with every occurrence of the unknown, and the expression over `PART` in its place.

    None where there are several, or none: `log(x)` and `PART**2 + PART` for `log(x)**2 + log(x)`.
    """
    parts = irrational_parts(expression, unknown)
    if len(parts) != 1:
        return None
    (part,) = parts
    over = expression.xreplace({part: PART})
    return None if part == expression or depends(over, unknown) else (part, over)


@cached(maxsize=MOST_CACHED)
def over_root(expression: Expr, unknown: Expr, highest: int) -> tuple[int, Expr] | None:
    """Return the order of a root of the unknown, and the expression over `PART` as that root, free of roots.

    None where other functions contain the unknown, or the order is too high: 2 and `PART**2 + PART` for `x + sqrt(x)`.
    """
    parts = irrational_parts(expression, unknown)
    roots = [part for part in parts if part.is_Pow and part.base == unknown and part.exp.is_Rational]
    if not parts or len(roots) != len(parts):
        return None
    order = math.lcm(*(int(part.exp.q) for part in roots))
    if order > highest:
        return None
    powers = {part: PART ** (part.exp * order) for part in roots}
    return order, expression.xreplace(powers).xreplace({unknown: PART**order})
