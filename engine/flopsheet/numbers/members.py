"""Whole numbers in intervals, members of progressions, one by one or those that meet a condition, and divisors."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.numbers.arithmetic import bisected, divided, near_whole
from flopsheet.numbers.progressions import MOST_TRIED
from flopsheet.numbers.sets import NOT_ZERO, Interval, is_in, side, union, whole_ends, widened
from flopsheet.units import is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.numbers.progressions import Progression
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number

LARGEST_TRIED, MOST_DIVISORS = 10**5, 20_000  # a number of larger primes, or of more divisors, is searched
LARGEST_ROUNDED = 1e11  # a float below it is within rounding of one integer at most


def whole_runs(parts: Iterable[Interval]) -> RealSet:
    """Return the runs of whole numbers in intervals from left to right; those that follow each other are one."""
    runs: list[Interval] = []
    for first, last in map(whole_ends, parts):
        beside = runs and runs[-1].upper + 1 >= first
        start = runs.pop().lower if beside else first
        runs += [Interval(start, last, first != -math.inf, last != math.inf)] * (first <= last)
    return tuple(runs)


def adjoined(parts: Iterable[Interval]) -> RealSet:
    """Return intervals from left to right, each joined with the one before it where no whole number is between them."""
    found: list[Interval] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and whole_ends(last)[1] + 1 == whole_ends(part)[0]:
            found[-1] = Interval(last.lower, part.upper, last.lower_closed, part.upper_closed)
        else:
            found.append(part)
    return tuple(found)


def trimmed(part: Progression, met: Callable[[int], bool]) -> Progression | None:
    """Return a progression from the first step that is met to the last one; None where none is."""
    first, last = (int(end) if math.isfinite(end) else None for end in (part.first, part.last))
    middle = None if first is None or last is None else (first + last) // 2
    within = next((step for step in (first, last, middle) if step is not None and met(step)), None)
    if within is None:
        return None
    first, last = (
        end if end is None or met(end) else bisected(within, end, lambda step: not met(step), _between)[0]
        for end in (first, last)
    )
    return replace(part, first=part.first if first is None else first, last=part.last if last is None else last)


def _between(step: int, other: int) -> int:
    return (step + other) // 2


def whole_members(progression: Progression) -> Iterable[Number] | None:
    """Return the integers among finitely many numbers, and maybe others: divisors where it is a number over integers.

    None if they are too many to try.
    """
    if not progression.offset and progression.shift == 0:
        product = float(progression.factor) if progression.rounded else progression.factor
        if progression.rounded and size(product) < LARGEST_ROUNDED:
            product = near_whole(product)
            if isinstance(product, float):
                return ()  # no two integers have it as their product
        divisors = divisors_with_rest(tidy(product), 0, 1)
        if divisors is not None:
            members = (part.lower for part in divisors if part.is_point)
            return [member for member in members if member in progression]
    if progression.count <= MOST_TRIED:
        return progression.numbers()
    first, last = whole_ends(progression.hull)
    return range(int(first), int(last) + 1) if last - first < MOST_TRIED else None


def divisors_with_rest(dividend: Number, rest: Number, factor: Number) -> RealSet | None:
    """Return the whole x with mod(dividend, factor * x) = rest, of either sign; None where they are not enumerated.

    A rest has the sign of what divides, and is nearer to zero.
    """
    if not isinstance(dividend, int | Fraction) or not isinstance(rest, int | Fraction) or isinstance(factor, float):
        return None
    multiple, limit = divided(dividend - rest, factor), divided(rest, factor)
    beyond = side(">", limit) if limit > 0 else side("<", limit) if limit < 0 else NOT_ZERO
    if multiple == 0:
        return beyond
    whole = Fraction(multiple)
    if whole.denominator != 1:
        return ()
    primes = sympy.factorint(abs(whole.numerator), limit=LARGEST_TRIED, use_rho=False, use_pm1=False, use_ecm=False)
    count = math.prod(power + 1 for power in primes.values())
    if count > MOST_DIVISORS or not all(sympy.isprime(prime) for prime in primes):
        return None
    divisors = [1]
    for prime, highest in primes.items():
        divisors = [divisor * int(prime) ** power for power in range(highest + 1) for divisor in divisors]
    signed = sorted(sign * divisor for divisor in divisors for sign in (1, -1))
    return tuple(Interval(number, number) for number in signed if is_in(number, beyond))


def listed(progressions: Iterable[Progression]) -> RealSet:
    """Return the members of progressions one by one, where these are not endless."""
    return union(*(part.points for part in progressions))


def hulls(progressions: Iterable[Progression]) -> RealSet:
    """Return the intervals in which the members of progressions lie."""
    return union(tuple(part.hull for part in progressions))


def between_wholes(part: Interval) -> Interval:
    """Return a part from a whole number to another: it lies between them, wherever rounding moved its ends."""
    wide = widened(part)
    lower = math.floor(wide.lower) if is_finite(wide.lower) else wide.lower
    upper = math.ceil(wide.upper) if is_finite(wide.upper) else wide.upper
    return Interval(lower, upper, is_finite(lower), is_finite(upper))


def three_inside(part: Interval) -> list[Number]:
    """Return three numbers inside of a range, or the only one."""
    middle = part.inside()
    ends = [] if part.is_point else [(part.lower, middle), (middle, part.upper)]
    return [middle, *(Interval(*pair).inside() for pair in ends)]
