"""On which side of an answer relations bound a cell that was solved for, seen at numbers around that answer."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions import Trait, nodes, taken
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live
    from flopsheet.units import Number

WIDEST, STEP = 10, 4  # an end of a search is this power of this step away from the answer
WIDEST_TRIED = 24  # or from a number that is tried, which may be of another size than what will work
PARTS = (10, 100, 1000, 10**5)  # or one such part of it away, beside a pole
BETWEEN, FIRST_WHOLES = (1, 1.37, 1.93, 2.71), 33  # further numbers, at which a relation may turn


def is_free(outcome: Outcome | None) -> bool:
    """Whether every value of an unknown works."""
    return outcome is not None and outcome.kind == "range" and outcome.boundary is None and outcome.si is not None


class Sides:
    """Relations that one cell is in, around its answer.

    Args:
        live: what follows what.
        name: the cell.
        end: the end of its range around which relations are looked at, if not that of the answer.
    """

    def __init__(self, live: Live, name: str, end: Number | None = None) -> None:
        self.live, self.name = live, name
        self.cell = live.question.sheet.cells[name]
        self.outcome = live.answer.outcomes.get(name)
        self.conditions = live.conditions[name]
        value = live.values[name]
        boundary = self.outcome.boundary if self.outcome is not None and self.outcome.boundary is not None else value
        self.value = 0 if isinstance(value, str) else value
        self.boundary = end if end is not None else 0 if isinstance(boundary, str) else boundary
        bound = "" if self.outcome is None else self.outcome.bound
        self.is_free = is_free(self.outcome)
        self.tried = live.tried or self.is_free
        self.whole = self.cell.integer and (bound in ("<", ">") or self.is_free or live.is_tried(name))

    def setting(self, sign: str) -> tuple[Relation, ...]:
        """Return the relations that bound the cell on the side of its answer, the deciding one first."""
        if not sign:
            return ()
        deciding = None if self.outcome is None else self.outcome.deciding
        text = "" if deciding is None else deciding.text
        equations = [own for own in self.conditions if own.is_equation and not self._is_periodic(own)]
        first = [own for own in self.conditions if own.text == text] or ([] if text else equations[:1])
        if sign == "=":
            return tuple(first or [own for own in self.conditions if own.is_equation][:1])
        alike = [own for own in self.conditions if own not in first and self.side(own) == sign]
        return (*first, *alike) if first else tuple(alike)

    def side(self, relation: Relation) -> str:
        """Return on which side a relation bounds the cell, near its answer; empty where that is not seen."""
        if relation.is_equation or self._is_periodic(relation):
            return ""
        rising = self.rises(relation)
        return "" if rising is None else "<" if rising is ("<" in relation.operator) else ">"

    def _is_periodic(self, relation: Relation) -> bool:
        return any(self.has(side, Trait.PERIODIC) for side in (relation.left, relation.right))

    def rises(self, relation: Relation) -> bool | None:
        """Whether the difference of the sides rises with the cell around its answer; None where it does not move."""
        points, at = self.points, self.boundary
        below = [point for point in reversed(points) if point <= at]
        above = [point for point in points if point > at]
        for step in range(max(len(below), len(above))):
            ends = (side[min(step, len(side) - 1)] if side else at for side in (below, above))
            low, high = (self.gap(relation, end) for end in ends)
            if low is None or high is None:  # beyond a pole on one side
                low, high = (self.gap(relation, at) if gap is None else gap for gap in (low, high))
            if low is not None and high is not None and not close(low, high):
                return high > low
        return None

    @cached_property
    def points(self) -> list[Number]:
        """Numbers around the answer within the bounds of the cell, in order."""
        bounds, at = self.cell.bounds, self.boundary
        if self.is_free and at in (bounds.lower, bounds.upper):
            at = self.cell.example or at or 1  # an end says nothing of the size of what will work
        if bounds.lower >= 0 < at:
            most = WIDEST_TRIED if self.tried and not self.whole else WIDEST
            far = (float(STEP) ** power for power in range(-most, most + 1) if power)
            points = [float(at) * ratio for ratio in (*far, *(1 + sign / part for part in PARTS for sign in (-1, 1)))]
        else:
            wide = max(abs(float(at)), 1.0)
            points = [float(at) + sign * wide * float(STEP) ** power for power in range(-5, 6) for sign in (-1, 1)]
        ends = [end for end in (bounds.lower, bounds.upper) if is_finite(end) and end in bounds]
        if self.whole:
            return sorted({round(point) for point in (*points, *ends) if round(point) in bounds})
        return sorted({*(point for point in points if point in bounds), *map(float, ends)})

    def gap(self, relation: Relation, at: Number) -> Number | None:
        """Return the difference of the sides of a relation where the cell has a value; None where there is none."""
        values = {**self.live.values, self.name: at}
        try:
            for column in self.columns((relation,)):
                values[column] = evaluate(self.live.formulas[column], values)
            return evaluate(relation.left, values) - evaluate(relation.right, values)
        except (ArithmeticTrapError, ArithmeticError, KeyError, TypeError):
            return None

    def has(self, side: Expr, traits: Trait) -> bool:
        """Whether functions of some traits stand between the cell and an expression, or in it with the cell."""
        kinds, side = nodes(traits), self.taken(side)
        inside = [side, *(self.taken(self.live.formulas[column]) for column in self.live.between(self.name, side))]
        found = (node for expression in inside if kinds for node in expression.atoms(*kinds))
        return any(self.name in self.live.on(node) for node in found)

    def taken(self, expression: Expr) -> Expr:
        """Return an expression with the options of the question."""
        return taken(expression, self.live.question.options)

    @cached_property
    def are_one_sided(self) -> bool:
        """Whether each relation bounds the cell on one side only, as far as numbers around the answer show it."""
        return bool(self.conditions) and all(map(self._is_one_sided, self.conditions))

    def _is_one_sided(self, relation: Relation) -> bool:
        if not self.side(relation):
            return False
        numbers = {point * part for point in self.points for part in BETWEEN}
        numbers = {round(number) for number in numbers} | {*range(FIRST_WHOLES)} if self.cell.integer else numbers
        inside = sorted(number for number in numbers if number in self.cell.bounds)
        gaps = [gap for number in inside if (gap := self.gap(relation, number)) is not None]
        steps = [high - low for low, high in pairwise(gaps) if not close(low, high)]
        return all(step > 0 for step in steps) or all(step < 0 for step in steps)

    def columns(self, relations: Sequence[Relation]) -> tuple[str, ...]:
        """Return the cells between the cell and relations."""
        sides = (side for relation in relations for side in (relation.left, relation.right))
        return tuple(self.live.between(self.name, *sides))

    def hold(self, relations: Sequence[Relation], at: Number) -> bool:
        """Whether relations hold where the cell has a value."""
        gaps = [(self.gap(relation, at), relation.operator) for relation in relations]
        return all(gap is not None and (gap <= 0 if "<" in sign else gap >= 0) for gap, sign in gaps)
