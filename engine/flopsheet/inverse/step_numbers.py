"""Roundings with more steps than can be listed: the number of the step becomes the unknown.

`x * floor(a/x) = t` holds at `x = t/k` for every integer k that is then the floor of `a/x`: for a range of k.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import MOST_CACHED, depends, put_in
from flopsheet.inverse.closed_form import boundary_forms
from flopsheet.inverse.divisors import divisors_with_rest
from flopsheet.inverse.rational import as_rational
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import Interval, RealSet, meet, union, whole_ends, widened
from flopsheet.numbers.spans import between
from flopsheet.search.field import Field
from flopsheet.search.program import program_of
from flopsheet.session import cached
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.units import Number

STEP, LEVEL = sympy.symbols("__step __level", real=True)
MOST_LISTED, MOST_INTEGERS = 1000, 50_000
LARGEST_ROUNDED = 1e11  # a float below it is within rounding of one integer at most


class Steps(NamedTuple):
    """The unknown over the number of the step."""

    product: Number | None  # of the two, where it is one number
    candidates: list[Number]  # at each of the first steps
    poles: list[int]  # the steps at which it is not determined
    rest: RealSet  # where it is at further steps


@cached(maxsize=MOST_CACHED)
def form_by_step(expression: Expr, node: Expr, unknown: Expr) -> tuple[Expr, Expr] | None:
    """Return the unknown of `expression = LEVEL` over the number `STEP` of the step that a rounding in it takes.

    With it, by how much the argument of the rounding is then above that number. None where there is no single form, or
    where every step fits: a condition that says no more than that a number is whole.
    """
    forms = boundary_forms(put_in(expression, {node: STEP}), unknown, LEVEL)
    offset = put_in(node.args[0], {unknown: forms[0]}) - STEP if len(forms) == 1 else LEVEL
    return (forms[0], offset) if depends(offset, STEP) else None


def at_steps(form: Expr, fitting: RealSet, values: Values) -> Steps | None:
    """Return the unknown at the integers of a set of steps, nearest to zero first; None where it cannot be followed.

    The values are those of `LEVEL` and the other cells.
    """
    ratio = as_rational(form, STEP, values)
    if ratio is None:
        return None
    runs = [(low, high) for low, high in map(whole_ends, union(tuple(map(widened, fitting)))) if low <= high]
    if any(low == -math.inf and high == math.inf for low, high in runs):
        return None
    poles = [pole for pole in ratio.pole_values() if any(low <= pole <= high for low, high in runs)]
    candidates: list[Number] = []
    rest, field = list[Interval](), Field(program_of(form), STEP.name, values)
    for low, high in runs:
        numbers, further = _first(low, high, MOST_LISTED - len(candidates))
        found = (value_or_none(form, {**values, STEP.name: number}) for number in numbers if number not in poles)
        candidates += [value for value in found if value is not None]
        bounds = [field.bounds(between(*ends)) for ends in further]
        rest += [Interval(span.low, span.high) for span in bounds]
    product = ratio.above[0] if len(ratio.above) == 1 and ratio.below == {(0, 1): 1} else None
    return Steps(product, candidates, [int(pole) for pole in poles if pole == int(pole)], union(tuple(rest)))


def _first(low: Number, high: Number, most: int) -> tuple[range, list[tuple[Number, Number]]]:
    """Return the integers between two, from the end nearer to zero, and what of them is left out."""
    if size(high) < size(low):
        first = int(max(low, high - most + 1))
        return range(first, int(high) + 1), [(low, first - 1)] if low < first else []
    last = int(min(high, low + most - 1))
    return range(int(low), last + 1), [(last + 1, high)] if last < high else []


def integers_in(rest: RealSet, product: Number | None) -> Iterable[Number] | None:
    """Return the integers in a set, divisors where their product with a step is known; None if they are many."""
    if isinstance(product, float) and size(product) < LARGEST_ROUNDED:
        product = near_whole(product)
        if isinstance(product, float):
            return ()  # no two integers have it as their product
    divisors = None if product is None else divisors_with_rest(product, 0, 1)
    if divisors is not None:
        return [divisor.lower for divisor in meet(divisors, rest)]
    ends = [*map(whole_ends, rest)]
    few = all(is_finite(end) for pair in ends for end in pair) and sum(high - low for low, high in ends) < MOST_INTEGERS
    return chain(*(range(int(low), int(high) + 1) for low, high in ends)) if few else None
