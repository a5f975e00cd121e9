"""Peeling: inverts one layer of an expression on sets of numbers, in every period where it repeats itself.

On sets, equations, inequalities, plateaus of max and half-open steps of ceil are one case. Numbers larger or smaller
than floats are, which inversion gives as infinity or zero, are open where it is not proven that they are in the set.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.trees import MOST_CACHED, depends, has_function
from flopsheet.functions import Trait, entry_of, nodes
from flopsheet.functions.spec import NoInverseError
from flopsheet.functions.symbols import symbols_in
from flopsheet.numbers.arithmetic import LARGEST, SMALLEST, divided
from flopsheet.numbers.sets import (
    ABOVE_ZERO,
    EMPTY,
    Interval,
    RealSet,
    complement,
    is_in,
    meet,
    meet_near,
    point,
    union,
)
from flopsheet.numbers.spans import NoValueError, Span, is_exact
from flopsheet.session import cached
from flopsheet.tolerances import HARDLY_LEFT
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from flopsheet.functions import Expr, Function
    from flopsheet.inverse.preimage import Preimage
    from flopsheet.units import Number

MOST_PERIODS = 1000
FIRST_PERIODS = 200  # of an endless set
KEPT = (
    Trait.PERIODIC | Trait.STEPPED | Trait.EXTREME | Trait.CHOOSES | Trait.GUARDS
)  # layers that a search sees as they are


def undo(
    expression: Expr, layer: Expr, target: RealSet, value: Number | None, rounded: float = 0
) -> tuple[RealSet, RealSet]:
    """Return the values of one term at which an expression is in a target, and where beyond floats more may be.

    Inversion in floats gives numbers beyond them as infinity or zero: these are left out where they are not proven.

    Args:
        expression: a sum, product, power or function.
        layer: the term; the others do not hold the unknown.
        target: the set that the expression must be in, in base units.
        value: the value of the other terms together [base units], None where there are none.
        rounded: by which share ranges whose ends are floats are widened, or narrowed where it is negative.

    Raises:
        NoInverseError: the function has no inverse here.
    """
    place, entry = expression.args.index(layer), entry_of(expression)
    preimage = union(entry.preimage(expression, place, target, value))
    if rounded:
        beside: Number = value if expression.is_Add and isinstance(value, float) else 0
        preimage = union(*(_rounded(part, rounded, beside) for part in preimage))

    def terms_at(at: Any) -> tuple[Any, ...]:
        if value is None:
            return (at,)
        other = Span(value, value, exact=is_exact(value)) if isinstance(at, Span) else value
        return (other, at) if place == 1 and len(expression.args) == 2 else (at, other)

    beyond = [part for part in preimage if _is_beyond(part.lower) or _is_beyond(part.upper)]
    if not beyond:
        return preimage, EMPTY
    sizes = tuple(size for size in entry.overflows if any(_may_be_lost(part, size) for part in beyond))
    proven = {size: _is_within(entry, terms_at, target, size) for size in sizes}
    if all(proven.values()):
        return preimage, EMPTY
    inside, undecided = (union(tuple(size for size in sizes if proven[size] is lies)) for lies in (True, None))
    return union(meet(preimage, complement(union(sizes))), inside), undecided


def cancels(expression: Expr, layer: Expr, target: RealSet, values: Values) -> bool:
    """Whether inverting a sum of floats takes nearly all from it, so that hardly a digit of the term is left."""
    taken = _taken(expression, layer, values)
    ends = (end for part in target for end, _ in part.ends if is_finite(end))
    rounded = (end for end in ends if isinstance(end, float) or isinstance(taken, float))
    return taken > 0 and any(size(size(end) - taken) <= HARDLY_LEFT * taken for end in rounded)


def _taken(expression: Expr, layer: Expr, values: Values) -> Number:
    """Return the size of the other terms of a sum; 0 for another operation."""
    return size(evaluate(rest_of(expression, layer), values)) if expression.is_Add else 0


def _is_left(expression: Expr, layer: Expr, target: RealSet, values: Values) -> bool:
    """Whether a target is what is left where a sum cancels: with the other terms added, floats would not hold it."""
    taken = _taken(expression, layer, values)
    return any(0 < size(end) <= HARDLY_LEFT * taken for part in target for end, _ in part.ends)


def zero_of_product(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Return where a product is zero; None where the target is another, or a factor is zero throughout or over a range.

    Raises:
        NoInverseError: no exact method finds the zeros of a factor.
    """
    if not expression.is_Mul or target != point(0):
        return None
    factors = [factor for factor in expression.args if depends(factor, preimage.unknown)]
    if any(preimage.constant(factor) == 0 for factor in expression.args if factor not in factors):
        return None
    zeros = [preimage.of(factor, target) for factor in factors]
    if not all(part.is_point for parts in zeros for part in parts):
        return None
    for place, parts in enumerate(zeros):
        preimage.sharpness.compare_apart([parts], zeros[:place])
    every = union(*zeros)
    if not all(preimage.is_total_beside(expression, part.lower) for part in every):
        preimage.sharpness.blur()  # a pole, or an end of where it has a value
    return tuple(part for part in every if preimage.value_at(expression, part.lower) is not None)


def sign_of_product(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Return where a product has a sign, by the sign of what is left without a factor that is never negative.

    None where the target is no sign, or no factor is known never to be negative.

    Raises:
        NoInverseError: no exact method tells where that factor, or what is left, has a sign.
    """
    if not expression.is_Mul or any(end and is_finite(end) for part in target for end, _ in part.ends):
        return None
    depending = [factor for factor in expression.args if depends(factor, preimage.unknown)]
    factor = next((own for own in depending if preimage.bounds(own).low >= 0), None)
    if factor is None or len(depending) < 2:
        return None
    bounds = preimage.bounds(factor)
    positive = (preimage.domain,) if bounds.total and bounds.low > 0 else preimage.of(factor, (ABOVE_ZERO,))
    sets = [positive, preimage.of(expression.func(*(own for own in expression.args if own is not factor)), target)]
    preimage.sharpness.compare(end for own in sets for part in own for end, _ in part.ends)
    before = preimage.progressions
    zeros = preimage.of(factor, point(0)) if is_in(0, target) else ()
    if preimage.progressions != before or not all(part.is_point for part in zeros):
        return None
    met = (part for part in zeros if preimage.value_at(expression, part.lower) is not None)
    return union(meet(*sets), tuple(met))


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
        inside = [term for term in expression.args if not symbols.isdisjoint(symbols_in(term))]
        if len(inside) != 1 or not inside[0].args or _is_left(expression, inside[0], target, values):
            break
        try:
            rest = rest_of(expression, inside[0])
            value = None if rest is None else evaluate(rest, values)
            if isinstance(value, float) and rest is not None and has_function(rest, (sympy.Add,)):
                break  # its digits may cancel
            wanted, beyond = undo(expression, inside[0], target, value)
        except (NoInverseError, ArithmeticTrapError):
            break
        if beyond or not wanted or not all(is_exact(end) for part in wanted for end, _ in part.ends):
            break
        expression, target = inside[0], wanted
    return expression, target


@cached(maxsize=MOST_CACHED)
def rest_of(expression: Expr, layer: Expr) -> Expr | None:
    """Return the terms of an expression but for one, as one expression; None where there are no others."""
    return entry_of(expression).rest(expression, expression.args.index(layer))


def shifts(span: Span, period: Number) -> tuple[tuple[range, ...], bool]:
    """Return the numbers of periods that lead into a span, and whether these are all.

    For an endless span, return the first ones from its finite end, or those around zero; for one of too many periods,
    those next to either end.
    """
    half = FIRST_PERIODS // 2
    first = math.floor(divided(span.low, period)) - 1 if is_finite(span.low) else None
    last = math.ceil(divided(span.high, period)) + 1 if is_finite(span.high) else None
    if first is None or last is None:
        start = first if first is not None else -half if last is None else last - FIRST_PERIODS
        return (range(start, start + FIRST_PERIODS + (last is not None)),), False
    if last - first > MOST_PERIODS:
        return (range(first, first + half), range(last - half, last + 1)), False
    return (range(first, last + 1),), True


def repeated(once: RealSet, period: Number, span: Span) -> tuple[RealSet, RealSet]:
    """Return the repetitions of a set that reach into a span, and where more of them lie."""
    if not once:
        return EMPTY, EMPTY
    window = (Interval(span.low, span.high, span.low != -math.inf, span.high != math.inf),)
    if once[0].upper - once[0].lower >= period and (once[0].lower_closed or once[0].upper_closed):
        return window, EMPTY
    runs, complete = shifts(span, period)
    repetitions = [
        tuple(replace(part, lower=part.lower + at, upper=part.upper + at) for at in offsets for part in once)
        for offsets in ([time * period for time in times] for times in runs)
    ]
    listed = tuple(part for part in union(*repetitions) if meet_near((part,), window))  # whole: the span is in floats
    reached = tuple(Interval(run[0].lower, run[-1].upper) for run in repetitions)
    return listed, EMPTY if complete else meet(complement(reached), window)


def _may_be_lost(part: Interval, size: Interval) -> bool:
    """Whether rounding may have put an end of a part at a size that floats do not have."""
    beyond = [end for end, closed in part.ends if _is_beyond(end) and (closed or not size.is_point)]
    known = [end for end, _ in part.ends if is_exact(end) and is_finite(end)]
    return any(size.lower <= end <= size.upper for end in beyond) and not any(end in size for end in known)


def _is_beyond(end: Number) -> bool:
    return isinstance(end, float) and not SMALLEST <= abs(end) <= LARGEST


def _is_within(
    entry: Function, terms_at: Callable[[Any], tuple[Any, ...]], target: RealSet, size: Interval
) -> bool | None:
    """Return whether a function lies in a target while a term has a size; None where bounds do not tell."""
    try:
        if size.is_point:
            return is_in(entry.exact(*terms_at(size.lower)), target)
        bounds = entry.bounds(*terms_at(Span(size.lower, size.upper)))
    except (NoValueError, ZeroDivisionError):
        return False
    except (ArithmeticError, ValueError):
        return False if size.is_point else None
    # Over an open interval, a strictly monotone function does not reach the ends of its bounds.
    constant = bounds.low == bounds.high
    values = (Interval(bounds.low, bounds.high, lower_closed=constant, upper_closed=constant),)
    return False if not meet(values, target) else None if meet(values, complement(target)) else True
