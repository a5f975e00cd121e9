"""Tearing: a block of cells that rest on each other, seen as a function of as few of them as possible.

Once the value of one cell is assumed, the others often follow one after the other, and one equation remains that is
zero at the right value (G. Kron, Diakoptics, 1963; for equation-based models H. Elmqvist, M. Otter, 1994). Finding the
fewest cells to assume is NP-hard; trying single cells first, then a growing few, is enough for sheets.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flopsheet.functions.symbols import Expr, symbol
from flopsheet.graph.rearranged import NO_SIGNS, rearranged
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from flopsheet.graph.rearranged import Signs
    from flopsheet.graph.structure import Equation

MOST_TEARS, MOST_CACHED = 60, 256


@dataclass(frozen=True)
class Tearing:
    """A block seen as a function of some of its cells, as few as possible."""

    tears: tuple[str, ...]  # the cells that are taken as known
    formulas: Mapping[str, Expr]  # the other cells with what gives them, in the order in which they follow
    residuals: tuple[Equation, ...]  # the equations that then remain, as many as tears


@dataclass(frozen=True)
class _Block:
    """The equations of a block, compared by what tearing depends on: not by the numbers that a question states."""

    shape: tuple[Hashable, ...]
    equations: Sequence[Equation] = field(compare=False)


def torn(
    cells: Sequence[str], equations: Sequence[Equation], preferred: Iterable[str], signs: Signs = NO_SIGNS
) -> Tearing:
    """Return a block as a function of one cell, a preferred one or one that no formula gives; else of several.

    Formulas are followed in their own direction; only where that reaches too few cells is an equation rearranged, in a
    way that is equivalent where the cells have these signs.
    """
    block = _Block(tuple(map(_shape, equations)), equations)
    tearing = _torn(tuple(cells), block, tuple(preferred), signs)
    remaining = {equation.key for equation in tearing.residuals}
    return replace(tearing, residuals=tuple(equation for equation in equations if equation.key in remaining))


def _shape(equation: Equation) -> Hashable:
    relation = equation.relation
    return equation.key, equation.kind, equation.cells, equation.target, relation.left, relation.right


@cached(maxsize=MOST_CACHED)
def _torn(cells: tuple[str, ...], block: _Block, preferred: tuple[str, ...], signs: Signs) -> Tearing:
    equations = block.equations
    first = [cell for cell in preferred if cell in cells]
    targets = {equation.target for equation in equations if equation.is_formula}
    others = sorted((cell for cell in cells if cell not in first), key=lambda cell: cell in targets)
    candidates = [*first, *others][:MOST_TEARS]
    for rearranging in (None, signs):
        tearings = (_unrolled(cells, equations, (cell,), rearranging) for cell in candidates)
        single = next(filter(None, tearings), None)
        if single is not None:
            return single
    growing = (tuple(candidates[: count + 1]) for count in range(1, len(candidates)))
    tearings = (_unrolled(cells, equations, tears, signs) for tears in growing)
    return next(filter(None, tearings), None) or Tearing(tuple(cells), {}, tuple(equations))


def _unrolled(
    cells: Sequence[str], equations: Sequence[Equation], tears: tuple[str, ...], signs: Signs | None
) -> Tearing | None:
    """Return a block as a function of some of its cells, or None where these do not lead to all others.

    Formulas are followed in their own direction, and unless `signs` is None every equation that one cell solves.
    """
    waiting = {equation.key: {*equation.cells} & {*cells} for equation in equations}
    touching: dict[str, list[Equation]] = {}
    for equation in equations:
        for cell in waiting[equation.key]:
            touching.setdefault(cell, []).append(equation)
    formulas: dict[str, Expr] = {}
    used: set[str] = set()
    ready: deque[Equation] = deque()

    def follow(cell: str) -> None:
        for equation in touching[cell]:
            waiting[equation.key].discard(cell)
        ready.extend(touching[cell])

    for tear in tears:
        follow(tear)
    while ready:
        equation = ready.popleft()
        if equation.key in used or len(waiting[equation.key]) != 1:
            continue
        (cell,) = waiting[equation.key]
        formula = _formula(equation, cell, signs)
        if formula is not None:
            formulas[cell] = formula
            used.add(equation.key)
            follow(cell)
    if touching.keys() - formulas.keys() - {*tears}:
        return None
    return Tearing(tears, formulas, tuple(equation for equation in equations if equation.key not in used))


def _formula(equation: Equation, cell: str, signs: Signs | None) -> Expr | None:
    """Return what gives a cell by an equation, rearranged if that is allowed and possible; else None."""
    relation = equation.relation
    if equation.gives(cell) and equation.is_formula:
        return relation.right
    if signs is None:
        return None
    return rearranged(relation.left, relation.right, symbol(cell), signs)
