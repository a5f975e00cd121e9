"""Cells that depend on each other: by elimination where that leaves one, else by a search over all at once.

Each is within its bounds; those of cells that follow from one unknown are conditions on it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import compress, pairwise, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy

from flopsheet.formulas.relation import Relation
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import as_sympy, symbol
from flopsheet.inverse.closed_form import LARGEST_FORM
from flopsheet.inverse.elimination import eliminated
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution
from flopsheet.numbers.sets import EMPTY, Interval, hull, meet, point, union, widened
from flopsheet.search.budget import current, is_over
from flopsheet.search.joint import Joint
from flopsheet.search.several_unknowns import JointSearch, Tuples
from flopsheet.session import cached
from flopsheet.units import format_quantity, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.numbers.sets import RealSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

Ranges: TypeAlias = "tuple[tuple[str, Interval], ...]"
Sought: TypeAlias = "tuple[tuple[str, Interval, bool], ...]"
Sides: TypeAlias = "tuple[tuple[Expr, str, Expr], ...]"

KEPT = 64
UNEVEN = Trait.PERIODIC | Trait.STEPPED | Trait.EXTREME | Trait.PIECEWISE | Trait.CHOOSES


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
    sides = tuple((relation.left, relation.operator, relation.right) for relation in relations)
    parts = (*formulas.values(), *(side for left, _, right in sides for side in (left, right)))
    used = {cell.name for part in parts for cell in part.free_symbols}
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
    sought: Sought,
    formulas: tuple[tuple[str, Expr], ...],
    sides: Sides,
    known: tuple[tuple[str, Number | str, bool], ...],
    limits: tuple[Ranges, float],  # bounds, and how much work is allowed: more work may find more
) -> Tuples:
    """Return the points; each value of a cell that has several is followed on its own, and asks the same again.

    Raises:
        _UnfinishedError: the time is over, and something is open.
    """
    values = {name: value for name, value, _ in known}
    relations = [Relation(left, operator, right, "") for left, operator, right in sides]
    names, domains, integers = zip(*sought, strict=True)
    joint = Joint(names, formulas, relations, values, dict(limits[0]))
    exact = None if formulas else eliminated(joint, dict(zip(names, domains, strict=True)), values)
    result = exact or JointSearch(joint, domains, integers).tuples()
    enough = sum(relation.is_equation for relation in relations) >= len(sought)
    if any(integers) and enough and not (result.points or result.open):  # what is no whole number tells where to look
        result = JointSearch(joint, domains, [False] * len(sought)).tuples()
    if result.open and is_over():
        raise _UnfinishedError(result)
    return result


def sides(result: Tuples, names: Sequence[str]) -> dict[str, RealSet]:
    """Return where each of several cells may have more values, if anywhere."""
    if not result.open:
        return {}
    return {name: union(tuple(Interval(*box[at]) for box in result.open)) for at, name in enumerate(names)}


def bounds_of(cell: Cell) -> Iterator[Relation]:
    """Yield the bounds of a cell as relations."""
    ends = ((">=" if cell.bounds.lower_closed else ">", cell.bounds.lower), ("<=", cell.bounds.upper))
    for sign, end in ends:
        if is_finite(end):
            yield Relation(cell.symbol, sign, as_sympy(end), f"{cell.name} {sign} {format_quantity(end, cell.unit)}")


def holds_at(chain: Chain, at: Number, relation: Relation) -> bool:
    """Whether a relation holds where the unknown of a chain has a value."""
    left, right = (chain.at_or_none(at, side) for side in (relation.left, relation.right))
    return left is not None and right is not None and relation.holds(left, right)


def held_by(chain: Chain, candidates: Sequence[int], relation: Relation) -> Solution:
    """Return the candidates at which a relation holds; those that there is no time for are open."""
    tried = [holds_at(chain, number, relation) for number in takewhile(lambda _: not is_over(), candidates)]
    met, rest = compress(candidates, tried), candidates[len(tried) :]
    return Solution(union(*map(point, met)), Method.TRIAL, open=union(*map(point, rest)))


def mapped(chain: Chain, name: str, values: RealSet) -> RealSet | None:
    """Return the values of a cell of a chain where the unknown has some; None where it is not smooth.

    Between the ends of these values and the points at which its slope is zero, the cell rises or falls.
    """
    outer = hull(values)
    if outer is None:
        return values
    chain, unknown = replace(chain, domain=outer), symbol(chain.unknown)
    formula = chain.links.composed(symbol(name), chain.links.needed(symbol(name)), LARGEST_FORM)
    if formula is None or formula.has(*nodes(UNEVEN)):
        return None
    divisor, slope = (
        sympy.fraction(sympy.together(part))[at] for part, at in ((formula, 1), (formula.diff(unknown), 0))
    )
    poles, turns = (chain.roots(part) if part.has(unknown) else EMPTY for part in (divisor, slope))
    if poles is None or turns is None or meet(poles, values):
        return None
    pieces: list[Interval] = []
    for part in values:
        inside = sorted(turn.lower for turn in turns if part.lower < turn.lower < part.upper)
        ends = [(part.lower, part.lower_closed), *((at, True) for at in inside), (part.upper, part.upper_closed)]
        for (first, closed), (second, also_closed) in pairwise(ends):
            low, high = _towards(chain, formula, first, second), _towards(chain, formula, second, first)
            if low is None or high is None:
                return None
            pieces.append(_between(*sorted([(low, closed), (high, also_closed)])))
    return union(*((piece,) for piece in pieces))


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
    for name, branch in branches.items():
        if name != chain.unknown and name not in chain.formulas:
            continue
        near = tuple(map(widened, branch))
        reached = ((part, chain.at_or_none(part.lower, symbol(name))) for part in solution.values)
        kept = tuple(part for part, value in reached if value is not None and any(value in one for one in near))
        solution = replace(solution, values=kept or solution.values)
    return solution


def narrowed(chain: Chain, cells: Iterable[Cell]) -> Chain:
    """Return a chain over those values of the unknown that the bounds of cells allow, where these can be inverted."""
    domain = chain.domain
    for relation in (relation for cell in cells for relation in bounds_of(cell)):
        allowed = chain.solve(relation, search=False)
        outer = None if allowed is None or allowed.open else hull(allowed.around)
        domain = domain if outer is None else domain.meet(widened(outer))
    return replace(chain, domain=domain)


def within_bounds(solution: Solution, chain: Chain, cells: Iterable[Cell]) -> Solution:
    """Return a solution without the single values at which a cell of the chain is outside its bounds.

    A value at which only rounding puts the cell there is at an end of those that the bound allows, and remains.
    """
    for relation in (relation for cell in cells for relation in bounds_of(cell)):
        missed = [part for part in solution.values if part.is_point and not holds_at(chain, part.lower, relation)]
        allowed = chain.solve(relation) if missed else None
        if allowed is not None:
            near = tuple(map(widened, (*allowed.around, *allowed.open)))
            kept = tuple(part for part in solution.values if part not in missed or meet((part,), near))
            solution = replace(solution, values=kept)
    return solution
