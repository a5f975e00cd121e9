"""Solves one condition on one unknown: the best way that works, and says which."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.solver.closed_form import coefficients, peeled, root_form
from flopsheet.solver.evaluate import Values, evaluate, power
from flopsheet.solver.intervals import ALL, EMPTY, Interval, RealSet, meet, point, side, union
from flopsheet.solver.peel import CannotPeelError, occurrences, preimage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.sheets.relation import Relation
    from flopsheet.units import Number

HIGHEST_DEGREE = 2


@dataclass(frozen=True)
class Solution:
    """All values of an unknown that meet a condition.

    Args:
        values: the set, in base units.
        how: `peel`, `linear`, `quadratic` or `constant`.
        closed_form: the boundary as an expression over the other cells, or None.
    """

    values: RealSet
    how: str
    closed_form: Any | None


def solve_condition(condition: Relation, unknown: Any, domain: Interval, values: Values) -> Solution | None:
    """Return the values of the unknown inside its domain that meet a condition, or None where no way here works.

    Args:
        condition: relation over the unknown and cells of known value.
        unknown: its symbol.
        domain: values that make sense for it.
        values: the other cells, in base units.
    """
    for way in (_constant, _by_peeling, _by_roots):
        solution = way(condition, unknown, domain, values)
        if solution is not None:
            return Solution(meet(solution.values, (domain,)), solution.how, solution.closed_form)
    return None


def _constant(condition: Relation, unknown: Any, _: Interval, values: Values) -> Solution | None:
    if condition.left.has(unknown) or condition.right.has(unknown):
        return None
    holds = condition.holds(evaluate(condition.left, values), evaluate(condition.right, values))
    return Solution(ALL if holds else EMPTY, "constant", None)


_MIRROR = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}


def _by_peeling(condition: Relation, unknown: Any, _: Interval, values: Values) -> Solution | None:
    left, sign, right = condition.left, condition.operator, condition.right
    if right.has(unknown):
        left, sign, right = right, _MIRROR[sign], left
    if right.has(unknown) or occurrences(left, unknown) != 1:
        return None
    try:
        found = preimage(left, unknown, side(sign, evaluate(right, values)), values)
    except CannotPeelError:
        return None
    return Solution(found, "peel", peeled(left, unknown, right))


def _by_roots(condition: Relation, unknown: Any, domain: Interval, values: Values) -> Solution | None:
    """A rational function of low degree: its roots and poles cut the domain, one probe decides each piece."""
    difference = condition.left - condition.right
    polynomial = coefficients(difference, unknown, HIGHEST_DEGREE)
    poles = coefficients(1 / sympy.together(difference), unknown, HIGHEST_DEGREE)
    if polynomial is None or poles is None:
        return None
    numbers = [evaluate(each, values) for each in polynomial]
    if not any(numbers):
        return Solution(ALL if "=" in condition.operator else EMPTY, "constant", None)
    roots = _roots(numbers)
    singular = _roots([evaluate(each, values) for each in poles])
    inside = _holding(condition, unknown, values)
    how = "linear" if len(polynomial) == 2 else "quadratic"
    if condition.operator == "=":
        found = union(*(point(each) for each in roots if each not in singular)) if roots else EMPTY
        return Solution(found, how, root_form(polynomial))
    pieces = _pieces(domain, sorted({*roots, *singular}))
    closed = [point(each) for each in roots if "=" in condition.operator and each not in singular]
    return Solution(union(tuple(filter(inside, pieces)), *closed), how, root_form(polynomial))


def _holding(condition: Relation, unknown: Any, values: Values) -> Callable[[Interval], bool]:
    """Return the test whether a condition holds inside an interval on which it does not change."""

    def holds(piece: Interval) -> bool:
        probe = {**values, unknown.name: piece.inside()}
        try:
            return condition.holds(evaluate(condition.left, probe), evaluate(condition.right, probe))
        except ArithmeticTrapError:
            return False

    return holds


def _pieces(domain: Interval, cuts: Iterable[Number]) -> list[Interval]:
    ends = [domain.lower, *(cut for cut in cuts if domain.lower < cut < domain.upper), domain.upper]
    pieces = [Interval(low, high, lower_closed=False, upper_closed=False) for low, high in pairwise(ends)]
    first, last = pieces[0], pieces[-1]
    pieces[0] = Interval(first.lower, first.upper, domain.lower_closed and first.lower not in cuts, upper_closed=False)
    last = pieces[-1]
    pieces[-1] = Interval(last.lower, last.upper, last.lower_closed, domain.upper_closed and last.upper not in cuts)
    return pieces


def _roots(polynomial: list[Number]) -> list[Number]:
    """Return the real roots of a polynomial of degree 2 at most, constant coefficient first."""
    while polynomial and polynomial[-1] == 0:
        polynomial = polynomial[:-1]
    match polynomial:
        case [constant, slope]:
            return [-constant * power(slope, -1)]
        case [constant, slope, bend]:
            square = slope * slope - 4 * bend * constant
            if square < 0:
                return []
            # The root with the larger numerator first, the other from their product: no cancellation.
            larger = -(slope + (power(square, _HALF) if slope >= 0 else -power(square, _HALF))) * power(2, -1)
            return [larger * power(bend, -1), constant * power(larger, -1)] if larger else [0]
    return []


_HALF = Fraction(1, 2)
