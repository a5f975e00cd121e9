"""How much of a difference rounding alone can make: errors carried through sums and products, cell by cell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.tolerances import ROUNDING

if TYPE_CHECKING:
    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.units import Number

DEEPEST = 200


def met(relation: Relation, sides: tuple[Number, Number], execution: Execution) -> bool:
    """Whether a relation holds between the values of its sides, within what rounding can make of them.

    Args:
        relation: the relation.
        sides: values of its sides, in base units.
        execution: the values of all cells.
    """
    if relation.holds(*sides):
        return True
    if "=" not in relation.operator or not any(isinstance(side, float) for side in sides):
        return False
    errors = _Errors(execution)
    noise = errors.of(relation.left, 0) + errors.of(relation.right, 0)
    return abs(float(sides[0]) - float(sides[1])) <= noise


class _Errors:
    """Bounds of rounding errors, in base units."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self._known: dict[Any, float] = {}

    def of(self, expression: Any, depth: int) -> float:
        """Return how far the value of an expression may be off."""
        if expression not in self._known:
            self._known[expression] = self._error(expression, depth + 1)
        return self._known[expression]

    def _error(self, expression: Any, depth: int) -> float:
        formula = self._formula(expression)
        if formula is not None and depth < DEEPEST:
            return self.of(formula, depth)
        if expression.is_Add:
            return sum(self.of(term, depth) for term in expression.args)
        if expression.is_Mul:
            factors = [(self.of(factor, depth), self._size(factor)) for factor in expression.args]
            others = (
                math.prod(size for place, (_, size) in enumerate(factors) if place != own)
                for own in range(len(factors))
            )
            return sum(error * rest for (error, _), rest in zip(factors, others, strict=True))
        own = ROUNDING * self._size(expression)
        if isinstance(expression, sympy.log):
            (inside,) = expression.args
            return own + self.of(inside, depth) / (self._size(inside) or 1)
        return own

    def _formula(self, expression: Any) -> Any | None:
        """Return the formula of a cell, where its inputs have values: a solved cell may have one without them."""
        if not expression.is_Symbol or expression.name not in self.execution.question.sheet.cells:
            return None
        formula = self.execution.question.formula(expression.name)
        return formula if formula is not None and cells_of(formula) <= self.execution.values.keys() else None

    def _size(self, expression: Any) -> float:
        value = value_or_none(expression, self.execution.values)
        return 0.0 if value is None else abs(float(value))
