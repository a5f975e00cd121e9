"""Derivatives of formulas: symbolic, with max, min and roundings replaced by the branch taken at the point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.printing import in_order
from flopsheet.functions import Trait, entry_of, nodes
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr
    from flopsheet.units import Number


def slopes(expression: Expr, values: Values) -> dict[str, Number]:
    """Return the partial derivatives of an expression by the symbols in it, at the given values.

    Raises:
        ArithmeticTrapError: it is not differentiable there.
    """
    smooth = smoothed(expression, values)
    return {name: evaluate(slope, values) for name, slope in _partial(smooth).items()}


@cached(maxsize=4096)
def _partial(expression: Expr) -> Mapping[str, Expr]:
    return {cell.name: sympy.diff(expression, cell) for cell in sorted(expression.free_symbols, key=str)}


def smoothed(expression: Expr, values: Values) -> Expr:
    """Return an expression with each branching function replaced by what it is at these values."""
    if _is_smooth(expression):
        return expression
    return entry_of(expression).smooth(expression, _At(values))


@dataclass(frozen=True)
class _At:
    """The point at which a derivative is taken."""

    values: Values

    def value(self, expression: Expr) -> Number:
        return evaluate(expression, self.values)

    def option(self, choice: str) -> str:
        return str(self.values[choice])

    def smooth(self, expression: Expr) -> Expr:
        return smoothed(expression, self.values)


@cached(maxsize=4096)
def _is_smooth(expression: Expr) -> bool:
    return not expression.free_symbols or not expression.has(*nodes(Trait.FLAT | Trait.CHOOSES))


def extremes(expression: Expr) -> tuple[Expr, ...]:
    """Return each max and min of an expression."""
    extreme = nodes(Trait.EXTREME)
    if not expression.has(*extreme):
        return ()
    parts = sympy.preorder_traversal(expression)
    return tuple(dict.fromkeys(part for part in parts if isinstance(part, extreme)))


def deciding_term(expression: Expr, names: tuple[str, ...], values: Values) -> int:
    """Return the place of the term of max or min that decides, in the order of the names; -1 where one has no value."""
    try:
        return in_order(expression, names).index(binding_branch(expression, values))
    except (ArithmeticTrapError, KeyError):
        return -1


def binding_branch(expression: Expr, values: Values) -> Expr:
    """Return the term of max or min that decides at these values; of equal ones the first."""
    return entry_of(expression).decides(expression, lambda term: evaluate(term, values))
