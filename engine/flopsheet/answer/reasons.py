"""Why a question has no answer: no value of an unknown works, or relations contradict each other."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet import budget
from flopsheet.answer.unstated import unstated_choices
from flopsheet.answer.wording import MOST_RANGES, cut_short, quoted, ranges_text, shown_unit
from flopsheet.errors import AmbiguousDefaultError, ArithmeticTrapError, OverdeterminedError, QuestionError, joined
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import Expr, Indicator, Trait, nodes, symbol
from flopsheet.functions.symbols import as_sympy, symbols_in
from flopsheet.inverse.method import Method
from flopsheet.inverse.rational import as_rational
from flopsheet.numbers.arithmetic import mirrored
from flopsheet.numbers.polynomials import real_roots
from flopsheet.numbers.samples import grid, turning_point
from flopsheet.numbers.sets import whole_ends
from flopsheet.units import Number, Unit, close, format_apart, format_distinct, format_quantity, size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.answer.condition import Condition
    from flopsheet.answer.unknown import SolutionSet
    from flopsheet.graph.structure import Equation
    from flopsheet.graph.system import System

FAR, FAR_OUT = 10**14, 10**60
BESIDE_SHOWN = Fraction(1, 10**6)  # how far beyond an extreme no value may be: far less than what is printed
FIRST_WHOLES, LARGEST_WHOLE = 1000, 10**15
MOST_TERMS, LONGEST_TERM, MOST_NAMED = 500, 200, 6
_MUST = {"=": "exactly", "<=": "at most", ">=": "at least", "<": "below", ">": "above"}


def nothing(solved: SolutionSet) -> str:
    """Return why no value of an unknown works."""
    if any(condition.chain.unknown != solved.cell.name for condition in solved.conditions):
        texts = joined(list(dict.fromkeys(f"'{condition.relation.text}'" for condition in solved.asked)))
        return f"No {solved.cell.name} satisfies {texts} while the cells between are within their bounds."
    empty = [condition for condition in solved.conditions if _is_empty_alone(condition, solved)]
    if not empty:
        return _contradiction(solved)
    relation = (condition := _dependent_left(empty[0])).relation
    try:
        left, right = _extremes(solved, condition, "left"), _extremes(solved, condition, "right")
    except TimeoutError:
        left = right = None
    text = f"No {solved.cell.name} satisfies {'limit ' * bool(relation.name)}{quoted(relation)}"
    within = f"{text} within its bounds ({solved.cell.bounds.text(solved.cell.unit)})."
    if left is None or right is None:
        return within + cut_short("The reason")
    shown = shown_unit(relation, solved.execution.question.sheet.cells)
    name = in_text(relation.left, solved.execution.names)
    if relation.operator in ("<", "<=", "=") and math.inf != left.low >= right.high:
        must, is_low = right.high, True
    elif relation.operator in (">", ">=", "=") and left.high <= right.low:
        must, is_low = right.low, False
    elif not condition.depends(relation.right):
        return f"{within}{_nearest([*left.values, *_tried(solved, condition, left)], right.low, name, shown)}"
    else:
        return within
    extreme, at, end = (left.low, left.at_low, "smallest") if is_low else (left.high, left.at_high, "largest")
    reached_text, must_text = format_distinct([extreme, must], shown)
    remaining = _remaining(condition, solved, (extreme, must), shown)
    meets = close(extreme, must) and relation.operator not in ("<", ">")
    verb, beyond = ("fall", "below") if is_low else ("rise", "above")
    if left.low == left.high and all(_is_proven(condition, left, is_low=end) for end in (True, False)):
        reached = f"{name} is always {reached_text}"
    elif _is_proven(condition, left, is_low=is_low):
        reached = f"{name} cannot {verb} {'to' if meets else beyond} {reached_text} {_however(solved, at)}"
    else:
        reached = f"the {end} value of {name} that was found is {reached_text}"
    unstated = unstated_choices(solved.execution.question, relation.cells)
    return f"{text}: {reached}, and must be {_MUST[relation.operator]} {must_text}.{remaining}{unstated}"


def _is_empty_alone(condition: Condition, solved: SolutionSet) -> bool:
    """Whether a condition excludes every value, not only those that the other conditions leave."""
    if condition.solution.values or len(solved.conditions) == 1:
        return not condition.solution.values
    whole = condition.chain.domain == solved.domain and condition.solution.how is not Method.TRIAL
    return whole and not condition.repeats


def _tried(solved: SolutionSet, condition: Condition, left: _Extremes) -> list[Number]:
    """Return values of the left side at many places, where these are not known; none once the time is over."""
    try:
        return [] if left.sampled else [value for value, _ in _samples(solved, condition, condition.relation.left)]
    except TimeoutError:
        return []


def _nearest(values: Sequence[Number], must: Number, name: str, shown: Unit) -> str:
    """Return the values of a side on either side of what it must be, a sentence; nothing where it has none."""
    below, above = [own for own in values if -math.inf < own < must], [own for own in values if must < own < math.inf]
    if not (below and above and math.isfinite(must)) or any(close(own, must) for own in (max(below), min(above))):
        return ""
    first, last, needed = format_distinct([max(below), min(above), must], shown)
    return f" Of the values of {name} that were tried, {first} and {last} are nearest to {needed}."


def _contradiction(solved: SolutionSet) -> str:
    met = [condition for condition in solved.conditions if condition.solution.values and not condition.solution.open]
    parts = [part for condition in met for part in condition.solution.values[:MOST_RANGES]]
    needs = [f"'{one.relation.text}' needs {ranges_text(one.solution.values, solved.cell, parts)}" for one in met]
    never = [f"'{empty.relation.text}'" for empty in solved.conditions if empty not in met]
    if not needs:
        return f"No {solved.cell.name} meets {joined(never)}."
    within = f", and {joined(never)} {'holds' if len(never) == 1 else 'hold'} nowhere within that" if never else ""
    return f"No {solved.cell.name} meets all relations at once: {joined(needs)}{within}."


def _dependent_left(condition: Condition) -> Condition:
    """Return a condition with the side that depends on the unknown on the left."""
    relation = condition.relation
    if condition.depends(relation.left) or not condition.depends(relation.right):
        return condition
    sides = {"left": relation.right, "right": relation.left, "operator": mirrored(relation.operator)}
    return replace(condition, relation=replace(relation, **sides), shown_right=None)


class _Extremes(NamedTuple):
    """The smallest and largest value of an expression over the domain of the unknown, and where it has them."""

    low: Number
    at_low: Number
    high: Number
    at_high: Number
    sampled: bool  # whether they are only the smallest and largest of many values
    values: tuple[Number, ...]  # all that were computed


def _extremes(solved: SolutionSet, condition: Condition, which: str) -> _Extremes | None:
    """Return the extremes of a side over the domain of the unknown, or None for no value at all."""
    budget.check()
    side, composed = getattr(condition.relation, which), getattr(condition.composed, which)
    domain, turns = solved.domain, _turning_points(condition, composed)
    places = [] if turns is None else [domain.lower, *(turn for turn in turns if turn in domain), domain.upper]
    points: list[tuple[Number, Number]] = []
    for at in places:
        value = condition.chain.at_or_none(at, side)
        if value != value:  # noqa: PLR0124  # infinity over infinity: the limit shows far out as well
            value = condition.chain.at_or_none(FAR_OUT if at > 0 else -FAR_OUT, side)
        points += [] if value is None else [(value, at)]
    sampled = not places or len(points) < len(places)
    points += _samples(solved, condition, side) if sampled else []
    if not points:
        return None
    low = min(points, key=lambda point: (point[0], size(point[1])))
    high = max(points, key=lambda point: (point[0], -size(point[1])))
    return _Extremes(*low, *high, sampled, tuple(value for value, _ in points))


def _is_proven(condition: Condition, side: _Extremes, *, is_low: bool) -> bool:
    """Whether the left side of a condition has no value clearly beyond an extreme: samples alone do not show that."""
    if not side.sampled:
        return True
    chain, left, extreme = condition.chain, condition.relation.left, side.low if is_low else side.high
    bounds = chain.bounded(left)
    if close(extreme, bounds.lower if is_low else bounds.upper):
        return True
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


def _samples(solved: SolutionSet, condition: Condition, side: Expr) -> list[tuple[Number, Number]]:
    """Return the extremes over the points of a scan, each narrowed down; of a count over whole numbers."""
    function, domain = partial(condition.chain.field(side).gap, level=0), solved.domain
    places, most = list(grid(domain)), None if condition.depends(side) else 1
    if solved.cell.integer:
        first = max(1, math.ceil(domain.lower)) if math.isfinite(domain.lower) else 1
        wholes = {round(place) for place in places if abs(place) < LARGEST_WHOLE}
        wholes |= {*range(first, first + FIRST_WHOLES)}
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


def _however(solved: SolutionSet, at: Number) -> str:
    name = solved.cell.name
    if at >= FAR:
        return f"however large {name} is"
    if at == solved.domain.lower:
        return f"even at {name} = {format_quantity(at, solved.cell.unit)}"
    return f"at any {name}"


def _remaining(condition: Condition, solved: SolutionSet, ends: tuple[Number, Number], shown: Unit) -> str:
    """Name the terms that do not depend on the unknown, where they alone are what cannot be passed, or too much."""
    (extreme, must), left = ends, condition.composed.left
    left = sympy.expand_mul(left) if _expanded_terms(left) <= MOST_TERMS else left
    terms = [term for term in left.args if not condition.depends(term)]
    if terms and left.is_Add:
        terms = [left.func(*terms)]
    elif left.func not in nodes(Trait.EXTREME):
        terms = []
    for term in terms:
        value = value_or_none(term, solved.execution.values)
        if not value or not cells_of(term):
            continue
        if (whole := close(value, extreme)) or must < value < extreme:
            much = format_quantity(value, shown) + ("" if whole else " of it")
            return f" {much} remain for every {solved.cell.name}: {_named(term, solved)} not depend on it."
    return ""


def _named(term: Expr, solved: SolutionSet) -> str:
    """Return a term as a subject with its verb; of a long sum, the largest part alone."""
    names, text = solved.execution.names, in_text(term, solved.execution.names)
    if len(text) <= LONGEST_TERM or not term.is_Add:
        return f"{text} does"
    largest = max(term.args, key=lambda part: value_or_none(part, solved.execution.values) or 0)
    return f"{in_text(largest, names)} and {len(term.args) - 1} smaller terms do"


def _expanded_terms(expression: Expr) -> int:
    """Return how many terms an expression may have once its products are expanded: sympy writes out all of them."""
    counts = [_expanded_terms(arg) for arg in expression.args]
    return math.prod(counts) if expression.is_Mul else sum(counts) or 1


def contradicted(system: System, key: str, sides: tuple[Number, Number]) -> QuestionError:
    """Return the error for an equation that contradicts the others."""
    question, structure = system.question, system.structure
    equation, cells = structure.equations[key], question.sheet.cells
    relation, conflict = system.relation(equation), structure.conflict(key)
    source = _source(equation, system)
    where = f"relation '{source}'" if source else f"default of '{equation.target}'"
    name = equation.target or in_text(relation.left, tuple(cells))
    first, second = format_apart(list(sides), shown_unit(relation, cells))
    problem = f"It needs {name} to be {second}, but the rest of the question makes it {first}."
    defaults = [other.target for other in conflict if other.is_default]
    if len(defaults) > 1:
        several = defaults[:MOST_NAMED] + [f"{len(defaults) - MOST_NAMED} others"] * (len(defaults) > MOST_NAMED)
        fix = f"Several defaults may be overridden: ask for one of {joined(several, 'or')} as the unknown, or give it."
        return AmbiguousDefaultError(where, problem, fix)
    others = [other for other in conflict if other.key != key]
    given = [f"'{text}'" for other in others if (text := _source(other, system))]
    figures = [other.target for other in others if other.kind == "record"]
    conflicting = {cells[figure].part for figure in figures}
    given += [f"'{part} = {record.key}'" for part, record in question.records.items() if part in conflicting]
    others_too = f", or {'one of ' if len(given) > 1 else ''}{joined(given, 'or')}" if given else ""
    return OverdeterminedError(where, problem, f"Leave out this relation{others_too}.")


def _source(equation: Equation, system: System) -> str:
    """Return an equation as the question writes it; nothing for a formula of the sheet, a default or a record."""
    if equation.key in system.stated:
        return system.stated[equation.key].text
    return system.question.pins[equation.target].text if equation.kind == "given" else ""
