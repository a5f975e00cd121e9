"""Rational functions of one unknown: cut where they meet an end of the target or have a pole, then probed."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from flopsheet.inverse.method import Method
from flopsheet.inverse.probing import Probing
from flopsheet.inverse.rational import Rational, as_rational
from flopsheet.inverse.roots import is_one_of, real_roots
from flopsheet.numbers.sets import ALL, EMPTY, Interval, RealSet, near, pieces, point, union
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.units import Number

Cut: TypeAlias = "tuple[list[tuple[Interval, Number | None]], dict[Number, list[Number]], set[Number]]"

_DEGREES = {0: Method.LINEAR, 1: Method.LINEAR, 2: Method.QUADRATIC}


class Cutting(Probing):
    """Inverts rational expressions of one unknown."""

    def __init__(self, unknown: Expr, domain: Callable[[], Interval], values: Values, *, integer: bool = False) -> None:
        super().__init__(unknown, domain, values, integer=integer)
        self._ratios: dict[Expr, Rational | None] = {}
        self._cuts: dict[tuple[Expr, tuple[Number, ...], Interval], Cut] = {}

    def rational(self, expression: Expr, target: RealSet) -> RealSet | None:
        """Cut the domain where it meets an end of the target or has a pole; one probe decides each piece."""
        try:
            ratio = self._ratio(expression)
        except ZeroDivisionError:
            return EMPTY
        if ratio is None:
            return None
        self.ways.append(_DEGREES.get(ratio.degree, Method.POLYNOMIAL))
        return self._between_roots(expression, ratio, target)

    def _ratio(self, expression: Expr) -> Rational | None:
        if expression not in self._ratios:
            self._ratios[expression] = as_rational(expression, self.unknown, self.values)
        return self._ratios[expression]

    def _between_roots(self, expression: Expr, ratio: Rational, target: RealSet) -> RealSet:
        ends: dict[Number, bool] = {}
        for each in target:
            ends |= {end: belongs or ends.get(end, False) for end, belongs in each.ends if is_finite(end)}
        cut, roots, poles = self._cut(expression, ratio, tuple(sorted(ends)))
        inside = tuple(each for each, value in cut if value is not None and near(value, target))
        kept = (root for end, belongs in ends.items() if belongs for root in roots[end] if not is_one_of(root, poles))
        return union(inside, *map(point, kept))

    def _cut(self, expression: Expr, ratio: Rational, ends: tuple[Number, ...]) -> Cut:
        """Return the pieces between poles and roots with a value inside each: other targets may have the same ends."""
        domain = ALL[0] if self.narrowed is None else self.whole_domain
        question = expression, ends, domain
        if question not in self._cuts:
            poles, roots = ratio.pole_values(), {end: real_roots(ratio.minus(end)) for end in ends}
            cut = pieces(domain, sorted({*poles, *(root for each in roots.values() for root in each)}))
            valued = [(each, self.value_at(expression, Fraction(each.inside()))) for each in cut]
            self._cuts[question] = valued, roots, poles
        return self._cuts[question]
