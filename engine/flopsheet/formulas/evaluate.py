"""Values and derivatives of expressions at given cells: ratios stay exact until a function is not rational."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy

from flopsheet.errors import ArithmeticTrapError, TooLargeError
from flopsheet.formulas.code import Compiled, compiled
from flopsheet.formulas.printing import in_order, in_text
from flopsheet.formulas.trees import has_function, symbol_names
from flopsheet.functions import Trait, choices_in, entry_of, has_no_value, nodes, taken
from flopsheet.functions.symbols import parts_of, symbols_in
from flopsheet.session import cached
from flopsheet.units import Number, close, is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.functions import Expr

Values: TypeAlias = "Mapping[str, Number | str]"
LARGE = "it is larger than numbers can be"
NEARBY = 10**40  # one part in so many


def evaluate(expression: Expr, values: Values, where: str = "") -> Number:
    """Return the value of an expression [base units] at the given values of cells, choices and literals.

    Raises:
        ArithmeticTrapError: it divides by zero, leaves the domain of a function, or overflows.
    """
    try:
        value = _value(expression, values)
    except OverflowError:
        raise TooLargeError(*_told(expression, values, where, LARGE)) from None
    except (ZeroDivisionError, ValueError) as error:
        raise ArithmeticTrapError(*_told(expression, values, where, _reason(error))) from None
    if not is_finite(value) and math.inf not in values.values():
        raise TooLargeError(*_told(expression, values, where, LARGE))
    return value


def _value(expression: Expr, values: Values) -> Number:
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
    return function.of_cell(result, values)


def _reason(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero"
    return str(error).replace("math domain error", "a function in it is not defined there")


def value_or_none(expression: Expr, values: Values) -> Number | None:
    """Return the value of an expression, or None where it has none at these values."""
    try:
        return evaluate(expression, values)
    except ArithmeticTrapError:
        return None


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


def slopes(expression: Expr, values: Values, nearby: Values | None = None) -> dict[str, Number]:
    """Return the partial derivatives of an expression by the symbols in it, at the given values.

    Where terms of a max or min are equal there, those that decide at `nearby` values are taken, if these are given.

    Raises:
        ArithmeticTrapError: it is not differentiable there.
    """
    smooth = smoothed(expression, values)
    if nearby is not None or len(extremes(expression)) > 1:
        with suppress(ArithmeticTrapError):  # nearby values may be outside the domain of a function
            smooth = smoothed(expression, values, _nearby(expression, values) if nearby is None else nearby)
    partial, together = _partial(smooth)
    numbers = None if together is None else _together(together, values)
    if numbers is None:  # what is wrong is said of the one that is wrong
        return {name: evaluate(slope, values) for name, slope in partial.items()}
    return {
        name: compiled(slope).of_cell(number, values)
        for (name, slope), number in zip(partial.items(), numbers, strict=True)
    }


@cached(maxsize=4096)
def _partial(expression: Expr) -> tuple[Mapping[str, Expr], Compiled | None]:
    """Return the partial derivatives by symbol, and one function that gives them all, if they hold no choices."""
    partial = {cell.name: sympy.diff(expression, cell) for cell in sorted(symbols_in(expression), key=str)}
    if not partial or any(map(choices_in, partial.values())):
        return partial, None
    try:
        return partial, Compiled((), sympy.Tuple(*partial.values()))
    except ValueError:
        return partial, None


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
    branch = _branch(expression, at)
    if branch is not None:
        return smoothed(branch, values, nearby)
    return expression.func(*(smoothed(arg, values, nearby) for arg in expression.args))


def _nearby(expression: Expr, values: Values) -> Values:
    """Return the values in an expression a little larger, each by another share.

    So no two formulas of exact numbers are equal there.
    """
    known = [(name, values[name]) for name in sorted(symbol_names(expression)) if name in values]
    return {
        name: (value or 1) * Fraction(place * place + 1, NEARBY) + value if isinstance(value, int | Fraction) else value
        for place, (name, value) in enumerate(known, 1)
    }


def _branch(expression: Expr, values: Values) -> Expr | None:
    entry = entry_of(expression)
    if Trait.CHOOSES in entry.traits:
        return entry.branch(expression, lambda choice: values[choice.name])
    return entry.branch(expression, lambda term: evaluate(term, values))


def _is_smooth(expression: Expr) -> bool:
    return not has_function(expression, nodes(Trait.FLAT | Trait.CHOOSES))


def is_tied(expression: Expr, values: Values) -> bool:
    """Whether several terms of a max or min of an expression are the one that decides, within rounding."""
    for node in extremes(expression):
        numbers = [value for term in node.args if (value := value_or_none(term, values)) is not None]
        decides = value_or_none(node, values)
        if decides is not None and sum(close(number, decides) for number in numbers) > 1:
            return True
    return False


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
    return _branch(expression, values)
