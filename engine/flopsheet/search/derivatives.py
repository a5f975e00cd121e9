"""Where a smooth formula is at a level, by its derivatives: between the zeros of one, the one before it rises or falls.

So it has one zero there at most, which the signs at the ends tell (Rolle's theorem). Divisors are multiplied out: zero
over zero at a pole is then a zero of higher order, beside which bounds of a quotient tell nothing.
"""

from __future__ import annotations

import math
from collections import deque
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import sympy

from flopsheet.budget import is_over
from flopsheet.formulas.program import program_of
from flopsheet.formulas.trees import MOST_CACHED, too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.arithmetic import bisected, short_ratio
from flopsheet.numbers.sets import point
from flopsheet.search.field import Field
from flopsheet.search.grid import REALS
from flopsheet.search.points import Points
from flopsheet.search.poles import poles_of
from flopsheet.session import cached
from flopsheet.units import tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval
    from flopsheet.search.grid import Box
    from flopsheet.units import Number

MOST_ORDERS = 8  # derivatives
MOST_BOXES = 48  # that a box is split into
LARGEST = 150, 600  # nodes of a formula, and of a derivative
BROKEN = Trait.STEPPED | Trait.EXTREME | Trait.PERIODIC | Trait.CHOOSES | Trait.PIECEWISE  # no slope everywhere
Smooth: TypeAlias = "Callable[[Number], Derivatives | None]"


class _UndecidedError(Exception):
    """No derivative has one sign over a box, or digits do not tell its sign at an end."""


class Zeros(NamedTuple):
    """Where a function may be zero: at single numbers or between neighbours, and in boxes that were not decided."""

    gaps: list[Box]
    left: list[Box]


class Derivatives:
    """A formula less a level without its divisors, and its derivatives by one unknown.

    Args:
        function: the formula, without its divisors.
        divisor: these, multiplied.
        cuts: floats at which boxes are split, since poles are zeros of high order.
        unknown: its name.
        values: the other cells [base units].
    """

    def __init__(self, function: Expr, divisor: Expr, cuts: Iterable[Number], unknown: str, values: Values) -> None:
        self._functions, self._points = [function], list[Points]()
        self._divisor, self._cuts, self._unknown, self._values = divisor, sorted({0, *cuts}), unknown, values

    @cached_property
    def _below(self) -> Derivatives:
        return Derivatives(self._divisor, sympy.S.One, self._cuts, self._unknown, self._values)

    def zeros(self, low: Number, high: Number) -> Zeros:
        """Return where the function may be zero between two numbers."""
        cuts = [low, *(cut for cut in self._cuts if low < cut < high), high]
        waiting, tried = deque(pairwise(cuts)), 0
        gaps: set[Box] = set()
        left: list[Box] = []
        while waiting and not is_over() and tried < MOST_BOXES:
            box, tried = waiting.popleft(), tried + 1
            try:
                gaps.update(self._zeros(0, *box))
            except (_UndecidedError, ArithmeticError, ValueError):
                parts = REALS.split(float(box[0]), float(box[1]))
                waiting += parts or ()
                left += [] if parts else [box]
        return Zeros(sorted(gaps), [*left, *waiting])

    def has_no_pole(self, part: Interval) -> bool:
        """Whether the divisors are not zero inside a part, whatever they are at its ends."""
        zeros = self._below.zeros(part.lower, part.upper)
        return not zeros.left and all(low == high in (part.lower, part.upper) for low, high in zeros.gaps)

    def _at(self, order: int) -> Points:
        """Return a derivative at single numbers, compared with zero."""
        while len(self._points) <= order:
            if len(self._functions) <= order:
                self._functions.append(_derivative(self._functions[-1], symbol(self._unknown)))
            if order > MOST_ORDERS or too_large(self._functions[order], LARGEST[order > 0]):
                raise _UndecidedError
            function = Field(program_of(self._functions[len(self._points)]), self._unknown, self._values)
            self._points.append(Points(function, point(0), REALS))
        return self._points[order]

    def _zeros(self, order: int, low: Number, high: Number) -> set[Box]:
        """Return gaps in which all zeros of a derivative in a box lie."""
        points = self._at(order)
        bounds = points.field.bounds(REALS.span(low, high))
        if not bounds.total:
            raise _UndecidedError
        if not bounds.low <= 0 <= bounds.high:
            return set()
        cuts = sorted(self._zeros(order + 1, low, high))
        ends = [low, *(end for cut in cuts for end in cut), high]
        zeros: set[Box] = set()
        for start, stop in zip(ends[::2], ends[1::2], strict=True):
            zeros.update(self._between(points, start, stop))
        for first, last in cuts:
            if first == last:
                zeros.update([(first, first)] if self._sign(points, first) == 0 else [])
            else:
                zeros.add((first, last))
        return zeros

    def _between(self, points: Points, start: Number, stop: Number) -> list[Box]:
        """Return the zero of a function that rises or falls between two numbers, as a gap."""
        before, after = self._sign(points, start), self._sign(points, stop)
        if not before or not after or before == after:
            return [(end, end) for end, sign in ((start, before), (stop, after)) if not sign]
        first, last = _inside(start, math.inf), _inside(stop, -math.inf)
        if first < last and self._sign(points, first) == before and self._sign(points, last) == after:
            middle: Callable[[Any, Any], Number] = REALS.middle
            first, last = bisected(first, last, lambda at: self._sign(points, at) != before, middle)
        ends = sorted({start, first, last, stop})
        for at in (*ends, *(ratio for end in ends if (ratio := short_ratio(end)) is not None)):
            if self._sign(points, at) == 0:
                return [(at, at)]
        return next([pair] for pair in pairwise(ends) if self._sign(points, pair[1]) == after)

    @staticmethod
    def _sign(points: Points, at: Number) -> int:
        sign = points.compare(at, 0)
        if sign is None or at in points.unsure or at in points.unknown:
            raise _UndecidedError
        return sign


def _inside(end: Number, towards: float) -> Number:
    """Return an end that is a float, or the float next to it."""
    return end if end == float(end) else math.nextafter(float(end), towards)


@cached(maxsize=MOST_CACHED)
def _derivative(expression: Expr, unknown: Expr) -> Expr:
    return sympy.diff(expression, unknown)


def derivatives_of(form: Callable[[], Expr | None], unknown: str, values: Values, level: Number) -> Derivatives | None:
    """Return a formula less a level with its derivatives; None where it is not smooth, or too large."""
    formula = form()
    if formula is None or formula.has(*nodes(BROKEN)) or too_large(formula, LARGEST[0]):
        return None
    gap = sympy.together(formula - sympy.Rational(*level.as_integer_ratio()))
    if gap.has(*nodes(BROKEN)):  # of a root of a square, sympy makes the number's size
        return None
    function, divisor = sympy.fraction(gap)
    cuts = [tidy(pole) for pole in poles_of(formula, unknown, values) if pole == float(pole)]
    return Derivatives(function, divisor, cuts, unknown, values)
