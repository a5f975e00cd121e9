"""Where an expression of one unknown lies in a set: the ladder of ways, from undoing one layer to a scan."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.sheets.functions import has_no_value
from flopsheet.solver.cases import MOST_STEPS, NOT_NEGATIVE, PIECEWISE, STEPPED, Case, cases, demands, steps
from flopsheet.solver.code import compiled, over_floats, within_floats
from flopsheet.solver.evaluate import Values, evaluate, value_or_none
from flopsheet.solver.intervals import (
    ALL,
    EMPTY,
    Interval,
    RealSet,
    complement,
    hull,
    mapped,
    meet,
    near,
    pieces,
    point,
    side,
    union,
)
from flopsheet.solver.peel import CannotPeelError, undo
from flopsheet.solver.periodic import PERIODIC, one_period, repeated
from flopsheet.solver.rational import HIGHEST_DEGREE, Rational, as_rational, is_one_of, real_roots
from flopsheet.solver.reach import reach
from flopsheet.solver.scan import scanned, zeros
from flopsheet.solver.trees import denominators, innermost, irrational_parts, put_in
from flopsheet.solver.whole import divisor_set, tried
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.units import Number

MOST_CASES = 64
FIRST_TRIED = 5000
_DEGREES = {0: "linear", 1: "linear", 2: "quadratic"}
_PART = sympy.Dummy("part", real=True)


class Preimage:
    """Inverts expressions of one unknown.

    Args:
        unknown: symbol of the unknown.
        domain: finds the values that make sense for it.
        values: the other cells, in base units.
        integer: whether only whole numbers make sense.

    `ways` names what was done, `complete` says whether all answers are there: those of remainders and angles over an
    endless domain are not.
    """

    def __init__(self, unknown: Any, domain: Callable[[], Interval], values: Values, *, integer: bool = False) -> None:
        self.unknown, self._domain, self.values, self.integer = unknown, domain, values, integer
        self.ways: list[str] = []
        self.complete = True
        self._cases_left, self._steps_left = MOST_CASES, MOST_STEPS

    @cached_property
    def domain(self) -> Interval:
        """The values that make sense for the unknown."""
        return self._domain()

    def of(self, expression: Any, target: RealSet) -> RealSet:
        """Return where an expression lies in a target.

        Raises:
            CannotPeelError: it repeats itself without end in a way that cannot be listed.
        """
        if not target or has_no_value(expression):
            return EMPTY
        if expression == self.unknown:
            return target
        if not expression.has(self.unknown):
            return self._constant(expression, target)
        if isinstance(expression, PERIODIC):
            return self._periodic(expression, target)
        inside = [arg for arg in expression.args if arg.has(self.unknown)]
        if len(inside) == 1:
            return self._peeled(expression, inside[0], target)
        ways = (self._extreme, self.rational, self._by_part, self._by_root, self._one_by_one, self._by_cases)
        tries = (way(expression, target) for way in ways)
        found = next((found for found in tries if found is not None), None)
        return self._scanned(expression, target) if found is None else found

    def _constant(self, expression: Any, target: RealSet) -> RealSet:
        value = value_or_none(expression, self.values)
        return ALL if value is not None and near(value, target) else EMPTY

    def _peeled(self, expression: Any, layer: Any, target: RealSet) -> RealSet:
        try:
            return self.of(layer, undo(expression, layer, target, self.values))
        except CannotPeelError:
            found = self._by_cases(expression, target)
            return self._scanned(expression, target) if found is None else found

    def _periodic(self, expression: Any, target: RealSet) -> RealSet:
        inside, *divisors = expression.args
        if divisors and divisors[0].has(self.unknown):
            return self._divisors(expression, target)
        divisor = evaluate(divisors[0], self.values) if divisors else 0
        once, period = one_period(expression.func, target, divisor)
        span = reach(inside, self.unknown, self.domain, self.values)
        found, complete = repeated(once, period, span)
        if self.integer and not complete:
            runs = self._tried(expression, target, self.domain)
            if runs is not None:
                return runs
        self.complete &= complete
        self.ways.append("period")
        return self.of(inside, found)

    def _divisors(self, expression: Any, target: RealSet) -> RealSet:
        found = divisor_set(expression, self.unknown, target, self.values) if self.integer else None
        if found is not None:
            self.ways.append("divisors")
            return found
        found = self._one_by_one(expression, target)
        if found is None:
            raise CannotPeelError("endlessly many numbers leave a remainder")
        return found

    def _extreme(self, expression: Any, target: RealSet) -> RealSet | None:
        """max(f, g) >= a where either is; max(f, g) <= b where both are."""
        if not isinstance(expression, sympy.Max | sympy.Min):
            return None
        any_of, all_of = (">", "<") if isinstance(expression, sympy.Max) else ("<", ">")
        found = EMPTY
        for each in target:
            ends = {"<": (each.upper, each.upper_closed), ">": (each.lower, each.lower_closed)}
            reached = union(*(self.of(arg, _beyond(any_of, *ends[any_of])) for arg in expression.args))
            for arg in expression.args:
                reached = meet(reached, self.of(arg, _beyond(all_of, *ends[all_of])))
            found = union(found, reached)
        return found

    def rational(self, expression: Any, target: RealSet) -> RealSet | None:
        """Cut the domain where it meets an end of the target or has a pole; one probe decides each piece."""
        try:
            ratio = as_rational(expression, self.unknown, self.values)
        except ZeroDivisionError:
            return EMPTY
        if ratio is None:
            return None
        self.ways.append(_DEGREES.get(ratio.degree, "polynomial"))
        return self._between_roots(expression, ratio, target)

    def _between_roots(self, expression: Any, ratio: Rational, target: RealSet) -> RealSet:
        poles = ratio.pole_values()
        roots: dict[Number, bool] = {}
        for each in target:
            for end, belongs in each.ends:
                if is_finite(end):
                    roots |= {root: belongs or roots.get(root, False) for root in real_roots(ratio.minus(end))}
        cut = pieces(ALL[0], sorted({*roots, *poles}))
        holding = tuple(each for each in cut if self._probe(expression, Fraction(each.inside()), target))
        return union(
            holding, *(point(root) for root, belongs in roots.items() if belongs and not is_one_of(root, poles))
        )

    def _by_part(self, expression: Any, target: RealSet) -> RealSet | None:
        """Solve for the one function that holds every occurrence of the unknown: log(x) in log(x)**2 + log(x)."""
        parts = irrational_parts(expression, self.unknown)
        if len(parts) != 1:
            return None
        (part,) = parts
        over_part = expression.xreplace({part: _PART})
        if over_part.has(self.unknown) or part == expression:
            return None
        inner = Preimage(_PART, lambda: ALL[0], self.values)
        found = inner.of(over_part, target)
        self.ways += inner.ways
        return self.of(part, found)

    def _by_root(self, expression: Any, target: RealSet) -> RealSet | None:
        """Solve for a root of the unknown that makes it a polynomial: x + sqrt(x) is t**2 + t."""
        parts = irrational_parts(expression, self.unknown)
        roots = [part for part in parts if part.is_Pow and part.base == self.unknown and part.exp.is_Rational]
        if not parts or len(roots) != len(parts) or self.domain.lower < 0:
            return None
        order = math.lcm(*(int(part.exp.q) for part in roots))
        if order > HIGHEST_DEGREE:
            return None
        inner = Preimage(_PART, lambda: NOT_NEGATIVE[0], self.values)
        powers = {part: _PART ** (part.exp * order) for part in roots}
        found = inner.rational(expression.xreplace(powers).xreplace({self.unknown: _PART**order}), target)
        if found is None:
            return None
        self.ways += inner.ways
        kept = meet(found, NOT_NEGATIVE)
        return tuple(mapped(each, lambda end: end**order, rising=True) for each in kept)

    def _by_cases(self, expression: Any, target: RealSet) -> RealSet | None:
        node = innermost(expression, self.unknown, PIECEWISE)
        if node is None:
            return self._by_steps(expression, target)
        found = list(cases(node))
        if len(found) > self._cases_left:
            return None
        self._cases_left -= len(found)
        self.ways.append("cases")
        return union(*(self._in_case(expression, node, case, target) for case in found))

    def _by_steps(self, expression: Any, target: RealSet) -> RealSet | None:
        """Take a rounding step by step; where there are endlessly many, the first ones, and scan beyond."""
        node = innermost(expression, self.unknown, STEPPED)
        if node is None:
            return None
        found, complete = steps(node, reach(node, self.unknown, self.domain, self.values), self._steps_left)
        self._steps_left -= len(found)
        if not found:
            return None
        self.ways.append("cases")
        stepped = union(*(self._in_case(expression, node, case, target) for case in found))
        if complete:
            return stepped
        self.complete = False
        covered = union(*(self.of(node, case.where[0][1]) for case in (found[0], found[-1])))
        between = hull(covered)
        beyond = meet(self._scanned(expression, target), complement((between,) if between else EMPTY))
        return union(stepped, beyond)

    def _in_case(self, expression: Any, node: Any, case: Case, target: RealSet) -> RealSet:
        branch = put_in(expression, {node: case.value})
        kept = set(demands(branch, self.unknown))
        lost = ((put_in(part, {node: case.value}), lies) for part, lies in demands(expression, self.unknown))
        region: RealSet = (self.domain,)
        try:
            for part, lies in (*case.where, *(each for each in lost if each not in kept), (branch, target)):
                region = meet(region, self.of(part, lies)) if region else EMPTY
        except ArithmeticTrapError:
            return EMPTY
        return region

    def _one_by_one(self, expression: Any, target: RealSet) -> RealSet | None:
        """Try the whole numbers of the domain; of a remainder over an endless one, the first."""
        rounds = expression.has(sympy.Mod, *STEPPED)
        points = all(each.is_point for each in target)
        if not self.integer or not rounds or (points and not expression.has(sympy.Mod)):
            return None
        domain = self.domain
        endless = not (is_finite(domain.lower) and is_finite(domain.upper))
        if endless and not (expression.has(sympy.Mod) and is_finite(domain.lower)):
            return None
        if endless:
            self.complete = False
            domain = replace(domain, upper=math.ceil(domain.lower) + FIRST_TRIED, upper_closed=True)
        return self._tried(expression, target, domain)

    def _tried(self, expression: Any, target: RealSet, domain: Interval) -> RealSet | None:
        found = tried(lambda number: self._probe(expression, number, target), domain)
        if found is not None:
            self.ways.append("trial")
        return found

    def _scanned(self, expression: Any, target: RealSet) -> RealSet:
        self.ways.append("scan")
        bounded = is_finite(self.domain.lower) and is_finite(self.domain.upper)
        self.complete &= bounded or not expression.has(*PERIODIC)
        function = self._as_function(expression)
        poles = [pole for base in denominators(expression, self.unknown) for pole in self._zeros(base)]
        return scanned(function, self.domain, target, poles)

    def _zeros(self, base: Any) -> list[Number]:
        ratio = as_rational(base, self.unknown, self.values)
        if ratio is None:
            return zeros(self._as_function(base), self.domain)
        return real_roots(ratio.above)

    def _as_function(self, expression: Any) -> Callable[[float], float]:
        return over_floats(compiled(expression), self.unknown.name, self.values)

    def _probe(self, expression: Any, at: Number, target: RealSet) -> bool:
        made = compiled(expression)
        inputs = [at if name == self.unknown.name else self.values[name] for name in made.inputs]
        try:
            value = made.exact(*inputs)
        except (ArithmeticError, ValueError):
            return False
        return near(within_floats(value) if isinstance(value, float) else value, target)


def _beyond(sign: str, end: Number, closed: bool) -> RealSet:
    return ALL if not is_finite(end) else side(sign + "=" * closed, end)
