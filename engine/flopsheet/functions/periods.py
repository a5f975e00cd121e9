"""How formulas of a whole number repeat themselves: `mod(ceil(n/3), 2)` after six."""

from __future__ import annotations

from fractions import Fraction
from math import lcm, prod
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.functions.rounding import Mod
from flopsheet.functions.symbols import symbols_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number


class Repeat(NamedTuple):
    """`f(n + p) = f(n) + rate*p` for every multiple p of a number of `steps`: with a rate of zero, f is periodic."""

    rate: Fraction
    steps: int


_CONSTANT = Repeat(Fraction(0), 1)
COUNT = Repeat(Fraction(1), 1)  # of the whole number itself


def repeat_of(
    expression: Expr, known: Mapping[Expr, Repeat | None], value: Callable[[Expr], Number | None]
) -> Repeat | None:
    """Return how an expression repeats itself; None where no number of steps is known.

    Args:
        expression: the expression.
        known: the same of each symbol that varies.
        value: the value of an expression that does not vary; None where it is not known exactly.
    """
    if symbols_in(expression).isdisjoint(known) or expression.is_Symbol:
        return known.get(expression, _CONSTANT)
    if isinstance(expression, Mod) and (steps := _of_polynomial(expression.args[0], expression.args[1], known, value)):
        return Repeat(Fraction(0), steps)
    inner = [repeat_of(arg, known, value) if symbols_in(arg) else _CONSTANT for arg in expression.args]
    parts = [part for part in inner if part is not None]
    if len(parts) < len(inner):
        return None
    rates, steps = [part.rate for part in parts], lcm(*(part.steps for part in parts))
    rate = sum(rates, Fraction(0))
    if expression.is_Add or not any(rates):
        return Repeat(rate, steps)
    is_divisor = isinstance(expression, Mod) and not rates[0]
    return None if is_divisor else _of_one(expression, rate, steps, _others(expression, known, value))


def _of_polynomial(
    term: Expr, divisor: Expr, known: Mapping[Expr, Repeat | None], value: Callable[[Expr], Number | None]
) -> int | None:
    """Return after how many steps the remainder of a polynomial of whole numbers repeats itself; None for others.

    Terms that grow by multiples of the divisor leave its remainder as it is, where all terms and factors are whole.
    """
    by = value(divisor) if symbols_in(divisor).isdisjoint(known) else None
    if not isinstance(by, int) or not by:
        return None
    waiting, steps = [term], abs(by)
    while waiting:
        part = waiting.pop()
        if symbols_in(part).isdisjoint(known):
            if not isinstance(value(part), int):
                return None
        elif known.get(part) is COUNT:
            continue
        elif part.is_Add or part.is_Mul:
            waiting += part.args
        elif part.is_Pow and part.exp.is_Integer and part.exp > 0:
            waiting.append(part.base)
        elif isinstance(part, (sympy.floor, sympy.ceiling)) and (own := repeat_of(part, known, value)) is not None:
            steps = lcm(steps, own.steps * abs(by))
        else:
            return None
    return steps


def _others(
    expression: Expr, known: Mapping[Expr, Repeat | None], value: Callable[[Expr], Number | None]
) -> Fraction | None:
    """Return the product of the terms that do not vary; None where several vary, or a number is not known."""
    if not isinstance(expression, (sympy.Mul, sympy.floor, sympy.ceiling, Mod)):
        return None
    constant = [arg for arg in expression.args if symbols_in(arg).isdisjoint(known)]
    numbers = [Fraction(number) for number in map(value, constant) if number is not None]
    return prod(numbers, start=Fraction(1)) if len(numbers) == len(expression.args) - 1 else None


def _of_one(expression: Expr, rate: Fraction, steps: int, others: Fraction | None) -> Repeat | None:
    """Return how a function repeats itself of which one term varies."""
    if others is None or (others == 0 and isinstance(expression, Mod)):
        return None
    if expression.is_Mul:
        return Repeat(rate * others, steps)
    if isinstance(expression, Mod):
        return Repeat(Fraction(0), lcm(steps, (rate / others).denominator))
    return Repeat(rate, lcm(steps, rate.denominator))
