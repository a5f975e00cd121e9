"""Operations that would cancel, written otherwise: bounds of them say little, so no search could exclude a number.

Sums that cancel near 1 are written without the 1: `1 - exp(-u)`, `(1 + r)**n - 1` and `log(1 + u)`, whose digits are
lost where u is small, as are those of `(1 + u)**n` where n varies. A whole multiple `v*floor(a/v)`, which is nearly a
where v is small, is a less the remainder. A max less one of its terms is the max of the others less that one, and 0;
a multiple of a sum less that of one of its terms is that of the others.
`exp(u)/(exp(u) - 1)`, which is about 1 where u is large, is `1/(1 - exp(-u))`.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.cancelling.exponentials import divided
from flopsheet.formulas.cancelling.places import POWER, SUM, N, U, beside_one, factors_of, inverted, times
from flopsheet.formulas.cancelling.sums import of_sum
from flopsheet.functions.near_one import LOG_ONE_PLUS, POWER_OF_ONE_PLUS
from flopsheet.functions.rounding import CEILING, FLOOR, REMAINDER

if TYPE_CHECKING:
    from flopsheet.formulas.program import Program
    from flopsheet.functions import Expr


def rewritten(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of an expression written so that it does not cancel; None where it does not.

    Args:
        program: the operations so far, to which those of the new form are added.
        expression: an operation.
        terms: the places of its terms.
    """
    if expression.is_Mul:
        multiple = _multiple(program, terms)
        return divided(program, terms) if multiple is None else multiple
    if expression.func is REMAINDER.node:
        return _remainder(program, *terms)
    return of_sum(program, expression, terms) if expression.is_Add else _of_one_plus(program, expression, terms)


def _of_one_plus(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of a logarithm of 1 and more, or of a power of it whose exponent varies; else None."""
    is_power = expression.is_Pow and terms[1] not in program.constants
    rest = beside_one(program, terms[0]) if is_power or expression.func is sympy.log else None
    if rest is None:
        return None
    if is_power:
        return program.add(POWER_OF_ONE_PLUS, POWER_OF_ONE_PLUS.node(U, N), (rest, terms[1]))
    return program.add(LOG_ONE_PLUS, LOG_ONE_PLUS.node(U), (rest,))


def _multiple(program: Program, terms: tuple[int, ...]) -> int | None:
    """Return the place of a product with the integer next to a quotient and the divisor; None where it has no such.

    `v*floor(a/v)` is `a - mod(a, v)`, and `v*ceil(a/v)` is `a + mod(-a, v)`.
    """
    for whole in terms:
        entry = program.operations[whole].entry if whole in program.operations else None
        if entry is not FLOOR and entry is not CEILING:
            continue
        number, factors = factors_of(program, program.operations[whole].terms[0])
        for power in factors:
            divisor = inverted(program, power)
            if divisor not in terms:
                continue
            sign = 1 if entry is FLOOR else -1
            dividend = times(program, sign * number, *(factors - Counter([power])).elements())
            rest = program.add(REMAINDER, REMAINDER.node(U, N), (dividend, divisor))
            multiple = program.add(SUM, U + N, (dividend, times(program, Fraction(-1), rest)))
            others = (term for term in terms if term not in (whole, divisor))
            return times(program, Fraction(sign), multiple, *others)
    return None


def _remainder(program: Program, dividend: int, divisor: int) -> int | None:
    """Return the place of the remainder of a product by some of its factors; None where they are not.

    `mod(k*v, v)` is `v*mod(k, 1)`, with `0/v` as well: it has no value where v is zero.
    """
    (above, mine), (below, its) = factors_of(program, dividend), factors_of(program, divisor)
    if not its or not its <= mine:
        return None
    multiple = times(program, above / below, *(mine - its).elements())
    rest = program.add(REMAINDER, REMAINDER.node(U, N), (multiple, program.add_constant(1)))
    inverse = program.add(POWER, 1 / U, (divisor, program.add_constant(-1)))
    terms = times(program, Fraction(1), divisor, rest), times(program, Fraction(0), inverse)
    return program.add(SUM, U + N, terms)
