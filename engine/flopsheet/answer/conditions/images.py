"""What cells of a chain are where its unknown has some values: their images, and on which branch they are."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.trees import depends
from flopsheet.functions import nodes
from flopsheet.functions.symbols import as_sympy, exact, symbol
from flopsheet.inverse.solution import LARGEST_FORM, Solution
from flopsheet.numbers.sets import EMPTY, Interval, hull, meet, union
from flopsheet.search.derivatives import BROKEN
from flopsheet.tolerances import BESIDE, END_SHARE
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number

AROUND = 4  # equal neighbours of a float


def mapped(chain: Chain, name: str, values: RealSet, bounds: Interval) -> RealSet | None:
    """Return the values of a cell of a chain where the unknown has some; None where it is not smooth.

    Between the ends of these values and the points at which its slope is zero, the cell rises or falls. At an end that
    is a float, it may stand for one of its `bounds`.
    """
    outer = hull(values)
    if outer is None:
        return values
    chain, unknown = replace(chain, domain=outer), symbol(chain.unknown)
    formula = chain.links.composed(symbol(name), chain.links.needed(symbol(name)), LARGEST_FORM)
    if formula is None or formula.has(*nodes(BROKEN)):
        return None
    divisor, slope = (
        sympy.fraction(sympy.together(part))[at] for part, at in ((formula, 1), (formula.diff(unknown), 0))
    )
    poles, turns = (chain.zeros(part) if depends(part, unknown) else EMPTY for part in (divisor, slope))
    if poles is None or turns is None or meet(poles, values):
        return None
    pieces: list[Interval] = []
    for part in values:
        inside = sorted(turn.lower for turn in turns if part.lower < turn.lower < part.upper)
        ends = [(part.lower, part.lower_closed), *((at, True) for at in inside), (part.upper, part.upper_closed)]
        for first, second in pairwise(ends):
            piece = _image(chain, formula, bounds, first, second)
            if piece is None:
                return None
            # between floats that far apart values have there is a pole, beside which values are out of bounds
            is_pole = math.nextafter(first[0], math.inf) >= second[0] and meet((piece,), (bounds,)) != (piece,)
            pieces += [] if is_pole and first[0] < second[0] else [piece]
    return union(*((piece,) for piece in pieces))


def _image(
    chain: Chain, formula: Expr, bounds: Interval, first: tuple[Number, bool], second: tuple[Number, bool]
) -> Interval | None:
    """Return the values of a formula between two ends between which it rises or falls; None where one is not known.

    Each end is given with whether it is included. Where only its rounding keeps a value from one of the bounds, that
    bound is meant.
    """
    (start, _), (stop, _) = first, second
    low, high = _towards(chain, formula, start, stop), _towards(chain, formula, stop, start)
    if low is None or high is None:
        return None
    ends: list[tuple[Number, bool]] = []
    for value, (at, closed), other in ((low, first, stop), (high, second, start)):
        off: Number = 0
        if isinstance(at, float) and is_finite(high - low):
            beside = chain.at_or_none(math.nextafter(at, float(other)), formula)
            step = 0 if beside is None else max(size(value - beside), math.ulp(value))
            off = min(AROUND * step, END_SHARE * size(high - low))
        near = ((end, closed and also) for end, also in bounds.ends if size(value - end) <= off)
        ends.append(next(near, (value, closed)))
    return _between(*sorted(ends))


def _towards(chain: Chain, formula: Expr, end: Number, other: Number) -> Number | None:
    """Return the value of a formula at an end of what it rises or falls over, infinite at a pole; None for neither."""
    value = chain.at_or_none(end, formula)
    if value is not None and not math.isnan(value):
        return value
    if not is_finite(end):
        return _far(chain, formula, end)
    if not is_finite(other - end) or chain.at_or_none(end, 1 / formula) != 0:
        return None
    far, near = (chain.at_or_none(end + (other - end) / share, formula) for share in (2, 4))
    return None if far is None or near is None else math.inf if near > far else -math.inf


def _far(chain: Chain, formula: Expr, end: Number) -> Number | None:
    """Return the limit of a ratio of polynomials at an infinite end; None for another formula."""
    unknown, others = symbol(chain.unknown), formula.free_symbols - {symbol(chain.unknown)}
    numbers = {cell: chain.values.get(cell.name) for cell in others}
    known = {cell: as_sympy(Fraction(own)) for cell, own in numbers.items() if isinstance(own, int | float | Fraction)}
    parts = sympy.fraction(sympy.together(formula.xreplace(known)))
    if len(known) < len(others) or not all(part.is_polynomial(unknown) for part in parts):
        return None
    above, below = (sympy.Poly(part, unknown) for part in parts)
    ratio, degree = exact(above.LC() / below.LC()), above.degree() - below.degree()
    if degree <= 0:
        return ratio if degree == 0 else 0
    return math.inf if (ratio > 0) is (end > 0 or degree % 2 == 0) else -math.inf


def _between(low: tuple[Number, bool], high: tuple[Number, bool]) -> Interval:
    """Return the interval between two ends, each with whether it is included; infinity is not."""
    same = low[0] == high[0]
    return Interval(low[0], high[0], (low[1] or same) and is_finite(low[0]), (high[1] or same) and is_finite(high[0]))


def on_branch(solution: Solution, chain: Chain, branches: Mapping[str, RealSet]) -> Solution:
    """Return those single values at which cells are in sets known within rounding; all where there are none."""
    cells = {chain.unknown, *chain.formulas}
    for name, branch in ((name, branch) for name, branch in branches.items() if name in cells):
        reached = [chain.at_or_none(part.lower, symbol(name)) for part in solution.values]
        sizes = [size(end) for part in branch for end, _ in part.ends if is_finite(end)]
        off = BESIDE * max([*sizes, *(size(value) for value in reached if value is not None)], default=0)
        kept = tuple(
            part
            for part, value in zip(solution.values, reached, strict=True)
            if value is not None and any(own.lower - off <= value <= own.upper + off for own in branch)
        )
        if name == chain.unknown and not all(part.is_point for part in solution.values):
            kept = meet(branch, solution.values)
        solution = replace(solution, values=kept or solution.values)
    return solution
