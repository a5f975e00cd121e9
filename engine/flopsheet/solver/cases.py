"""Case distinctions: max, min, abs, indicators and roundings that hold the unknown, branch by branch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.sheets.functions import Indicator
from flopsheet.solver.intervals import ALL, BELOW_ZERO, Interval, RealSet, complement, side

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.solver.reach import Span

PIECEWISE = (sympy.Max, sympy.Min, sympy.Abs, Indicator)
STEPPED = (sympy.ceiling, sympy.floor)
MOST_STEPS = 64
NOT_NEGATIVE: RealSet = (Interval(0, math.inf, upper_closed=False),)


@dataclass(frozen=True)
class Case:
    """One branch of a function.

    Args:
        where: expressions, each with the set in which it must lie for this branch to be taken.
        value: what the function then is.
    """

    where: tuple[tuple[Any, RealSet], ...]
    value: Any


def innermost(expression: Any, unknown: Any, kinds: tuple[Any, ...]) -> Any | None:
    """Return a function of one of these kinds that holds the unknown, and no other such function inside."""
    for node in sympy.postorder_traversal(expression):
        if isinstance(node, kinds) and node.has(unknown):
            return node
    return None


def cases(node: Any) -> Iterator[Case]:
    """Return the branches of max, min, abs or an indicator."""
    if isinstance(node, sympy.Abs):
        (inside,) = node.args
        yield Case(((inside, NOT_NEGATIVE),), inside)
        yield Case(((inside, BELOW_ZERO_SET),), -inside)
    elif isinstance(node, Indicator):
        left, sign, right = node.args
        holding = side(str(sign), 0)
        yield Case(((left - right, holding),), sympy.Integer(1))
        yield Case(((left - right, complement(holding)),), sympy.Integer(0))
    else:
        sign = 1 if isinstance(node, sympy.Max) else -1
        for arg in node.args:
            others = (other for other in node.args if other is not arg)
            yield Case(tuple((sign * (arg - other), NOT_NEGATIVE) for other in others), arg)


BELOW_ZERO_SET: RealSet = (BELOW_ZERO,)


def steps(node: Any, reach: Span) -> list[Case] | None:
    """Return the steps of a rounding within its reach, or None for too many."""
    low, high = reach
    if not (math.isfinite(low) and math.isfinite(high)) or high - low > MOST_STEPS:
        return None
    return [Case(((node, side("=", whole)),), sympy.Integer(whole)) for whole in range(math.floor(low), int(high) + 1)]


EVERYWHERE = ALL
