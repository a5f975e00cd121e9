"""Values of expressions at given cells: ratios stay exact until a function is not rational."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy

from flopsheet.errors import ArithmeticTrapError, TooLargeError
from flopsheet.formulas.code import compiled
from flopsheet.formulas.printing import in_order, in_text
from flopsheet.functions import Trait, choices_in, entry_of, has_no_value, nodes, taken
from flopsheet.functions.symbols import parts_of, symbols_in
from flopsheet.numbers.many_digits import Irrational
from flopsheet.session import cached
from flopsheet.units import Number, is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr

Values: TypeAlias = "Mapping[str, Number | str]"
LARGE = "it is larger than numbers can be"


def evaluate(expression: Expr, values: Values, where: str = "", *, rounded: bool = False) -> Number:
    """Return the value of an expression [base units] at the given values of cells, choices and literals.

    If `rounded`, what is no ratio is a float without what gives its other digits: for values that no formula uses.

    Raises:
        ArithmeticTrapError: it divides by zero, leaves the domain of a function, or overflows.
    """
    try:
        value = _value(expression, values, rounded=rounded)
    except OverflowError:
        raise TooLargeError(*_told(expression, values, where, LARGE)) from None
    except (ZeroDivisionError, ValueError) as error:
        raise ArithmeticTrapError(*_told(expression, values, where, _reason(error))) from None
    if not is_finite(value) and math.inf not in values.values():
        raise TooLargeError(*_told(expression, values, where, LARGE))
    return value


def nearest_value(expression: Expr, values: Values, where: str = "") -> Number:
    """Return the value of an expression as `evaluate` does, what is no ratio as the float nearest to it: for answers.

    The rounding of each operation would cost floats digits: that of the exponent in `exp(67.07)`, say.
    """
    value = evaluate(expression, values, where)
    nearest = value.nearest() if type(value) is Irrational else None
    return value if nearest is None else nearest


def _value(expression: Expr, values: Values, *, rounded: bool) -> Number:
    if expression.is_Symbol and not isinstance(own := values[expression.name], str):
        return own
    options = {name: option for name in choices_in(expression) if isinstance(option := values.get(name), str)}
    function = compiled(taken(expression, options) if options else expression)
    inputs: list[Any] = [values[name] for name in function.inputs]
    try:
        result = function.exact(*inputs)
    except TypeError:
        name = next((value for value in inputs if isinstance(value, str)), "one of them")
        raise ValueError(f"'{name}' is a name, not a number") from None
    return function.rounded(result, values) if rounded else function.of_cell(result, values)


def _reason(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero"
    return str(error).replace("math domain error", "a function in it is not defined there")


def value_or_none(expression: Expr, values: Values, *, rounded: bool = False) -> Number | None:
    """Return the value of an expression, or None where it has none at these values."""
    try:
        return evaluate(expression, values, rounded=rounded)
    except ArithmeticTrapError:
        return None


def float_or_none(expression: Expr, values: Values) -> Number | None:
    """Return the value of an expression computed in floats, which is faster; None where it has none.

    A rounding or a comparison may be off where its terms are within rounding of a jump.
    """
    if choices_in(expression):
        return value_or_none(expression, values, rounded=True)
    function = compiled(expression)
    try:
        value: Number = function.floats(*[float(values[name]) for name in function.inputs])
    except (ArithmeticError, ValueError):
        return None
    return value if is_finite(value) else None


@cached(maxsize=65536)
def lacks_value(expression: Expr) -> bool:
    """Whether an expression, or a function in it of numbers alone, has no value anywhere: `floor(asin(2))`."""
    if has_no_value(expression):
        return True
    functions = parts_of(expression, sympy.core.function.Application)
    return any(_has_none(part) for part in functions if not symbols_in(part))


def _has_none(number: Expr) -> bool:
    try:
        compiled(number).exact()
    except OverflowError:
        return False  # it has one, which floats do not hold
    except (ZeroDivisionError, ValueError):
        return True
    return False


def _told(expression: Expr, values: Values, where: str, reason: str) -> tuple[str, str, str]:
    """Return where an expression has no value, what is wrong, and what to do."""
    text = in_text(expression, tuple(values))
    return where or "evaluation", f"'{text}' has no value at these numbers: {reason}.", "Check the cells in it."


def branch_at(expression: Expr, values: Values) -> Expr | None:
    """Return what a branching function is at these values; None where it has one branch."""
    entry = entry_of(expression)
    if Trait.CHOOSES in entry.traits:
        return entry.branch(expression, lambda choice: values[choice.name])
    return entry.branch(expression, lambda term: evaluate(term, values, rounded=True))


@cached(maxsize=4096)
def extremes(expression: Expr) -> tuple[Expr, ...]:
    """Return each max and min of an expression."""
    return tuple(parts_of(expression, *nodes(Trait.EXTREME)))


def deciding_term(expression: Expr, names: tuple[str, ...], values: Values) -> int:
    """Return the place of the term of max or min that decides, in the order of the names; -1 where one has no value."""
    try:
        return in_order(expression, names).index(binding_branch(expression, values))
    except (ArithmeticTrapError, KeyError):
        return -1


def binding_branch(expression: Expr, values: Values) -> Expr:
    """Return the term of max or min that decides at these values; of equal ones the first."""
    return branch_at(expression, values)
