"""Whole numbers on a hyperbola whose equation is a product of two linear terms: each term is a divisor of a number.

`x**2 - y**2 = 105` is `(x - y)*(x + y) = 105`, and `x*y + 2*x + 3*y = 10` is `(x + 3)*(y + 2) = 16`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy
from sympy.ntheory import divisor_count, divisors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval

LARGEST_PRODUCT = 10**18  # which is factored within milliseconds
MOST_DIVISORS = 1000


def tuples_on_hyperbola(gap: Expr, domains: Mapping[Expr, Interval]) -> list[tuple[int, ...]] | None:
    """Return all whole numbers of two unknowns at which a gap is zero; None where it is no such product, or too many.

    Args:
        gap: a polynomial of both unknowns with ratios as coefficients.
        domains: of each unknown.
    """
    if len(domains) != 2 or gap.free_symbols != {*domains} or not gap.is_polynomial(*domains):
        return None
    conic = sympy.Poly(gap, *domains)
    if conic.total_degree() != 2 or not all(number.is_Rational for number in conic.coeffs()):
        return None
    shift = _shift(conic)
    terms = None if shift is None else _terms(conic + shift)
    if shift is None or terms is None:
        return None
    factor, first, second = terms
    product = shift / factor
    if not product.is_Integer:
        return []
    if not 0 < abs(product) <= LARGEST_PRODUCT or divisor_count(abs(product)) > MOST_DIVISORS:
        return None
    points = (_at(first, second, sign * part, product) for part in divisors(abs(product)) for sign in (1, -1))
    inside = (point for point in points if point is not None)
    return [point for point in inside if all(map(_is_in, point, domains.values()))]


def _shift(conic: sympy.Poly) -> Expr | None:
    """Return the number that makes a conic of a hyperbola a pair of lines; None where it is another conic."""
    square, mixed, other, linear, also = (
        conic.coeff_monomial(power) for power in ((2, 0), (1, 1), (0, 2), (1, 0), (0, 1))
    )
    root = mixed**2 - 4 * square * other
    if root <= 0:
        return None
    level = (square * also**2 - mixed * linear * also + other * linear**2) / -root
    return level - conic.coeff_monomial((0, 0))


def _terms(lines: sympy.Poly) -> tuple[Expr, sympy.Poly, sympy.Poly] | None:
    """Return a number and two terms with whole numbers as coefficients whose product is a polynomial, where it is."""
    factor, terms = lines.factor_list()
    if [power for _, power in terms] != [1, 1] or lines.is_zero:
        return None
    scales, whole = zip(*(term.clear_denoms(convert=True) for term, _ in terms), strict=True)
    return factor / (scales[0] * scales[1]), whole[0], whole[1]


def _at(first: sympy.Poly, second: sympy.Poly, part: int, product: Expr) -> tuple[int, ...] | None:
    """Return the whole numbers at which two terms are a part of a product, and the rest of it, if there are some."""
    rows = [[term.coeff_monomial(power) for power in ((1, 0), (0, 1))] for term in (first, second)]
    levels = [part - first.coeff_monomial((0, 0)), product / part - second.coeff_monomial((0, 0))]
    point = sympy.Matrix(rows).LUsolve(sympy.Matrix(levels))
    return tuple(map(int, point)) if all(value.is_Integer for value in point) else None


def _is_in(number: int, domain: Interval) -> bool:
    return number in domain
