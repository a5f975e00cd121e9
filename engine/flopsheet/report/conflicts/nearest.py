"""The value of an unknown at which the relations of a question come nearest to holding, by formulas alone.

Values of all sizes are tried, then those between the nearest and its neighbours. No relation is inverted: that nothing
works is known, and what is shown is only where the question fails, and by how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.tolerances import AS_NEAR
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

DECADES, LARGEST_COUNT, FIRST_COUNTS, NARROWED = range(-24, 31), 10**9, 16, 40


@dataclass(frozen=True)
class Nearest:
    """Where a question comes nearest to an answer, in base units."""

    cell: Cell  # the unknown
    value: Number
    relation: Relation  # that fails by most there
    left: Number
    right: Number
    farther: str  # `beyond` or `below` where larger or smaller values are nearer by less than what is shown


def nearest(answer: Answer) -> Nearest | None:
    """Return where one unknown that has no value comes nearest to one; None where relations cannot be computed."""
    outcomes = [*answer.outcomes.values()]
    if len(outcomes) != 1 or outcomes[0].kind != "none" or answer.ranking is not None:
        return None
    search = _Search(answer, outcomes[0].cell)
    missed = {value: miss for value in search.places() if (miss := search.miss(value)) is not None}
    if not missed:
        return None
    best = min(missed, key=lambda value: (missed[value], size(value)))
    for value in search.between(sorted(missed), best):
        miss = search.miss(value)
        if miss is not None:
            missed[value] = miss
    least = min(missed.values())
    alike = [value for value, miss in missed.items() if miss[0] == least[0] and miss[1] <= least[1] + AS_NEAR]
    low, high = min(alike) == min(missed), max(alike) == max(missed)  # where neither, an extreme lies between them
    shown = min(alike, key=search.distance if low or high else missed.__getitem__)
    farther = "beyond" if high and shown < max(alike) else "below" if low and shown > min(alike) else ""
    sides = search.worst(shown)
    return None if sides is None else Nearest(outcomes[0].cell, shown, *sides, farther)


class _Search:
    def __init__(self, answer: Answer, cell: Cell) -> None:
        question = answer.question
        self._question, self._cell = question, cell
        self._relations = [*question.stated, *question.limits]
        self._known: dict[str, Any] = {**answer.values, **question.literals, **question.options}
        self._known.pop(cell.name, None)
        for pin in question.demands:  # what they say is what is checked
            self._known.pop(pin.cell, None)

    def places(self) -> list[Number]:
        """Return values of all sizes within the bounds of the unknown, in order; whole ones of a count."""
        bounds, cell = self._cell.bounds, self._cell
        sizes: Iterator[Number] = (10**power if power >= 0 else 10.0**power for power in DECADES)
        others = [*self._levels(), cell.example, bounds.lower, bounds.upper, 0]
        given: list[Number] = [own for own in others if own is not None and is_finite(own)]
        if cell.integer:
            sizes = chain(range(1, FIRST_COUNTS), (own for own in sizes if 1 <= own <= LARGEST_COUNT))
            given = [end for own in given for end in (math.floor(own), math.ceil(own))]
        every = [*sizes, *given]
        every += [-own for own in every] if bounds.lower < 0 else []
        return sorted({int(own) if own == int(own) else own for own in every if own in bounds})

    def distance(self, value: Number) -> float:
        """Return how far a value is from a usual one, in decades."""
        usual = self._cell.example or self._cell.default or 1
        return abs(math.log10(size(value) / size(usual))) if value else math.inf

    def _levels(self) -> Iterator[Number]:
        """Yield what relations compare the unknown itself with."""
        for relation in self._relations:
            for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
                if side.is_Symbol and side.name == self._cell.name:
                    value = value_or_none(other, self._known) if cells_of(other) <= self._known.keys() else None
                    if value is not None:
                        yield value

    def between(self, places: list[Number], best: Number) -> Iterator[Number]:
        """Yield values between the best of some and its neighbours, ever nearer to the best."""
        at = places.index(best)
        low, high = places[max(at - 1, 0)], places[min(at + 1, len(places) - 1)]
        for _ in range(NARROWED):
            first = (2 * low + high) // 3 if self._cell.integer else (2 * low + high) / 3
            second = low + high - first
            if not low < first <= second < high:
                return
            yield first
            yield second
            misses = [self.miss(first), self.miss(second)]
            if misses[0] is None or misses[1] is None:
                return
            low, high = (low, second) if misses[0] <= misses[1] else (first, high)

    def miss(self, value: Number) -> tuple[int, float] | None:
        """Return how many relations on the unknown alone fail, and by which share one fails at most."""
        sides = self._sides(value)
        if sides is None:
            return None
        alone = sum(_missing(*own) > 0 for own in sides if own[0].cells == {self._cell.name})
        return alone, max((_missing(*own) for own in sides), default=0.0)

    def worst(self, value: Number) -> tuple[Relation, Number, Number] | None:
        """Return the relation that fails by most at a value of the unknown, with its sides."""
        most = max(self._sides(value) or (), key=lambda own: _missing(*own), default=None)
        return None if most is None or not _missing(*most) else most

    def _sides(self, value: Number) -> list[tuple[Relation, Number, Number]] | None:
        """Return each relation with its sides at a value of the unknown; None where one has no value there.

        A limit without one is not checked.
        """
        values, sides = {**self._known, self._cell.name: value}, []
        for relation in self._relations:
            left, right = (self._value(side, values) for side in (relation.left, relation.right))
            if left is not None and right is not None and is_finite(left) and is_finite(right):
                sides.append((relation, left, right))
            elif not relation.name:
                return None
        return sides

    def _value(self, side: Expr, values: dict[str, Any]) -> Number | None:
        for name in sorted(cells_of(side)):
            if not self._compute(name, values):
                return None
        return value_or_none(side, values)

    def _compute(self, name: str, values: dict[str, Any]) -> bool:
        """Compute a cell and what its formula needs; return whether it has a value."""
        waiting, opened = [name], set[str]()
        while waiting:
            formula = None if waiting[-1] in values else self._question.formula(waiting[-1])
            lacking = [] if formula is None else sorted(cells_of(formula) - values.keys())
            if waiting[-1] in values:
                waiting.pop()
            elif formula is None or (lacking and waiting[-1] in opened):  # cells that depend on each other
                return False
            elif lacking:
                opened.add(waiting[-1])
                waiting += lacking
            else:
                value = value_or_none(formula, values)
                if value is None:
                    return False
                values[waiting.pop()] = value
        return True


def _missing(relation: Relation, left: Number, right: Number) -> float:
    """Return by which share of its larger side a relation fails; 0 where it holds."""
    if close(left, right) and relation.operator in ("=", "<=", ">="):
        return 0.0
    if (relation.operator in ("<", "<=") and left < right) or (relation.operator in (">", ">=") and left > right):
        return 0.0
    largest = max(size(left), size(right))
    return max(float(size(left - right) / largest), math.ulp(1.0)) if largest else math.ulp(1.0)
