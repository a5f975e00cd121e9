"""Sines and their inverses on degrees, the base unit of angles: sympy's own take radians, which are pure numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv

from flopsheet.functions.enclosed import as_set
from flopsheet.functions.spec import Function, Trait, Units, node_class
from flopsheet.functions.symbols import formula_function
from flopsheet.layout.nodes import PRODUCT, Call, Node
from flopsheet.numbers.many_digits import is_beyond
from flopsheet.numbers.sets import Interval, RealSet, mapped, meet, union
from flopsheet.numbers.spans import Span, as_span
from flopsheet.session import cached
from flopsheet.tolerances import CONTRACTION, LIBRARY, NEAR_WHOLE, in_spreadsheets
from flopsheet.units import PURE_NUMBER, Dimension, is_finite, size, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

FULL_TURN, HALF_TURN, RIGHT_ANGLE = 360, 180, 90
LARGEST_ANGLE = 1e9  # of larger ones, bounds know no digit behind the point
_PER_DEGREE = sympy.pi / HALF_TURN
_ONE = (Interval(-1, 1),)
_RISING = Interval(-RIGHT_ANGLE, RIGHT_ANGLE)
_HALF = Interval(-RIGHT_ANGLE, RIGHT_ANGLE, lower_closed=False, upper_closed=False)


@cached(maxsize=1)
def angle() -> Dimension:
    """Return the dimension of angles, once a unit is needed: reading the units takes long."""
    return unit("degree").dimension


class _Wave(Function):
    """The sine, cosine or tangent of an angle [degree].

    Args:
        radians: sympy's function of radians.
        value: Python's function of radians.
        peak: where it is largest [degree]; None where it grows without bound.
        mirror: of the two angles in a period that have one value, the second from the first; None where there is one.
        inverted: the inverse function.
    """

    unique = False
    traits = Trait.PERIODIC | Trait.INEXACT | Trait.SIGNED
    radians: Any
    value: Callable[[float], float]
    peak: int | None = None
    mirror: Callable[[Any], Any] | None = None
    inverted: _Arc

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)
        self.node = node_class(self, self.name.capitalize())

    def dimension(self, node: Expr, units: Units) -> Dimension:
        (term,) = node.args
        dimension = units.dimension(term)
        if dimension != angle() and term != 0:
            shown = dimension or "a pure number"
            problem = f"The term of {self.name}, '{units.text(term)}', is {shown}, no angle."
            raise units.error(problem, "Give it in degree.")
        return PURE_NUMBER

    def exact(self, angle: Number) -> Number:
        known = self._at_right_angle(angle)
        return self.value(math.radians(angle)) if known is None else known

    def _at_right_angle(self, angle: Number) -> int | None:
        """Return the value at a whole number of right angles, where pi has no digits to be lost; else None."""
        if not is_finite(angle) or angle % RIGHT_ANGLE:
            return None
        quarter = int(angle // RIGHT_ANGLE)
        if self.peak is None:
            return None if quarter % 2 else 0
        return (1, 0, -1, 0)[(quarter - self.peak // RIGHT_ANGLE) % 4]

    def bounds(self, *spans: Span) -> Span:
        span = as_span(*spans)  # the values at its ends bound the value, unless a peak, trough or pole is between them
        return self._between_poles(span) if self.peak is None else self._between_peaks(span, self.peak)

    def _between_peaks(self, span: Span, peak: int) -> Span:
        if not span.high - span.low < FULL_TURN or max(size(span.low), size(span.high)) > LARGEST_ANGLE:
            return Span(-1, 1, span.total, span.exact)
        ends = [self.value(math.radians(end)) for end in (span.low, span.high)]
        off, beside = _off(span), CONTRACTION * (1 + size(span.low) + size(span.high))

        def turns(at: float) -> bool:
            first, last = span.low - beside - at, span.high + beside - at
            return math.floor(last / FULL_TURN) != math.floor(first / FULL_TURN)

        low, high = -1.0 if turns(peak + HALF_TURN) else min(ends) - off, 1.0 if turns(peak) else max(ends) + off
        return Span(low, high, span.total)

    def _between_poles(self, span: Span) -> Span:
        beside = CONTRACTION * (1 + size(span.low) + size(span.high))
        branches = [(end - RIGHT_ANGLE) / HALF_TURN for end in (span.low - beside, span.high + beside)]
        if not max(map(abs, branches)) < LARGEST_ANGLE or math.floor(branches[0]) != math.floor(branches[1]):
            exact = [(Fraction(end) - RIGHT_ANGLE) / HALF_TURN for end in (span.low, span.high) if is_finite(end)]
            has_pole = len(exact) < 2 or math.ceil(exact[0]) <= math.floor(exact[1])
            return Span(-math.inf, math.inf, span.total and not has_pole)  # floats beside it tell no sign
        ends = [self.value(math.radians(end)) for end in (span.low, span.high)]
        off = [_off(span) * (1 + abs(end)) ** 2 for end in ends]
        return Span(ends[0] - off[0], ends[1] + off[1], span.total)

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        """Whether no pole is among the angles."""
        return self.peak is not None or self._between_poles(as_span(*terms)).total

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        arc, mirror = self.inverted, self.mirror
        parts = meet(target, arc.domain) if arc.domain else target
        angles = tuple(mapped(part, arc.exact, rising=arc.rising) for part in parts)
        if mirror is None:
            return meet(angles, (_HALF,))
        second = tuple(mapped(part, lambda end: mirror(arc.exact(end)), rising=not arc.rising) for part in parts)
        return union(angles, second)

    def period(self, rest: Number | None) -> Number:
        return HALF_TURN if self.mirror is None else FULL_TURN

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        angle = self.inverted.node(right)
        return (angle,) if self.mirror is None else (angle, self.mirror(angle))

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return the angles at which the function lies in a target, of the few periods that a term runs through."""
        term, period = as_span(terms[place]), self.period(None)
        if not term.high - term.low < 2 * period:
            return term
        low, high = (LIBRARY * (1 + size(end)) for end in (target.low, target.high))  # as far as a float may be off
        once = self.preimage(node, place, as_set(Span(target.low - low, target.high + high)), None)
        first, last = math.floor(term.low / period) - 1, math.ceil(term.high / period) + 1
        pieces = [
            met
            for part in once
            for time in range(first, last + 1)
            if (met := term.meet(_around(part, time * period))) is not None
        ]
        return Span(min(p.low for p in pieces), max(p.high for p in pieces), term.total) if pieces else None

    def precise(self, *terms: Any) -> Any:
        """Return the function of an interval in radians."""
        if is_beyond(terms[0]):
            return iv.mpf([-iv.inf, iv.inf] if self.mirror is None else [-1, 1])
        waves = {"sin": iv.sin, "cos": iv.cos, "tan": iv.tan}
        return waves[self.name](terms[0] * iv.pi / HALF_TURN)

    def in_sympy(self, *terms: Expr) -> Expr:
        return self.radians(terms[0] * _PER_DEGREE)

    def layout(self, *terms: Node) -> Node:
        return Call(self.name, terms[0], raised=True)  # sin² x

    def excel(self, *terms: str) -> str:
        return f"{self.name.upper()}(RADIANS({terms[0]}))"


def _around(part: Interval, shift: Number) -> Span:
    """Return a part of a period some periods further on, wider by the rounding of an angle."""
    off = CONTRACTION * (1 + size(part.lower) + size(part.upper) + size(shift))
    return Span(part.lower + shift - off, part.upper + shift + off)


def _off(span: Span) -> float:
    """Return how far a wave may be off its value: an angle in radians is rounded twice, by 4e-18 a degree."""
    return LIBRARY * (4 + (size(span.low) + size(span.high)) / 100)


class _Arc(Function):
    """The angle [degree] between -90 and 90, or 0 and 180 for a cosine, that has a sine, cosine or tangent.

    Args:
        radians: sympy's function, in radians.
        value: Python's function, in radians.
        wave: the function that it inverts.
    """

    traits = Trait.INEXACT
    operand, unit = PRODUCT, "degree"
    radians: Any
    value: Callable[[float], float]
    wave: _Wave

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)
        self.rising = self.range.lower < 0
        self.node = node_class(self, self.name.capitalize())
        self.wave.inverted = self

    def dimension(self, node: Expr, units: Units) -> Dimension:
        super().dimension(node, units)
        return angle()

    def exact(self, value: Number) -> Number:
        number = float(value)  # a sine or cosine may exceed 1 by rounding
        if self.domain and 1 < abs(number) <= 1 + NEAR_WHOLE:
            number = math.copysign(1.0, number)
        return math.degrees(self.value(number))

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return the sine, cosine or tangent of a target, which near zero has no digit that counts."""
        span = super().contract(node, place, target, terms)
        return None if span is None else Span(span.low - CONTRACTION, span.high + CONTRACTION)

    def inverse(self, value: Number) -> Number:
        pole = self.domain is None and size(value) == RIGHT_ANGLE
        return math.copysign(math.inf, value) if pole else self.wave.exact(value)

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return (self.wave.node(right),)

    def in_sympy(self, *terms: Expr) -> Expr:
        return self.radians(*terms) / _PER_DEGREE

    def layout(self, *terms: Node) -> Node:
        return Call(f"arc{self.wave.name}", terms[0], raised=True)

    def excel(self, *terms: str) -> str:
        (term,) = terms  # a sine or cosine may exceed 1 by rounding
        if self.domain:
            term = f"IF(ABS({term})-1<={in_spreadsheets(NEAR_WHOLE)},MAX(-1,MIN(1,{term})),{term})"
        return f"DEGREES({self.name.upper()}({term}))"


# Each derivative has the factor of its unit: by degrees of a wave, in degrees of an angle.
_SINE = _Wave(
    name="sin", radians=sympy.sin, value=math.sin, peak=RIGHT_ANGLE, mirror=lambda angle: HALF_TURN - angle,
    slope=lambda angle: _PER_DEGREE * _COSINE.node(angle),
)  # fmt: skip
_COSINE: _Wave = _Wave(
    name="cos", radians=sympy.cos, value=math.cos, peak=0, mirror=lambda angle: -angle,
    slope=lambda angle: -_PER_DEGREE * _SINE.node(angle),
)  # fmt: skip
_TANGENT: _Wave = _Wave(
    name="tan", radians=sympy.tan, value=math.tan, slope=lambda angle: _PER_DEGREE * (1 + _TANGENT.node(angle) ** 2)
)
_ARCSINE = _Arc(
    name="asin", radians=sympy.asin, value=math.asin, wave=_SINE, range=_RISING, domain=_ONE,
    slope=lambda sine: 1 / sympy.sqrt(1 - sine**2) / _PER_DEGREE,
)  # fmt: skip
_ARCCOSINE = _Arc(
    name="acos", radians=sympy.acos, value=math.acos, wave=_COSINE, range=Interval(0, HALF_TURN), domain=_ONE,
    slope=lambda cosine: -1 / sympy.sqrt(1 - cosine**2) / _PER_DEGREE,
)  # fmt: skip
_ARCTANGENT = _Arc(
    name="atan", radians=sympy.atan, value=math.atan, wave=_TANGENT, range=_HALF,
    slope=lambda tangent: 1 / (1 + tangent**2) / _PER_DEGREE,
)  # fmt: skip
ENTRIES = (_SINE, _COSINE, _TANGENT, _ARCSINE, _ARCCOSINE, _ARCTANGENT)
Sin, Cos, Tan, Asin, Acos, Atan = (entry.node for entry in ENTRIES)


@formula_function
def sin(angle: Any) -> Expr:
    """Return the sine of an angle."""
    return Sin(angle)


@formula_function
def cos(angle: Any) -> Expr:
    """Return the cosine of an angle."""
    return Cos(angle)


@formula_function
def tan(angle: Any) -> Expr:
    """Return the tangent of an angle."""
    return Tan(angle)


@formula_function
def asin(term: Any) -> Expr:
    """Return the angle between -90 and 90 degrees that has this sine."""
    return Asin(term)


@formula_function
def acos(term: Any) -> Expr:
    """Return the angle between 0 and 180 degrees that has this cosine."""
    return Acos(term)


@formula_function
def atan(term: Any) -> Expr:
    """Return the angle between -90 and 90 degrees that has this tangent."""
    return Atan(term)
