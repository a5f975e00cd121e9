"""Cells that depend on each other: by elimination where that leaves one, else by a search over all at once.

Each is within its bounds; those of cells that follow from one unknown are conditions on it.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy

from flopsheet.budget import current, is_over
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.elimination import exact_symbols, triangle
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.relation import Relation
from flopsheet.formulas.trees import depends
from flopsheet.functions import nodes
from flopsheet.functions.symbols import symbol, symbols_in
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.resultants import decided
from flopsheet.inverse.solution import LARGEST_FORM, Solution
from flopsheet.numbers.sets import EMPTY, Interval, hull, meet, point, union
from flopsheet.numbers.spans import is_exact
from flopsheet.search.derivatives import BROKEN
from flopsheet.search.joint import Joint
from flopsheet.search.newton import Newton
from flopsheet.search.same_ends import at_ends
from flopsheet.search.several_unknowns import JointSearch, Tuples
from flopsheet.search.tiling import reached
from flopsheet.search.whole_tuples import listed
from flopsheet.session import cached
from flopsheet.tolerances import BESIDE, END_SHARE
from flopsheet.units import is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.several_unknowns import Point
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

KEPT, AROUND, REMARK = 64, 4, 50_000  # results; equal neighbours of a float; operations for what a remark needs


def simultaneous(
    cells: Sequence[Cell],
    formulas: Mapping[str, Expr],
    relations: Sequence[Relation],
    values: Values,
    bounds: Mapping[str, Interval] | None = None,
) -> Tuples:
    """Return the points at which all relations hold, in ascending order, and where more may be.

    Args:
        cells: the cells that are sought.
        formulas: cells that follow from them, in order.
        relations: equations and inequalities.
        values: all other cells, in base units.
        bounds: the values that cells in `formulas` may take, where not all make sense.
    """
    sides = tuple((one.left, one.operator, one.right, one.text if one.may_be_printed else "") for one in relations)
    parts = (*formulas.values(), *(side for left, _, right, _ in sides for side in (left, right)))
    used = {cell.name for part in parts for cell in symbols_in(part)}
    known = tuple((name, value, isinstance(value, float)) for name, value in values.items() if name in used)
    sought = tuple((cell.name, cell.bounds.interval, cell.integer) for cell in cells)
    more, question = current()
    return _found((sought, tuple(formulas.items()), sides, known, (tuple((bounds or {}).items()), more)), question)


class _UnfinishedError(Exception):
    """A search that ended for lack of time: its result is not cached, so that more time finds more."""

    def __init__(self, found: Tuples) -> None:
        super().__init__()
        self.found = found


@cached(maxsize=KEPT)
def _found(asked: tuple[Any, ...], question: int) -> Tuples:
    """Return what is found in the time of a question, which asks for the same again to follow each of its values."""
    del question
    try:
        return _solved(*asked)
    except _UnfinishedError as unfinished:
        return unfinished.found


@cached(maxsize=KEPT)
def _solved(
    sought: tuple[tuple[str, Interval, bool], ...],
    formulas: tuple[tuple[str, Expr], ...],
    sides: tuple[tuple[Expr, str, Expr, str], ...],  # each with its text where that may be printed by a program
    known: tuple[tuple[str, Number | str, bool], ...],
    limits: tuple[tuple[tuple[str, Interval], ...], float],  # bounds, and how much work is allowed
) -> Tuples:
    """Return the points; more work may find more.

    Each value of a cell that has several is followed on its own, and asks the same again.

    Raises:
        _UnfinishedError: the time is over, and something is open.
    """
    values = {name: value for name, value, _ in known}
    relations = [Relation(*side) for side in sides]
    names, domains, integers = zip(*sought, strict=True)
    joint = Joint(names, formulas, relations, values, dict(limits[0]))
    gaps: list[Expr] = [] if formulas else _gaps(joint, names, values)
    found = _eliminated(joint, dict(zip(names, domains, strict=True)), gaps) if gaps else None
    enough = sum(relation.is_equation for relation in relations) >= len(sought)
    if all(integers) and not enough:
        found = listed(joint, dict(zip(names, domains, strict=True)), dict(formulas), values)
    if found is not None and joint.printed and not _are_whole(found.points, integers):
        by_digits = JointSearch(joint, domains, integers).tuples()
        found = by_digits if by_digits.points else found
    result = decided(found or JointSearch(joint, domains, integers).tuples(), joint, gaps, names)
    if any(integers) and enough and not (result.points or result.open):  # what is no whole number tells where to look
        reals = JointSearch(joint, domains, [False] * len(sought), REMARK).tuples()
        result = result if reals.open else reals
    if result.open and is_over():
        raise _UnfinishedError(result)
    return result


def _are_whole(points: Iterable[Point], integers: Sequence[bool]) -> bool:
    """Whether all counts among the unknowns are whole numbers at each point."""
    return all(value == int(value) for point in points for value in compress(point, integers))


def _gaps(joint: Joint, names: Sequence[str], values: Values) -> list[Expr]:
    """Return what is zero where each equation holds; nothing where these are not as many as the unknowns."""
    equations = [relation for relation in joint.relations if relation.is_equation]
    try:
        gaps = [(relation.left - relation.right).xreplace(exact_symbols(values)) for relation in equations]
    except ZeroDivisionError:  # of a remainder by a cell that is zero
        return []
    unknowns = {symbol(name) for name in names}
    is_square = len(gaps) == len(unknowns) and unknowns.issuperset(set().union(*(symbols_in(gap) for gap in gaps)))
    return gaps if is_square else []


def _eliminated(joint: Joint, domains: Mapping[str, Interval], gaps: list[Expr]) -> Tuples | None:
    """Return all points at which relations hold, where elimination leaves one unknown; None where it does not."""
    found = triangle(gaps)
    if found is None:
        return None
    forms, gap = found
    (last,) = {symbol(name) for name in domains} - forms.keys()
    values_of_last = None
    with suppress(ArithmeticTrapError):  # a number of the gap that remains may be larger than floats can be
        values_of_last = _roots(Chain(last.name, domains[last.name], {}, {}), gap)
    if values_of_last is None:
        return None
    last_values = (part.lower for part in values_of_last)
    roots = [_root(joint, domains, {last.name: value}, forms) for value in last_values]
    if None in roots:
        return None
    points = [point for root in roots if root and (point := root.point) and joint.holds_at_root(point, root.digits)]
    inside = [at for at in points if all(map(Interval.__contains__, domains.values(), at))]
    if joint.printed and (joint.jumps or not inside or len(inside) < len(roots)):
        return None  # the last digits of a float may keep a root from a bound, or from the side of a jump
    return Tuples(tuple(sorted(inside)))


class _Root(NamedTuple):
    """A root of the equations, to 50 digits or exact, and the point that stands for it; None out of the domains."""

    digits: Point
    point: Point | None


def _root(
    joint: Joint, domains: Mapping[str, Interval], last: dict[str, Number], forms: Mapping[Expr, Expr]
) -> _Root | None:
    """Return the root with a value of the last unknown; None where Newton's method does not lead to it."""
    values = {**last}
    for unknown, form in forms.items():
        values[unknown.name] = evaluate(form, values)
    point = tuple(tidy(values[name]) for name in domains)
    if all(map(is_exact, point)):
        return _Root(point, point)
    newton = Newton(joint)
    box = reached(joint, [*domains.values()], [float(value) for value in point])
    single = None if box is None else newton.proven(box)
    root = None if single is None else newton.refined(single)
    return None if root is None else _Root(root, at_ends(root, [*domains.values()], joint.room))


def sides(result: Tuples, names: Sequence[str]) -> dict[str, RealSet]:
    """Return where each of several cells may have more values, if anywhere."""
    if not result.open:
        return {}
    return {name: union(tuple(Interval(*box[at]) for box in result.open)) for at, name in enumerate(names)}


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
    poles, turns = (_roots(chain, part) if depends(part, unknown) else EMPTY for part in (divisor, slope))
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
    if value is not None:
        return None if math.isnan(value) else value
    if not is_finite(other - end) or chain.at_or_none(end, 1 / formula) != 0:
        return None
    far, near = (chain.at_or_none(end + (other - end) / share, formula) for share in (2, 4))
    return None if far is None or near is None else math.inf if near > far else -math.inf


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


def _roots(chain: Chain, expression: Expr) -> RealSet | None:
    """Return where an expression is zero, single values; None where it may be zero elsewhere."""
    solution = chain.within(expression, point(0))
    if solution is None or solution.open or solution.progressions:
        return None
    return solution.values if all(part.is_point for part in solution.values) else None
