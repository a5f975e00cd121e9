"""The unit check: the dimension of an expression, found over its whole sympy tree."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import DimensionError
from flopsheet.formulas.order import in_text
from flopsheet.formulas.relation import is_literal
from flopsheet.functions.angles import GIVE_ANGLES, OF_ANGLES
from flopsheet.functions.language import Indicator, Select
from flopsheet.functions.symbols import exact
from flopsheet.units import PURE_NUMBER, Dimension, agree, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ANGLE = unit("degree").dimension


class UnitCheck:
    """Finds dimensions of expressions over cells of known dimensions.

    Args:
        dimensions: the dimension of each cell and literal quantity, by symbol name.
        where: the place that an error names.
    """

    def __init__(self, dimensions: Mapping[str, Dimension], where: str) -> None:
        self.dimensions = dimensions
        self.where = where

    def dimension(self, expression: Any) -> Dimension:
        """Return the dimension of an expression.

        Raises:
            DimensionError: a sum, comparison, exponent or function meets the wrong dimension.
        """
        if expression.is_Symbol:
            return self.dimensions[expression.name]
        if not expression.args:
            return PURE_NUMBER
        return self._RULES.get(expression.func, UnitCheck._of_pure)(self, expression)

    def cell(self, name: str, declared: Dimension, unit_text: str, expression: Any) -> None:
        """Refuse a formula whose dimension is not the declared one."""
        found = self.dimension(expression)
        if not agree(declared, found):
            problem = f"'{name}' is declared in {unit_text or 'no unit'} ({declared}), but its formula gives {found}."
            fix = f"Change the unit, or the formula '{in_text(expression, tuple(self.dimensions))}'."
            raise DimensionError(self.where, problem, fix)

    def sides(self, left: Any, right: Any) -> Dimension:
        """Refuse a relation whose sides differ, and return their dimension."""
        dimensions = (self.dimension(left), self.dimension(right))
        alone = tuple(side.is_Symbol and not is_literal(side.name) for side in (left, right))
        if dimensions[0] == dimensions[1]:
            return dimensions[0]
        for mine, other, single in ((*dimensions, alone[0]), (*dimensions[::-1], alone[1])):
            if single and agree(mine, other):
                return mine
        raise self._clash("compares", left, dimensions[0], right, dimensions[1])

    def _of_sum(self, expression: Any) -> Dimension:
        return self._same("adds", expression.args)

    def _of_largest(self, expression: Any) -> Dimension:
        return self._same("compares", expression.args)

    def _same(self, verb: str, terms: Sequence[Any]) -> Dimension:
        terms = [term for term in terms if term != 0] or terms  # zero has every dimension
        first = self.dimension(terms[0])
        for term in terms[1:]:
            other = self.dimension(term)
            if other != first:
                raise self._clash(verb, terms[0], first, term, other)
        return first

    def _of_product(self, expression: Any) -> Dimension:
        product = PURE_NUMBER
        for factor in expression.args:
            product *= self.dimension(factor)
        return product

    def _of_power(self, expression: Any) -> Dimension:
        base, exponent = expression.args
        self._pure("The exponent", exponent)
        dimension = self.dimension(base)
        if dimension and not exponent.is_Rational:
            problem = f"'{self._text(base)}' ({dimension}) is raised to '{self._text(exponent)}', which is no number."
            raise DimensionError(self.where, problem, "Divide it by a quantity of the same unit first.")
        return dimension ** Fraction(exact(exponent)) if dimension else PURE_NUMBER

    def _of_whole(self, expression: Any) -> Dimension:
        dimension = self.dimension(expression.args[0])
        if dimension and not dimension.is_count:
            problem = f"'{self._text(expression.args[0])}' is {dimension}: rounding it depends on the unit."
            raise DimensionError(self.where, problem, "Round a count: divide by a quantity of the same unit first.")
        return dimension

    def _of_absolute(self, expression: Any) -> Dimension:
        return self.dimension(expression.args[0])

    def _of_select(self, expression: Any) -> Dimension:
        return self._same("chooses between", tuple(expression.branches.values()))

    def _of_remainder(self, expression: Any) -> Dimension:
        return self._same("divides", expression.args)

    def _of_indicator(self, expression: Any) -> Dimension:
        self._same("compares", (expression.args[0], expression.args[2]))
        return PURE_NUMBER

    def _of_angle(self, expression: Any) -> Dimension:
        found, term = self.dimension(expression.args[0]), expression.args[0]
        if found != ANGLE and term != 0:  # zero has every dimension
            problem = f"The term of {_name(expression)}, '{self._text(term)}', is {found or 'a pure number'}, no angle."
            raise DimensionError(self.where, problem, "Give it in degree.")
        return PURE_NUMBER

    def _gives_angle(self, expression: Any) -> Dimension:
        self._of_pure(expression)
        return ANGLE

    def _of_pure(self, expression: Any) -> Dimension:
        for term in expression.args:
            self._pure(f"The term of {_name(expression)}", term)
        return PURE_NUMBER

    def _pure(self, what: str, term: Any) -> None:
        dimension = self.dimension(term)
        if dimension:
            problem = f"{what}, '{self._text(term)}', is {dimension}, and must be a pure number."
            raise DimensionError(self.where, problem, "Divide it by a quantity of the same unit first.")

    def _clash(self, verb: str, left: Any, mine: Dimension, right: Any, other: Dimension) -> DimensionError:
        problem = f"It {verb} '{self._text(left)}' ({mine}) and '{self._text(right)}' ({other})."
        return DimensionError(self.where, problem, "Both sides need the same dimension.")

    def _text(self, expression: Any) -> str:
        return in_text(expression, tuple(self.dimensions))

    _RULES: dict[Any, Callable[[UnitCheck, Any], Dimension]] = {  # noqa: RUF012  # a dispatch table, never changed
        sympy.Add: _of_sum,
        sympy.Mul: _of_product,
        sympy.Pow: _of_power,
        sympy.Max: _of_largest,
        sympy.Min: _of_largest,
        sympy.Abs: _of_absolute,
        sympy.ceiling: _of_whole,
        sympy.floor: _of_whole,
        sympy.Mod: _of_remainder,
        Indicator: _of_indicator,
        Select: _of_select,
        **dict.fromkeys(OF_ANGLES, _of_angle),
        **dict.fromkeys(GIVE_ANGLES, _gives_angle),
    }


def _name(expression: Any) -> str:
    return str(expression.func.__name__).lower()
