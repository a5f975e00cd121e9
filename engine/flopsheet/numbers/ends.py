"""Ends of sets moved by rounding: outwards, around a number that was copied, or to the short ratio that is meant."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import MOST_BITS, short_ratio
from flopsheet.numbers.sets import Interval, about, around, is_in, is_rounded_to, union
from flopsheet.tolerances import BY_CHANCE, EASE, ROUNDING, SHORT, SMALLEST, TWICE_ROUNDED, TYPED
from flopsheet.units import close, exceeds_floats, is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.numbers.sets import RealSet
    from flopsheet.numbers.spans import Span
    from flopsheet.units import Number

PRINTED = float(TYPED)  # how far a level may be off that an answer printed of a plateau, relative to it
MOST_DIGITS = 6  # of the denominator of a short ratio
EXACT_INTEGER = 2**53  # up to which floats have digits behind the point
ALL_DIGITS = 10**15  # a decimal of more digits is read as a float, or is meant to the last one
FEWEST = 10**12  # hardly a float is written with fewer digits, the factors of units left out
MOST_COMPARED = 60  # values that may be one within rounding
OF_UNITS = (2, 3, 5, 487)  # the prime factors of units: a year has 487 * 64800 seconds


def span_interval(span: Span) -> Interval:
    """Return bounds as an interval, its ends rounded outwards where they are floats or have too many digits."""
    low, high = _outwards(span.low, -math.inf), _outwards(span.high, math.inf)
    return Interval(low, high, low != -math.inf, high != math.inf)


def _outwards(end: Number, way: Number) -> Number:
    if not isinstance(end, float) and max(map(int.bit_length, Fraction(end).as_integer_ratio())) <= MOST_BITS:
        return end
    try:
        return math.nextafter(end, way) if end else 0
    except OverflowError:
        return way


def width_of(span: Span) -> Number:
    """Return how far the ends of bounds are apart, which may be more than floats hold; infinite where an end is."""
    return span.high - span.low if is_finite(span.low) and is_finite(span.high) else math.inf


def has_floats(values: RealSet) -> bool:
    """Whether an end of a set is a float, which rounding may have moved."""
    return any(isinstance(end, float) and is_finite(end) for part in values for end in (part.lower, part.upper))


def eased(target: RealSet, ease: float = EASE) -> RealSet:
    """Return a target whose closed ends are moved outwards by rounding, so that a plateau at an end is met."""

    def moved(end: Number, closed: bool, direction: int) -> Number:
        if not closed or not end or not is_finite(end) or exceeds_floats(end):
            return end
        return end + direction * ease * abs(float(end))

    return tuple(
        replace(part, lower=moved(part.lower, part.lower_closed, -1), upper=moved(part.upper, part.upper_closed, 1))
        for part in target
    )


def short_ratios(part: Interval) -> list[Number]:
    """Return the ratio in a narrow range that is too short to be there by chance, if there is one."""
    middle = Fraction(part.inside())
    ratios = (middle.limit_denominator(10**digits) for digits in range(1, MOST_DIGITS + 1))
    short = (ratio for ratio in ratios if ratio in part)
    return [tidy(ratio) for ratio in short if ratio.denominator**2 * (part.upper - part.lower) < BY_CHANCE][:1]


def near(value: Number, target: RealSet) -> bool:
    """Whether a set contains a value, or has a closed end within rounding of it where one of the two is a float.

    An end that is typed with few digits is meant exactly: only the value's own rounding counts.
    """
    if is_in(value, target):
        return True
    ends = (end for part in around(value, target) for end, closed in part.ends if closed)
    return any(_is_near(value, end) for end in ends)


def _is_near(value: Number, end: Number) -> bool:
    if isinstance(end, float) or may_be_computed(end):
        is_float = isinstance(value, float) or isinstance(end, float)
        return close(value, end) if is_float else size(value - end) <= TWICE_ROUNDED * size(end)
    return isinstance(value, float) and not exceeds_floats(end) and math.isclose(value, end, rel_tol=ROUNDING)


def copied(target: RealSet, asked: RealSet) -> RealSet:
    """Return the numbers within rounding of a target's points, if what is asked may be a float that was computed."""
    if not all(isinstance(part.lower, float) or may_be_computed(part.lower) for part in asked if part.is_point):
        return ()
    points = [part.lower for part in target if part.is_point]
    off = [max(size(at) * TYPED, SMALLEST if isinstance(at, float) else 0) for at in points]
    return union(tuple(Interval(at - room, at + room) for at, room in zip(points, off, strict=True)))


def is_copy(value: Number, level: Number, *, in_other_units: bool = False) -> bool:
    """Whether a level is what an answer prints of a computed value: this float, or near it with all digits.

    One with fewer digits counts within rounding only where it may have been printed `in_other_units`.
    """
    if not is_finite(value) or exceeds_floats(value) or exceeds_floats(level):
        return False
    is_short = not isinstance(level, float) and 0 < _digits(level) < ALL_DIGITS
    if is_short and not (in_other_units and isinstance(value, float)):
        if in_other_units and may_be_computed(level):
            return size(value - level) <= TWICE_ROUNDED * size(level)
        return value == (float(level) if isinstance(value, float) else level)
    return math.isclose(value, level, rel_tol=ROUNDING)


def is_copy_of_one(value: Number | None, levels: Iterable[Number], *, in_other_units: bool = False) -> bool:
    """Whether one of some levels is what an answer prints of a value; False without one."""
    return value is not None and any(is_copy(value, level, in_other_units=in_other_units) for level in levels)


def may_be_computed(number: Number) -> bool:
    """Whether an exact number may be a float that was computed and pasted: it has as many digits, in some unit.

    Smaller integers are exact: floats that computing gives are none of them but by chance.
    """
    if isinstance(number, float) or exceeds_floats(number):
        return False
    if number.denominator == 1 and abs(number.numerator) < EXACT_INTEGER:
        return False
    return FEWEST <= _digits(number) < ALL_DIGITS


def is_typed(number: Number) -> bool:
    """Whether a number is exact and has fewer digits than one that was computed and pasted."""
    return not isinstance(number, float) and _digits(number) < FEWEST


def _digits(number: Number) -> int:
    """Return the digits of a decimal, in some unit, as an integer; 0 for a ratio that is none."""
    above, below = number.as_integer_ratio()
    for factor in OF_UNITS:
        above, below = _without(factor, above), _without(factor, below)
    return abs(above) if below == 1 else 0


def _without(factor: int, number: int) -> int:
    while number and number % factor == 0:
        number //= factor
    return number


def with_room(domain: Interval) -> Interval:
    """Return a domain of whole numbers with room beyond its ends, in which inversion in floats may put one of them."""
    lower = domain.lower - 1 if is_finite(domain.lower) else domain.lower
    upper = domain.upper + 1 if is_finite(domain.upper) else domain.upper
    return replace(domain, lower=lower, upper=upper)


def without_doubles(values: RealSet) -> RealSet:
    """Return values without floats that differ by rounding from another one: two branches are taken where they meet."""
    points = [part for part in values if part.is_point]
    if not 1 < len(points) <= MOST_COMPARED:
        return values
    distinct: list[Interval] = []
    for spot in sorted(points, key=lambda part: isinstance(part.lower, float)):  # the exact ones first
        if not any(is_rounded_to(spot.lower, other.lower, about(other.lower)) for other in distinct):
            distinct.append(spot)
    return union(tuple(distinct), tuple(part for part in values if not part.is_point))


def shortest(number: Fraction) -> Number:
    """Return a number known to 50 digits as the short ratio that it is, else as the nearest float."""
    ratio = short_ratio(float(number)) if number else 0
    return ratio if ratio is not None and size(ratio - number) <= SHORT * size(number) else float(number)


def plain_between(low: Number, high: Number) -> Number:
    """Return a number between two others: a whole one or a short ratio, if there is one near the middle."""
    middle = float(low) + (float(high) - float(low)) / 2
    nearest = round(middle)
    if low <= nearest <= high:
        return nearest
    ratio = short_ratio(float(f"{middle:.8g}"))
    return ratio if ratio is not None and low <= ratio <= high else middle


def closed_ends(target: RealSet) -> list[Number]:
    """Return the finite ends of a set that belong to it."""
    return [end for part in target for end, closed in part.ends if closed and is_finite(end)]
