"""Case distinctions: max, min, abs, indicators and roundings that hold the unknown, branch by branch."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.trees import KEPT, put_in
from flopsheet.functions import entry_of
from flopsheet.functions.spec import Case
from flopsheet.numbers.sets import RealSet, side

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.functions import Expr
    from flopsheet.numbers.spans import Span

MOST_STEPS = 300


@lru_cache(maxsize=KEPT)
def cases(node: Expr) -> tuple[Case, ...]:
    """Return the branches of max, min, abs or an indicator."""
    return tuple(entry_of(node).cases(node))


@lru_cache(maxsize=KEPT)
def demands(expression: Expr, unknown: Expr) -> tuple[tuple[Expr, RealSet], ...]:
    """Return the parts that must each lie in a set for an expression to have a value: `x`, above zero, of `log(x)`."""
    return tuple(_demands(expression, unknown))


def _demands(expression: Expr, unknown: Expr) -> Iterator[tuple[Expr, RealSet]]:
    for node in sympy.preorder_traversal(expression):
        if node.args and (node.is_Pow or node.has(unknown)):
            yield from entry_of(node).demands(node)


@lru_cache(maxsize=KEPT)
def branch(expression: Expr, node: Expr, value: Expr, unknown: Expr) -> tuple[Expr, tuple[tuple[Expr, RealSet], ...]]:
    """Return an expression with a branch's value put in for a function, and the demands that are lost by that."""
    found = put_in(expression, {node: value})
    kept = set(demands(found, unknown))
    lost = ((put_in(part, {node: value}), lies) for part, lies in demands(expression, unknown))
    return found, tuple(each for each in lost if each not in kept)


def steps(node: Expr, span: Span, most: int) -> tuple[list[Case], bool]:
    """Return the steps of a rounding within its bounds, and whether these are all.

    Bounds without end give the first ones from the finite end, or those around zero.
    """
    low, high = span.low, span.high
    downwards = math.floor(high) - most + 1 if math.isfinite(high) else -most // 2
    first = math.floor(low) if math.isfinite(low) else downwards
    last = min(math.floor(high), first + most - 1) if math.isfinite(high) else first + most - 1
    found = [Case(((node, side("=", whole)),), sympy.Integer(whole)) for whole in range(first, last + 1)]
    return found, first <= low and last >= high - 1
