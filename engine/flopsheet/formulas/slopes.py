"""Derivatives of formulas: symbolic, with max, min and roundings replaced by the branch that is taken."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.order import ordered, ordered_terms
from flopsheet.functions.language import Indicator, Select

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.units import Number

_BRANCHING = (sympy.ceiling, sympy.floor, sympy.Max, sympy.Min, sympy.Abs, sympy.Mod, Indicator, Select)


def slopes(expression: Any, values: Values) -> dict[str, Number]:
    """Return the partial derivatives of an expression by the symbols in it, at the given values.

    Raises:
        ArithmeticTrapError: it is not differentiable there.
    """
    smooth = smoothed(expression, values)
    return {name: evaluate(slope, values) for name, slope in _partial(smooth).items()}


@lru_cache(maxsize=4096)
def _partial(expression: Any) -> Mapping[str, Any]:
    return {each.name: sympy.diff(expression, each) for each in expression.free_symbols}


def smoothed(expression: Any, values: Values) -> Any:
    """Return an expression with each branching function replaced by what it is at these values."""
    if _is_smooth(expression):
        return expression
    if isinstance(expression, sympy.ceiling | sympy.floor | Indicator):
        return sympy.Rational(evaluate(expression, values))
    if isinstance(expression, Select):
        return smoothed(expression.branches[str(values[expression.args[0].name])], values)
    if isinstance(expression, sympy.Max | sympy.Min):
        return smoothed(binding_branch(expression, values), values)
    return _rebuilt(expression, [smoothed(arg, values) for arg in expression.args], values)


@lru_cache(maxsize=4096)
def _is_smooth(expression: Any) -> bool:
    return not expression.free_symbols or not expression.has(*_BRANCHING)


def _rebuilt(expression: Any, args: list[Any], values: Values) -> Any:
    if isinstance(expression, sympy.Abs):
        return args[0] if evaluate(expression.args[0], values) >= 0 else -args[0]
    if isinstance(expression, sympy.Mod):
        dividend, divisor = expression.args
        return args[0] - args[1] * sympy.Rational(evaluate(sympy.floor(dividend / divisor), values))
    return expression.func(*args)


def extremes(expression: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return each max and min of an expression whose terms stand in the order of the names."""
    if not expression.has(sympy.Max, sympy.Min):
        return ()
    nodes = sympy.preorder_traversal(ordered(expression, names))
    return tuple(dict.fromkeys(node for node in nodes if isinstance(node, sympy.Max | sympy.Min)))


def deciding_term(expression: Any, names: tuple[str, ...], values: Values) -> int:
    """Return the place of the term of max or min that decides, in the order of the names; -1 where one has no value."""
    try:
        return ordered_terms(expression, names).index(binding_branch(expression, values))
    except (ArithmeticTrapError, KeyError):
        return -1


def binding_branch(expression: Any, values: Values) -> Any:
    """Return the term of max or min that decides at these values; of equal ones the first."""
    pick = max if isinstance(expression, sympy.Max) else min
    return pick(expression.args, key=lambda arg: evaluate(arg, values))
