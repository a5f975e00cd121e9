"""What a search leaves open of two polynomial equations, decided by elimination: they may touch, which no box shows.

The resultant of two polynomials by one unknown is zero where they have a common root for the other. Its roots are all
that the other may be.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import sympy

from flopsheet.functions.symbols import exact, symbol
from flopsheet.numbers.polynomials import real_roots
from flopsheet.numbers.spans import is_exact
from flopsheet.tolerances import BESIDE
from flopsheet.units import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.functions import Expr
    from flopsheet.search.joint import Joint
    from flopsheet.search.several_unknowns import Tuples
    from flopsheet.units import Number

HIGHEST = 6  # total degree of an equation


def decided(found: Tuples, joint: Joint, gaps: Sequence[Expr], names: Sequence[str]) -> Tuples:
    """Return what a search found, with the open boxes decided in which all numbers that may be roots are ratios.

    Args:
        found: the points, and the open boxes.
        joint: the relations.
        gaps: what is zero where each equation holds.
        names: the unknowns.
    """
    roots = _roots(gaps, names) if found.open and len(names) == len(gaps) == 2 else None
    if roots is None:
        return found
    points, opened = dict.fromkeys(found.points), []
    for box in found.open:
        inside = [[root for root in numbers if _reaches(side, root)] for numbers, side in zip(roots, box, strict=True)]
        is_told = all(is_exact(root) for numbers in inside for root in numbers)
        roots_inside = [at for at in product(*inside) if joint.holds(at, operator.eq)] if is_told else []
        if not is_told or (joint.printed and not roots_inside):
            opened.append(box)  # the digits of a number that was printed exclude nothing
            continue
        points = {at: None for at in points if not all(map(_reaches, box, at))}  # floats next to ratios
        points |= dict.fromkeys(roots_inside)
    return replace(found, points=tuple(sorted(points)), open=tuple(opened))


def _roots(gaps: Sequence[Expr], names: Sequence[str]) -> list[list[Number]] | None:
    """Return all numbers that each unknown may be, in ascending order; None where elimination does not tell."""
    unknowns = [symbol(name) for name in names]
    if any(not power.exp.is_Integer for gap in gaps for power in gap.atoms(sympy.Pow)):
        return None  # no ratios: put over one divisor, their digits may be millions
    try:
        polynomials = [sympy.Poly(sympy.numer(sympy.together(gap)), *unknowns, domain="QQ") for gap in gaps]
    except (sympy.PolynomialError, sympy.CoercionFailed):
        return None
    if any(polynomial.total_degree() > HIGHEST for polynomial in polynomials):
        return None
    left = [sympy.resultant(*polynomials, other) for other in reversed(unknowns)]
    eliminants = [sympy.Poly(each, unknown, domain="QQ") for each, unknown in zip(left, unknowns, strict=True)]
    if any(eliminant.is_zero for eliminant in eliminants):  # they have a curve in common
        return None
    return [real_roots([exact(each) for each in reversed(eliminant.all_coeffs())]) for eliminant in eliminants]


def _reaches(side: tuple[Number, Number], root: Number) -> bool:
    """Whether a side of a box holds a number, or lies beside it."""
    low, high = side
    beside = BESIDE * max(size(root), size(high - low))
    return low - beside <= root <= high + beside
