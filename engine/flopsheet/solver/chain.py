"""A chain of formulas from an unknown to a relation, turned round cell by cell.

Where all that a relation needs of the unknown passes through one cell, that cell is found first, and then the chain
behind it: a thousand formulas in a row are a thousand small steps, and never one large expression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.sheets.cell import symbol
from flopsheet.sheets.functions import Indicator
from flopsheet.solver.cases import STEPPED
from flopsheet.solver.code import Compiled, over_floats
from flopsheet.solver.condition import Solution, one_sided
from flopsheet.solver.evaluate import Values, evaluate
from flopsheet.solver.intervals import ALL, EMPTY, Interval, RealSet, meet, near, side, union
from flopsheet.solver.reach import as_interval, reach_over
from flopsheet.solver.scan import scanned
from flopsheet.solver.trees import put_in, too_large
from flopsheet.solver.turning import INEXACT, LARGEST_SEGMENT, Turning
from flopsheet.solver.whole import tried
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.sheets.relation import Relation
    from flopsheet.units import Number

MOST_TESTED = 200
BESIDE, NEARBY, EASE = 1e-9, 1e-3, 1e-15
# What may have one value over a whole range.
FIRST_TRIED = 20_000
FLAT = (sympy.Max, sympy.Min, sympy.Abs, sympy.ceiling, sympy.floor, sympy.Mod, Indicator)


@dataclass(frozen=True)
class Chain:
    """The cells that depend on an unknown, each with its formula.

    Args:
        unknown: name of the unknown.
        domain: values that make sense for it.
        formulas: the cells that depend on it, in the order in which they follow from it.
        values: all cells that do not, in base units.
        integer: whether the unknown is a whole number.
    """

    unknown: str
    domain: Interval
    formulas: Mapping[str, Any]
    values: Values
    integer: bool = False

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate([self.unknown, *self.formulas])}

    @cached_property
    def domains(self) -> dict[str, Interval]:
        """What each cell can reach while the unknown runs through its domain, at most."""
        found = {self.unknown: self.domain}
        for name, formula in self.formulas.items():
            inside = {each: found[each.name] for each in formula.free_symbols if each.name in found}
            found[name] = as_interval(reach_over(formula, inside, self.values)) if inside else ALL[0]
        return found

    def at(self, value: Number, expression: Any) -> Number:
        """Return the value of an expression where the unknown has a value.

        Raises:
            ArithmeticTrapError: it has none there.
        """
        values = {**self.values, self.unknown: value}
        wanted = self._needed(expression)
        for name, formula in self.formulas.items():
            if name in wanted:
                values[name] = evaluate(formula, values, f"cell '{name}'")
        return evaluate(expression, values)

    def at_or_none(self, value: Number, expression: Any) -> Number | None:
        """Return the value of an expression where the unknown has a value, or None if it has none there."""
        try:
            return self.at(value, expression)
        except ArithmeticTrapError:
            return None

    def _needed(self, expression: Any) -> set[str]:
        seen: set[str] = set()
        waiting = [each.name for each in expression.free_symbols]
        while waiting:
            name = waiting.pop()
            if name in self.formulas and name not in seen:
                seen.add(name)
                waiting += [each.name for each in self.formulas[name].free_symbols]
        return seen

    def solve(self, condition: Relation, shown_right: Any | None = None) -> Solution | None:
        """Return the values of the unknown that meet a condition, or None where no way here works.

        Args:
            condition: the relation.
            shown_right: what closed forms have in place of its right side.
        """
        expression, sign, right = one_sided(condition, {symbol(name) for name in self._places})
        target = side(sign, evaluate(right, self.values))
        right = right if shown_right is None else shown_right
        if sign != "=" and self._has(expression, FLAT) and self._is_rounded(expression, target):
            target = _eased(target)
        found = self._found(expression, target, right)
        if found is None or not self.integer or found.how != "scan" or all(each.is_point for each in target):
            return found
        return self._with_trials(found, expression, target) if self._has(expression, STEPPED) else found

    def _is_rounded(self, expression: Any, target: RealSet) -> bool:
        """Whether floats play a part, so that a level may be met within rounding only."""
        names = {each.name for name in (*self._needed(expression),) for each in self.formulas[name].free_symbols}
        numbers = [self.values.get(name) for name in names | {each.name for each in expression.free_symbols}]
        numbers += [end for each in target for end, _ in each.ends if is_finite(end)]
        return (
            any(isinstance(each, float) for each in numbers)
            or self._has(expression, INEXACT)
            or self._has_root(expression)
        )

    def _has_root(self, expression: Any) -> bool:
        formulas = (self.formulas[name] for name in self._needed(expression))
        return any(not each.exp.is_Integer for part in (expression, *formulas) for each in part.atoms(sympy.Pow))

    def _found(self, expression: Any, target: RealSet, right: Any) -> Solution | None:
        turning = Turning(self, target)
        found = turning.solution(expression, right)
        if found is not None and self._is_proven(found, expression, target, exact=turning.exact):
            return found
        if found is not None and found.how in ("divisors", "trial", "period"):
            return found
        turned = found.values if found else EMPTY
        values = meet(union(turned, self._forward(expression, target)), (self.domain,))
        kept = tuple(
            each for each in values if not each.is_point or self._keeps(each.lower, turned, expression, target)
        )
        kept = kept or meet(self._forward(expression, _rounded(target)), (self.domain,))
        segments = found.segments if found else ()
        complete = (found is None or found.complete) and not self._has(expression, STEPPED)
        return Solution(kept, "scan", segments, right, complete)

    def _with_trials(self, found: Solution, expression: Any, target: RealSet) -> Solution:
        """Try the first whole numbers one by one where the relation jumps; a scan may miss jumps."""
        if not is_finite(self.domain.lower):
            return found
        last = math.ceil(self.domain.lower) + FIRST_TRIED
        window = self.domain if self.domain.upper <= last else replace(self.domain, upper=last, upper_closed=True)
        function = self.function(expression)

        def works(number: int) -> bool:
            value = function(float(number))
            if any(close(value, end) for each in target for end, _ in each.ends):
                exactly = self.at_or_none(number, expression)
                return exactly is not None and near(exactly, target)
            return any(value in each for each in target)

        runs = tried(works, window) or EMPTY
        beyond = meet(found.values, side(">", window.upper))
        return replace(found, values=union(runs, beyond), how="trial", complete=window == self.domain)

    def segment(self, expression: Any) -> tuple[str | None, Any]:
        """Put formulas in for cells until the expression depends on the unknown through one cell only.

        No cell and no expression if it grows too large, no cell if it does not depend on the unknown.
        """
        while True:
            names = sorted(
                (each.name for each in expression.free_symbols if each.name in self._places),
                key=self._places.__getitem__,
            )
            if len(names) < 2:
                return (names[0] if names else None), expression
            expression = put_in(expression, {symbol(names[-1]): self.formulas[names[-1]]})
            if too_large(expression, LARGEST_SEGMENT):
                return None, None

    def _is_proven(self, found: Solution, expression: Any, target: RealSet, *, exact: bool) -> bool:
        """Whether each single value found meets the condition; that there is none is proven by exact steps only."""
        points = [each.lower for each in found.values if each.is_point][:MOST_TESTED]
        if not found.values:
            return exact or len(found.segments) < 2 or found.how in ("constant", "divisors", "trial")
        return all(self._meets(at, expression, target) for at in points)

    def _meets(self, at: Number, expression: Any, target: RealSet) -> bool:
        value = self.at_or_none(at, expression)
        return value is not None and any(
            value in each or close(value, each.lower) or close(value, each.upper) for each in target
        )

    def _keeps(self, at: Number, turned: RealSet, expression: Any, target: RealSet) -> bool:
        """Whether a point meets the condition, or floats go no closer to where turning round found it."""
        if self._meets(at, expression, target):
            return True
        around = [self.at_or_none(float(at) * (1 + step), expression) for step in (-BESIDE, BESIDE)]
        sides = {None if value is None else value > target[0].lower for value in around}
        return len(sides) == 2 and any(at in each for each in turned)

    def _forward(self, expression: Any, target: RealSet) -> RealSet:
        """Scan the whole chain as one function of the unknown, and leave out where only rounding meets a value."""
        function = self.function(expression)
        found = scanned(function, self.domain, target)
        if not all(each.is_point for each in target) or self._has(expression, FLAT):
            return found
        return tuple(each for each in found if each.is_point and not _is_flat(function, float(each.lower)))

    def _has(self, expression: Any, functions: tuple[Any, ...]) -> bool:
        """Whether an expression, or a formula on the way to it, has one of these functions."""
        formulas = (self.formulas[name] for name in self._needed(expression))
        return any(each.has(*functions) for each in (expression, *formulas))

    def function(self, expression: Any) -> Callable[[float], float]:
        """Return an expression as a function of the unknown on floats."""
        wanted = self._needed(expression)
        steps = [(name, formula) for name, formula in self.formulas.items() if name in wanted]
        return over_floats(Compiled(steps, expression), self.unknown, self.values)


def _is_flat(function: Callable[[float], float], at: float) -> bool:
    """Whether a function has one value all around a point, as far out on the way to a limit."""
    return function(at * (1 - NEARBY)) == function(at) == function(at * (1 + NEARBY))


def _eased(target: RealSet) -> RealSet:
    """Return a target whose closed ends are moved outwards by rounding, so that what is flat there is met."""

    def moved(end: Number, closed: bool, way: int) -> Number:
        return end + way * EASE * abs(float(end)) if closed and is_finite(end) and end else end

    return tuple(
        replace(each, lower=moved(each.lower, each.lower_closed, -1), upper=moved(each.upper, each.upper_closed, 1))
        for each in target
    )


def _rounded(target: RealSet) -> RealSet:
    """Return the numbers within rounding of a target's single points: what floats may make of a value that is met."""
    points = [float(each.lower) for each in target if each.is_point]
    return union(tuple(Interval(at - abs(at) * BESIDE, at + abs(at) * BESIDE) for at in points))


def widened(domain: Interval) -> Interval:
    """Return a range whose ends that are floats are moved outwards: what others leave is known within rounding only."""
    lower, upper = domain.lower, domain.upper
    low = lower - BESIDE * abs(lower) if isinstance(lower, float) and is_finite(lower) else lower
    high = upper + BESIDE * abs(upper) if isinstance(upper, float) and is_finite(upper) else upper
    return replace(domain, lower=low, upper=high)
