"""Comparisons that signs, logarithms and ratios make simple: of a product with 0, a power with 1, two exponentials.

A search cannot decide them all: `1.5**x` and `1.2**x` are both zero in floats long before they are equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.substitution import is_exponential
from flopsheet.formulas.trees import holding
from flopsheet.functions.spec import NoInverseError
from flopsheet.numbers.arithmetic import divided
from flopsheet.numbers.sets import (
    ABOVE_ZERO,
    BELOW_ZERO,
    NOT_NEGATIVE,
    NOT_POSITIVE,
    RealSet,
    mapped,
    meet,
    union,
)
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.inverse.preimage import Preimage
    from flopsheet.units import Number

_STRICT, _LOOSE = ((ABOVE_ZERO,), (BELOW_ZERO,)), (NOT_NEGATIVE, NOT_POSITIVE)


def by_comparison(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Compare a product or a sum of two terms with zero, or a power with 1; None where that is not simple."""
    ways = {sympy.Mul: _sign_of_product, sympy.Add: _balance, sympy.Pow: _power_beside_one}
    way = ways.get(expression.func)
    try:
        return way(preimage, expression, target) if way else None
    except (NoInverseError, ArithmeticTrapError):
        return None


def _sign_of_product(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Compare a product of two factors with zero: `x*log(x) > 0` where both are positive, or both negative."""
    factors = holding(expression, preimage.unknown)
    is_side = len(target) == 1 and _has_ends(target, 0) and not target[0].is_point
    if len(factors) != 2 or not is_side:
        return None
    rest = preimage.constant(sympy.Mul(*(arg for arg in expression.args if arg not in factors)))
    if not rest:
        return None
    (part,) = target
    wanted = _LOOSE if 0 in part else _STRICT
    others = wanted if (part.upper > 0) == (rest > 0) else wanted[::-1]
    first = [preimage.of(factors[0], half) for half in wanted]
    second = [preimage.of(factors[1], half) for half in others]
    preimage.sharpness.compare_apart(first, second)
    return union(*map(meet, first, second))


def _balance(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Compare the ratio of two exponentials with that of their factors: `1.5**x - 2*1.2**x > 0`."""
    if len(expression.args) != 2 or not _has_ends(target, 0):
        return None
    factors, powers = zip(*(_exponential(term, preimage.unknown) for term in expression.args), strict=True)
    if 1 in powers:
        return None
    first, second = (preimage.constant(factor) for factor in factors)
    if not first or not second:
        return None
    level = -divided(second, first)
    moved = (mapped(part, lambda end: level + (end if first > 0 else -end), rising=first > 0) for part in target)
    return preimage.of(powers[0] / powers[1], union(*((part,) for part in moved)))


def _exponential(term: Expr, unknown: Expr) -> tuple[Expr, Expr]:
    """Return a product of exponentials and its factor; 1 for the former where it holds the unknown elsewhere."""
    varying = holding(term, unknown) if term.is_Mul else (term,)
    if not all(is_exponential(part, unknown) for part in varying):
        return term, sympy.Integer(1)
    rest = (part for part in term.args if part not in varying) if term.is_Mul else ()
    return sympy.Mul(*rest), sympy.Mul(*varying)


def _power_beside_one(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Compare the logarithm of a power with zero: `x**x > 1` where `x*log(x) > 0`."""
    base, exponent = expression.args
    if len(holding(expression, preimage.unknown)) != 2 or not _has_ends(target, 0, 1):
        return None
    if meet(preimage.of(base, NOT_POSITIVE), (preimage.domain,)):
        return None
    above = meet(target, (ABOVE_ZERO,))
    return preimage.of(exponent * sympy.log(base), tuple(mapped(part, _logarithm, rising=True) for part in above))


def _logarithm(end: Number) -> Number:
    return -math.inf if end == 0 else 0 if end == 1 else end


def _has_ends(target: RealSet, *levels: Number) -> bool:
    """Whether some end of a set is finite, and each that is one of some levels."""
    ends = {end for part in target for end in (part.lower, part.upper) if is_finite(end)}
    return bool(ends) and ends.issubset(levels)
