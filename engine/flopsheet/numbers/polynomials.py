"""Polynomials and their real roots: exact where they are short ratios, else the nearest floats.

A polynomial is a tuple of coefficients: the constant first, the last one not zero; none at all for zero.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy
from sympy.polys.domains import QQ
from sympy.polys.euclidtools import dup_gcd

from flopsheet.numbers.arithmetic import divided, power
from flopsheet.session import cached
from flopsheet.tolerances import POLE, SAME_ROOT, VANISHING
from flopsheet.units import size, tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.units import Number

Polynomial: TypeAlias = "tuple[Number, ...]"

_HALF = Fraction(1, 2)
_MOST_BITS = 400
_REFINEMENTS, _BISECTIONS = 2200, 60


def real_roots(polynomial: Sequence[Number]) -> list[Number]:
    """Return the real roots of a polynomial, constant coefficient first, in ascending order; none of zero itself."""
    match trimmed(tuple(polynomial)):
        case () | (_,):
            return []
        case (0, _):
            return [0]
        case (constant, slope):
            return [tidy(-_quotient(constant, slope))]
        case (constant, slope, bend) if not _is_huge(constant, slope, bend):
            return sorted(_quadratic(constant, slope, bend))
        case longer:
            return list(_isolated(longer, rounded=any(isinstance(each, float) for each in longer)))


def is_blurred(polynomial: Polynomial) -> bool:
    """Whether rounding of its coefficients hides if a polynomial touches zero or crosses it twice nearby."""
    if len(polynomial) == 3:
        constant, slope, bend = map(float, polynomial)
        return abs(slope * slope - 4 * bend * constant) <= VANISHING * slope * slope
    return len(polynomial) > 3 and bool(_turns([Fraction(each) for each in polynomial]))


def are_merged(polynomial: Polynomial, roots: Sequence[Number]) -> bool:
    """Whether two roots of an exact polynomial are the same float, or next to it."""
    if any(isinstance(each, float) for each in polynomial) or not any(isinstance(root, float) for root in roots):
        return False
    if len(polynomial) == 3 and len(roots) == 1:
        constant, slope, bend = polynomial
        return slope * slope != 4 * bend * constant
    return any(size(high - low) <= VANISHING * size(high) for low, high in pairwise(roots))


def _quotient(above: Number, below: Number) -> Number:
    try:
        return divided(above, below)
    except OverflowError:
        return Fraction(above) / Fraction(below)


def _is_huge(*coefficients: Number) -> bool:
    """Whether the square of a coefficient may be beyond floats."""
    bits = (max(map(int.bit_length, Fraction(each).as_integer_ratio())) for each in coefficients)
    return any(each > _MOST_BITS for each in bits)


def _quadratic(constant: Number, slope: Number, bend: Number) -> list[Number]:
    if any(isinstance(each, float) for each in (constant, slope, bend)):
        exactly = [Fraction(each) for each in (constant, slope, bend)]
        unit = _power_of_two(max(map(abs, exactly)))  # dividing by it loses no digit
        constant, slope, bend = (float(each / unit) for each in exactly)
    square = slope * slope - 4 * bend * constant
    if isinstance(square, float) and abs(square) <= VANISHING * float(slope * slope):
        return [divided(-slope, 2 * bend)]
    if square < 0:
        return []
    # The root with the larger numerator first, the other from their product: no cancellation.
    larger = divided(-(slope + (power(square, _HALF) if slope >= 0 else -power(square, _HALF))), 2)
    if not larger:
        return [0]
    return [tidy(root) for root in dict.fromkeys((divided(larger, bend), divided(constant, larger)))]


@cached(maxsize=256)
def _isolated(polynomial: Polynomial, *, rounded: bool) -> tuple[Number, ...]:
    """Return roots by sympy's exact isolation, each then narrowed down to neighbouring floats."""
    exactly = [Fraction(each) for each in polynomial]
    unit = _usual_size(exactly)
    scaled = [sympy.Rational(each * unit**place) for place, each in enumerate(exactly)]
    made = sympy.Poly(scaled[::-1], sympy.Dummy(), domain="QQ").sqf_part()
    simple = tuple(_ratio(each) / unit**place for place, each in enumerate(reversed(made.all_coeffs())))
    found = [_narrowed(simple, *(_ratio(end) * unit for end in ends)) for ends, _ in made.intervals(fast=True)]
    turns = _turns(exactly) if rounded else []
    return tuple(sorted([*turns, *(each for each in found if not any(_same(each, turn) for turn in turns))]))


def _ratio(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _usual_size(polynomial: Sequence[Fraction]) -> Fraction:
    """Return the power of two next to the mean size of the roots: sympy's isolation is slow far from 1."""
    first = next(place for place, each in enumerate(polynomial) if each)
    ratio = polynomial[first] / polynomial[-1]
    return _power_of_two(ratio, max(len(polynomial) - 1 - first, 1))


def _power_of_two(ratio: Fraction, order: int = 1) -> Fraction:
    """Return the power of two next to a root of a ratio."""
    return Fraction(2) ** ((ratio.numerator.bit_length() - ratio.denominator.bit_length()) // order)


def _turns(polynomial: list[Fraction]) -> list[Number]:
    """Return where a polynomial with rounded coefficients touches zero as closely as rounding lets it."""
    slope = tuple(place * each for place, each in enumerate(polynomial))[1:]
    return [
        at
        for at in real_roots(slope)
        if abs(_at(polynomial, Fraction(at)))
        <= Fraction(VANISHING) * sum(abs(each * Fraction(at) ** place) for place, each in enumerate(polynomial))
    ]


def _same(left: Number, right: Number) -> bool:
    return size(left - right) <= SAME_ROOT * max(size(left), size(right))


def _at(polynomial: Sequence[Fraction], at: Fraction) -> Fraction:
    return reduce(lambda total, each: total * at + each, reversed(polynomial), Fraction(0))


def _whole(polynomial: Polynomial) -> list[int]:
    """Return a polynomial with the same roots and whole coefficients."""
    ratios = [Fraction(each) for each in polynomial]
    common = math.lcm(*(each.denominator for each in ratios))
    return [each.numerator * (common // each.denominator) for each in ratios]


def _sign(polynomial: Sequence[int], at: Fraction) -> int:
    """Return a number of the sign of a polynomial at a ratio, by whole numbers alone."""
    above, below = at.numerator, at.denominator
    total, scale = 0, 1
    for each in reversed(polynomial):
        total, scale = total * above + each * scale, scale * below
    return total


def _narrowed(polynomial: Polynomial, low: Fraction, high: Fraction) -> Number:
    """Return the single root between two ends: exact where it is a short ratio, else the nearest float."""
    if low == high:
        return tidy(low)
    for end in (low, high):  # its ends may be other roots
        polynomial = divided_by(polynomial, (-end, 1)) or polynomial
    coefficients = _whole(polynomial)
    slope = [place * each for place, each in enumerate(coefficients)][1:]
    rising = (_sign(coefficients, low) or _sign(slope, low)) < 0  # an end may be another root
    low, high = _bracketed(coefficients, low, high, rising=rising)
    for _ in range(_REFINEMENTS):
        middle = (low + high) / 2
        rounded = Fraction(_as_float(middle))
        middle = rounded if low < rounded < high else middle
        sign = _sign(coefficients, middle)
        if sign == 0:
            return tidy(middle)
        low, high = (low, middle) if (sign > 0) == rising else (middle, high)
        if _as_float(low) == _as_float(high) or high - low <= Fraction(1, 2**54) * max(abs(low), abs(high)):
            break
    short = ((low + high) / 2).limit_denominator(10**6)
    return tidy(short) if low <= short <= high and _sign(coefficients, short) == 0 else _as_float((low + high) / 2)


def _as_float(ratio: Fraction) -> Number:
    """Return the float nearest to a ratio; the ratio itself where it is larger than floats."""
    try:
        return float(ratio)
    except OverflowError:
        return ratio


def _bracketed(polynomial: list[int], low: Fraction, high: Fraction, *, rising: bool) -> tuple[Fraction, Fraction]:
    """Return ends close around a root, found in floats and confirmed by exact signs; else the ends as they are."""
    try:
        largest = max(map(abs, polynomial))
        floats = [each / largest for each in reversed(polynomial)]
        left, right = float(low), float(high)
        for _ in range(_BISECTIONS):
            middle = (left + right) / 2
            value = reduce(lambda total, each: total * middle + each, floats, 0.0)  # used at once
            left, right = (left, middle) if (value > 0) == rising else (middle, right)
    except OverflowError:
        return low, high
    near = abs(Fraction(right)) * Fraction(1, 2**48)
    below, above = max(low, Fraction(left) - near), min(high, Fraction(right) + near)
    signs = (_sign(polynomial, below) > 0, _sign(polynomial, above) > 0)
    return (below, above) if below < above and signs == (not rising, rising) else (low, high)


def is_one_of(root: Number, poles: set[Number]) -> bool:
    """Whether a root is one of the poles, two floats being one if only their last digits differ."""
    floats = (pole for pole in poles if isinstance(root, float) and isinstance(pole, float))
    return root in poles or any(math.isclose(root, pole, rel_tol=POLE) for pole in floats)


def divided_by(above: Polynomial, factor: Polynomial) -> Polynomial | None:
    """Return a polynomial divided by `x - root`, or None if that leaves a rest."""
    root, carried, found = -factor[0], above[-1] if above else 0, []
    for each in above[-2::-1]:
        found.append(carried)
        carried = each + root * carried
    return tuple(reversed(found)) if not carried else None


def common_factor(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the greatest common factor of two polynomials of exact coefficients, neither of them zero.

    Euclid's remainders would have thousands of digits, at degree 20 for half a second; sympy's find it modulo primes.
    """
    ratios = ([Fraction(each) for each in reversed(side)] for side in (left, right))
    dense = ([QQ(each.numerator, each.denominator) for each in side] for side in ratios)
    found = dup_gcd(*dense, QQ)
    return tuple(Fraction(int(each.numerator), int(each.denominator)) for each in reversed(found))


def total(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return a sum."""
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    return trimmed((*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]))


def product(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return a product."""
    found: list[Number] = [0] * (len(left) + len(right) - 1) if left and right else []
    for place, a in enumerate(left):
        for other, b in enumerate(right):
            found[place + other] += a * b
    return trimmed(tuple(found))


def trimmed(found: Polynomial) -> Polynomial:
    """Return coefficients without the zeros of the highest powers."""
    while found and found[-1] == 0:
        found = found[:-1]
    return found
