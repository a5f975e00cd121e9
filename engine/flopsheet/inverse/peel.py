"""Peeling: inverts one layer of an expression, on sets of numbers; by cases, steps or periods where it has several.

On sets, equations, inequalities, plateaus of max and half-open steps of ceil are one case.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import Values, evaluate, value_or_none
from flopsheet.formulas.trees import MOST_CACHED, depends, put_in
from flopsheet.functions import Trait, entry_of, nodes
from flopsheet.functions.spec import Case, NoInverseError
from flopsheet.inverse.overflow import beyond_floats
from flopsheet.numbers.arithmetic import LARGEST, SMALLEST, divided
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, complement, meet, meet_near, point, union
from flopsheet.numbers.spans import Span, is_exact
from flopsheet.session import cached
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from flopsheet.functions import Expr
    from flopsheet.inverse.preimage import Preimage
    from flopsheet.units import Number

MOST_STEPS, MOST_PERIODS = 80, 1000
FIRST_PERIODS = 200  # of an endless set
KEPT = Trait.PERIODIC | Trait.STEPPED | Trait.EXTREME | Trait.CHOOSES  # layers that a search sees as they are


def undo(expression: Expr, layer: Expr, target: RealSet, values: Values, rounded: float = 0) -> tuple[RealSet, RealSet]:
    """Return the values of one term at which an expression is in a target, and where beyond floats more may be.

    Args:
        expression: a sum, product, power or function.
        layer: the term; the others do not hold the unknown.
        target: the set that the expression must be in, in base units.
        values: all other cells in it, in base units.
        rounded: by which share ranges whose ends are floats are widened, or narrowed where it is negative.

    Raises:
        NoInverseError: the function has no inverse here.
    """
    place, rest = _split(expression, layer)
    entry, value = entry_of(expression), None if rest is None else evaluate(rest, values)
    preimage = union(entry.preimage(expression, place, target, value))
    if rounded:
        beside: Number = value if expression.is_Add and isinstance(value, float) else 0
        preimage = union(*(_rounded(part, rounded, beside) for part in preimage))

    def terms_at(at: Any) -> tuple[Any, ...]:
        if value is None:
            return (at,)
        other = Span(value, value, exact=is_exact(value)) if isinstance(at, Span) else value
        return (other, at) if place == 1 and len(expression.args) == 2 else (at, other)

    return beyond_floats(entry, terms_at, target, preimage)


def zero_of_product(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Return where a product is zero; None where the target is another, or a factor is zero throughout or over a range.

    Raises:
        NoInverseError: no exact method finds the zeros of a factor.
    """
    if not expression.is_Mul or target != point(0):
        return None
    factors = [factor for factor in expression.args if depends(factor, preimage.unknown)]
    others = (factor for factor in expression.args if factor not in factors)
    if any(value_or_none(factor, preimage.values) == 0 for factor in others):
        return None
    zeros = union(*(preimage.of(factor, target) for factor in factors))
    if not all(part.is_point for part in zeros):
        return None
    return tuple(part for part in zeros if preimage.value_at(expression, part.lower) is not None)


def _rounded(part: Interval, share: float, beside: Number) -> RealSet:
    """Return a range with its float ends moved outwards by a share of them and of what was taken off; else as it is."""

    def moved(end: Number, way: int) -> Number:
        is_known = isinstance(end, float) and SMALLEST <= size(end) < LARGEST
        return float(end) + way * share * (size(end) + size(beside)) if is_known else end

    lower, upper = moved(part.lower, -1), moved(part.upper, 1)
    if part.is_point or (lower, upper) == (part.lower, part.upper):
        return (part,)
    return (replace(part, lower=lower, upper=upper),) if lower < upper else ()


def without_layers(
    expression: Expr, target: RealSet, symbols: AbstractSet[Expr], values: Values
) -> tuple[Expr, RealSet]:
    """Return an expression without its outer layers that exact numbers undo: (...)**2 = 0 touches 0."""
    while expression not in symbols and not isinstance(expression, nodes(KEPT)):
        inside = [term for term in expression.args if not symbols.isdisjoint(term.free_symbols)]
        if len(inside) != 1 or not inside[0].args:
            break
        try:
            wanted, beyond = undo(expression, inside[0], target, values)
        except (NoInverseError, ArithmeticTrapError):
            break
        if beyond or not wanted or not all(is_exact(end) for part in wanted for end, _ in part.ends):
            break
        expression, target = inside[0], wanted
    return expression, target


@cached(maxsize=MOST_CACHED)
def _split(expression: Expr, layer: Expr) -> tuple[int, Expr | None]:
    """Return the place of a term, and the other terms as one expression."""
    place = expression.args.index(layer)
    return place, entry_of(expression).rest(expression, place)


@cached(maxsize=MOST_CACHED)
def cases(node: Expr) -> tuple[Case, ...]:
    """Return the branches of max, min, abs or an indicator."""
    return tuple(entry_of(node).cases(node))


@cached(maxsize=MOST_CACHED)
def demands(expression: Expr, unknown: Expr) -> tuple[tuple[Expr, RealSet], ...]:
    """Return the parts that must each be in a set for an expression to have a value: for `log(x)`, `x` above zero."""
    return tuple(_demands(expression, unknown))


def _demands(expression: Expr, unknown: Expr) -> Iterator[tuple[Expr, RealSet]]:
    for node in sympy.preorder_traversal(expression):
        if node.args and (node.is_Pow or node.has(unknown)):
            yield from entry_of(node).demands(node)


@cached(maxsize=MOST_CACHED)
def branch(expression: Expr, node: Expr, value: Expr, unknown: Expr) -> tuple[Expr, tuple[tuple[Expr, RealSet], ...]]:
    """Return an expression with a branch's value put in for a function, and the demands that the branch drops."""
    taken = put_in(expression, {node: value})
    remaining = set(demands(taken, unknown))
    before = ((put_in(part, {node: value}), values) for part, values in demands(expression, unknown))
    return taken, tuple(demand for demand in before if demand not in remaining)


def steps(node: Expr, span: Span, most: int) -> list[Case]:
    """Return the steps of a rounding within its bounds; none where there are more than allowed."""
    if not is_finite(span.low) or not is_finite(span.high) or span.high - span.low >= most:
        return []
    values = range(math.floor(span.low), math.floor(span.high) + 1)
    return [Case(((node, point(value)),), sympy.Integer(value)) for value in values]


def shifts(span: Span, period: Number) -> tuple[tuple[range, ...], bool]:
    """Return the numbers of periods that lead into a span, and whether these are all.

    For an endless span, return the first ones from its finite end, or those around zero; for one of too many periods,
    those next to either end.
    """
    low, high = (divided(end, period) if is_finite(end) else end for end in (span.low, span.high))
    first = math.floor(low) - 1 if is_finite(low) else None
    last = math.ceil(high) + 1 if is_finite(high) else None
    if first is None and last is None:
        return (range(-FIRST_PERIODS // 2, FIRST_PERIODS // 2),), False
    if first is None:
        return (range((last or 0) - FIRST_PERIODS, (last or 0) + 1),), False
    if last is None:
        return (range(first, first + FIRST_PERIODS),), False
    if last - first > MOST_PERIODS:
        each = FIRST_PERIODS // 2
        return (range(first, first + each), range(last - each, last + 1)), False
    return (range(first, last + 1),), True


def repeated(once: RealSet, period: Number, span: Span) -> tuple[RealSet, RealSet]:
    """Return the repetitions of a set within a span, and where more of them lie."""
    if not once:
        return EMPTY, EMPTY
    window = (Interval(span.low, span.high, span.low != -math.inf, span.high != math.inf),)
    if once[0].upper - once[0].lower >= period and (once[0].lower_closed or once[0].upper_closed):
        return window, EMPTY
    runs, complete = shifts(span, period)
    repetitions = [tuple(_shifted(once, period, times)) for times in runs]
    listed = meet_near(union(*repetitions), window)
    if complete:
        return listed, EMPTY
    reached = tuple(Interval(run[0].lower, run[-1].upper) for run in repetitions)
    return listed, meet(complement(reached), window)


def _shifted(once: RealSet, period: Number, times: range) -> Iterator[Interval]:
    for time in times:
        for part in once:
            lower, upper = part.lower + time * period, part.upper + time * period
            yield Interval(lower, upper, part.lower_closed, part.upper_closed)
