"""Signs that the form of a formula tells: what is zero or more wherever the cells in it are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.trees import put_in
from flopsheet.functions import BY_NODE, Trait, nodes
from flopsheet.functions.symbols import symbols_in
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr

MOST_CACHED = 16384
DEEPEST = 2  # formulas put in for cells, one in another


@cached(maxsize=MOST_CACHED)
def may_be_negative(expression: Expr) -> bool:
    """Whether an expression may be below zero where all cells in it are zero or more, as far as its form tells."""
    if expression.is_Symbol or not isinstance(expression, sympy.Expr):  # a choice, an option, a sign of comparison
        return False
    if expression.is_Number:
        return bool(expression < 0)
    if expression.is_Pow:
        return not (expression.exp.is_Integer and expression.exp % 2 == 0) and may_be_negative(expression.base)
    entry = BY_NODE.get(expression.func)
    if entry is None or Trait.SIGNED in entry.traits:
        return True
    return entry.range.lower < 0 and any(map(may_be_negative, expression.args))


def is_never_negative(expression: Expr, formulas: Mapping[str, Expr], depth: int = DEEPEST) -> bool:
    """Whether an expression is zero or more where all cells are, with the formulas of cells put in.

    So `step - work` is where `step = max(work, exchange)`, which the bounds of both do not tell.
    """
    if not may_be_negative(expression):
        return True
    if not expression.is_Add:
        return expression.is_Mul and all(is_never_negative(term, formulas, depth) for term in expression.args)
    for term in expression.args:
        factors = term.args if term.is_Mul else (term,)
        extremes = [own for own in factors if isinstance(own, nodes(Trait.EXTREME))]
        if len(extremes) == 1:
            factor, rest = sympy.Mul(*(own for own in factors if own is not extremes[0])), expression - term
            return _is_by_extreme(extremes[0], factor, rest, formulas, depth)
    inner = [own for own in symbols_in(expression) if depth and own.name in formulas]
    return any(
        is_never_negative(sympy.expand_mul(put_in(expression, {own: formulas[own.name]})), formulas, depth - 1)
        for own in inner
    )


def _is_by_extreme(extreme: Expr, factor: Expr, rest: Expr, formulas: Mapping[str, Expr], depth: int) -> bool:
    """Whether a max or min times a factor, with the rest of a sum, is zero or more by one of its terms, or by all."""
    is_positive = not may_be_negative(factor)
    if not is_positive and may_be_negative(-factor):
        return False
    takes_largest = (BY_NODE[extreme.func].wins == ">") == is_positive
    sums = (is_never_negative(sympy.expand_mul(factor * term + rest), formulas, depth) for term in extreme.args)
    return any(sums) if takes_largest else all(sums)
