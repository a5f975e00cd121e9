"""Solves one condition on one unknown: the best way that works, and says which."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.solver.closed_form import boundary_forms, coefficients
from flopsheet.solver.arithmetic import power
from flopsheet.solver.evaluate import Values, evaluate, value_or_none
from flopsheet.solver.intervals import EMPTY, Interval, RealSet, meet, point, side, union
from flopsheet.solver.peel import CannotPeelError, peel
from flopsheet.solver.scan import CLUSTER, clusters, cuts
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.sheets.relation import Relation
    from flopsheet.units import Number

HIGHEST_DEGREE = 2
_MIRROR = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_TARGET = sympy.Symbol("target of the core", real=True)
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Solution:
    """All values of an unknown that meet a condition.

    Args:
        values: the set, in base units.
        how: `peel`, `linear`, `quadratic`, `scan` or `constant`.
        forms: what the ends of the set may be, as expressions over the other cells.
    """

    values: RealSet
    how: str
    forms: tuple[Any, ...] = ()

    def form_at(self, end: Number, values: Values) -> Any | None:
        """Return the form that gives an end of the set at these values, or None."""
        for form in self.forms:
            found = value_or_none(form, values)
            if found is not None and close(found, end):
                return form
        return None


@dataclass(frozen=True)
class Scope:
    """What a condition is solved over.

    Args:
        unknown: symbol of the unknown.
        domain: values that make sense for it.
        values: the other cells, in base units.
    """

    unknown: Any
    domain: Interval
    values: Values

    def solve(self, condition: Relation) -> Solution | None:
        """Return the values of the unknown that meet a condition, or None where no way here works."""
        left, sign, right = condition.left, condition.operator, condition.right
        if not left.has(self.unknown):
            left, sign, right = right, _MIRROR[sign], left
        if right.has(self.unknown):
            left, right = left - right, sympy.Integer(0)
        return self._lying_in(left, side(sign, evaluate(right, self.values)), right)

    def _lying_in(self, expression: Any, target: RealSet, right: Any) -> Solution | None:
        """Return where an expression lies in a target, which `right` bounds."""
        if not expression.has(self.unknown):
            inside = _near(evaluate(expression, self.values), target)
            return Solution((self.domain,) if inside else EMPTY, "constant")
        try:
            core, target = peel(expression, self.unknown, target, self.values)
        except CannotPeelError:
            return None
        forms = boundary_forms(expression, self.unknown, right, HIGHEST_DEGREE)
        if core == self.unknown:
            return Solution(meet(target, (self.domain,)), "peel", forms)
        polynomial = coefficients(core - _TARGET, self.unknown, HIGHEST_DEGREE)
        poles = poles_of(core, self.unknown, self.values)
        if polynomial is None or poles is None:
            return Solution(self._scanned(core, target), "scan")
        found = self._between_roots(core, target, polynomial, poles)
        return Solution(found, "linear" if len(polynomial) == 2 else "quadratic", forms)

    def _between_roots(self, core: Any, target: RealSet, polynomial: list[Any], poles: set[Number]) -> RealSet:
        """Cut the domain where the core meets an end of the target or has a pole; one probe decides each piece."""
        roots: dict[Number, bool] = {}
        for each in target:
            for end, belongs in each.ends:
                if is_finite(end):
                    at_end = {**self.values, _TARGET.name: end}
                    found = real_roots([evaluate(part, at_end) for part in polynomial])
                    roots |= {root: belongs or roots.get(root, False) for root in found}
        pieces = _pieces(self.domain, sorted({*roots, *poles}))
        holding = tuple(each for each in pieces if self._probe(core, each.inside(), target))
        ends = [point(root) for root, belongs in roots.items() if belongs and root not in poles]
        return meet(union(holding, *ends), (self.domain,))

    def _scanned(self, core: Any, target: RealSet) -> RealSet:
        """Cut the domain where a scan finds that the core passes an end of the target; ends are floats."""
        function = self._as_function(core)
        levels = sorted({float(end) for each in target for end, _ in each.ends if is_finite(end)})
        found = sorted({cut for level in levels for cut in cuts(function, self.domain, level)})
        points = [_best(cluster, function, levels) for cluster in clusters(found)]
        poles = set(self._scanned_poles(core))
        pieces = _pieces(self.domain, sorted({*points, *poles}))
        holding = tuple(each for each in pieces if self._probe(core, each.inside(), target))
        meeting = (point(each) for each in points if each not in poles and _near(function(float(each)), target))
        return meet(union(holding, *meeting), (self.domain,))

    def _scanned_poles(self, core: Any) -> Iterator[Number]:
        """Return where a denominator vanishes, by its roots or a scan of its own."""
        for base in denominators(core, self.unknown):
            roots = roots_of(base, self.unknown, self.values)
            if roots is not None:
                yield from roots
                continue
            function = self._as_function(base)
            yield from (_best(cluster, function, [0.0]) for cluster in clusters(cuts(function, self.domain, 0.0)))

    def _as_function(self, core: Any) -> Callable[[float], float]:
        values = dict(self.values)

        def function(at: float) -> float:
            values[self.unknown.name] = at
            try:
                return float(evaluate(core, values))
            except (ArithmeticTrapError, OverflowError):
                return math.nan

        return function

    def _probe(self, core: Any, at: Number, target: RealSet) -> bool:
        value = value_or_none(core, {**self.values, self.unknown.name: at})
        return value is not None and any(value in each for each in target)


def _best(cluster: list[float], function: Callable[[float], float], levels: list[float]) -> Number:
    """Return the number of a cluster of cuts that meets a level best, a whole number before its neighbours."""

    def gap(at: Number) -> float:
        value = function(float(at))
        return math.inf if math.isnan(value) else min(abs(value - level) for level in levels)

    whole = round(cluster[0])
    is_near = abs(whole - cluster[0]) <= CLUSTER * abs(cluster[0])
    return min([whole, *cluster] if is_near else cluster, key=gap)


def _near(value: Number, target: RealSet) -> bool:
    """Whether a value lies in a set, a closed end of it being met within rounding of floats."""
    ends = [end for each in target for end, belongs in each.ends if belongs]
    return any(value in each for each in target) or (
        isinstance(value, float) and any(close(value, end) for end in ends)
    )


def poles_of(expression: Any, unknown: Any, values: Values) -> set[Number] | None:
    """Return where a denominator of the expression vanishes, cancelled or not; None where that is not known."""
    found: set[Number] = set()
    for base in denominators(expression, unknown):
        roots = roots_of(base, unknown, values)
        if roots is None:
            return None
        found |= set(roots)
    return found


def roots_of(expression: Any, unknown: Any, values: Values) -> list[Number] | None:
    """Return where a rational expression of low degree vanishes; None where it is none."""
    polynomial = coefficients(expression, unknown, HIGHEST_DEGREE)
    return None if polynomial is None else real_roots([evaluate(part, values) for part in polynomial])


def denominators(expression: Any, unknown: Any) -> list[Any]:
    """Return the parts of an expression that hold the unknown and stand below a bar."""
    nodes = sympy.preorder_traversal(expression)
    return [
        node.base for node in nodes if node.is_Pow and node.base.has(unknown) and node.exp.could_extract_minus_sign()
    ]


def _pieces(domain: Interval, cuts: Iterable[Number]) -> list[Interval]:
    ends = [domain.lower, *(cut for cut in cuts if domain.lower < cut < domain.upper), domain.upper]
    pieces = [Interval(low, high, lower_closed=False, upper_closed=False) for low, high in pairwise(ends)]
    first = pieces[0]
    pieces[0] = Interval(first.lower, first.upper, domain.lower_closed and first.lower not in cuts, upper_closed=False)
    last = pieces[-1]
    pieces[-1] = Interval(last.lower, last.upper, last.lower_closed, domain.upper_closed and last.upper not in cuts)
    return pieces


def real_roots(polynomial: list[Number]) -> list[Number]:
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
