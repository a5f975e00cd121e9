"""Bounds of cells as conditions on an unknown, where they exclude something of what relations leave of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sympy import Mod

from flopsheet.answer.cell_bounds import (
    bounds_of,
    exceeding,
    is_always_whole,
    may_lack_value,
    valued,
    where_valued,
    whole,
    with_gaps,
)
from flopsheet.answer.conditions.condition import Condition
from flopsheet.answer.conditions.one import MOST_CANDIDATES
from flopsheet.answer.limits import has_all_wholes
from flopsheet.formulas.trees import denominators
from flopsheet.numbers.sets import hull, meet, meet_near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.conditions.one import RelationSolver
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.numbers.sets import RealSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


def implied_bounds(  # noqa: PLR0913  # what binds, beside the conditions that were found
    one: RelationSolver,
    cells: Iterable[Cell],
    conditions: Sequence[Condition],
    counts: Iterable[Cell] = (),
    present: Iterable[Relation] = (),
    *,
    beside: Iterable[Cell] = (),
) -> list[Condition]:
    """Return the bounds of cells that follow from the unknown, where they exclude something of what is left.

    `counts` among them must be whole, and what is `present` must have a value; cells `beside` may lack one, for nothing
    asked for rests on them. A single value at which a count is not whole remains, to be shown with that.
    """
    implied, left = list[Condition](), one.left(conditions, possible=True)
    if not left:
        return implied
    may_lack = frozenset(cell.symbol for cell in beside)
    fractional = (cell for cell in counts if not is_always_whole(one.chain, cell))
    lacking = [relation for relation in present if may_lack_value(one.chain, relation.left, left)]
    for relation in (*bounds_of(exceeding(one.chain, cells, left)), *lacking, *whole(fractional)):
        if isinstance(relation.left, Mod) and len(left) == 1 and left[0].is_point:
            continue
        numbers = _numbers(one, relation, left)
        if relation in lacking:
            own = Condition(relation, one.chain, where_valued(one.chain, relation.left))
        elif (own := one.over(relation, hull(left) or one.chain.domain, numbers)) and relation.left in may_lack:
            own = replace(own, solution=with_gaps(own.solution, own.chain, relation.left, left, numbers))
        if _excludes(one, own, left):
            implied.append(replace(own, implied=True))
            left = meet_near(left, one.left((own,), possible=True))
    return implied


def _numbers(one: RelationSolver, relation: Relation, left: RealSet) -> Sequence[Number] | None:
    """Return the values that are left, if these are single ones or few counts; else None."""
    if all(part.is_point for part in left):
        return [part.lower for part in left]
    return one.candidates(left, MOST_CANDIDATES) if isinstance(relation.left, Mod) else None


def _excludes(one: RelationSolver, own: Condition, left: RealSet) -> bool:
    """Whether a bound leaves out something of what is left, or may."""
    is_count, steps = one.chain.integer, own.solution.progressions
    if is_count and has_all_wholes(own.solution, left):
        return False
    if any(not (is_count and part.is_every_whole) for part in steps) or meet(own.solution.open, left):
        return True
    return not steps and meet_near(left, one.left((own,), possible=True)) != left


def divided(system: System, cells: Iterable[str]) -> Iterator[Relation]:
    """Yield that there is a value of what an equation divides by, where it is rearranged for one of some cells."""
    for name in cells:
        equation = system.structure.equations[system.structure.of_cell[name]]
        if not (equation.is_formula and equation.target == name):
            yield from divisors_in([system.worded(equation)])


def divisors_in(relations: Iterable[Relation]) -> Iterator[Relation]:
    """Yield that there is a value of what some relations divide by."""
    for relation in relations:
        for power in denominators(relation.left - relation.right):
            yield valued(1 / power.base, relation.text)
