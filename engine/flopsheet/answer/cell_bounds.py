"""Bounds of the cells of a chain, as conditions on its unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sympy

from flopsheet import budget
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.formulas.signs import may_be_negative
from flopsheet.formulas.trees import is_whole, symbol_names
from flopsheet.functions.rounding import REMAINDER
from flopsheet.functions.symbols import as_sympy
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution
from flopsheet.inverse.tested_ends import holds_at
from flopsheet.numbers.ends import near
from flopsheet.numbers.sets import ALL, EMPTY, complement, hull, meet, point, union, widened
from flopsheet.numbers.spans import around
from flopsheet.sheets.cell import NOT_NEGATIVE
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.numbers.sets import Interval, RealSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.kernel import Rows
    from flopsheet.units import Number

OWN_BOUND = "its own bound"  # what decides on a number where neither a relation nor a limit does
MOST_POINTS = 8  # at which a bound or a limit is evaluated, which is faster than to invert it
DEEPEST = 8  # formulas behind one another that tell whether a cell is whole
WITHOUT_BOUNDS = 1 / 4  # of the time, to tell what is not within bounds
MOST_COMPUTED = 64  # points at which all cells are computed to see which leave their bounds


def bounds_of(cells: Iterable[Cell]) -> Iterator[Relation]:
    """Yield the bounds of cells as relations."""
    for cell in cells:
        yield from cell.bound_relations


def own_bound(cell: Cell) -> Relation:
    """Return that a number is within its lower bound, if it has one, which nobody asked: what else binds it decides."""
    bounds, level = cell.bounds.interval, cell.symbol
    operator = ">=" if bounds.lower_closed or not is_finite(bounds.lower) else ">"
    if is_finite(bounds.lower):
        level = as_sympy(bounds.lower)
    return Relation(cell.symbol, operator, level, cell.bounds.text(cell.unit), decides=OWN_BOUND)


def bound_by_default(rows: Rows) -> list[Cell]:
    """Return the computed cells that only their default bound, zero or more, keeps from being less."""
    if "bound by default" not in rows.derived:
        cells, signed = rows.cells.values(), {own.name for own in rows.cells.values() if own.bounds.lower < 0}
        free = (own for own in cells if own.formula is not None and own.bounds == NOT_NEGATIVE)
        found = [own for own in free if may_be_negative(own.formula) or not signed.isdisjoint(cells_of(own.formula))]
        rows.derived["bound by default"] = found
    bound: list[Cell] = rows.derived["bound by default"]
    return bound


def is_outside(cell: Cell, value: Number) -> bool:
    """Whether a computed value is outside of the bounds of its cell by more than the rounding of floats."""
    bounds = cell.bounds
    if type(value) is int and bounds.lower < value <= bounds.upper:  # most are
        return False
    return value not in bounds and not near(value, (bounds.interval,))


def whole(cells: Iterable[Cell]) -> Iterator[Relation]:
    """Yield the relations that cells are whole which must be."""
    for cell in cells:
        if cell.integer:
            yield Relation(REMAINDER.build(cell.symbol, 1), "=", sympy.Integer(0), f"{cell.name} is whole")


def valued(expression: Expr, what: str) -> Relation:
    """Return the relation that an expression has a value, whatever it is."""
    return Relation(expression, ">=", expression, f"{what} has a value")


def is_always_whole(chain: Chain, cell: Cell) -> bool:
    """Whether a cell is whole for every number of the unknown, as its formula with all other numbers tells."""
    return _is_whole(chain, cell.name, DEEPEST)


def _is_whole(chain: Chain, name: str, deepest: int) -> bool:
    """Whether a cell is whole as its formula tells, and those of the cells in it."""
    form = chain.formulas.get(name)
    if form is None:
        return chain.integer if name == chain.unknown else isinstance(chain.values.get(name), int)
    names = frozenset(symbol_names(form))
    if not deepest or not is_whole(form, names):
        return False
    return is_whole(form, frozenset(own for own in names if _is_whole(chain, own, deepest - 1)))


def always_holds(chain: Chain, relation: Relation, cells: Mapping[str, Cell]) -> bool:
    """Whether a relation only says that a cell is whole which always is: `mod(n_dp, 1) = 0`."""
    left = relation.left
    is_rest = relation.is_equation and relation.right == 0 and isinstance(left, sympy.Mod) and left.args[1] == 1
    cell = cells.get(str(left.args[0])) if is_rest else None
    return cell is not None and is_always_whole(chain, cell)


def narrowed(chain: Chain, cells: Iterable[Cell]) -> Chain:
    """Return a chain over those values of the unknown that the bounds of cells allow, where these can be inverted."""
    domain = chain.domain
    for relation in bounds_of(cells):
        allowed = chain.solve(relation, search=False)
        outer = None if allowed is None or allowed.open else hull(allowed.around)
        domain = domain if outer is None else domain.meet(widened(outer))
    return replace(chain, domain=domain)


def solved_within(cells: Iterable[Cell], chain: Chain, relation: Relation, right: Expr) -> Solution | None:
    """Return a relation inverted, or searched where cells are within their bounds, or else wherever it may be met."""
    solution = chain.solve(relation, right, search=False)
    if solution is not None and not solution.open:
        return solution
    narrow = narrowed(chain, exceeding(chain, cells, (chain.domain,)))
    if narrow.domain == chain.domain or narrow.domain.is_empty:
        return chain.solve(relation, right)
    solution = narrow.solve(relation, right)
    if solution is not None and (solution.values or solution.open or solution.progressions):
        return solution
    with budget.part(WITHOUT_BOUNDS):
        return chain.solve(relation, right)


def within_bounds(solution: Solution, chain: Chain, cells: Iterable[Cell]) -> Solution:
    """Return a solution without the single values at which a cell of the chain is outside its bounds.

    A value at which only rounding puts the cell there is at an end of those that the bound allows, and remains.
    """
    for relation in bounds_of(cells):
        missed = [part for part in solution.values if part.is_point and not holds_at(chain, part.lower, relation)]
        allowed = chain.solve(relation) if missed else None
        if allowed is not None:
            near = tuple(map(widened, (*allowed.around, *allowed.open)))
            kept = tuple(part for part in solution.values if part not in missed or meet((part,), near))
            solution = replace(solution, values=kept)
    return solution


def with_gaps(
    solution: Solution, chain: Chain, expression: Expr, left: RealSet, numbers: Iterable[Number] | None = None
) -> Solution:
    """Return a solution with those of a set, or of numbers, at which an expression has no value: it breaks no bound."""
    if numbers is not None:
        gaps = union(*(point(at) for at in numbers if chain.at_or_none(at, expression) is None))
    elif not may_lack_value(chain, expression, left):
        return solution
    else:
        defined = where_valued(chain, expression)
        gaps = EMPTY if defined.open else meet((chain.domain,), complement(defined.around))
    return replace(solution, values=union(solution.values, gaps)) if gaps else solution


def where_valued(chain: Chain, expression: Expr) -> Solution:
    """Return where an expression has a value; open everywhere where that was not found."""
    return chain.within(expression, ALL) or Solution(EMPTY, Method.SEARCH, open=(chain.domain,))


def exceeding(chain: Chain, cells: Iterable[Cell], left: RealSet) -> list[Cell]:
    """Return the cells that are outside of their bounds at one of few numbers, or may be in the range of a set."""
    outer = hull(left)
    if outer is None:
        return []
    points = [part.lower for part in left] if len(left) <= MOST_COMPUTED and all(part.is_point for part in left) else []
    values = [chain.cells_at(at) for at in points]
    if points and all(values):  # a computed value is in what bounds its cell
        cells = [cell for cell in cells if not all(known[cell.name] in cell.bounds for known in values if known)]
    chains = [replace(chain, domain=part) for part in (left if 0 < len(points) <= MOST_POINTS else (outer,))]
    cells = [*cells]
    for over in chains:
        over.domains.prepare(cell.name for cell in cells)
    found = [cell for cell in cells if any(_may_exceed(over, cell, over.domains.of_cell(cell.name)) for over in chains)]
    return found if points else _first_of(chains[0], found)


def _first_of(chain: Chain, cells: list[Cell]) -> list[Cell]:
    """Return those of cells that may be out of their bounds where the others before them are within theirs.

    Where these are within, so are all: most of a sheet may follow from one difference that intervals do not bound.
    """
    if len(cells) < 2:  # nothing is before the only one
        return cells
    within = chain.domains.within({cell.name: cell.bounds.interval for cell in cells})
    return [cell for cell in cells if _may_exceed(chain, cell, within.by_formula(cell.name))]


def may_lack_value(chain: Chain, expression: Expr, left: RealSet) -> bool:
    """Whether an expression may have no value at one of the numbers of a set."""
    if all(part.is_point for part in left):
        return any(chain.at_or_none(part.lower, expression) is None for part in left)
    outer = hull(left)
    return outer is not None and not chain.field(expression).bounds(around(outer.lower, outer.upper)).total


def _may_exceed(chain: Chain, cell: Cell, within: Interval) -> bool:
    bounds = cell.bounds.interval
    if chain.domain.is_point:
        return within.meet(bounds).is_empty
    touches = within.lower == bounds.lower and not bounds.lower_closed and is_finite(bounds.lower)
    return within.lower < bounds.lower or within.upper > bounds.upper or touches
