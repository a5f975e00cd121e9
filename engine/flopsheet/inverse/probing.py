"""An expression of one unknown in numbers: its value at a point, its bounds over a range, and a search."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

import sympy

from flopsheet.budget import in_time
from flopsheet.formulas.code import compiled, within_floats
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.program import program_of
from flopsheet.formulas.trees import has_function, put_in
from flopsheet.functions import Trait, nodes
from flopsheet.functions.spec import NoInverseError
from flopsheet.inverse.method import Method
from flopsheet.inverse.rational import STEP, as_rational
from flopsheet.inverse.sharpness import Sharpness, is_crowded, sharp_constant, sharp_ratio
from flopsheet.numbers.ends import closed_ends, eased, may_be_computed
from flopsheet.numbers.polynomials import are_merged, is_blurred, is_one_of, real_roots
from flopsheet.numbers.sets import ALL, EMPTY, Interval, RealSet, is_in, pieces, point, union
from flopsheet.numbers.spans import NoValueError, Span, around
from flopsheet.numbers.within import is_outside
from flopsheet.search.enclosure import Enclosure
from flopsheet.search.field import Field
from flopsheet.search.known import Looks
from flopsheet.tolerances import EASE, NEAR_WHOLE
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.polynomials import Polynomial
    from flopsheet.numbers.progressions import Progression
    from flopsheet.numbers.rational import Rational
    from flopsheet.units import Number

Cut: TypeAlias = "tuple[list[tuple[Interval, Number | None]], dict[Number, list[Number]], set[Number]]"

CANCELLING = (sympy.Add, *nodes(Trait.STEPPED | Trait.PERIODIC))  # small errors of terms may be large ones of these
SURE_DEGREE = 2  # the signs of such roots are those of the coefficients
_DEGREES = {0: Method.LINEAR, 1: Method.LINEAR, 2: Method.QUADRATIC}


class Probing:
    """Looks at an expression of one unknown where the unknown has a value.

    Args:
        unknown: symbol of the unknown.
        domain: finds the values that make sense for it.
        values: the other cells, in base units.
        integer: whether only whole numbers make sense.

    `is_free` is whether the unknown stands for a part that takes any value, so that it does not matter on which side of
    zero rounding puts it.
    `methods` names what was done. `progressions` has values that are too many to list, `open` is where more may lie.
    """

    def __init__(self, unknown: Expr, domain: Callable[[], Interval], values: Values, *, integer: bool = False) -> None:
        self.unknown, self._domain, self.values, self.integer, self.is_free = unknown, domain, values, integer, False
        self.methods: list[Method] = []
        self.open: RealSet = EMPTY
        self.progressions: tuple[Progression, ...] = ()
        self.narrowed: Interval | None = None

    @cached_property
    def looks(self) -> Looks:
        """What was seen of expressions."""
        return Looks()

    @cached_property
    def sharpness(self) -> Sharpness:
        """What is given, and what rounding does."""
        return Sharpness()

    @cached_property
    def whole_domain(self) -> Interval:
        """The values that make sense for the unknown in any case."""
        return self._domain()

    @property
    def domain(self) -> Interval:
        """The values that make sense for the unknown, in the case that is looked at."""
        return self.whole_domain if self.narrowed is None else self.narrowed

    def field(self, expression: Expr) -> Field:
        """Return an expression as bounds over boxes of the unknown."""
        fields = self.looks.fields
        if expression not in fields:
            fields[expression] = Field(program_of(expression), self.unknown.name, self.values)
        return fields[expression]

    def bounds(self, expression: Expr) -> Span:
        """Return between which numbers an expression lies while the unknown runs through the domain."""
        known, domain = self.looks.bounds, self.domain
        if (expression, domain) not in known:
            known[expression, domain] = self.field(expression).bounds(around(domain.lower, domain.upper))
        return known[expression, domain]

    def step_misses(self, expression: Expr, node: Expr, value: Expr, target: RealSet) -> bool:
        """Whether an expression lies clearly outside of a target all over the domain where a function has a value."""
        stepped = put_in(expression, {node: STEP})
        if stepped not in self.looks.steps:
            self.looks.steps[stepped] = Enclosure(program_of(stepped), (self.unknown.name, STEP.name), self.values)
        enclosure, step = self.looks.steps[stepped], Span(int(value), int(value), exact=True)
        try:
            spans = enclosure.over((around(self.domain.lower, self.domain.upper), step))
        except NoValueError:
            return True
        return is_outside(spans[enclosure.program.result], target)

    def is_total_beside(self, expression: Expr, at: Number) -> bool:
        """Whether an expression has a value at a number, and beside it if that is a rounded one."""
        if not isinstance(at, float):
            return True
        return self.field(expression).bounds(Span(math.nextafter(at, -math.inf), math.nextafter(at, math.inf))).total

    def value_at(self, expression: Expr, at: Number) -> Number | None:
        """Return the value of an expression where the unknown has one, or None if it has none there."""
        code = compiled(expression)
        inputs = [at if name == self.unknown.name else self.values[name] for name in code.inputs]
        try:
            value = code.exact(*inputs)
        except (ArithmeticError, ValueError):
            return None
        return within_floats(value) if isinstance(value, float) else value

    def _sharp_value(self, expression: Expr, at: Number) -> Number | None:
        """Return the value at a number with all digits of the floats that are given, else as floats compute it."""
        exact = self.field(expression).exactly(at)
        return self.value_at(expression, at) if exact is None else exact

    def constant(self, expression: Expr) -> Number:
        """Return the value of an expression without the unknown, with all digits that are given.

        Raises:
            NoInverseError: its digits cancel.
        """
        if (
            not self.sharpness.is_given
            or expression.is_Symbol
            or expression.is_Number
            or not has_function(expression, CANCELLING)
        ):
            return evaluate(expression, self.values)
        known = self.looks.constants
        if expression not in known:
            known[expression] = sharp_constant(expression, self.values)
        sharp = known[expression]
        if sharp is None:
            raise NoInverseError("digits cancel in a constant")
        return sharp

    # --- rational functions, cut where they meet an end of the target or have a pole ---

    def rational(self, expression: Expr, target: RealSet, *, is_eased: bool = False) -> RealSet | None:
        """Cut the domain where it meets an end of the target or has a pole; one probe decides each piece.

        Where one is beyond a closed end by rounding alone, the ends are moved by that: not all of its piece is so near.
        """
        try:
            ratio = self._ratio(expression)
        except ZeroDivisionError:
            return EMPTY
        if ratio is None:
            return None
        self.methods.append(_DEGREES.get(ratio.degree, Method.POLYNOMIAL))
        ends: dict[Number, bool] = {}
        for interval in target:
            ends |= {end: closed or ends.get(end, False) for end, closed in interval.ends if is_finite(end)}
        levels = {end: ratio.minus(end) for end in ends} if self.sharpness.is_given else {}
        self._note_rounding(ratio, levels)
        cut, roots, poles = self._cut(expression, ratio, tuple(sorted(ends)))
        self.sharpness.compare((*poles, *(root for level in roots.values() for root in level)))
        if any(are_merged(level, roots[end]) for end, level in levels.items()):
            self._refuse("two roots are one float")
        found = [(level, root) for end, level in levels.items() for root in roots[end]]
        if ratio.is_exact and any(ratio.hides(level, root, poles) for level, root in found):
            self._refuse("a root and a pole are one float")
        near = (is_crowded(root, pole) for level in roots.values() for root in level for pole in poles)
        if not ratio.is_exact and any(near):
            self._refuse("a root may be a pole")
        valued = [(piece, value) for piece, value in in_time(cut) if value is not None]
        inside = tuple(piece for piece, value in valued if (is_in if ratio.degree else _is_at)(value, target))
        included = (root for end, closed in ends.items() if closed for root in roots[end] if not is_one_of(root, poles))
        within = union(inside, *map(point, included))
        if is_eased or not any(_is_at(value, target) for piece, value in valued if piece not in inside):
            return within
        return union(within, self.rational(expression, eased(target), is_eased=True) or EMPTY)

    def _note_rounding(self, ratio: Rational, levels: Mapping[Number, Polynomial]) -> None:
        """Note what rounding of coefficients and levels may do to roots."""
        is_sure = self.is_free or ratio.degree <= SURE_DEGREE
        if not (ratio.is_exact or (ratio.is_sharp and is_sure)):
            self.sharpness.blur()
        for level in levels.values() if not ratio.is_exact else ():
            for before, after in zip_longest(ratio.above, level, fillvalue=0.0):
                self.sharpness.subtract(point(before), point(after))
        rounded = (level for level in levels.values() if any(isinstance(each, float) for each in level))
        if any(map(is_blurred, rounded)):
            self._refuse("rounding hides whether it touches")

    def _refuse(self, reason: str) -> None:
        """Leave to a search what rounding hides; of a level that is rounded itself, only note it."""
        self.sharpness.blur()
        if self.sharpness.is_level_given:
            raise NoInverseError(reason)

    def _ratio(self, expression: Expr) -> Rational | None:
        """Return an expression as a rational function, with all digits that are given; None where it is none."""
        ratios = self.looks.ratios
        if expression not in ratios:
            ratio = as_rational(expression, self.unknown, self.values, self.looks.parts)
            if ratio is not None and not ratio.is_exact and self.sharpness.is_given:
                ratio = sharp_ratio(expression, self.unknown, self.values)
            ratios[expression] = ratio
        return ratios[expression]

    def _cut(self, expression: Expr, ratio: Rational, ends: tuple[Number, ...]) -> Cut:
        """Return the pieces between poles and roots with a value inside each; targets often share their ends."""
        domain = ALL[0] if self.narrowed is None else self.whole_domain
        key = expression, ends, domain
        if key not in self.looks.cuts:
            poles, roots = ratio.pole_values(), {end: real_roots(ratio.minus(end)) for end in in_time(ends)}
            cut = pieces(domain, sorted({*poles, *(root for level in roots.values() for root in level)}))
            at = ratio.at if ratio.is_exact or ratio.is_sharp else partial(self._sharp_value, expression)
            valued = [(piece, _value_inside(piece, at)) for piece in in_time(cut)]
            self.looks.cuts[key] = valued, roots, poles
        return self.looks.cuts[key]  # type: ignore[no-any-return]


def _value_inside(piece: Interval, at: Callable[[Fraction], Number | None]) -> Number | None:
    try:
        return at(Fraction(piece.inside()))
    except ZeroDivisionError:  # a root is so near to a pole that no number is between them
        return None


def _is_at(value: Number, target: RealSet) -> bool:
    """Whether a target contains a value, or rounding alone puts it beyond a closed end."""
    if is_in(value, target):
        return True
    share = Fraction(NEAR_WHOLE if isinstance(value, float) else EASE)
    rounded = [
        end for end in closed_ends(target) if isinstance(value, float) or isinstance(end, float) or may_be_computed(end)
    ]
    exact = Fraction(value) if is_finite(value) else None
    return exact is not None and any(abs(exact - Fraction(end)) <= share * abs(Fraction(end)) for end in rounded)
