"""Sums of powers on numbers: 1 + r + r**2 + ... of n terms, its elasticities, and its inverses.

It is (r**n - 1)/(r - 1), and n at r = 1. As r**n - 1 is the integral of n*x**(n - 1) from 1 to r, it is n times the
mean of x**(n - 1) between 1 and r, which also holds for fractional n: for n >= 1 it rises with r and with n.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath

from flopsheet.numbers.arithmetic import LARGEST_LOG, MOST_BITS, divided, exponent_of, logarithm
from flopsheet.numbers.brackets import bracketed
from flopsheet.numbers.spans import is_exact
from flopsheet.tolerances import LAST_TERM, LIBRARY, SMALLEST_SIZE
from flopsheet.units import tidy

if TYPE_CHECKING:
    from flopsheet.units import Number

_GUARD = 60  # digits beyond those that are asked for: more than a logarithm has before its point
_SMALL = 0.5  # of a logarithm, and of a distance from 1: below it, a series has more digits than a difference
_ALL_DIGITS = 40  # of a logarithm: 1 no longer counts beside its exponential
_MOST_PARTS = 10**7  # of the denominator of a ratio that is tried exactly


def summed(ratio: Number, count: Number) -> Number:
    """Return the sum: exact for a ratio and a whole number of terms, unless that has too many digits."""
    if count == 1 or ratio == 0:
        return 1
    if ratio == 1:
        return count
    if math.inf in (ratio, count):
        return divided(1, 1 - ratio) if ratio < 1 else math.inf
    if is_exact(ratio) and is_exact(count) and count == int(count):
        base = Fraction(ratio)
        if max(base.numerator.bit_length(), base.denominator.bit_length()) * int(count) <= MOST_BITS:
            return tidy((base ** int(count) - 1) / (base - 1))
    return 1 + excess(ratio, count)


def excess(ratio: Number, count: Number) -> float:
    """Return the sum without its first term, which keeps its digits where it is small."""
    base, beside, fewer = float(ratio), float(ratio - 1), float(count - 1)
    if not base:
        return 0.0
    if not beside:
        return fewer
    logarithms = fewer * (math.log1p(beside) if abs(beside) < _SMALL else math.log(base))
    if logarithms < LARGEST_LOG:
        return base * (math.expm1(logarithms) / beside)
    whole = logarithms + math.log(base) - math.log(beside)
    return math.exp(whole) if whole < LARGEST_LOG else math.inf


def error_of(ratio: float, count: float) -> float:
    """Return how far the sum may be off, relative to it: a power magnifies the rounding of its logarithm."""
    return LIBRARY * (8 + (count * abs(math.log(ratio)) if 1 < ratio < math.inf else 0))


def by_ratio(ratio: float, count: float) -> tuple[float, float]:
    """Return the relative change of the sum by that of its ratio, and how far that may be off.

    It is the mean of the exponents, each with its term as weight: it rises with the ratio and with the terms, from 0
    up to n - 1.
    """
    if ratio == 0 or count == 1:
        return 0.0, 0.0
    if math.inf in (ratio, count):
        value = count - 1 if ratio >= 1 else ratio / (1 - ratio)
        return value, LIBRARY * 4 * value
    beside, powers = ratio - 1, count * math.log(ratio)
    if max(abs(beside), abs(powers)) < _SMALL:
        value = _slope_near_one(beside, count) * ratio / float(summed(ratio, count))
        return value, LIBRARY * 16 * value
    last = 0.0 if powers < -LARGEST_LOG else count / -math.expm1(-powers)
    first = ratio / beside
    off = LIBRARY * 8 * (abs(last) * (1 + abs(powers) * math.exp(-abs(powers))) + abs(first))
    return min(max(last - first, 0.0), count - 1), off


def by_count(ratio: float, count: float) -> tuple[float, float]:
    """Return the relative change of the sum by that of its terms, and how far that may be off.

    It is y/(1 - e**(-y)) for y = n*log(r): it rises with the ratio, and with the terms above r = 1; below it falls.
    """
    if ratio in (0, 1):
        return ratio, 0.0
    if math.inf in (ratio, count):
        return (math.inf if ratio > 1 else 0.0), 0.0
    powers = count * math.log(ratio)
    if powers < -LARGEST_LOG:
        return 0.0, SMALLEST_SIZE
    value = powers / -math.expm1(-powers)
    return value, LIBRARY * (8 + abs(powers)) * value


def slope_of(ratio: float, count: float) -> tuple[float, float]:
    """Return the derivative by the ratio, and how far that may be off: it rises with the terms.

    With the ratio it rises for two terms and more, and falls for fewer.
    """
    if count == 1:
        return 0.0, 0.0
    if ratio == 0:
        return (math.inf if count < 2 else 1.0), 0.0
    if ratio == math.inf:
        return (0.0 if count < 2 else 1.0 if count == 2 else math.inf), 0.0
    if count == math.inf:
        return (1 / (1 - ratio) ** 2 if ratio < 1 else math.inf), LIBRARY * 4
    change, off = by_ratio(ratio, count)
    by = float(summed(ratio, count)) / ratio
    return change * by, (off + change * error_of(ratio, count)) * by


def _slope_near_one(beside: float, count: float) -> float:
    """Return the derivative by the ratio as a series of its distance from 1: k times n over k + 1 in each term."""
    chosen = count * (count - 1) / 2
    total, power, place = 0.0, 1.0, 1
    while abs(chosen * power * place) > LAST_TERM * abs(total):
        total += place * chosen * power
        place += 1
        power *= beside
        chosen *= (count - place) / (place + 1)
    return total


def _log_of_mean(log: float) -> float:
    """Return the logarithm of (e**y - 1)/y."""
    if abs(log) < LIBRARY:
        return log / 2
    return log - math.log(log) if log > _ALL_DIGITS else math.log(math.expm1(log) / log)


def ratio_of(count: Number, level: Number) -> Number:
    """Return the ratio at which more than one term have a sum: 0 for one of 1 and less."""
    if level == math.inf:
        return math.inf
    beyond = level - 1
    if beyond <= 0:
        return 0
    if count == level:
        return 1
    if count in (2, math.inf):
        return beyond if count == 2 else 1 - 1 / float(level)
    fewer = float(count - 1)
    log_beyond, log_level = logarithm(beyond), float(logarithm(level))
    low = (log_level - math.log(float(count))) / fewer if level > count else log_beyond - log_level
    high = log_level / fewer if level > count else min(log_level / fewer, 0.0)
    margin = ratio_error(count) * (1 + abs(low) + abs(high))

    def gap(log: float) -> float:
        return log + math.log(fewer) + _log_of_mean(fewer * log) - _log_of_mean(log) - log_beyond

    found = bracketed(gap, low - margin, high + margin)
    value = math.exp(found) if found < LARGEST_LOG else math.inf
    near = Fraction(value).limit_denominator(_MOST_PARTS) if is_exact(count) and is_exact(level) else 0
    total = summed(near, count) if near else 0.0
    return tidy(near) if is_exact(total) and total == level else value


def ratio_error(count: Number) -> float:
    """Return how far an inverse by the ratio may be off, relative to it: few terms hardly change with it."""
    return LIBRARY * 64 * max(1.0, 1 / float(count - 1))


def count_of(ratio: Number, level: Number) -> Number:
    """Return the terms whose sum is a level of 1 or more: infinitely many where it is never reached."""
    if level <= 1:
        return 1
    if ratio == 1 or level == math.inf:
        return level
    if ratio in (0, math.inf):
        return math.inf if ratio == 0 else 1
    base = ratio if is_exact(ratio) else Fraction(ratio)
    power = 1 + (level if is_exact(level) else Fraction(level)) * (base - 1)
    if power <= 0:
        return math.inf
    if is_exact(ratio) and is_exact(level):
        return max(exponent_of(power, base), 1)
    return max(logarithm(power) / logarithm(base), 1.0)


def precisely(ratio: Any, count: Any, digits: int) -> Any:
    """Return the sum to so many digits."""
    with mpmath.workdps(digits + _GUARD):
        beside = mpmath.fsub(ratio, 1, exact=True)
        if not beside or not ratio:
            return count if ratio else mpmath.mpf(1)
        return mpmath.expm1(count * mpmath.log1p(beside)) / beside
