"""Derivatives of expressions at given cells: ratios stay exact until a function is not rational."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy

from flopsheet.budget import check
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.code import Compiled, compiled
from flopsheet.formulas.evaluate import branch_at, evaluate, extremes, value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.trees import has_function, symbol_names
from flopsheet.functions import Trait, choices_in, entry_of, nodes
from flopsheet.functions.symbols import symbols_in
from flopsheet.numbers.many_digits import is_same
from flopsheet.session import cached
from flopsheet.tolerances import LEAST_FACTOR
from flopsheet.units import Number, close, is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr

MOST_KEPT = 4096
SMALLEST_NORMAL = sys.float_info.min
NEARBY = 10**40  # one part in so many
Row: TypeAlias = list[tuple[str, float]]  # derivatives by symbol
_BRANCHING = Trait.FLAT | Trait.CHOOSES


class Slopes:
    """The derivatives of an expression by its symbols, with those at the last values.

    Most values are the same in the next question, and in the next unknown of a question all of them.
    """

    def __init__(self, expression: Expr) -> None:
        self.expression, self.cells = expression, cells_of(expression)
        self._names = sorted(symbol_names(expression))
        self._last: tuple[list[Any], bool, Row] | None = None

    def at(self, values: Values, nearby: Callable[[], Values]) -> Row:
        """Return those that are not zero at values of cells.

        Where terms of a max or min are equal, those that decide nearby are taken.

        Raises:
            ArithmeticTrapError: it is not differentiable there.
            ArithmeticError: one is larger than floats can be.
        """
        inputs = [values.get(name) for name in self._names]
        if self._last is None or not all(map(is_same, inputs, self._last[0])):
            check()
            tied = is_tied(self.expression, values)
            self._last = inputs, tied, [] if tied else _in_floats(slopes(self.expression, values))
        _, tied, known = self._last
        return _in_floats(slopes(self.expression, values, nearby())) if tied else known


def _in_floats(numbers: Mapping[str, Number]) -> Row:
    return [(name, with_all_digits(float(number))) for name, number in numbers.items() if number]


def with_all_digits(slope: float) -> float:
    """Return a slope, or product of slopes, that is not zero; "not a number" where it is too small to have all digits.

    What is computed from that is "not a number" too.
    """
    return math.nan if -SMALLEST_NORMAL < slope < SMALLEST_NORMAL else slope


def relative(slope: float, value: Number, own: Number) -> float:
    """Return a slope times a value over another one, by ratios where products of floats may leave these."""
    try:
        change, whole = slope * float(value), float(own)
    except OverflowError:
        change = whole = 0.0
    if all(LEAST_FACTOR < abs(number) < 1 / LEAST_FACTOR for number in (change, whole)):
        return change / whole
    return float(Fraction(slope) * Fraction(value) / Fraction(own))


def slopes(expression: Expr, values: Values, nearby: Values | None = None) -> dict[str, Number]:
    """Return the partial derivatives of an expression by the symbols in it, at the given values.

    Where terms of a max or min are equal there, those that decide at `nearby` values are taken, if these are given.

    Raises:
        ArithmeticTrapError: it is not differentiable there.
    """
    partial, together = _partial(_smooth(expression, values, nearby))
    numbers = None if together is None else _together(together, values)
    if numbers is not None:
        with suppress(OverflowError, ValueError):  # exact, and beyond what floats can be
            return {
                name: number if type(number) is int else compiled(slope).rounded(number, values)
                for (name, slope), number in zip(partial.items(), numbers, strict=True)
            }
    return {name: evaluate(slope, values) for name, slope in partial.items()}  # it says of which one what is wrong


def _smooth(expression: Expr, values: Values, nearby: Values | None) -> Expr:
    if nearby is None and len(extremes(expression)) > 1:
        nearby = _nearby(expression, values)
    if nearby is not None:
        with suppress(ArithmeticTrapError):  # nearby values may be outside the domain of a function
            return smoothed(expression, values, nearby)
    return smoothed(expression, values)


@cached(maxsize=MOST_KEPT)
def _partial(expression: Expr) -> tuple[Mapping[str, Expr], Compiled | None]:
    """Return the partial derivatives by symbol, and one function that gives them all, if they hold no choices."""
    partial = {cell.name: derivative(expression, cell) for cell in sorted(symbols_in(expression), key=str)}
    if not partial or any(map(choices_in, partial.values())):
        return partial, None
    try:
        return partial, Compiled((), sympy.Tuple(*partial.values()))
    except ValueError:
        return partial, None


@cached(maxsize=4 * MOST_KEPT)
def derivative(expression: Expr, by: Expr) -> Expr:
    """Return the derivative of an expression by a symbol, as sympy's `diff`, which takes several times as long.

    It differentiates also the factors that do not rest on the symbol, and takes logarithms for constant exponents.
    """
    if by not in symbols_in(expression):
        return sympy.S.Zero
    if expression.is_Symbol:
        return sympy.S.One
    args = expression.args
    if expression.is_Add:
        return sympy.Add(*[derivative(term, by) for term in args if by in symbols_in(term)])
    if expression.is_Mul:
        within = [place for place, factor in enumerate(args) if by in symbols_in(factor)]
        slopes = [(place, derivative(args[place], by)) for place in within]
        return sympy.Add(*[sympy.Mul(*args[:place], slope, *args[place + 1 :]) for place, slope in slopes])
    if expression.is_Pow and by not in symbols_in(args[1]):
        base, exponent = args
        return expression * (derivative(base, by) * exponent / base)
    return sympy.diff(expression, by)


def _together(function: Compiled, values: Values) -> Sequence[Number] | None:
    """Return what a function of several results gives; None where one of them has no value, or an infinite one."""
    try:
        numbers: Sequence[Number] = function.exact(*(values[name] for name in function.inputs))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return numbers if all(map(is_finite, numbers)) else None


def smoothed(expression: Expr, values: Values, nearby: Values | None = None) -> Expr:
    """Return an expression with each branching function replaced by what it is at these values.

    Where terms of a max or min are equal, those that decide at `nearby` values are taken, if given: taking the first
    of each would join branches of nested ones that no point near has together.
    """
    if _is_smooth(expression):
        return expression
    at = nearby if nearby is not None and isinstance(expression, nodes(Trait.EXTREME)) else values
    branch = branch_at(expression, at)
    if branch is not None:
        return smoothed(branch, values, nearby)
    return _with_args(expression.func, tuple(smoothed(arg, values, nearby) for arg in expression.args))


@cached(maxsize=MOST_KEPT)
def _with_args(kind: Any, args: tuple[Expr, ...]) -> Expr:
    result: Expr = kind(*args)
    return result


def _nearby(expression: Expr, values: Values) -> Values:
    """Return the values in an expression a little larger, each by another share.

    So no two formulas of exact numbers are equal there.
    """
    known = [(name, values[name]) for name in sorted(symbol_names(expression)) if name in values]
    return {
        name: (value or 1) * Fraction(place * place + 1, NEARBY) + value if isinstance(value, int | Fraction) else value
        for place, (name, value) in enumerate(known, 1)
    }


def _is_smooth(expression: Expr) -> bool:
    return not has_function(expression, nodes(_BRANCHING))


def is_tied(expression: Expr, values: Values) -> bool:
    """Whether several terms of a max or min of an expression are the one that decides, within rounding."""
    for node in extremes(expression):
        numbers = [value for term in node.args if (value := value_or_none(term, values, rounded=True)) is not None]
        if len(numbers) == len(node.args):  # else it has no value
            decides = entry_of(node).exact(*numbers)
            if sum(close(number, decides) for number in numbers) > 1:
                return True
    return False
