"""Symbols and numbers as sympy holds them, and back; `Expr` is what signatures call its expressions."""

from __future__ import annotations

from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias

import sympy
from sympy import Float, Rational, Symbol

from flopsheet.errors import FlopsheetError, FormulaError, public, wrong_argument
from flopsheet.session import cached
from flopsheet.units import as_number, divided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.units import Number

P = ParamSpec("P")

Expr: TypeAlias = Any  # a sympy expression: sympy is untyped

pi: Expr = sympy.pi
_NO_NUMBERS = frozenset((sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I))


@cached(maxsize=32768)
def symbols_in(expression: Expr) -> frozenset[Expr]:
    """Return the symbols in an expression, which are kept for each of its parts: `free_symbols` of sympy are not."""
    if not expression.args:
        return frozenset(expression.free_symbols)
    first, *others = map(symbols_in, expression.args)
    return first.union(*others) if others else first


def parts_of(expression: Expr, *kinds: Any) -> Iterator[Expr]:
    """Yield an expression and all in it, each once, from outside inwards; of some kinds only, if any are named.

    sympy goes through each place where a part stands, and through a generator for each level.
    """
    seen, waiting = set[Expr](), [expression]
    while waiting:
        part = waiting.pop()
        if part not in seen:
            seen.add(part)
            waiting += part.args[::-1]
            if not kinds or isinstance(part, kinds):
                yield part


@cached(maxsize=65536)
def symbol(name: str) -> Expr:
    """Return the sympy symbol of the cell with this name: real, and never declared an integer.

    sympy finds no root at all of an equation whose integer symbol would have to be a fraction.
    """
    return Symbol(name, real=True)


def as_sympy(value: Number) -> Expr:
    """Return a number as a sympy number: the inverse of `exact`."""
    return Float(value) if isinstance(value, float) else Rational(value)


def exact(number: Expr) -> Number:
    """Return a sympy number as int, Fraction or float."""
    if number.is_Rational:
        ratio = Fraction(int(number.p), int(number.q))
        return ratio.numerator if ratio.denominator == 1 else ratio
    return float(number)


def as_expression(value: Any, where: str) -> Expr:
    """Return what a formula is built of: an expression over cells, or a number as sympy holds it.

    A text is rejected: sympy would evaluate it as Python.

    Raises:
        ArgumentError: it is something else.
    """
    if isinstance(value, sympy.Expr) and not (value.is_Atom and has_no_value(value)):
        return value
    number = as_number(value)
    if number is None:
        raise wrong_argument(where, value, "an expression over cells, or a finite number")
    return as_sympy(number)


def formula_function(function: Callable[P, Expr]) -> Callable[P, Expr]:
    """Return a function of formulas that rejects terms which are no expressions, or of which it has no value."""
    where = f"{function.__name__}()"

    @wraps(function)
    def build(*terms: P.args, **named: P.kwargs) -> Expr:
        expressions: Any = [as_expression(term, where) for term in terms]
        by_name: Any = {name: as_expression(term, where) for name, term in named.items()}
        try:
            return function(*expressions, **by_name)
        except (ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            if isinstance(error, FlopsheetError):
                raise
            raise FormulaError(where, "It has no value of these terms.") from None

    return public(build)


@public
def ratio(above: int, below: int) -> Expr:
    """Return the exact ratio of two integers: `ratio(1, 3)`, where Python's 1/3 is a float.

    Raises:
        FormulaError: a term is no exact number, or the second is zero.
    """
    terms = as_number(above), as_number(below)
    if any(term is None or isinstance(term, float) for term in terms):
        raise FormulaError("ratio()", "It takes two integers.", "Write ratio(1, 3).")
    return as_sympy(divided(terms[0] or 0, terms[1] or 0, "ratio()"))


@cached(maxsize=65536)
def has_no_value(expression: Expr) -> bool:
    """Whether an expression holds a division by zero, infinity, or a number that is not real."""
    if expression in _NO_NUMBERS:
        return True
    is_unreal = not symbols_in(expression) and expression.is_number and expression.is_real is False
    return is_unreal or any(map(has_no_value, certain_args(expression)))


def certain_args(expression: Expr) -> tuple[Expr, ...]:
    """Return the arguments that must have a value wherever an expression has one: not the branches of a condition."""
    certain: tuple[Expr, ...] = getattr(expression, "certain", expression.args)
    return certain


def certain_parts(expression: Expr) -> Iterator[Expr]:
    """Yield an expression and all in it that must have a value wherever it has one, each once."""
    seen, waiting = set[Expr](), [expression]
    while waiting:
        part = waiting.pop()
        if part not in seen:
            seen.add(part)
            waiting += certain_args(part)[::-1]
            yield part
