"""The value of an unknown at which the relations of a question come nearest to holding, by formulas alone.

Values of all sizes are tried, then those between the nearest and its neighbours. No relation is inverted: that nothing
works is known, and what is shown is only where the question fails, and by how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from flopsheet.report.conflicts.sides import Sides, missing, tried
from flopsheet.tolerances import AS_NEAR
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

DECADES, LARGEST_COUNT, FIRST_COUNTS, NARROWED = range(-24, 31), 10**9, 16, 40


@dataclass(frozen=True)
class Nearest:
    """Where a question comes nearest to an answer, in base units."""

    values: dict[str, Number]  # of the unknowns
    relation: Relation  # that fails by most there
    left: Number
    right: Number
    farther: str  # `beyond` or `below` where larger or smaller values are nearer by less than what is shown
    others: tuple[Relation, ...] = ()  # that fail there too


def nearest(answer: Answer) -> Nearest | None:
    """Return where one unknown that has no value comes nearest to one; None where relations cannot be computed."""
    names = tried(answer) if is_without_values(answer) else []
    if len(names) != 1:
        return None
    cell = answer.outcomes[names[0]].cell
    search = _Search(answer, cell)
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
    last = max(alike) if high else min(alike)
    if (low or high) and last in (cell.bounds.lower, cell.bounds.upper):  # then that is the nearest of all
        shown = last
    farther = "beyond" if high and shown < max(alike) else "below" if low and shown > min(alike) else ""
    sides = search.worst(shown)
    if sides is None:
        return None
    others = tuple(own for own in search.failing(shown) if own.text != sides[0].text)
    return Nearest({cell.name: shown}, *sides, farther, others)


def is_without_values(answer: Answer) -> bool:
    """Whether numbers are asked for, and none of them has a value."""
    return answer.ranking is None and {own.kind for own in answer.outcomes.values()} == {"none"}


class _Search:
    def __init__(self, answer: Answer, cell: Cell) -> None:
        self._cell, self._sides = cell, Sides(answer, [cell.name])

    def places(self) -> list[Number]:
        """Return values of all sizes within the bounds of the unknown, in order; whole ones of a count."""
        bounds, cell = self._cell.bounds, self._cell
        sizes: Iterator[Number] = (10**power if power >= 0 else 10.0**power for power in DECADES)
        others = [*self._sides.levels(cell.name), cell.example, bounds.lower, bounds.upper, 0]
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
        sides = self._sides.at({self._cell.name: value})
        if sides is None:
            return None
        alone = sum(missing(*own) > 0 for own in sides if own[0].cells == {self._cell.name})
        return alone, max((missing(*own) for own in sides), default=0.0)

    def failing(self, value: Number) -> list[Relation]:
        """Return the relations that fail at a value of the unknown."""
        return [own[0] for own in self._sides.at({self._cell.name: value}) or () if missing(*own) > 0]

    def worst(self, value: Number) -> tuple[Relation, Number, Number] | None:
        """Return the relation that fails by most at a value of the unknown, with its sides."""
        return self._sides.worst({self._cell.name: value})
