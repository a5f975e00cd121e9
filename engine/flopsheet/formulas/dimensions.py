"""The unit check: computes the dimension of an expression over its whole sympy tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import DimensionError
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import is_literal
from flopsheet.functions import entry_of
from flopsheet.units import PURE_NUMBER, Dimension, agree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.functions import Expr


class UnitCheck:
    """Computes dimensions over those of cells and literal quantities, by symbol name; errors name the place."""

    def __init__(self, dimensions: Mapping[str, Dimension], where: str) -> None:
        self.dimensions, self.where = dimensions, where

    def dimension(self, expression: Expr) -> Dimension:
        """Return the dimension of an expression.

        Raises:
            DimensionError: a sum, comparison, exponent or function meets the wrong dimension.
        """
        if expression.is_Symbol:
            return self.dimensions[expression.name]
        if not expression.args:
            return PURE_NUMBER
        return entry_of(expression).dimension(expression, self)

    def cell(self, name: str, declared: Dimension, unit_text: str, expression: Expr) -> None:
        """Reject a formula whose dimension is not the declared one."""
        computed = self.dimension(expression)
        if not agree(declared, computed):
            declaration = f"'{name}' is declared in {unit_text or 'no unit'} ({declared})"
            fix = f"Change the unit, or the formula '{self.text(expression)}'."
            raise self.error(f"{declaration}, but its formula gives {computed}.", fix)

    def sides(self, left: Expr, right: Expr) -> Dimension:
        """Return the dimension of a relation's sides; reject one whose sides differ: zero has every dimension."""
        first, second = self.dimension(left), self.dimension(right)
        if first == second or right == 0:
            return first
        if left == 0:
            return second
        for side, own, other in ((left, first, second), (right, second, first)):
            if side.is_Symbol and not is_literal(side.name) and agree(own, other):
                return own
        raise self._clash("compares", left, first, right, second)

    def same(self, verb: str, terms: Sequence[Expr]) -> Dimension:
        """Return the one dimension of several terms, or raise: zero has every dimension."""
        terms = [term for term in terms if term != 0] or terms
        first = self.dimension(terms[0])
        for term in terms[1:]:
            other = self.dimension(term)
            if other != first:
                raise self._clash(verb, terms[0], first, term, other)
        return first

    def pure(self, what: str, term: Expr) -> None:
        """Raise unless a term is a pure number."""
        dimension = self.dimension(term)
        if dimension:
            problem = f"{what}, '{self.text(term)}', is {dimension}, and must be a pure number."
            raise self.error(problem, "Divide it by a quantity of the same unit first.")

    def _clash(self, verb: str, left: Expr, first: Dimension, right: Expr, second: Dimension) -> DimensionError:
        problem = f"It {verb} '{self.text(left)}' ({first}) and '{self.text(right)}' ({second})."
        return self.error(problem, "Both sides need the same dimension.")

    def error(self, problem: str, fix: str) -> DimensionError:
        """Return the error for a problem at the place that is checked."""
        return DimensionError(self.where, problem, fix)

    def text(self, expression: Expr) -> str:
        """Return an expression as text for a message."""
        return in_text(expression, tuple(self.dimensions))
