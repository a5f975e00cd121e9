"""A condition on one unknown: a relation with the values of the unknown that meet it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING

from flopsheet.answer.conditions.images import on_branch
from flopsheet.answer.outcomes.wording import quoted
from flopsheet.formulas.relation import Relation
from flopsheet.functions import Trait, nodes
from flopsheet.functions.choose import choices_in, taken
from flopsheet.functions.symbols import as_sympy, exact, symbol, symbols_in
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import LARGEST_FORM, Remaining, Solution, combined
from flopsheet.numbers.ends import eased, is_typed
from flopsheet.numbers.sets import Interval, is_in, meet, point, side
from flopsheet.numbers.spans import NoValueError, Span
from flopsheet.search.grid import REALS
from flopsheet.search.points import Points
from flopsheet.search.same_ends import with_same_ends
from flopsheet.tolerances import FLOAT_DIGIT, ROUNDING, SAME_ROOT
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.links import Links
    from flopsheet.functions.symbols import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.numbers.sets import RealSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


MOST_COMPARED = 16  # values, and ranges
MOST_CHECKED = 64  # single values beside what is open
ONE_TERM = Method.PEEL, Method.LINEAR  # such formulas pass a level, and never touch it


def _is_beside(part: Interval, points: Points, values: RealSet) -> bool:
    """Whether a formula is not at its level in a range, or passes it beside a single number twice or not at all."""
    level = points.target[0].lower
    if not part.is_point:
        return points.compare(part.inside(), level) not in (0, None)
    if not points.is_rounded or points.compare(part.lower, level) in (0, None):
        return False
    low, high = sorted(part.lower * (1 + way * SAME_ROOT) for way in (-1, 1))
    alone = sum(low <= other.lower <= high for other in values) == 1
    return alone and points.compare(low, level) == points.compare(high, level) != 0


def repeats(links: Links, relation: Relation) -> bool:
    """Whether a periodic function is on the way from an unknown to a side of a relation."""
    return any(links.has(side, nodes(Trait.PERIODIC)) for side in (relation.left, relation.right))


@dataclass(frozen=True)
class Condition:
    """A relation that the unknown must meet."""

    relation: Relation  # as it was asked
    chain: Chain  # the formulas between the unknown and the relation
    solution: Solution  # the values of the unknown that meet it
    shown_right: Expr | None = None  # the cell that the relation sets to a value
    implied: bool = False  # whether nobody asked it: it is the bound of a cell that follows from the unknown

    @property
    def limit(self) -> str:
        """The name of the limit that it is, or nothing for a relation that was asked."""
        return self.relation.name

    @property
    def stated(self) -> str:
        """The relation in quotes, with the name of a limit, and whether it is met within rounding only."""
        return f"limit {self.quoted}" if self.relation.limit else self.quoted

    @property
    def quoted(self) -> str:
        """The relation in quotes, and whether it is met within rounding only."""
        text = quoted(self.relation)
        return f"{text} (within its last digits)" if self.is_rounded else text

    @cached_property
    def is_rounded(self) -> bool:
        """Whether values meet an equation only within the last digits of its number: ranges, or where it is touched."""
        if not self.relation.is_equation or (all(part.is_point for part in self.solution.values) and self._is_passed):
            return False
        values, known = self.solution.values[:MOST_COMPARED], self.chain.known.rounded
        key = self.relation.left, self.relation.right, values
        if key not in known:
            points = self.gap(self.relation)
            known[key] = points is not None and any(_is_beside(part, points, values) for part in values)
        return known[key]

    @property
    def _is_passed(self) -> bool:
        """Whether single values pass the level, and do not touch it within the digits of a float that was asked for."""
        if self.solution.how in ONE_TERM:
            return True
        sides = (side for side in (self.relation.left, self.relation.right) if not side.is_Number)
        inputs = frozenset().union(*map(self.chain.links.inputs, sides))
        return not any(isinstance(self.chain.values.get(name), float) for name in inputs)

    @property
    def repeats(self) -> bool:
        """Whether a periodic function is on the way to a side: it is solved within what others leave."""
        return repeats(self.chain.links, self.relation)

    def holds_at(self, number: Number) -> bool | None:
        """Return whether it holds at a value of the unknown; None where a side has no value there."""
        left, right = (self.chain.at_or_none(number, side) for side in (self.relation.left, self.relation.right))
        return None if left is None or right is None else self.relation.holds(left, right)

    def depends(self, expression: Expr) -> bool:
        """Whether a side of the relation depends on the unknown."""
        return not self.chain.links.symbols.isdisjoint(symbols_in(expression))

    @cached_property
    def composed(self) -> Relation:
        """The relation over the unknown and cells that do not depend on it; as it was asked if that is too long."""
        relation, links = self.relation, self.chain.links
        names = links.needed(relation.left, relation.right)
        left, right = (links.composed(side, names, LARGEST_FORM) for side in (relation.left, relation.right))
        if left is None or right is None:
            return relation
        return replace(relation, left=left, right=right if self.shown_right is None else self.shown_right)

    def is_met_beside(self, relation: Relation, at: Number) -> bool:
        """Whether a relation holds where the unknown has a value, or between the floats beside it, by more digits.

        Where a formula is steep, it passes a level between two floats and is far from it at either.
        """
        points = self.gap(relation)
        return points is not None and _meets_beside(points, at)

    def fails_at(self, at: Number) -> bool:
        """Whether digits show that the relation does not hold at a number that its solution does not list."""
        points = None if is_in(at, self.solution.around) else self.gap(self.relation)
        return points is not None and not _meets_beside(points, at)

    @property
    def _exact_gap(self) -> Points | None:
        """The gap of the relation, where no float takes part that was rounded before; else None."""
        points = self.gap(self.relation)
        return None if points is None or points.is_rounded else points

    def root_about(self, at: Number) -> Span | None:
        """Return a box around a number that has a root of the equation, as digits show; None where they do not."""
        if not self.relation.is_equation or not is_in(at, self.solution.around):
            return None
        if (points := self._exact_gap) is None:
            return None
        if not isinstance(at, float):
            return Span(at, at, exact=True)
        if not self.relation.may_be_printed:
            return Span(*(points.grid.beside(at, way) for way in (-1, 1))) if points.passes_at(at) else None
        low, high = sorted(at * (1 + way * ROUNDING) for way in (-1, 1))
        levels = [points.target[0].lower * (1 + way * Fraction(FLOAT_DIGIT)) for way in (-1, 1)]
        return Span(low, high) if all(points.passes(low, high, level) for level in levels) else None

    def fails_over(self, box: Span) -> bool:
        """Whether the relation holds nowhere in a box, as bounds of its sides show."""
        if (points := self._exact_gap) is None:
            return False
        try:
            bounds = points.field.forward(box)[points.field.program.result]
        except NoValueError:
            return False
        target = points.target if all(map(is_typed, _finite_ends(points.target))) else eased(points.target)
        return not meet(target, (Interval(bounds.low, bounds.high),))

    def leads_to(self, values: Values, at: Number) -> bool:
        """Whether each cell that follows from the unknown has its value in an answer, where the unknown has a value."""
        reached = ((self.chain.at_or_none(at, symbol(name)), values.get(name)) for name in self.chain.formulas)
        return all(
            own is None or isinstance(value, str) or value is None or close(own, value) for own, value in reached
        )

    def gap(self, relation: Relation) -> Points | None:
        """Return a side beside a level, or the difference of both, over the unknown; None where it is none of that."""
        level = self._level(relation.right)  # it differs from question to question, and the left side does not
        gap = relation.left if level is not None else relation.left - relation.right
        if choices := choices_in(gap):
            known = self.chain.values
            gap = taken(gap, {name: str(known[name]) for name in choices if name in known})
        inputs = {self.chain.unknown, *self.chain.values}
        if not self.depends(gap) or not self.chain.links.program(gap).inputs.keys() <= inputs:
            return None
        level = 0 if level is None else level
        return Points(self.chain.field(gap), side(relation.operator, level), REALS)

    def _level(self, right: Expr) -> Number | None:
        """Return a side that is one number, or a cell or quantity with a value; None where it is none of these."""
        if right.is_Number:
            return exact(right)
        value = self.chain.values.get(right.name) if right.is_Symbol and not self.depends(right) else None
        return None if isinstance(value, str) else value


def _meets_beside(points: Points, at: Number) -> bool:
    return points.passes_at(at) if isinstance(at, float) else points.meets(at)


def checked(left: Remaining, conditions: Iterable[Condition]) -> Remaining:
    """Return what conditions leave, without single values that rounding alone puts in a set they miss."""
    conditions = [*conditions]
    undecided = [condition for condition in conditions if condition.solution.open]
    points = [part for part in left.values if part.is_point][:MOST_CHECKED]
    failing = {part for part in points if any(own.fails_at(part.lower) for own in undecided)}
    failing |= {part for part in points if _is_missed(part.lower, conditions)}
    return left._replace(values=tuple(part for part in left.values if part not in failing)) if failing else left


def _is_missed(at: Number, conditions: Sequence[Condition]) -> bool:
    """Whether a number is the root of an equation, and digits show that another condition fails there."""
    apart = [own for own in conditions if own.solution.how is Method.CONSTANT or not is_in(at, own.solution.around)]
    boxes = (own.root_about(at) for own in conditions) if apart else ()
    box = next((box for box in boxes if box is not None), None)
    return box is not None and any(own.fails_over(box) for own in apart)


def _finite_ends(parts: RealSet) -> list[Number]:
    return [end for part in parts for end, _ in part.ends if is_finite(end)]


def followed(
    chain: Chain, conditions: Iterable[Condition], cells: Iterable[tuple[Cell, Number]]
) -> Iterator[Condition]:
    """Yield that cells have the values that are followed, where these exclude some of what conditions leave.

    Args:
        chain: from the unknown to all that depends on it.
        conditions: on the unknown; where they leave something open, or too much to list, nothing is excluded.
        cells: the unknown itself, or cells that depend on it, each with its value [base units].
    """
    left = combined(chain.domain, [condition.solution for condition in conditions])
    values = left.values
    for cell, value in () if left.open or left.progressions else cells:
        solution = on_branch(Solution(values, Method.CONSTANT), chain, {cell.name: point(value)})
        if solution.values != values:
            values = solution.values
            relation = Relation(cell.symbol, "=", as_sympy(value), f"{cell.name} = {cell.text(value)}")
            yield Condition(relation, chain, solution, implied=True)


def at_same_ends(conditions: Mapping[int, Condition]) -> dict[int, Condition]:
    """Return conditions with one number for the ends of several that lie at one place."""
    sets = [condition.solution.values for condition in conditions.values()]
    points = [partial(condition.gap, condition.relation) for condition in conditions.values()]
    moved = zip(conditions.items(), with_same_ends(sets, points), sets, strict=True)
    return {
        place: own if values is before else replace(own, solution=replace(own.solution, values=values))
        for (place, own), values, before in moved
    }
