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
        self.methods.append(_DEGREES.get(ratio.degree, Method.POLYNOMIAL))
        return self._between_roots(expression, ratio, target)

    def _ratio(self, expression: Expr) -> Rational | None:
        if expression not in self._ratios:
            self._ratios[expression] = as_rational(expression, self.unknown, self.values)
        return self._ratios[expression]

    def _between_roots(self, expression: Expr, ratio: Rational, target: RealSet) -> RealSet:
        ends: dict[Number, bool] = {}
        for interval in target:
            ends |= {end: closed or ends.get(end, False) for end, closed in interval.ends if is_finite(end)}
        cut, roots, poles = self._cut(expression, ratio, tuple(sorted(ends)))
        inside = tuple(piece for piece, value in cut if value is not None and near(value, target))
        included = (root for end, closed in ends.items() if closed for root in roots[end] if not is_one_of(root, poles))
        return union(inside, *map(point, included))

    def _cut(self, expression: Expr, ratio: Rational, ends: tuple[Number, ...]) -> Cut:
        """Return the pieces between poles and roots with a value inside each; targets often share their ends."""
        domain = ALL[0] if self.narrowed is None else self.whole_domain
        key = expression, ends, domain
        if key not in self._cuts:
            poles, roots = ratio.pole_values(), {end: real_roots(ratio.minus(end)) for end in ends}
            cut = pieces(domain, sorted({*poles, *(root for level in roots.values() for root in level)}))
            valued = [(piece, self.value_at(expression, Fraction(piece.inside()))) for piece in cut]
            self._cuts[key] = valued, roots, poles
        return self._cuts[key]
