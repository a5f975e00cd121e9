"""A chain of formulas from an unknown to a relation, inverted cell by cell.

Where a relation depends on the unknown through one cell only, that cell is inverted first, and then the chain behind
it: a thousand formulas in a row are a thousand small steps, never one large expression.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import Values, evaluate, value_or_none
from flopsheet.functions import Trait, nodes
from flopsheet.functions.rounding import REMAINDER
from flopsheet.functions.spec import bounds_of
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.closed_form import LARGEST_FORM
from flopsheet.inverse.ends import copied, eased, sharpened, span_interval
from flopsheet.inverse.inversion import MOST_TESTED, Inversion, may_lose, within_rounding, zeros_of_divisors
from flopsheet.inverse.links import Links, links
from flopsheet.inverse.method import Method
from flopsheet.inverse.peel import without_layers
from flopsheet.inverse.sawtooth import by_teeth
from flopsheet.inverse.solution import Solution, refined
from flopsheet.numbers.sets import (
    Interval,
    RealSet,
    about,
    complement,
    is_rounded_to,
    meet,
    point,
    side,
    union,
)
from flopsheet.numbers.spans import ANYTHING, Span, between
from flopsheet.search import budget
from flopsheet.search.field import Field
from flopsheet.search.one_unknown import Search
from flopsheet.search.points import Points
from flopsheet.search.touching import apart_from_touching
from flopsheet.tolerances import NEXT_INTEGER, TYPED
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.inverse.closed_form import Segment
    from flopsheet.units import Number

IN_PART = 20_000  # operations on intervals in a part that a search left open
EXACT_SHARE = 0.5  # of the time that is left; the rest is for the search where no exact method ends


@dataclass(frozen=True)
class Chain:
    """The cells that depend on an unknown, each with its formula.

    Args:
        unknown: name of the unknown.
        domain: the values that it may take.
        formulas: the cells that depend on it, in the order in which they follow from it.
        values: all cells that do not, in base units.
        integer: whether the unknown is an integer.
    """

    unknown: str
    domain: Interval
    formulas: Mapping[str, Expr]
    values: Values
    integer: bool = False

    @cached_property
    def links(self) -> Links:
        """The structure of the formulas, without numbers."""
        return links(self.unknown, self.formulas)

    @cached_property
    def _domains(self) -> dict[str, Interval]:
        return {self.unknown: self.domain}

    def domain_of(self, cell: str) -> Interval:
        """Return bounds of a cell while the unknown runs through its domain."""
        domains = self._domains
        for name in () if cell in domains else (*self.links.needed(symbol(cell)), cell):
            if name not in domains:
                domains[name] = span_interval(self._bounds(self.formulas[name]))
        return domains[cell]

    def bounded(self, expression: Expr) -> Interval:
        """Return bounds of an expression of cells while the unknown runs through its domain."""
        for name in self.links.needed(expression):
            self.domain_of(name)
        return span_interval(self._bounds(expression))

    def _bounds(self, formula: Expr) -> Span:
        """Return bounds of a formula, from the bounds of the cells in it."""
        spans: dict[Expr, Span] = {}
        for cell in formula.free_symbols:
            domain, value = self._domains.get(cell.name), self.values.get(cell.name)
            if isinstance(value, str):
                return ANYTHING
            low, high = (domain.lower, domain.upper) if domain else (value, value)
            spans[cell] = ANYTHING if low is None or high is None else between(low, high)
        try:
            return bounds_of(formula, spans)
        except (ArithmeticError, ValueError):
            return ANYTHING

    def at_or_none(self, value: Number, expression: Expr) -> Number | None:
        """Return the value of an expression where the unknown has a value, or None if it has none there."""
        key = value, type(value), expression
        if key not in self._values_at:
            self._values_at[key] = self._value_at(value, expression)
        return self._values_at[key]

    @cached_property
    def _values_at(self) -> dict[tuple[Number, type, Expr], Number | None]:
        return {}

    def _value_at(self, value: Number, expression: Expr) -> Number | None:
        values = {**self.values, self.unknown: value}
        for name in self.links.needed(expression):
            value_of_cell = value_or_none(self.formulas[name], values)
            if value_of_cell is None:
                return None
            values[name] = value_of_cell
        return value_or_none(expression, values)

    def solve(self, condition: Relation, shown_right: Expr | None = None, *, search: bool = True) -> Solution | None:
        """Return the values of the unknown that meet a condition, or None where no method applies.

        Args:
            condition: the relation.
            shown_right: the right side for closed forms, where it differs from the condition's.
            search: whether to search where no exact method inverts the condition.
        """
        expression, sign, right = condition.one_sided(self.links.symbols)
        target = side(sign, evaluate(right, self.values))
        right = right if shown_right is None else shown_right
        if sign != "=" and self.links.has(expression, nodes(Trait.FLAT)) and self.is_rounded(expression, target):
            target = eased(target)
        solution = self._solution(expression, target, right, search=search)
        if solution is None or not self.integer:
            return solution
        values = union(*(self._at_integer(part, expression, target) for part in solution.values))
        return replace(solution, values=values)

    def _at_integer(self, part: Interval, expression: Expr, target: RealSet) -> RealSet:
        """Return the integer next to a solution where floats, or digits that were copied, cannot tell the two apart."""
        if not part.is_point or isinstance(part.lower, int):
            return (part,)
        integer = round(part.lower)
        if not isinstance(part.lower, float):
            is_copied = any(not isinstance(number, int) for number in self._numbers(expression, target))
            beside = min(TYPED * abs(integer), Fraction(NEXT_INTEGER)) if is_copied else 0
            is_near = size(part.lower - integer) <= beside and self.meets(integer, expression, target)
            return point(integer) if is_near else (part,)
        is_near = abs(part.lower - integer) <= NEXT_INTEGER * abs(integer)
        value = self.at_or_none(integer, expression) if is_near else None
        ends = [end for part in target for end, _ in part.ends if is_finite(end)]
        met = value is not None and any(is_rounded_to(value, end, about(end)) for end in ends)
        return point(integer) if met else (part,)

    def _numbers(self, expression: Expr, target: RealSet) -> list[Number | str]:
        """Return the values on which an expression rests, and the ends of a target."""
        known = [self.values[name] for name in self.links.inputs(expression) if name in self.values]
        return [*known, *(end for part in target for end, _ in part.ends if is_finite(end))]

    def is_rounded(self, expression: Expr, target: RealSet) -> bool:
        """Whether floats are involved, so that a level may be met within rounding only."""
        exact = not any(isinstance(number, float) for number in self._numbers(expression, target))
        return not exact or self.links.has(expression, nodes(Trait.INEXACT)) or self.links.has_root(expression)

    def _solution(self, expression: Expr, target: RealSet, right: Expr, *, search: bool) -> Solution | None:
        with budget.part(EXACT_SHARE if search else 1):
            solution, exact = self._inverted(expression, target, right)
        proven = None
        if solution is not None and self._is_proven(solution, expression, target, exact=exact):
            values = self._sharpened(solution.values, lambda: Points(self.field(expression), target, None))
            proven = solution if values is solution.values else replace(solution, values=values)
        if search and (proven is None or proven.open):
            proven = by_teeth(self, expression, target) or proven
        if proven is not None:
            return proven
        if solution is not None and solution.how in (Method.DIVISORS, Method.TRIAL, Method.PERIOD):
            return self._met_only(solution, expression, target)
        return self._searched(expression, target, right, solution.segments if solution else ()) if search else None

    def _inverted(
        self, expression: Expr, target: RealSet, right: Expr, *, searches: bool = False
    ) -> tuple[Solution | None, bool]:
        """Return what exact methods find in time, or None, and whether all was on exact numbers."""
        inversion = Inversion(self, target, searches=searches)
        try:
            solution = inversion.solution(expression, right)
            if solution is not None and solution.how is Method.CONSTANT and solution.values:
                zeros = zeros_of_divisors(self, expression)
                solution = replace(solution, values=meet(solution.values, complement(zeros))) if zeros else solution
            if solution is not None and may_lose(self, solution, expression, target):
                solution = replace(solution, values=within_rounding(self, solution.values, expression, target, right))
        except TimeoutError:
            return None, False
        return solution, inversion.exact

    def _met_only(self, solution: Solution, expression: Expr, target: RealSet) -> Solution:
        """Return a solution without single values that miss the condition, as floats next to a pole may."""
        values = solution.values
        missed = tuple(part for part in values if part.is_point and not self.meets(part.lower, expression, target))
        met = tuple(part for part in values if part not in missed)
        return replace(solution, values=met, open=union(solution.open, missed)) if met else solution

    def _searched(self, expression: Expr, target: RealSet, right: Expr, segments: tuple[Segment, ...]) -> Solution:
        """Search the whole chain as one formula of the unknown; of a count whole numbers where the formula jumps.

        Where a rounding is in it, branches and parts with few steps are inverted, and only the others searched.
        """
        inner, inside = without_layers(expression, target, self.links.symbols, self.values)
        stepped, points = self.links.has(inner, nodes(Trait.STEPPED)), all(part.is_point for part in inside)
        integer = self.integer and ((stepped and not points) or self.links.has(inner, (REMAINDER.node,)))
        jumps, solution = stepped and points and not integer, None
        if jumps and self.links.has(expression, nodes(Trait.PIECEWISE)):
            with budget.part(EXACT_SHARE):
                solution = self.exactly(expression, target, right)
        if solution is None:
            with budget.part(EXACT_SHARE if jumps else 1):
                solution = self.searched(inner, inside, target, integer=integer)
                solution = replace(solution, segments=segments, right=right)
        if jumps:
            solution = refined(solution, lambda part: replace(self, domain=part).exactly(expression, target, right))
            solution = refined(
                solution, lambda part: replace(self, domain=part).searched(inner, inside, target, IN_PART)
            )
        return solution

    def searched(
        self, expression: Expr, target: RealSet, asked: RealSet, most: int = 0, *, integer: bool = False
    ) -> Solution:
        """Return what a search finds.

        Args:
            expression: the formula, without the layers that exact numbers undo.
            target: the set in which it must lie.
            asked: the target of the outermost layer.
            most: how many operations on intervals may be done; 0 for as many as usual.
            integer: whether to search whole numbers only.
        """
        search = Search(self.field(expression), target, integer=integer, most=most)
        cover, rounded = search.over(self.domain), copied(target, asked)
        if not cover.values and rounded and (search.points.is_rounded or not cover.open):
            nearby = Search(search.field, rounded, integer=integer, most=most)
            near = nearby.over(self.domain)
            if not cover.open or any(not part.is_point for part in near.values):  # a plateau, met within rounding
                search, cover = nearby, near
        values = self._sharpened(cover.values, lambda: search.points)
        opened = cover.open
        formula = self.links.composed(expression, self.links.needed(expression), LARGEST_FORM) if opened else None
        if formula is not None:
            opened = apart_from_touching(cover, target, formula, self.unknown, self.values)
        return Solution(values, Method.TRIAL if integer else Method.SEARCH, open=opened)

    def exactly(self, expression: Expr, target: RealSet, right: Expr) -> Solution | None:
        """Return what exact methods find, with a search in branches that have no inverse; None if it is not proven."""
        solution, exact = self._inverted(expression, target, right, searches=True)
        proven = solution is not None and self._is_proven(solution, expression, target, exact=exact)
        return solution if proven else None

    def _sharpened(self, values: RealSet, points: Callable[[], Points]) -> RealSet:
        """Return values with float ends on the right side of where the expression passes an end of the target."""
        if self.integer or all(part.is_point for part in values):
            return values
        return sharpened(values, self.domain, points().meets)

    def _is_proven(self, solution: Solution, expression: Expr, target: RealSet, *, exact: bool) -> bool:
        """Whether each single value meets the condition; only exact steps prove that no value does."""
        points = [part.at(part.some) for part in solution.progressions]
        points += [part.lower for part in solution.values if part.is_point][: MOST_TESTED - len(points)]
        if not solution.values and not points:
            return exact or bool(solution.open) or solution.how in (Method.CONSTANT, Method.DIVISORS, Method.TRIAL)
        return all(self.meets(at, expression, target) for at in points)

    def meets(self, at: Number, expression: Expr, target: RealSet) -> bool:
        """Whether an expression is in a target, or within rounding of it, where the unknown has a value."""
        value = self.at_or_none(at, expression)
        value = self.field(expression).value_by_digits(at) if value is None else value
        return value is not None and any(
            value in part or close(value, part.lower) or close(value, part.upper) for part in target
        )

    def field(self, expression: Expr) -> Field:
        """Return an expression as bounds over boxes of the unknown."""
        return Field(self.links.program(expression), self.unknown, self.values)

    def function(self, expression: Expr) -> Callable[[float], float]:
        """Return an expression as a function of the unknown on floats; "not a number" where it has no value."""
        return partial(self.field(expression).gap, level=0)
