"""Signs that the form of a formula tells: what is zero or more wherever the cells in it are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.trees import has_function, length, put_in, too_large
from flopsheet.functions import BY_NODE, Trait, nodes
from flopsheet.functions.symbols import symbols_in
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr

MOST_CACHED = 16384
DEEPEST, MOST_PUT_IN = 2, 40  # formulas put in for cells, one in another, and in all
LARGEST = 100  # parts of a sum that is multiplied out


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


def is_never_negative(expression: Expr, formulas: Mapping[str, Expr]) -> bool:
    """Whether an expression is zero or more where all cells are, with the formulas of cells put in.

    So `step - work` is where `step = max(work, exchange)`, which the bounds of both do not tell.
    """
    return _Signs(formulas).is_never_negative(expression)


class _Signs:
    """Formulas, of which few are put in for their cells: what is proven at all takes fewer, and sums become long."""

    def __init__(self, formulas: Mapping[str, Expr]) -> None:
        self._formulas, self._left = formulas, MOST_PUT_IN

    def is_never_negative(self, expression: Expr, depth: int = DEEPEST) -> bool:
        if not may_be_negative(expression):
            return True
        if not expression.is_Add:
            return expression.is_Mul and all(self.is_never_negative(term, depth) for term in expression.args)
        for term in expression.args:
            factors = term.args if term.is_Mul else (term,)
            extremes = [own for own in factors if isinstance(own, nodes(Trait.EXTREME))]
            if len(extremes) == 1:
                factor, rest = sympy.Mul(*(own for own in factors if own is not extremes[0])), expression - term
                return self._is_by_extreme(extremes[0], factor, rest, depth)
        symbols = symbols_in(expression)
        inner = [own for own in symbols if depth and own.name in self._formulas]
        inner = [own for own in inner if depth > 1 or _may_cancel(self._formulas[own.name], symbols)]
        inner.sort(key=lambda own: (length(self._formulas[own.name]), own.name))
        return any(self._is_with(own, expression, depth - 1) for own in inner)

    def _is_with(self, own: Expr, expression: Expr, depth: int) -> bool:
        """Whether an expression is zero or more with the formula of one of its cells."""
        if not self._left:
            return False
        self._left -= 1
        whole = put_in(expression, {own: self._formulas[own.name]})
        return not too_large(whole, LARGEST) and self.is_never_negative(sympy.expand_mul(whole), depth)

    def _is_by_extreme(self, extreme: Expr, factor: Expr, rest: Expr, depth: int) -> bool:
        """Whether a max or min times a factor, with the rest of a sum, is zero or more by one of its terms, or all."""
        is_positive = not may_be_negative(factor)
        if not is_positive and may_be_negative(-factor):
            return False
        takes_largest = (BY_NODE[extreme.func].wins == ">") == is_positive
        sums = (self.is_never_negative(sympy.expand_mul(factor * term + rest), depth) for term in extreme.args)
        return any(sums) if takes_largest else all(sums)


def _may_cancel(formula: Expr, symbols: frozenset[Expr]) -> bool:
    """Whether a formula put in for a cell may cancel the terms beside it: it is a number, or has a cell of them."""
    own = symbols_in(formula)
    return not own or not own.isdisjoint(symbols) or has_function(formula, nodes(Trait.EXTREME))
