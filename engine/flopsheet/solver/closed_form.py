"""The closed form of an unknown: the same layers and roots as on numbers, on symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

if TYPE_CHECKING:
    from collections.abc import Callable


def boundary_forms(expression: Any, unknown: Any, right: Any, highest: int) -> tuple[Any, ...]:
    """Return the solutions of `expression = right` for the unknown as expressions over the other cells.

    Several where even powers or quadratics have several roots; none where a layer has no inverse, or the unknown
    stands several times in what is no polynomial of the highest degree or below.
    """
    core, rights = unwrapped(expression, unknown, right)
    if core == unknown:
        return rights
    return tuple(form for each in rights for form in root_forms(coefficients(core - each, unknown, highest)))


def unwrapped(expression: Any, unknown: Any, right: Any) -> tuple[Any, tuple[Any, ...]]:
    """Undo the layers around the innermost part that holds every occurrence of the unknown.

    Returns:
        That part, and what it must equal: several expressions behind even powers, none behind a layer without inverse.
    """
    rights: tuple[Any, ...] = (right,)
    while expression != unknown:
        inside = [arg for arg in expression.args if arg.has(unknown)]
        if len(inside) != 1:
            break
        rest = [arg for arg in expression.args if arg is not inside[0]]
        undo = _UNDO.get(expression.func)
        if undo is None:
            return inside[0], ()
        rights = tuple(form for each in rights for form in undo(expression, inside[0], rest, each))
        expression = inside[0]
    return expression, rights


def _power(expression: Any, layer: Any, _: list[Any], right: Any) -> tuple[Any, ...]:
    base, exponent = expression.args
    if layer is exponent:
        return (sympy.log(right) / sympy.log(base),)
    root = right ** (1 / exponent)
    return (root, -root) if exponent.is_even else (root,)


_UNDO: dict[Any, Callable[[Any, Any, list[Any], Any], tuple[Any, ...]]] = {
    sympy.Add: lambda expression, _, rest, right: (right - expression.func(*rest),),
    sympy.Mul: lambda expression, _, rest, right: (right / expression.func(*rest),),
    sympy.Pow: _power,
    sympy.Abs: lambda _expression, _layer, _rest, right: (right, -right),
    sympy.exp: lambda _expression, _layer, _rest, right: (sympy.log(right),),
    sympy.log: lambda _expression, _layer, _rest, right: (sympy.exp(right),),
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


def root_forms(polynomial: list[Any] | None) -> tuple[Any, ...]:
    """Return the roots of a polynomial of degree 2 at most, constant coefficient first, on symbols.

    Of degree 2 also the root that remains where the leading coefficient vanishes.
    """
    match polynomial:
        case [constant, slope]:
            return (-constant / slope,)
        case [constant, slope, bend]:
            root = sympy.sqrt(slope**2 - 4 * bend * constant)
            linear = (-constant / slope,) if slope != 0 else ()
            return ((root - slope) / (2 * bend), (-root - slope) / (2 * bend), *linear)
    return ()


def rearranged(left: Any, right: Any, unknown: Any) -> Any | None:
    """Return the unknown of `left = right` as an expression, where there is exactly one whatever the numbers are.

    None where the unknown is behind a function with several inverses or none, or not linear.
    """
    polynomial = coefficients(left - right, unknown, 1)
    return root_forms(polynomial)[0] if polynomial is not None and len(polynomial) == 2 else None
