"""Peeling: inverts an expression layer by layer, on sets of numbers.

Working on sets makes equations, inequalities, plateaus of max and half-open steps of ceil one and the same case.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.trees import KEPT
from flopsheet.functions.angles import Acos, Asin, Atan
from flopsheet.functions.language import Indicator
from flopsheet.numbers.arithmetic import power
from flopsheet.numbers.comparison import mirrored
from flopsheet.numbers.sets import (
    ABOVE_ZERO,
    ALL,
    BELOW_ZERO,
    EMPTY,
    Interval,
    RealSet,
    complement,
    mapped,
    meet,
    near,
    side,
    union,
    whole_ends,
)
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.units import Number

ROUNDING, _LOST = 4e-16, 1e-9
_HALF_TURN = Interval(-90, 90, lower_closed=False, upper_closed=False)


class CannotPeelError(Exception):
    """A layer around the unknown has no rule here."""


def undo(expression: Any, layer: Any, target: RealSet, values: Values) -> RealSet:
    """Return where one term of an expression must lie for the expression to lie in a target.

    Args:
        expression: a sum, product, power or function.
        layer: the term; the others do not hold the unknown.
        target: where the expression must lie, in base units.
        values: all other cells in it, in base units.

    Raises:
        CannotPeelError: the function has no inverse here.
    """
    rule = _RULES.get(expression.func)
    if rule is None:
        raise CannotPeelError(str(expression.func))
    return union(rule(expression, layer, target, values))


def _rest(expression: Any, layer: Any, values: Values) -> Number:
    """Return the value of a sum or product without one of its terms."""
    return evaluate(_without(expression, layer), values)


@lru_cache(maxsize=KEPT)
def _without(expression: Any, layer: Any) -> Any:
    return expression.func(*(arg for arg in expression.args if arg != layer))


def _sum(expression: Any, layer: Any, target: RealSet, values: Values) -> RealSet:
    rest = _rest(expression, layer, values)
    return tuple(mapped(each, lambda end: _difference(end, rest), rising=True) for each in target)


def _difference(end: Number, rest: Number) -> Number:
    """Return a difference; what is left by rounding alone is zero."""
    found = end - rest
    noise = isinstance(found, float) and is_finite(found) and abs(found) <= ROUNDING * abs(float(rest))
    return 0 if noise else found


def _product(expression: Any, layer: Any, target: RealSet, values: Values) -> RealSet:
    factor = _rest(expression, layer, values)
    if factor == 0:
        return ALL if any(0 in each for each in target) else EMPTY
    inverse = power(factor, -1)
    return union(tuple(mapped(each, lambda end: _times(end, inverse), rising=factor > 0) for each in target))


def _times(end: Number, factor: Number) -> Number:
    return end * (1 if factor > 0 else -1) if not is_finite(end) else end * factor


def _power(expression: Any, layer: Any, target: RealSet, values: Values) -> RealSet:
    base, exponent = expression.args
    if layer == exponent:
        return _exponential(evaluate(base, values), target)
    order = evaluate(exponent, values)
    if order == 0:
        return ALL if any(1 in each for each in target) else EMPTY
    positive = meet(target, (ABOVE_ZERO,))
    roots = [_roots(positive, order)]
    whole = order == int(order)
    if whole and order % 2 == 0:
        roots.append(_mirrored(roots[0]))
    elif whole:
        roots.append(_mirrored(_roots(_mirrored(meet(target, (BELOW_ZERO,))), order)))
    if order > 0 and any(0 in each for each in target):
        roots.append((Interval(0, 0),))
    return union(*roots)


def _roots(positive: RealSet, order: Number) -> RealSet:
    return tuple(mapped(each, lambda end: _root(end, order), rising=order > 0) for each in positive)


def _root(end: Number, order: Number) -> Number:
    if end == 0:
        return 0 if order > 0 else math.inf
    if end == math.inf:
        return math.inf if order > 0 else 0
    try:
        return power(end, power(order, -1))
    except OverflowError:
        return math.inf


def _mirrored(parts: RealSet) -> RealSet:
    return tuple(mapped(each, lambda end: -end, rising=False) for each in parts)


def _exponential(base: Number, target: RealSet) -> RealSet:
    if base <= 0 or base == 1:
        raise CannotPeelError("a power of 1 or of a negative number")
    scale = math.log(base)
    return tuple(
        mapped(each, lambda end: _logarithm(end) / scale, rising=scale > 0) for each in meet(target, (ABOVE_ZERO,))
    )


def _logarithm(end: Number) -> float:
    """Return the natural logarithm of a number that may be a ratio of any size."""
    if end == 0:
        return -math.inf
    return math.log(end.numerator) - math.log(end.denominator) if isinstance(end, Fraction) else math.log(end)


def _absolute(_: Any, __: Any, target: RealSet, ___: Values) -> RealSet:
    either = meet(target, (Interval(0, math.inf, upper_closed=False),))
    return union(either, _mirrored(either))


def _exp(_: Any, __: Any, target: RealSet, ___: Values) -> RealSet:
    return _exponential(math.e, target)


def _log(_: Any, __: Any, target: RealSet, ___: Values) -> RealSet:
    return tuple(mapped(each, _exponentiated, rising=True) for each in target)


def _exponentiated(end: Number) -> Number:
    try:
        return math.exp(end)
    except OverflowError:
        return math.inf


def _largest(expression: Any, layer: Any, target: RealSet, values: Values) -> RealSet:
    return _extreme(_rest(expression, layer, values), target, ">", "<=")


def _smallest(expression: Any, layer: Any, target: RealSet, values: Values) -> RealSet:
    return _extreme(_rest(expression, layer, values), target, "<", ">=")


def _extreme(rest: Number, target: RealSet, wins: str, loses: str) -> RealSet:
    """max(f, rest): where f wins it must lie in the target; where it loses, rest must."""
    plateau = side(loses, rest) if near(rest, target) else EMPTY
    return union(meet(target, side(wins, rest)), plateau)


def _ceiling(_: Any, __: Any, target: RealSet, ___: Values) -> RealSet:
    return _steps(
        target, lambda first, last: Interval(first - 1, last, lower_closed=False, upper_closed=last != math.inf)
    )


def _floor(_: Any, __: Any, target: RealSet, ___: Values) -> RealSet:
    return _steps(
        target, lambda first, last: Interval(first, last + 1, lower_closed=first != -math.inf, upper_closed=False)
    )


def _steps(target: RealSet, step: Callable[[Number, Number], Interval]) -> RealSet:
    found = []
    for each in target:
        first, last = whole_ends(each)
        if first <= last:
            found.append(step(first, last))
    return union(tuple(found))


def _through(target: RealSet, domain: Interval, function: Callable[[Number], Number], rising: bool) -> RealSet:
    return tuple(mapped(each, function, rising=rising) for each in meet(target, (domain,)))


def _tangent(angle: Number) -> float:
    return math.copysign(math.inf, angle) if size(angle) == _HALF_TURN.upper else math.tan(math.radians(angle))


def _indicator(expression: Any, layer: Any, target: RealSet, values: Values) -> RealSet:
    left, sign, right = expression.args
    rest, sign = (right, str(sign)) if layer == left else (left, mirrored(str(sign)))
    found = side(sign, evaluate(rest, values))
    parts = (found if value else complement(found) for value in (0, 1) if _reaches(value, target))
    return union(*parts)


def _reaches(value: int, target: RealSet) -> bool:
    """Whether an indicator's value lies in a target; its ends may be sums that have lost some digits."""
    floats = (end for each in target for end, closed in each.ends if closed and isinstance(end, float))
    return any(value in each for each in target) or any(abs(end - value) <= _LOST for end in floats)


_RULES: dict[Any, Callable[[Any, Any, RealSet, Values], RealSet]] = {
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
    sympy.Abs: _absolute,
    sympy.exp: _exp,
    sympy.log: _log,
    sympy.Max: _largest,
    sympy.Min: _smallest,
    sympy.ceiling: _ceiling,
    sympy.floor: _floor,
    Asin: lambda _, __, target, ___: _through(target, Interval(-90, 90), lambda end: math.sin(math.radians(end)), True),
    Acos: lambda _, __, target, ___: _through(target, Interval(0, 180), lambda end: math.cos(math.radians(end)), False),
    Atan: lambda _, __, target, ___: _through(target, _HALF_TURN, _tangent, True),
    Indicator: _indicator,
}
