"""Random formulas of one unknown, and what they are worth at a number, by 450 digits and without help of the engine.

A formula is a tree: `("max", "x", ("log", "x"))`, with numbers and exponents as texts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Tree: TypeAlias = Any
MP = mpmath.MPContext()
MP.dps = 450  # constants of formulas differ by 400 sizes
EDGE = MP.mpf("1e-9")  # so near to a step, rounding decides
MOST_DIGITS = 10**7
ONE_TERM = ("exp", "log", "sqrt", "abs", "floor", "ceil")
FORMS = ("+", "-", "*", "/") * 2 + ("power",) * 2 + ONE_TERM + ("exp", "log", "max", "min", "mod", "select")
POWERS = ("2", "3", "-1", "-2", "1/2", "-1/2", "3/2", "1/3", "7", "16", "-16", "100", "0.37", "300", "-5")


class NoValueError(ArithmeticError):
    """A formula has no value here, or one that rounding decides."""


def tree(chance: Random, depth: int) -> Tree:
    """Return a random formula, nested as deep as is said."""
    if depth <= 0 or chance.random() < 1 / 8:
        return "x" if chance.random() < 3 / 4 else _number(chance)
    form = chance.choice(FORMS)

    def inner() -> Tree:
        return tree(chance, depth - 1)

    if form in ONE_TERM:
        return (form, inner())
    if form == "power":
        return (form, inner(), chance.choice(POWERS))
    if form == "mod":
        return (form, inner(), _number(chance))
    if form == "select":
        return (form, _number(chance), inner(), inner())
    return (form, inner(), inner())


def _number(chance: Random) -> str:
    most = chance.choice((0, 0, 3, 200))
    return f"{chance.randint(1, 99)}e{chance.randint(-most, most)}"


def text(formula: Tree) -> str:
    """Return a formula as users write it."""
    if isinstance(formula, str):
        return formula
    form, *terms = formula
    parts = [text(term) for term in terms]
    if form in ("+", "-", "*", "/"):
        return f"({parts[0]} {form} {parts[1]})"
    if form == "power":
        return f"({parts[0]})**({parts[1]})"
    if form == "select":
        return f"select(x > {parts[0]}, {parts[1]}, {parts[2]})"
    return f"{form}({', '.join(parts)})"


def value(formula: Tree, x: mpmath.mpf) -> mpmath.mpf:
    """Return the value of a formula at a number.

    Raises:
        NoValueError: it has none, or one that rounding decides.
    """
    if isinstance(formula, str):
        return x if formula == "x" else MP.mpf(formula)
    form, *terms = formula
    if form == "select":
        level = MP.mpf(terms[0])
        if abs(x - level) <= EDGE * level:
            raise NoValueError
        return value(terms[1] if x > level else terms[2], x)
    if form == "power":
        return _power(value(terms[0], x), Fraction(terms[1]))
    try:
        result = VALUES[form](*(value(term, x) for term in terms))
    except (ZeroDivisionError, OverflowError, ValueError):
        raise NoValueError from None
    if not isinstance(result, MP.mpf):
        raise NoValueError
    return result


def _power(base: mpmath.mpf, exponent: Fraction) -> mpmath.mpf:
    whole = exponent.denominator == 1
    if (base == 0 and exponent <= 0) or (base < 0 and not whole):
        raise NoValueError
    if base != 0 and abs(MP.log(abs(base)) * exponent.numerator) > MOST_DIGITS:
        raise NoValueError
    return base ** int(exponent) if whole else MP.power(base, MP.mpf(exponent.numerator) / exponent.denominator)


def _exp(term: mpmath.mpf) -> mpmath.mpf:
    if abs(term) > MOST_DIGITS:
        raise NoValueError
    return MP.exp(term)


def _log(term: mpmath.mpf) -> mpmath.mpf:
    if term <= 0:
        raise NoValueError
    return MP.log(term)


def _floor(term: mpmath.mpf) -> mpmath.mpf:
    if abs(term) > MP.mpf(10) ** 60 or 0 < abs(term - MP.nint(term)) <= EDGE * max(1, abs(term)):
        raise NoValueError
    return MP.floor(term)


VALUES: dict[str, Callable[..., mpmath.mpf]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "exp": _exp,
    "log": _log,
    "sqrt": MP.sqrt,
    "abs": abs,
    "floor": _floor,
    "ceil": lambda term: -_floor(-term),
    "max": max,
    "min": min,
    "mod": lambda term, divisor: term - divisor * _floor(term / divisor),
}
