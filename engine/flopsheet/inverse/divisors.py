"""The divisors of a number, as the whole numbers that leave a given remainder."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.numbers.arithmetic import divided
from flopsheet.numbers.sets import Interval, RealSet, union

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.units import Number

LARGEST_TRIED, MOST_DIVISORS = 10**5, 20_000  # a number of larger primes, or of more divisors, is searched


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
