"""The closed form of an unknown: the same peeling and polynomial roots, on symbols instead of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

if TYPE_CHECKING:
    from collections.abc import Callable


def peeled(expression: Any, unknown: Any, right: Any) -> Any | None:
    """Return the unknown of `expression = right` as an expression, or None where a layer has no inverse.

    The unknown occurs once in the expression. Of two roots the positive one is taken.
    """
    while expression != unknown:
        layer = next(arg for arg in expression.args if arg.has(unknown))
        rule = _RULES.get(expression.func)
        if rule is None:
            return None
        rest = [arg for arg in expression.args if arg is not layer]
        right = rule(expression, layer, rest, right)
        expression = layer
        if right is None:
            return None
    return right


def _sum(expression: Any, _: Any, rest: list[Any], right: Any) -> Any:
    return right - expression.func(*rest)


def _product(expression: Any, _: Any, rest: list[Any], right: Any) -> Any:
    return right / expression.func(*rest)


def _power(expression: Any, layer: Any, _: list[Any], right: Any) -> Any:
    base, exponent = expression.args
    if layer is exponent:
        return sympy.log(right) / sympy.log(base)
    return right ** (1 / exponent)


_RULES: dict[Any, Callable[[Any, Any, list[Any], Any], Any]] = {
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
    sympy.exp: lambda _expression, _layer, _rest, right: sympy.log(right),
    sympy.log: lambda _expression, _layer, _rest, right: sympy.exp(right),
}


def coefficients(difference: Any, unknown: Any, highest: int) -> list[Any] | None:
    """Return the coefficients of the numerator of a rational expression, constant first.

    None where it is no polynomial in the unknown, or one of a higher degree.
    """
    numerator = sympy.fraction(sympy.together(difference))[0]
    try:
        polynomial = sympy.Poly(numerator, unknown)
    except sympy.PolynomialError:
        return None
    if polynomial.degree() > highest or any(each.has(unknown) for each in polynomial.all_coeffs()):
        return None
    return [sympy.factor_terms(each) for each in reversed(polynomial.all_coeffs())]


def root_form(polynomial: list[Any]) -> Any | None:
    """Return the root of a polynomial of degree 1, or the larger one of degree 2, on symbols."""
    match polynomial:
        case [constant, slope]:
            return -constant / slope
        case [constant, slope, bend]:
            return (sympy.sqrt(slope**2 - 4 * bend * constant) - slope) / (2 * bend)
    return None


def rearranged(left: Any, right: Any, unknown: Any) -> Any | None:
    """Return the unknown of `left = right` as an expression, where there is exactly one whatever the numbers are.

    None where the unknown is behind a function with several inverses or none, or not linear.
    """
    polynomial = coefficients(left - right, unknown, 1)
    return root_form(polynomial) if polynomial is not None and len(polynomial) == 2 else None
