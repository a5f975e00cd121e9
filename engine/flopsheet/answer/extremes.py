"""The smallest and largest value of an expression of an unknown."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet import budget
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.formulas.relation import Relation
from flopsheet.functions import Expr, Indicator, Trait, nodes, symbol
from flopsheet.functions.symbols import as_sympy, symbols_in
from flopsheet.inverse.rational import as_rational
from flopsheet.numbers.polynomials import real_roots
from flopsheet.numbers.samples import grid, turning_point
from flopsheet.numbers.sets import whole_ends
from flopsheet.units import Number, close, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet

FAR_OUT = 10**60
BESIDE_SHOWN = Fraction(1, 10**6)  # how far beyond an extreme no value may be: far less than what is printed
FIRST_WHOLES, LARGEST_WHOLE = 1000, 10**15
FIRST_OF_NAMES, EACH_OF_NAMES = 50, 10  # of a name that is tried: of many names, the reason of few is shown


class Extremes(NamedTuple):
    """The smallest and largest value of an expression over the domain of the unknown, and where it has them."""

    low: Number
    at_low: Number
    high: Number
    at_high: Number
    sampled: bool  # whether they are only the smallest and largest of many values
    values: tuple[Number, ...]  # all that were computed


def extremes(solved: SolutionSet, condition: Condition, which: str) -> Extremes | None:
    """Return the extremes of a side over the domain of the unknown, or None for no value at all."""
    budget.check()
    side, composed = getattr(condition.relation, which), getattr(condition.composed, which)
    known, key = condition.chain.known.extremes, (side, composed, solved.domain, condition.chain.domain)
    if key not in known:
        known[key] = _computed_extremes(solved, condition, side, composed)
    return known[key]  # type: ignore[no-any-return]


def _computed_extremes(solved: SolutionSet, condition: Condition, side: Expr, composed: Expr) -> Extremes | None:
    domain, turns = solved.domain, _turning_points(condition, composed)
    places = [] if turns is None else [domain.lower, *(turn for turn in turns if turn in domain), domain.upper]
    points: list[tuple[Number, Number]] = []
    for at in places:
        value = condition.chain.at_or_none(at, side)
        if value != value:  # noqa: PLR0124  # infinity over infinity: the limit shows far out as well
            value = condition.chain.at_or_none(FAR_OUT if at > 0 else -FAR_OUT, side)
        points += [] if value is None else [(value, at)]
    sampled = not places or len(points) < len(places)
    points += samples(solved, condition, side) if sampled else []
    if not points:
        return None
    low = min(points, key=lambda point: (point[0], size(point[1])))
    high = max(points, key=lambda point: (point[0], -size(point[1])))
    return Extremes(*low, *high, sampled, tuple(value for value, _ in points))


def is_proven(condition: Condition, side: Extremes, *, is_low: bool, search: bool = True) -> bool:
    """Whether the left side of a condition has no value clearly beyond an extreme: samples alone do not show that.

    Without a `search` only what bounds tell counts.
    """
    if not side.sampled:
        return True
    chain, left, extreme = condition.chain, condition.relation.left, side.low if is_low else side.high
    bounds = chain.domains.of(left)
    if close(extreme, bounds.lower if is_low else bounds.upper):
        return True
    if not search:
        return False
    beyond = Fraction(extreme) + BESIDE_SHOWN * (size(Fraction(extreme)) or 1) * (-1 if is_low else 1)
    try:
        solution = chain.solve(Relation(left, "<=" if is_low else ">=", as_sympy(beyond), ""))
    except (QuestionError, ArithmeticTrapError, TimeoutError):
        return False
    if solution is None or solution.open or solution.progressions:
        return False
    return not any(whole_ends(part)[0] <= whole_ends(part)[1] if chain.integer else True for part in solution.values)


def _turning_points(condition: Condition, composed: Expr) -> list[Number] | None:
    """Return where a side may turn inside the domain; None where that is not known, or it has a pole there."""
    unknown, domain, values = symbol(condition.chain.unknown), condition.chain.domain, condition.chain.values
    dependent = condition.chain.links.symbols & symbols_in(composed)
    if dependent != {unknown}:  # some cell was not composed
        return None if dependent else []
    ratio = as_rational(composed, unknown, values)
    if ratio is None:
        smooth = not composed.has(*nodes(Trait.PERIODIC), Indicator)
        once = sum(node == unknown for node in sympy.preorder_traversal(composed)) == 1
        return [0] if once and smooth and domain.lower >= 0 else None
    if any(domain.lower < pole < domain.upper for pole in ratio.pole_values()):
        return None
    slope = as_rational(sympy.diff(composed, unknown), unknown, values)
    return None if slope is None else real_roots(slope.above)


def samples(solved: SolutionSet, condition: Condition, side: Expr) -> list[tuple[Number, Number]]:
    """Return the values over the points of a scan, and the extremes narrowed down; of a count over whole numbers."""
    known, key = condition.chain.known.extremes, (side, solved.domain)
    if key not in known:
        known[key] = _scanned(solved, condition, side)
    return known[key]  # type: ignore[no-any-return]


def _scanned(solved: SolutionSet, condition: Condition, side: Expr) -> list[tuple[Number, Number]]:
    function, domain = partial(condition.chain.field(side).gap, level=0), solved.domain
    names = solved.execution.question.substituted
    places, most = list(grid(domain)), None if condition.depends(side) else 1
    places = [*places[::EACH_OF_NAMES], *places[-1:]] if names else places
    if solved.cell.integer:
        first = max(1, math.ceil(domain.lower)) if math.isfinite(domain.lower) else 1
        wholes = {round(place) for place in places if abs(place) < LARGEST_WHOLE}
        wholes |= {*range(first, first + (FIRST_OF_NAMES if names else FIRST_WHOLES))}
        places = sorted(float(whole) for whole in wholes if whole in domain)
    values = [(value, at) for at in budget.in_time(places[:most]) if math.isfinite(value := function(at))]
    points: list[tuple[Number, Number]] = [*values]
    if values and not solved.cell.integer:
        points += [_refined(function, places, at, sign) for sign, (_, at) in ((1, min(values)), (-1, max(values)))]
    return [point for point in points if math.isfinite(point[0])]


def _refined(function: Callable[[float], float], places: list[float], at: float, sign: int) -> tuple[float, float]:
    """Return the extreme next to a point of a scan."""

    def signed(where: float) -> float:
        budget.check()
        value = sign * function(where)
        return math.inf if math.isnan(value) else value

    place = places.index(at)
    best = turning_point(signed, places[max(0, place - 1)], places[min(len(places) - 1, place + 1)])
    best = min(best, at, key=signed)
    return function(best), best
