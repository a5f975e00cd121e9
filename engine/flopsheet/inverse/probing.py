"""What numbers alone tell of an expression of one unknown: its value at a point, whole numbers tried one by one."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.code import compiled, over_floats, over_spans, within_floats
from flopsheet.formulas.trees import put_in
from flopsheet.functions import Trait, nodes
from flopsheet.functions.rounding import REMAINDER
from flopsheet.inverse.method import Method
from flopsheet.inverse.whole import tried
from flopsheet.numbers.sets import Interval, RealSet, near
from flopsheet.numbers.spans import around, is_inside, is_outside, verdict
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.spans import Span
    from flopsheet.units import Number

FIRST_TRIED = 5000
STEP = sympy.Symbol("__step", real=True)


class Probing:
    """Looks at an expression of one unknown where the unknown has a value.

    Args:
        unknown: symbol of the unknown.
        domain: finds the values that make sense for it.
        values: the other cells, in base units.
        integer: whether only whole numbers make sense.

    `methods` names what was done, `complete` says whether all answers are there: those of remainders and angles over an
    endless domain are not.
    """

    def __init__(self, unknown: Expr, domain: Callable[[], Interval], values: Values, *, integer: bool = False) -> None:
        self.unknown, self._domain, self.values, self.integer = unknown, domain, values, integer
        self.methods: list[Method] = []
        self.complete = True
        self.narrowed: Interval | None = None
        self._spans: dict[Expr, Callable[[Span], Span]] = {}

    @cached_property
    def whole_domain(self) -> Interval:
        """The values that make sense for the unknown in any case."""
        return self._domain()

    @property
    def domain(self) -> Interval:
        """The values that make sense for the unknown, in the case that is looked at."""
        return self.whole_domain if self.narrowed is None else self.narrowed

    def one_by_one(self, expression: Expr, target: RealSet) -> RealSet | None:
        """Try the whole numbers of the domain; of a remainder over an endless one, the first."""
        rounds = expression.has(*nodes(Trait.STEPPED), REMAINDER.node)
        points = all(each.is_point for each in target)
        if not self.integer or not rounds or (points and not expression.has(REMAINDER.node)):
            return None
        domain = self.domain
        endless = not (is_finite(domain.lower) and is_finite(domain.upper))
        if endless and not (expression.has(REMAINDER.node) and is_finite(domain.lower)):
            return None
        if endless:
            self.complete = False
            domain = replace(domain, upper=math.ceil(domain.lower) + FIRST_TRIED, upper_closed=True)
        return self.tried(expression, target, domain)

    def tried(self, expression: Expr, target: RealSet, domain: Interval) -> RealSet | None:
        """Try the whole numbers of a domain; None where they are too many."""
        bounds = self._bounds_of(expression)
        found = tried(
            lambda each: self.probe(expression, each, target), domain, lambda run: verdict(bounds(run), target)
        )
        if found is not None:
            self.methods.append(Method.TRIAL)
        return found

    def function(self, expression: Expr) -> Callable[[float], float]:
        """Return an expression as a function of the unknown on floats."""
        return over_floats(compiled(expression), self.unknown.name, self.values)

    def bounds(self, expression: Expr) -> Span:
        """Return between which floats an expression lies while the unknown runs through the domain."""
        return self._bounds_of(expression)(around(self.domain.lower, self.domain.upper))

    def _bounds_of(self, expression: Expr) -> Callable[[Span], Span]:
        if expression not in self._spans:
            self._spans[expression] = over_spans(compiled(expression), self.unknown.name, self.values)
        return self._spans[expression]

    def misses(self, expression: Expr, target: RealSet) -> bool:
        """Whether an expression lies clearly outside of a target all over the domain."""
        return is_outside(self.bounds(expression), target)

    def step_misses(self, expression: Expr, node: Expr, value: Expr, target: RealSet) -> bool:
        """Whether an expression lies clearly outside of a target all over the domain where a function has a value."""
        made = compiled(put_in(expression, {node: STEP}))
        bounds = over_spans(made, self.unknown.name, {**self.values, STEP.name: int(value)})
        return is_outside(bounds(around(self.domain.lower, self.domain.upper)), target)

    def fills(self, expression: Expr, target: RealSet) -> bool:
        """Whether an expression has a value that lies clearly inside of a target all over the domain."""
        return is_inside(self.bounds(expression), target)

    def value_at(self, expression: Expr, at: Number) -> Number | None:
        """Return the value of an expression where the unknown has one, or None if it has none there."""
        made = compiled(expression)
        inputs = [at if name == self.unknown.name else self.values[name] for name in made.inputs]
        try:
            value = made.exact(*inputs)
        except (ArithmeticError, ValueError):
            return None
        return within_floats(value) if isinstance(value, float) else value

    def probe(self, expression: Expr, at: Number, target: RealSet) -> bool:
        """Whether an expression lies in a target where the unknown has a value."""
        value = self.value_at(expression, at)
        return value is not None and near(value, target)
