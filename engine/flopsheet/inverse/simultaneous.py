"""Cells that depend on each other: by elimination where that leaves one, else by a search over all at once.

Each is within its bounds; those of cells that follow from one unknown are conditions on it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from flopsheet.budget import current, is_over
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.elimination import gaps_of, triangle
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.links import Links
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol, symbols_in
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.resultants import decided
from flopsheet.numbers.sets import Interval, union
from flopsheet.numbers.spans import is_exact
from flopsheet.search.joint import Joint
from flopsheet.search.newton import Newton
from flopsheet.search.same_ends import at_ends
from flopsheet.search.several_unknowns import JointSearch, Tuples
from flopsheet.search.tiling import reached
from flopsheet.search.whole_tuples import listed, tried
from flopsheet.session import cached
from flopsheet.units import tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.several_unknowns import Point
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

    _Sought: TypeAlias = tuple[str, Interval, bool]
    _Known: TypeAlias = tuple[str, Number | str, bool]

KEPT, REMARK = 64, 50_000  # results; operations for what a remark needs
MOST_BESIDE = 16  # tuples of whole numbers beside which the other unknowns are solved for


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
    gaps = _square(joint, Links(names[0], dict(formulas)), values, names)
    within = dict(zip(names, domains, strict=True))
    found = _whole(joint, within, dict(formulas), values) if all(integers) else None
    found = _eliminated(joint, within, gaps) if found is None and gaps else found
    if found is not None and joint.printed and not _are_whole(found.points, integers):
        by_digits = JointSearch(joint, domains, integers).tuples()
        found = by_digits if by_digits.points else found
    result = decided(found or JointSearch(joint, domains, integers).tuples(), joint, gaps, names)
    is_none = not (result.points or result.open)
    if any(integers) and is_none and _has_enough(joint, within):  # what is no whole number tells where to look
        reals = JointSearch(joint, domains, [False] * len(sought), REMARK).tuples()
        result = result if reals.open else reals
    if result.open and any(integers) and 0 < integers.count(False) <= len(joint.equations):
        result = _beside_wholes(result, sought, lambda rest, at: _solved(rest, formulas, sides, (*known, *at), limits))
    if result.open and is_over():
        raise _UnfinishedError(result)
    return result


def _beside_wholes(
    result: Tuples, sought: Sequence[_Sought], solve: Callable[[tuple[_Sought, ...], tuple[_Known, ...]], Tuples]
) -> Tuples:
    """Return a result of which those open boxes are decided that have one tuple of whole numbers: beside these alone.

    A root in floats is no end of a range that is a ratio, and few unknowns are eliminated where many are not.

    Args:
        result: the points, and the open boxes.
        sought: the unknowns.
        solve: solves for some of the unknowns, with values of the others.
    """
    counts = [at for at, (_, _, integer) in enumerate(sought) if integer]
    rest, others = tuple(own for own in sought if not own[2]), [at for at, own in enumerate(sought) if not own[2]]
    points, opened = {*result.points}, [*result.open]
    beside: dict[tuple[int, ...], Tuples] = {}
    for box in (box for box in result.open if all(box[at][0] == box[at][1] for at in counts)):
        wholes = tuple(int(box[at][0]) for at in counts)
        if wholes not in beside and len(beside) < MOST_BESIDE and not is_over():
            known = zip(counts, wholes, strict=True)
            with suppress(_UnfinishedError):  # what it found is of the rest alone
                beside[wholes] = solve(rest, tuple((sought[at][0], own, False) for at, own in known))
        if wholes in beside and not beside[wholes].open:
            opened.remove(box)
    for wholes, found in beside.items():
        for point in () if found.open else found.points:
            own = dict(zip((*counts, *others), (*wholes, *point), strict=True))
            points.add(tuple(own[at] for at in range(len(sought))))
    return replace(result, points=tuple(sorted(points)), open=tuple(opened))


def _has_enough(joint: Joint, domains: Mapping[str, Interval]) -> bool:
    return len(joint.equations) >= len(domains)


def _whole(
    joint: Joint, domains: Mapping[str, Interval], formulas: Mapping[str, Expr], values: Values
) -> Tuples | None:
    """Return the whole numbers at which relations hold, where few are to be tried, or divisors tell; else None."""
    found = tried(joint, domains, formulas, values)
    return listed(joint, domains, formulas, values) if found is None and not _has_enough(joint, domains) else found


def _are_whole(points: Iterable[Point], integers: Sequence[bool]) -> bool:
    """Whether all counts among the unknowns are whole numbers at each point."""
    return all(value == int(value) for point in points for value in compress(point, integers))


def _square(joint: Joint, links: Links, values: Values, names: Sequence[str]) -> list[Expr]:
    """Return what is zero where each equation holds; nothing where these are not as many as the unknowns, or long."""
    equations = [relation for relation in joint.relations if relation.is_equation]
    gaps, unknowns = gaps_of(equations, links, values), {symbol(name) for name in names}
    is_square = len(gaps) == len(unknowns) and unknowns.issuperset(set().union(*(symbols_in(gap) for gap in gaps)))
    return gaps if is_square and len(gaps) == len(equations) else []


def _eliminated(joint: Joint, domains: Mapping[str, Interval], gaps: list[Expr]) -> Tuples | None:
    """Return all points at which relations hold, where elimination leaves one unknown; None where it does not."""
    found = triangle(gaps)
    if found is None:
        return None
    forms, gap = found
    (last,) = {symbol(name) for name in domains} - forms.keys()
    values_of_last = None
    with suppress(ArithmeticTrapError):  # a number of the gap that remains may be larger than floats can be
        values_of_last = Chain(last.name, domains[last.name], {}, {}).zeros(gap)
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
