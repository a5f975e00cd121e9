"""Evaluates expressions on exact numbers: ratios stay ratios until a function is not rational."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.code import MOST_CACHED, Compiled, compiled
from flopsheet.formulas.printing import in_text
from flopsheet.functions import choices_in, taken
from flopsheet.session import cached
from flopsheet.units import Number, is_finite, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr

Values: TypeAlias = "Mapping[str, Number | str]"


def evaluate(expression: Expr, values: Values, where: str = "") -> Number:
    """Return the value of an expression [base units] at the given values of cells, choices and literals.

    Raises:
        ArithmeticTrapError: it divides by zero, leaves the domain of a function, or overflows.
    """
    try:
        value = _value(expression, values)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise _trap(expression, values, where, _reason(error)) from None
    if not is_finite(value) and math.inf not in values.values():
        raise _trap(expression, values, where, "it is larger than numbers can be")
    return value


def _value(expression: Expr, values: Values) -> Number:
    if expression.is_Symbol and not isinstance(own := values[expression.name], str):
        return own
    function = _function(expression)
    if function is None:
        chosen = taken(expression, {name: value for name, value in values.items() if isinstance(value, str)})
        function = compiled(chosen)
    inputs: list[Any] = [values[name] for name in function.inputs]
    try:
        result = function.exact(*inputs)
    except TypeError:
        name = next((value for value in inputs if isinstance(value, str)), "one of them")
        raise ValueError(f"'{name}' is a name, not a number") from None
    return tidy(result)


@cached(maxsize=MOST_CACHED)
def _function(expression: Expr) -> Compiled | None:
    """Return an expression as a function, None where it distinguishes choices."""
    return None if choices_in(expression) else compiled(expression)


def _reason(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero"
    if isinstance(error, OverflowError):
        return "it is larger than numbers can be"
    return str(error).replace("math domain error", "a function in it is not defined there")


def value_or_none(expression: Expr, values: Values) -> Number | None:
    """Return the value of an expression, or None where it has none at these values."""
    try:
        return evaluate(expression, values)
    except ArithmeticTrapError:
        return None


def _trap(expression: Expr, values: Values, where: str, reason: str) -> ArithmeticTrapError:
    text = in_text(expression, tuple(values))
    problem = f"'{text}' has no value at these numbers: {reason}."
    return ArithmeticTrapError(where or "evaluation", problem, "Check the cells in it.")
