"""Why no value works: the bound of an expression, the term that sets it, the relations that contradict each other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.answer.wording import ranges_text, shown_unit
from flopsheet.errors import joined
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Indicator, Trait, nodes, symbol
from flopsheet.inverse.rational import as_rational
from flopsheet.inverse.roots import real_roots
from flopsheet.inverse.scan import grid, turning_point
from flopsheet.numbers.comparison import mirrored
from flopsheet.units import Number, Unit, close, format_quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.condition import Condition
    from flopsheet.answer.unknown import SolutionSet
    from flopsheet.formulas.relation import Relation
    from flopsheet.numbers.sets import RealSet
    from flopsheet.sheets.cell import Cell

FAR, FAR_OUT = 10**14, 10**60
FIRST_WHOLES, LARGEST_WHOLE = 1000, 10**15


def nothing(solved: SolutionSet) -> str:
    """Return why no value of an unknown works."""
    empty = [condition for condition in solved.conditions if not condition.solution.values]
    if not empty or empty[0].chain.domain != solved.domain:
        return _contradiction(solved)
    condition = _dependent_left(empty[0])
    relation, composed = condition.relation, condition.composed
    left = _extremes(solved, condition, relation.left, composed.left)
    right = _extremes(solved, condition, relation.right, composed.right)
    text = f"No {solved.cell.name} satisfies '{relation.text}'"
    within = f"{text} within its bounds ({solved.cell.bounds.text(solved.cell.unit)})."
    if left is None or right is None:
        return within
    if relation.operator in ("<", "<=", "=") and left.low >= right.high:
        extreme, at, must, verb = left.low, left.at_low, right.high, "fall"
    elif relation.operator in (">", ">=", "=") and left.high <= right.low:
        extreme, at, must, verb = left.high, left.at_high, right.low, "rise"
    else:
        return f"{within} {_reached(condition, left, solved)}".strip()
    shown = shown_unit(relation, solved.execution.question.sheet.cells)
    reached = (
        f"{in_text(relation.left, solved.execution.names)} cannot {verb} {_how_far(verb, extreme, must, relation)}"
    )
    needed = f"{_MUST[relation.operator]} {format_quantity(must, shown)}"
    reached = f"{reached} {format_quantity(extreme, shown)} {_however(solved, at)}, and must be {needed}."
    return f"{text}: {reached}{_what_stays(condition, solved, (extreme, must), shown)}"


def _dependent_left(condition: Condition) -> Condition:
    """Return a condition with the side that depends on the unknown on the left."""
    relation = condition.relation
    if condition.depends(relation.left) or not condition.depends(relation.right):
        return condition
    sides = {"left": relation.right, "right": relation.left, "operator": mirrored(relation.operator)}
    return replace(condition, relation=replace(relation, **sides), shown_right=None)


_MUST = {"=": "exactly", "<=": "at most", ">=": "at least", "<": "below", ">": "above"}


def _how_far(verb: str, extreme: Number, must: Number, relation: Relation) -> str:
    beyond = "below" if verb == "fall" else "above"
    return "to" if close(extreme, must) and relation.operator not in ("<", ">") else beyond


def _reached(condition: Condition, left: Extremes, solved: SolutionSet) -> str:
    """Return between which values the left side stays, where it jumps over the right side."""
    relation = condition.relation
    if condition.depends(relation.right) or not (math.isfinite(left.low) and math.isfinite(left.high)):
        return ""
    shown = shown_unit(relation, solved.execution.question.sheet.cells)
    name = in_text(relation.left, solved.execution.names)
    low, high = (format_quantity(end, shown) for end in (left.low, left.high))
    return f"{name} stays between {low} and {high} there, and misses what is needed."


class Extremes:
    """The smallest and largest value of an expression over the domain of the unknown, and where it has them."""

    def __init__(self, points: list[tuple[Number, Number]]) -> None:
        self.low, self.at_low = min(points)
        self.high, self.at_high = max(points)


def _extremes(solved: SolutionSet, condition: Condition, expression: Any, composed: Any) -> Extremes | None:
    """Return the smallest and largest value of a side over the domain of the unknown, or None for no value at all."""
    turns = _turning_points(condition, composed)
    if turns is None:
        samples = _samples(solved, condition, expression)
        return Extremes(samples) if samples else None
    points: list[tuple[Number, Number]] = []
    turns_inside = [turn for turn in turns if turn in solved.domain]
    for at in [solved.domain.lower, *turns_inside, solved.domain.upper]:
        value = condition.side(expression, at)
        if value != value:  # noqa: PLR0124  # infinity over infinity: the limit shows far out as well
            value = condition.side(expression, FAR_OUT if at > 0 else -FAR_OUT)
        if value is not None:
            points.append((value, at))
    if len(points) == len(turns_inside) + 2:
        return Extremes(points)
    return Extremes([*points, *_samples(solved, condition, expression)])


def _turning_points(condition: Condition, composed: Any) -> list[Number] | None:
    """Return where a side may turn inside the domain; None where that is not known, or it has a pole there."""
    unknown, domain, values = symbol(condition.chain.unknown), condition.chain.domain, condition.chain.values
    if not composed.has(unknown):
        return None if condition.depends(composed) else []
    ratio = as_rational(composed, unknown, values)
    if ratio is None:
        smooth = not composed.has(*nodes(Trait.PERIODIC), Indicator)
        once = sum(node == unknown for node in sympy.preorder_traversal(composed)) == 1
        return [0] if once and smooth and domain.lower >= 0 else None
    if any(domain.lower < pole < domain.upper for pole in ratio.pole_values()):
        return None
    slope = as_rational(sympy.diff(composed, unknown), unknown, values)
    return None if slope is None else real_roots(slope.above)


def _samples(solved: SolutionSet, condition: Condition, expression: Any) -> list[tuple[Number, Number]]:
    """Return the extremes over the points of a scan, each narrowed down; of a count over whole numbers."""
    function, domain = condition.chain.function(expression), solved.domain
    places = list(grid(domain))
    if solved.cell.integer:
        first = max(1, math.ceil(domain.lower)) if math.isfinite(domain.lower) else 1
        wholes = {round(place) for place in places if abs(place) < LARGEST_WHOLE}
        wholes |= {*range(first, first + FIRST_WHOLES)}
        places = sorted(float(whole) for whole in wholes if whole in domain)
    values = [(value, at) for at in places if math.isfinite(value := function(at))]
    if not values:
        return []
    points: list[tuple[Number, Number]] = [*values]
    if not solved.cell.integer:
        points += [_refined(function, places, at, sign) for sign, (_, at) in ((1, min(values)), (-1, max(values)))]
    return [point for point in points if math.isfinite(point[0])]


def _refined(function: Callable[[float], float], places: list[float], at: float, sign: int) -> tuple[float, float]:
    """Return the extreme next to a point of a scan."""
    place = places.index(at)
    low, high = places[max(0, place - 1)], places[min(len(places) - 1, place + 1)]
    best = turning_point(lambda where: _or_infinite(sign * function(where)), low, high)
    return min((function(best), best), (function(at), at), key=lambda value_at: _or_infinite(sign * value_at[0]))


def _or_infinite(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _however(solved: SolutionSet, at: Number) -> str:
    name = solved.cell.name
    if at >= FAR:
        return f"however large {name} is"
    if at == solved.domain.lower:
        return f"even at {name} = {format_quantity(at, solved.cell.unit)}"
    return f"at any {name}"


def _what_stays(condition: Condition, solved: SolutionSet, ends: tuple[Number, Number], shown: Unit) -> str:
    """Name the terms that do not depend on the unknown, where they alone are what cannot be passed, or too much."""
    (extreme, must), left = ends, sympy.expand(condition.composed.left)
    terms = [term for term in left.args if not condition.depends(term)]
    stays = (
        ([left.func(*terms)] if left.is_Add else terms if left.func in nodes(Trait.EXTREME) else []) if terms else []
    )
    for term in stays:
        value = value_or_none(term, solved.execution.values)
        if not value or not cells_of(term):
            continue
        if (whole := close(value, extreme)) or must < value < extreme:
            much = format_quantity(value, shown) + ("" if whole else " of it")
            name = in_text(term, solved.execution.names)
            return f" {much} remain for every {solved.cell.name}: {name} does not depend on it."
    return ""


def _contradiction(solved: SolutionSet) -> str:
    needs = [
        f"'{condition.relation.text}' needs {ranges_text(condition.solution.values, solved.cell)}"
        for condition in solved.conditions
        if condition.solution.values
    ]
    never = [f"'{empty.relation.text}'" for empty in solved.conditions if not empty.solution.values]
    within = f", and {joined(never)} {'holds' if len(never) == 1 else 'hold'} nowhere within that" if never else ""
    return f"No {solved.cell.name} meets all relations at once: {joined(needs)}{within}."


def no_whole(cell: Cell, intervals: RealSet) -> str:
    """Return why ranges give a whole-number cell nothing."""
    return f"The solution set {ranges_text(intervals, cell)} contains no whole number."
