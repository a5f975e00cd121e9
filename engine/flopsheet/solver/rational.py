"""Rational functions of one unknown on numbers: coefficients, poles, and all real roots of the numerator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy

from flopsheet.sheets.cell import exact
from flopsheet.solver.arithmetic import divided, power
from flopsheet.solver.evaluate import Values, evaluate
from flopsheet.units import size, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.units import Number

Polynomial: TypeAlias = "tuple[Number, ...]"  # constant coefficient first, the last one not zero

HIGHEST_DEGREE = 12
_HALF = Fraction(1, 2)
_ROUNDING = 1e-14
_LAST_DIGITS = 1e-15
_REFINEMENTS, _BISECTIONS = 2200, 60


@dataclass(frozen=True)
class Rational:
    """A ratio of polynomials, its denominator in factors.

    Args:
        above: numerator.
        below: factors of the denominator with their powers, each with leading coefficient 1.
        poles: every factor that stood below a bar, cancelled or not.
    """

    above: Polynomial
    below: Mapping[Polynomial, int]
    poles: frozenset[Polynomial]

    @property
    def degree(self) -> int:
        """The largest degree above or below the bar."""
        below = sum((len(factor) - 1) * times for factor, times in self.below.items())
        return max(len(self.above) - 1, below)

    def minus(self, value: Number) -> Polynomial:
        """Return the numerator of the difference to a value."""
        return _sum(self.above, tuple(-value * each for each in _raised(self.below)))

    def pole_values(self) -> set[Number]:
        """Return where it divides by zero."""
        return {root for factor in self.poles for root in real_roots(factor)}


def as_rational(expression: Any, unknown: Any, values: Values) -> Rational | None:
    """Return an expression as a rational function of the unknown at the values of the other cells.

    None where it is none, or one of too high a degree.
    """
    found = _Reader(unknown, values).read(expression)
    return found if found is not None and found.degree <= HIGHEST_DEGREE else None


class _Reader:
    """Reads a sympy tree as a rational function."""

    def __init__(self, unknown: Any, values: Values) -> None:
        self.unknown, self.values = unknown, values

    def read(self, expression: Any) -> Rational | None:
        if not expression.has(self.unknown):
            return Rational(_trimmed((evaluate(expression, self.values),)), {}, frozenset())
        if expression == self.unknown:
            return Rational((0, 1), {}, frozenset())
        if expression.is_Pow:
            return self._power(*expression.args)
        joint = _added if expression.is_Add else _multiplied if expression.is_Mul else None
        if joint is None:
            return None
        terms = []
        for arg in expression.args:
            term = self.read(arg)
            if term is None or term.degree > HIGHEST_DEGREE:
                return None
            terms.append(term)
        return reduce(joint, terms)

    def _power(self, base: Any, exponent: Any) -> Rational | None:
        times = exact(exponent) if exponent.is_Rational else None
        inner = self.read(base) if isinstance(times, int) and abs(times) <= HIGHEST_DEGREE else None
        if inner is None or not isinstance(times, int) or inner.degree * abs(times) > HIGHEST_DEGREE:
            return None
        return reduce(_multiplied, [inner if times > 0 else _inverse(inner)] * abs(times))


def _inverse(term: Rational) -> Rational:
    if not term.above:
        raise ZeroDivisionError("the inverse of zero")
    lead = term.above[-1]
    factor = tuple(tidy(divided(each, lead)) for each in term.above)
    above = tuple(divided(each, lead) for each in _raised(term.below))
    if len(factor) == 1:
        return Rational(above, {}, term.poles)
    return Rational(above, {factor: 1}, term.poles | {factor})


def _added(left: Rational, right: Rational) -> Rational:
    below = {each: max(left.below.get(each, 0), right.below.get(each, 0)) for each in {**left.below, **right.below}}
    scaled = [
        _product(side.above, _raised({each: times - side.below.get(each, 0) for each, times in below.items()}))
        for side in (left, right)
    ]
    return Rational(_sum(*scaled), below, left.poles | right.poles)


def _multiplied(left: Rational, right: Rational) -> Rational:
    below = {each: left.below.get(each, 0) + right.below.get(each, 0) for each in {**left.below, **right.below}}
    above = _product(left.above, right.above)
    for each in [each for each in below if len(each) == 2]:
        while below[each] and (quotient := _divided_by(above, each)) is not None:
            above, below[each] = quotient, below[each] - 1
    return Rational(above, {each: times for each, times in below.items() if times}, left.poles | right.poles)


def _divided_by(above: Polynomial, factor: Polynomial) -> Polynomial | None:
    """Return a polynomial divided by `x - root`, or None if that leaves a rest."""
    root, carried, found = -factor[0], above[-1] if above else 0, []
    for each in above[-2::-1]:
        found.append(carried)
        carried = each + root * carried
    return tuple(reversed(found)) if not carried else None


def _raised(factors: Mapping[Polynomial, int]) -> Polynomial:
    return reduce(_product, (factor for factor, times in factors.items() for _ in range(times)), (1,))


def _sum(left: Polynomial, right: Polynomial) -> Polynomial:
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    return _trimmed((*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]))


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    found: list[Number] = [0] * (len(left) + len(right) - 1) if left and right else []
    for place, a in enumerate(left):
        for other, b in enumerate(right):
            found[place + other] += a * b
    return _trimmed(tuple(found))


def _trimmed(found: Polynomial) -> Polynomial:
    while found and found[-1] == 0:
        found = found[:-1]
    return found


def real_roots(polynomial: Sequence[Number]) -> list[Number]:
    """Return the real roots of a polynomial, constant coefficient first, in ascending order; none of zero itself."""
    match _trimmed(tuple(polynomial)):
        case () | (_,):
            return []
        case (constant, slope):
            return [tidy(-divided(constant, slope))]
        case (constant, slope, bend):
            return sorted(_quadratic(constant, slope, bend))
        case longer:
            return _isolated(longer)


def _quadratic(constant: Number, slope: Number, bend: Number) -> list[Number]:
    if any(isinstance(each, float) for each in (constant, slope, bend)):
        largest = max(size(constant), size(slope), size(bend))
        constant, slope, bend = (divided(each, largest) for each in (constant, slope, bend))
    square = slope * slope - 4 * bend * constant
    if isinstance(square, float) and abs(square) <= _ROUNDING * float(slope * slope):
        return [divided(-slope, 2 * bend)]
    if square < 0:
        return []
    # The root with the larger numerator first, the other from their product: no cancellation.
    larger = divided(-(slope + (power(square, _HALF) if slope >= 0 else -power(square, _HALF))), 2)
    if not larger:
        return [0]
    return [tidy(root) for root in dict.fromkeys((divided(larger, bend), divided(constant, larger)))]


def _isolated(polynomial: Polynomial) -> list[Number]:
    """Return roots by sympy's exact isolation, each then narrowed down to neighbouring floats."""
    exactly = [Fraction(each) for each in polynomial]
    unit = _usual_size(exactly)
    scaled = [sympy.Rational(each * unit**place) for place, each in enumerate(exactly)]
    made = sympy.Poly(scaled[::-1], sympy.Dummy(), domain="QQ").sqf_part()
    simple = tuple(_ratio(each) / unit**place for place, each in enumerate(reversed(made.all_coeffs())))
    found = [_narrowed(simple, *(_ratio(end) * unit for end in ends)) for ends, _ in made.intervals()]
    turns = _turns(exactly) if any(isinstance(each, float) for each in polynomial) else []
    return sorted([*turns, *(each for each in found if not any(_same(each, turn) for turn in turns))])


def _ratio(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _usual_size(polynomial: Sequence[Fraction]) -> Fraction:
    """Return the power of two next to the mean size of the roots: sympy's isolation is slow far from 1."""
    first = next(place for place, each in enumerate(polynomial) if each)
    ratio = polynomial[first] / polynomial[-1]
    bits = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    return Fraction(2) ** (bits // max(len(polynomial) - 1 - first, 1))


def _turns(polynomial: list[Fraction]) -> list[Number]:
    """Return where a polynomial with rounded coefficients touches zero as closely as rounding lets it."""
    slope = tuple(place * each for place, each in enumerate(polynomial))[1:]
    return [
        at
        for at in real_roots(slope)
        if abs(_at(polynomial, Fraction(at)))
        <= _ROUNDING * sum(abs(each * Fraction(at) ** place) for place, each in enumerate(polynomial))
    ]


def _same(left: Number, right: Number) -> bool:
    return size(left - right) <= 1e-6 * max(size(left), size(right))


def _at(polynomial: Sequence[Fraction], at: Fraction) -> Fraction:
    return reduce(lambda total, each: total * at + each, reversed(polynomial), Fraction(0))


def _narrowed(polynomial: Polynomial, low: Fraction, high: Fraction) -> Number:
    """Return the single root between two ends: exact where it is a short ratio, else the nearest float."""
    if low == high:
        return tidy(low)
    for end in (low, high):  # its ends may be other roots
        polynomial = _divided_by(polynomial, (-end, 1)) or polynomial
    coefficients = [Fraction(each) for each in polynomial]
    slope = [place * each for place, each in enumerate(coefficients)][1:]
    rising = (_at(coefficients, low) or _at(slope, low)) < 0  # an end may be another root
    low, high = _bracketed(coefficients, low, high, rising=rising)
    for _ in range(_REFINEMENTS):
        middle = (low + high) / 2
        middle = Fraction(float(middle)) if low < Fraction(float(middle)) < high else middle
        value = _at(coefficients, middle)
        if value == 0:
            return tidy(middle)
        low, high = (low, middle) if (value > 0) == rising else (middle, high)
        if float(low) == float(high) or high - low <= Fraction(1, 2**54) * max(abs(low), abs(high)):
            break
    short = ((low + high) / 2).limit_denominator(10**6)
    return tidy(short) if _at(coefficients, short) == 0 else float((low + high) / 2)


def _bracketed(polynomial: list[Fraction], low: Fraction, high: Fraction, *, rising: bool) -> tuple[Fraction, Fraction]:
    """Return ends close around a root, found in floats and confirmed by exact signs; else the ends as they are."""
    try:
        floats = [float(each) for each in reversed(polynomial)]
        left, right = float(low), float(high)
        for _ in range(_BISECTIONS):
            middle = (left + right) / 2
            value = reduce(lambda total, each: total * middle + each, floats, 0.0)  # used at once
            left, right = (left, middle) if (value > 0) == rising else (middle, right)
    except OverflowError:
        return low, high
    near = abs(Fraction(right)) * Fraction(1, 2**48)
    below, above = max(low, Fraction(left) - near), min(high, Fraction(right) + near)
    signs = (_at(polynomial, below) > 0, _at(polynomial, above) > 0)
    return (below, above) if below < above and signs == (not rising, rising) else (low, high)


def is_one_of(root: Number, poles: set[Number]) -> bool:
    """Whether a root is one of the poles, two floats being one if only their last digits differ."""
    floats = (pole for pole in poles if isinstance(root, float) and isinstance(pole, float))
    return root in poles or any(math.isclose(root, pole, rel_tol=_LAST_DIGITS) for pole in floats)
