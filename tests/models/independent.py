"""Formulas evaluated without the engine: on ratios, and with 60 digits where a function is not rational."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

from mpmath.ctx_mp import MPContext

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.functions import Expr

CONTEXT = MPContext()
CONTEXT.dps = 60

MOST_EXACT = 1000  # the exponent of a ratio: larger ones make millions of digits

SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


def values_at(
    formulas: Mapping[str, Expr], given: Mapping[str, Any], near: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the given values and those of cells with formulas, in the order in which they follow from each other.

    Cells that depend on each other have the values at which Newton's method ends that starts at those `near`.

    Raises:
        ArithmeticError, ValueError: a formula has no value there.
    """
    values = {name: Fraction(value) if isinstance(value, int | float) else value for name, value in given.items()}
    extend(values, formulas, near or {})
    return values


def extend(values: dict[str, Any], formulas: Mapping[str, Expr], near: Mapping[str, Any]) -> None:
    """Add the values of cells with formulas to those that are known, as `values_at` returns them.

    Raises:
        ArithmeticError, ValueError: a formula has no value there.
    """
    for name, formula in formulas.items():
        if near and {cell.name for cell in formula.free_symbols} - values.keys():
            waiting = [other for other in formulas if other in near and other not in values]
            values |= _together({other: formulas[other] for other in waiting}, values, near)
        if name not in values:
            try:
                value = evaluation_of(formula)(values)
            except TypeError as error:
                raise ValueError(name) from error  # compares the root of a negative number
            if isinstance(value, CONTEXT.mpc):
                raise ValueError(name)
            values[name] = value


def _together(formulas: Mapping[str, Expr], values: Mapping[str, Any], near: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of cells that depend on each other."""

    def gaps(*point: Any) -> list[Any]:
        known = {**values, **dict(zip(formulas, point, strict=True))}
        return [as_digits(evaluation_of(formula)(known)) - known[name] for name, formula in formulas.items()]

    root = CONTEXT.findroot(gaps, [as_digits(Fraction(near[name])) for name in formulas])
    return dict(zip(formulas, root, strict=True))


@cache
def evaluation_of(expression: Expr) -> Callable[[Mapping[str, Any]], Any]:
    """Return the function from values to that of an expression: a ratio while all is rational, else of 60 digits.

    It raises ArithmeticError and ValueError where the expression has no value.
    """
    kind = type(expression).__name__
    if expression.is_Symbol:
        return operator.itemgetter(expression.name)
    if expression.is_number and not expression.args:
        number = (
            Fraction(int(expression.p), int(expression.q))
            if expression.is_Rational
            else CONTEXT.mpf(expression.evalf(CONTEXT.dps))
        )
        return lambda _: number
    if kind == "Select":
        name, branches = expression.args[0].name, expression.branches
        return lambda values: evaluation_of(branches[values[name]])(values)
    if kind == "Indicator":
        left, right = map(evaluation_of, expression.args[::2])
        sign = SIGNS[str(expression.args[1])]
        return lambda values: Fraction(sign(*_alike(left(values), right(values))))
    terms, function = [evaluation_of(term) for term in expression.args], FUNCTIONS[kind]
    return lambda values: function(*(term(values) for term in terms))


def as_digits(value: Any) -> Any:
    """Return a number with 60 digits."""
    return CONTEXT.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    exact = isinstance(left, Fraction) and isinstance(right, Fraction)
    return (left, right) if exact else (as_digits(left), as_digits(right))


def _chained(operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *terms: reduce(lambda left, right: operation(*_alike(left, right)), terms)


def _power(base: Any, exponent: Any) -> Any:
    is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if is_whole and (abs(exponent) <= MOST_EXACT or not isinstance(base, Fraction)):
        return base ** int(exponent)
    return CONTEXT.power(as_digits(base), as_digits(exponent))


def _floor(value: Any) -> Fraction:
    return Fraction(math.floor(value) if isinstance(value, Fraction) else int(CONTEXT.floor(value)))


def _remainder(value: Any, divisor: Any) -> Any:
    value, divisor = _alike(value, divisor)
    times = _floor(value / divisor)
    return value - divisor * (times if isinstance(value, Fraction) else as_digits(times))


def erlang_c(servers: Any, load: Any) -> Any:
    """Return Erlang's delay formula by his recurrence, between whole numbers by a gamma function."""
    servers, load = as_digits(servers), as_digits(load)
    if servers < 1 or load < 0:
        raise ValueError("less than one server, or a negative load")
    if load >= servers or load == 0:
        return Fraction(int(load >= servers))
    if servers > MOST_EXACT or servers != int(servers):
        integral = CONTEXT.exp(load - servers * CONTEXT.log(load)) * CONTEXT.gammainc(servers, load)
        return 1 / (1 + (servers - load) * integral)
    loss = CONTEXT.one
    for count in range(1, int(servers) + 1):
        loss = load * loss / (count + load * loss)
    return loss / (1 - load / servers * (1 - loss))


def geometric_sum(ratio: Any, count: Any) -> Any:
    """Return the sum of a geometric series term by term, of fractional terms by an integral."""
    if ratio < 0 or count < 1:
        raise ValueError("a negative ratio, or less than one term")
    if isinstance(count, Fraction) and count.denominator == 1 and count <= MOST_EXACT:
        total = power = Fraction(1) if isinstance(ratio, Fraction) else CONTEXT.one
        for _ in range(int(count) - 1):
            power *= ratio
            total += power
        return total
    ratio, count = as_digits(ratio), as_digits(count)
    if ratio == 0:
        return CONTEXT.one
    return count * CONTEXT.quad(lambda share: (1 + share * (ratio - 1)) ** (count - 1), [0, 1])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Add": _chained(operator.add),
    "Mul": _chained(operator.mul),
    "Pow": _power,
    "ceiling": lambda term: -_floor(-term),
    "floor": _floor,
    "Mod": _remainder,
    "Max": _chained(max),
    "Min": _chained(min),
    "Abs": abs,
    "exp": lambda term: CONTEXT.exp(as_digits(term)),
    "log": lambda term: CONTEXT.log(as_digits(term)),
    "Sin": lambda term: CONTEXT.sin(CONTEXT.radians(as_digits(term))),
    "Cos": lambda term: CONTEXT.cos(CONTEXT.radians(as_digits(term))),
    "ErlangC": erlang_c,
    "GeometricSum": geometric_sum,
    "Asin": lambda term: CONTEXT.degrees(CONTEXT.asin(as_digits(term))),
}
