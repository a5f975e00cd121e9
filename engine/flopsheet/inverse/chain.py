"""A chain of formulas from an unknown to a relation, inverted cell by cell.

Where a relation depends on the unknown through one cell only, that cell is inverted first, and then the chain behind
it: a thousand formulas in a row are a thousand small steps, never one large expression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.formulas.code import over_floats, over_spans
from flopsheet.formulas.evaluate import Values, evaluate, value_or_none
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.bounds import bounds_over, span_interval
from flopsheet.inverse.inversion import Inversion
from flopsheet.inverse.links import Links, links
from flopsheet.inverse.method import Method
from flopsheet.inverse.scan import Samples, scanned
from flopsheet.inverse.solution import Solution
from flopsheet.inverse.whole import tried
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, is_in, meet, near, point, side, union
from flopsheet.numbers.spans import ANYTHING, verdict
from flopsheet.tolerances import BESIDE, EASE, NEARBY, NEXT_INTEGER
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.units import Number

MOST_TESTED = 200
FIRST_TRIED = 20_000


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
                inside = {symbol(source): domains[source] for source in self.links.links[name]}
                span = bounds_over(self.formulas[name], inside, self.values) if inside else ANYTHING
                domains[name] = span_interval(span)
        return domains[cell]

    def at_or_none(self, value: Number, expression: Expr) -> Number | None:
        """Return the value of an expression where the unknown has a value, or None if it has none there."""
        values = {**self.values, self.unknown: value}
        for name in self.links.needed(expression):
            value_of_cell = value_or_none(self.formulas[name], values)
            if value_of_cell is None:
                return None
            values[name] = value_of_cell
        return value_or_none(expression, values)

    def solve(self, condition: Relation, shown_right: Expr | None = None) -> Solution | None:
        """Return the values of the unknown that meet a condition, or None where no method applies.

        Args:
            condition: the relation.
            shown_right: the right side for closed forms, where it differs from the condition's.
        """
        expression, sign, right = condition.one_sided(self.links.symbols)
        target = side(sign, evaluate(right, self.values))
        right = right if shown_right is None else shown_right
        if sign != "=" and self.links.has(expression, nodes(Trait.FLAT)) and self._is_rounded(expression, target):
            target = _eased(target)
        solution = self._solution(expression, target, right)
        if solution is None or not self.integer:
            return solution
        if (
            solution.how is Method.SCAN
            and not all(part.is_point for part in target)
            and self.links.has(expression, nodes(Trait.STEPPED))
        ):
            return self._with_trials(solution, expression, target)
        values = union(*(self._at_integer(part, expression, target) for part in solution.values))
        return replace(solution, values=values)

    def _at_integer(self, part: Interval, expression: Expr, target: RealSet) -> RealSet:
        """Return the integer next to a float solution where floats cannot tell the two apart."""
        if not (part.is_point and isinstance(part.lower, float)):
            return (part,)
        integer = round(part.lower)
        near_it = abs(part.lower - integer) <= NEXT_INTEGER * abs(integer)
        return point(integer) if near_it and self._meets(integer, expression, target) else (part,)

    def _is_rounded(self, expression: Expr, target: RealSet) -> bool:
        """Whether floats are involved, so that a level may be met within rounding only."""
        names = {cell.name for part in self.links.parts(expression) for cell in part.free_symbols}
        numbers = [*(self.values.get(name) for name in names)]
        numbers += [end for part in target for end, _ in part.ends if is_finite(end)]
        exact = not any(isinstance(number, float) for number in numbers)
        return not exact or self.links.has(expression, nodes(Trait.INEXACT)) or self.links.has_root(expression)

    def _solution(self, expression: Expr, target: RealSet, right: Expr) -> Solution | None:
        inversion = Inversion(self, target)
        solution = inversion.solution(expression, right)
        if solution is not None and self._is_proven(solution, expression, target, exact=inversion.exact):
            return solution
        if solution is not None and solution.how in (Method.DIVISORS, Method.TRIAL, Method.PERIOD):
            return self._met_only(solution, expression, target)
        inverted = solution.values if solution else EMPTY
        forward, complete = self._forward(expression, target)
        values = tuple(
            part
            for part in meet(union(inverted, forward), (self.domain,))
            if not part.is_point or self._is_solution(part.lower, inverted, expression, target)
        )
        values = values or meet(self._forward(expression, _rounded(target))[0], (self.domain,))
        segments = solution.segments if solution else ()
        complete &= (solution is None or solution.complete) and not self.links.has(expression, nodes(Trait.STEPPED))
        return Solution(values, Method.SCAN, segments, right, complete)

    def _met_only(self, solution: Solution, expression: Expr, target: RealSet) -> Solution:
        """Return a solution without single values that miss the condition, as floats next to a pole may."""
        values = solution.values
        met = tuple(part for part in values if not part.is_point or self._meets(part.lower, expression, target))
        return replace(solution, values=met or values, complete=solution.complete and len(met) == len(values))

    def _with_trials(self, solution: Solution, expression: Expr, target: RealSet) -> Solution:
        """Try the first integers one by one where the relation jumps: a scan may miss jumps."""
        if not is_finite(self.domain.lower):
            return solution
        last = math.ceil(self.domain.lower) + FIRST_TRIED
        window = self.domain if self.domain.upper <= last else replace(self.domain, upper=last, upper_closed=True)
        function = self.function(expression)

        def works(number: int) -> bool:
            value = function(float(number))
            if any(close(value, end) for part in target for end, _ in part.ends):
                exactly = self.at_or_none(number, expression)
                return exactly is not None and near(exactly, target)
            return is_in(value, target)

        bounds = over_spans(self.links.compiled(expression), self.unknown, self.values)
        runs = tried(works, window, lambda run: verdict(bounds(run), target)) or EMPTY
        beyond = meet(solution.values, side(">", window.upper))
        return replace(solution, values=union(runs, beyond), how=Method.TRIAL, complete=window == self.domain)

    def _is_proven(self, solution: Solution, expression: Expr, target: RealSet, *, exact: bool) -> bool:
        """Whether each single value meets the condition; only exact steps prove that no value does."""
        points = [part.lower for part in solution.values if part.is_point][:MOST_TESTED]
        if not solution.values:
            return (
                exact or len(solution.segments) < 2 or solution.how in (Method.CONSTANT, Method.DIVISORS, Method.TRIAL)
            )
        return all(self._meets(at, expression, target) for at in points)

    def _meets(self, at: Number, expression: Expr, target: RealSet) -> bool:
        value = self.at_or_none(at, expression)
        return value is not None and any(
            value in part or close(value, part.lower) or close(value, part.upper) for part in target
        )

    def _is_solution(self, at: Number, inverted: RealSet, expression: Expr, target: RealSet) -> bool:
        """Whether a point meets the condition, or is the float nearest to where the relation changes sides."""
        if self._meets(at, expression, target):
            return True
        level = target[0].lower
        here, *around = (self.at_or_none(float(at) * (1 + step), expression) for step in (0, -BESIDE, BESIDE))
        sides = {None if value is None else value > level for value in around}
        if len(sides) < 2:
            return False
        gaps = [math.inf if value is None else abs(float(value - level)) for value in (here, *around)]
        crosses = None not in sides and gaps[0] <= min(gaps[1:]) / 2  # a jump or a pole has no value in between
        return crosses or any(at in part for part in inverted)

    def _forward(self, expression: Expr, target: RealSet) -> tuple[RealSet, bool]:
        """Scan the whole chain as one function of the unknown, without points that only rounding lets meet a value."""
        function = self.function(expression)
        values, complete = scanned(Samples(function, self.domain), target)
        if not all(part.is_point for part in target) or self.links.has(expression, nodes(Trait.FLAT)):
            return values, complete
        return tuple(part for part in values if part.is_point and not _is_flat(function, float(part.lower))), complete

    def function(self, expression: Expr) -> Callable[[float], float]:
        """Return an expression as a function of the unknown on floats."""
        return over_floats(self.links.compiled(expression), self.unknown, self.values)


def _is_flat(function: Callable[[float], float], at: float) -> bool:
    """Whether a function has the same value on both sides of a point, as where it is close to its limit."""
    return function(at * (1 - NEARBY)) == function(at) == function(at * (1 + NEARBY))


def _eased(target: RealSet) -> RealSet:
    """Return a target whose closed ends are moved outwards by rounding, so that a plateau at an end is met."""

    def moved(end: Number, closed: bool, direction: int) -> Number:
        return end + direction * EASE * abs(float(end)) if closed and is_finite(end) and end else end

    return tuple(
        replace(part, lower=moved(part.lower, part.lower_closed, -1), upper=moved(part.upper, part.upper_closed, 1))
        for part in target
    )


def _rounded(target: RealSet) -> RealSet:
    """Return the numbers within rounding of a target's single points, which floats may give for a value that is met."""
    points = [float(part.lower) for part in target if part.is_point]
    return union(tuple(Interval(at - abs(at) * BESIDE, at + abs(at) * BESIDE) for at in points))
