"""Case distinctions: max, min, abs, indicators and roundings that hold the unknown, branch by branch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.trees import KEPT, put_in
from flopsheet.functions.angles import Acos, Asin
from flopsheet.functions.language import Indicator
from flopsheet.numbers.sets import ABOVE_ZERO, BELOW_ZERO, Interval, RealSet, complement, point, side

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.inverse.bounds import Span

PIECEWISE = (sympy.Max, sympy.Min, sympy.Abs, Indicator)
STEPPED = (sympy.ceiling, sympy.floor)
MOST_STEPS = 300
NOT_NEGATIVE: RealSet = (Interval(0, math.inf, upper_closed=False),)
NOT_POSITIVE: RealSet = (Interval(-math.inf, 0, lower_closed=False),)


@dataclass(frozen=True)
class Case:
    """One branch of a function.

    Args:
        where: expressions, each with the set in which it must lie for this branch to be taken.
        value: what the function then is.
    """

    where: tuple[tuple[Any, RealSet], ...]
    value: Any


@lru_cache(maxsize=KEPT)
def cases(node: Any) -> tuple[Case, ...]:
    """Return the branches of max, min, abs or an indicator."""
    return tuple(_cases(node))


def _cases(node: Any) -> Iterator[Case]:
    if isinstance(node, sympy.Abs):
        (inside,) = node.args
        yield Case(((inside, NOT_NEGATIVE),), inside)
        yield Case(((inside, (BELOW_ZERO,)),), -inside)
    elif isinstance(node, Indicator):
        left, sign, right = node.args
        holding = side(str(sign), 0)
        yield Case(((left - right, holding),), sympy.Integer(1))
        yield Case(((left - right, complement(holding)),), sympy.Integer(0))
    else:
        for place, arg in enumerate(node.args):
            yield Case(tuple(_before(node, place, other) for other in range(len(node.args)) if other != place), arg)


def _before(node: Any, place: int, other: int) -> tuple[Any, RealSet]:
    """Return the condition that one term of a max or min wins over another; of two the same difference is asked for."""
    first, second = sorted((place, other))
    above = isinstance(node, sympy.Max) == (place < other)
    return node.args[first] - node.args[second], NOT_NEGATIVE if above else NOT_POSITIVE


_NOT_ZERO = complement(point(0))
_SINES: RealSet = (Interval(-1, 1),)
_DOMAINS: dict[Any, RealSet] = {sympy.log: (ABOVE_ZERO,), Asin: _SINES, Acos: _SINES, sympy.Mod: _NOT_ZERO}
# Bases of powers, by whether the exponent is whole and whether it is negative.
_BASES: dict[tuple[bool, bool], RealSet] = {
    (True, True): _NOT_ZERO,
    (False, False): NOT_NEGATIVE,
    (False, True): (ABOVE_ZERO,),
}


@lru_cache(maxsize=KEPT)
def demands(expression: Any, unknown: Any) -> tuple[tuple[Any, RealSet], ...]:
    """Return the parts that must each lie in a set for an expression to have a value: `x`, above zero, of `log(x)`."""
    return tuple(_demands(expression, unknown))


def _demands(expression: Any, unknown: Any) -> Iterator[tuple[Any, RealSet]]:
    for node in sympy.preorder_traversal(expression):
        if node.is_Pow and node.exp.is_Rational:
            if node.exp < 0 or not node.exp.is_Integer:
                yield node.base, _BASES[bool(node.exp.is_Integer), bool(node.exp < 0)]
        elif node.func in _DOMAINS and node.has(unknown):
            yield node.args[-1], _DOMAINS[node.func]


@lru_cache(maxsize=KEPT)
def branch(expression: Any, node: Any, value: Any, unknown: Any) -> tuple[Any, tuple[tuple[Any, RealSet], ...]]:
    """Return an expression with a branch's value put in for a function, and the demands that are lost by that."""
    found = put_in(expression, {node: value})
    kept = set(demands(found, unknown))
    lost = ((put_in(part, {node: value}), lies) for part, lies in demands(expression, unknown))
    return found, tuple(each for each in lost if each not in kept)


def steps(node: Any, reach: Span, most: int) -> tuple[list[Case], bool]:
    """Return the steps of a rounding within its reach, and whether these are all.

    A reach without end gives the first ones from its finite end, or those around zero.
    """
    low, high = reach
    downwards = math.floor(high) - most + 1 if math.isfinite(high) else -most // 2
    first = math.floor(low) if math.isfinite(low) else downwards
    last = min(math.floor(high), first + most - 1) if math.isfinite(high) else first + most - 1
    found = [Case(((node, side("=", whole)),), sympy.Integer(whole)) for whole in range(first, last + 1)]
    return found, first <= low and last >= high - 1
