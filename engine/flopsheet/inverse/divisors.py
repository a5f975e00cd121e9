"""The divisors of a number, as the whole numbers that leave a given remainder."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.numbers.arithmetic import divided, near_whole
from flopsheet.numbers.progressions import MOST_TRIED
from flopsheet.numbers.sets import Interval, RealSet, union, whole_ends
from flopsheet.units import size, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.functions import Expr
    from flopsheet.numbers.progressions import Progression
    from flopsheet.units import Number

LARGEST_TRIED, MOST_DIVISORS = 10**5, 20_000  # a number of larger primes, or of more divisors, is searched
LARGEST_ROUNDED = 1e11  # a float below it is within rounding of one integer at most


def divisor_set(expression: Expr, unknown: Expr, target: RealSet, values: Values) -> RealSet | None:
    """Return the whole numbers x at which mod(a, c * x) is one of a few values; None where that is not the question.

    Args:
        expression: the remainder.
        unknown: x, a whole number.
        target: the values.
        values: all other cells.
    """
    dividend, divisor = expression.args
    scale = divisor / unknown
    if dividend.has(unknown) or scale.has(unknown) or not all(part.is_point for part in target):
        return None
    factor = evaluate(scale, values)
    divisors = [divisors_with_rest(evaluate(dividend, values), part.lower, factor) for part in target]
    return None if factor <= 0 or any(part is None for part in divisors) else union(*filter(None, divisors))


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
            return [part.lower for part in divisors if part.lower in progression]
    if progression.count <= MOST_TRIED:
        return progression.numbers()
    first, last = whole_ends(progression.hull)
    return range(int(first), int(last) + 1) if last - first < MOST_TRIED else None


def divisors_with_rest(dividend: Number, rest: Number, factor: Number) -> RealSet | None:
    """Return the whole x with mod(dividend, factor * x) = rest; None where they are not enumerated."""
    if not isinstance(dividend, int | Fraction) or not isinstance(rest, int | Fraction) or isinstance(factor, float):
        return None
    if rest < 0:
        return ()
    multiple = divided(dividend - rest, factor)
    smallest = divided(rest, factor)
    if multiple == 0:
        return (Interval(smallest, math.inf, lower_closed=False, upper_closed=False),)
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
    return tuple(Interval(number, number) for number in sorted(divisors) if number > smallest)
