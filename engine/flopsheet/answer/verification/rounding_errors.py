"""Bounds of the errors that rounding leaves in values, carried from cell to cell."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.functions.symbols import exact, symbols_in
from flopsheet.numbers.ends import may_be_computed
from flopsheet.numbers.many_digits import is_rounded
from flopsheet.numbers.spans import LARGEST
from flopsheet.tolerances import ROUNDING

if TYPE_CHECKING:
    from flopsheet.answer.execute import Execution
    from flopsheet.functions.symbols import Expr

DEEPEST = 200


class RoundingErrors:
    """Bounds of rounding errors of expressions at the values of an answer [base units].

    Other functions than those of algebra, logarithms and exponentials are taken to leave a rounding of their own only:
    a step of `ceil` is no error of rounding.
    """

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self._known: dict[Expr, float] = {}

    def of(self, expression: Expr, depth: int = 0) -> float:
        """Return how far the value of an expression may be off."""
        if expression not in self._known:
            self._known[expression] = self._error(expression, depth + 1)
        return self._known[expression]

    def has_digits(self, expression: Expr) -> bool:
        """Whether the inputs behind an expression are known to all digits: none may be a float that was pasted."""
        waiting: set[Expr] = {expression}
        behind: set[Expr] = set()
        while waiting - behind:
            own = (waiting - behind).pop()
            behind.add(own)
            formula = self._formula(own)
            waiting |= {*symbols_in(own)} if formula is None else {formula}
        values = self.execution.values
        given = (values.get(own.name) for own in behind if own.is_Symbol and self._formula(own) is None)
        levels = (exact(number) for own in behind for number in own.atoms(sympy.Rational))
        return not any(is_rounded(number) or _may_be_pasted(number) for number in (*given, *levels))

    def _error(self, expression: Expr, depth: int) -> float:
        if self._is_exact(expression):
            return ROUNDING * self._size(expression)
        formula = self._formula(expression)
        if formula is not None and depth < DEEPEST:
            return self.of(formula, depth)
        if isinstance(expression, (sympy.Add, sympy.Abs, sympy.Max, sympy.Min)):  # off by no more than all its terms
            return sum(self.of(term, depth) for term in expression.args)
        if expression.is_Mul:
            errors = [self.of(factor, depth) for factor in expression.args]
            sizes = [self._size(factor) for factor in expression.args]
            others = [math.prod(sizes[:place] + sizes[place + 1 :]) for place in range(len(sizes))]
            return sum(error * rest for error, rest in zip(errors, others, strict=True))
        return ROUNDING * self._size(expression) + self._inside(expression, depth)

    def _inside(self, expression: Expr, depth: int) -> float:
        """Return how far a function may be off as its argument is; one with several is taken not to be."""
        if expression.is_Pow and expression.exp.is_number and expression.exp > 0:
            return self._of_power(expression.base, float(expression.exp), depth)
        if isinstance(expression, sympy.log):
            (inside,) = expression.args
            return self.of(inside, depth) / (self._size(inside) or 1)
        if isinstance(expression, sympy.exp):
            (inside,) = expression.args
            return self._size(expression) * math.expm1(min(self.of(inside, depth), 1))
        return 0.0

    def _of_power(self, base: Expr, power: float, depth: int) -> float:
        """Return how far a power above zero may be off as its base is; most near zero, for a root."""
        size, error = self._size(base), self.of(base, depth)
        near: float = min(size + error, LARGEST ** (1 / max(power, 1)) / 2)
        change: float = near**power - max(min(size, near) - (error if power < 1 else 0), 0) ** power
        return change

    def _formula(self, expression: Expr) -> Expr | None:
        """Return the formula of a cell, where its inputs have values: a solved cell may have one without them."""
        if not expression.is_Symbol or expression.name not in self.execution.question.sheet.cells:
            return None
        formula = self.execution.question.formula(expression.name)
        return formula if formula is not None and cells_of(formula) <= self.execution.values.keys() else None

    def _is_exact(self, expression: Expr) -> bool:
        """Whether it is a ratio, or a cell that is one: nothing was rounded on the way to it."""
        value = self.execution.values.get(expression.name) if expression.is_Symbol else None
        return expression.is_Rational or isinstance(value, (int, Fraction))

    def _size(self, expression: Expr) -> float:
        value = self.execution.values.get(expression.name) if expression.is_Symbol else None
        if not isinstance(value, (int, float, Fraction)):
            value = value_or_none(expression, self.execution.values)
        return 0.0 if value is None else abs(float(value))


def _may_be_pasted(number: Any) -> bool:
    return number is None or (not isinstance(number, str) and may_be_computed(number))
