"""The values of several unknowns at which the relations of a question come nearest to holding, among those tried.

From usual values on, each step multiplies or divides one unknown, counts on or back by one, moves it to what a relation
compares it with, or multiplies one and divides another, which keeps their product. Equations come first, as the number
of chips that a layout has to fill, and relations on the unknowns alone; then the relation that fails by most.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING

from flopsheet.report.conflicts.nearest import Nearest
from flopsheet.report.conflicts.sides import Sides, missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_TRIED = 600
_COUNTS, _SIZES = (2, 3, 5, 7), (10.0, 2.0, 1.1, 1.01)  # by which unknowns are multiplied

_Miss = tuple[float, float, float]


def nearest_tuple(answer: Answer) -> Nearest | None:
    """Return where several unknowns that have no values come nearest to some; None where nothing can be computed."""
    cells = [outcome.cell for outcome in answer.outcomes.values()]
    if len(cells) < 2 or answer.ranking is not None or any(own.kind != "none" for own in answer.outcomes.values()):
        return None
    climb = _Climb(answer, cells)
    tops = [top for start in (climb.usual(), climb.least()) if (top := climb.top(start)) is not None]
    if not tops:
        return None
    _, values = min(tops)
    named = dict(zip(answer.outcomes, values, strict=True))
    sides = climb.sides.worst(named)
    if sides is None:
        return None
    failing = {own[0].text: own[0] for own in climb.sides.at(named) or () if missing(*own)}
    others = [relation for text, relation in failing.items() if text != sides[0].text]
    return Nearest(named, *sides, "", tuple(others))


class _Climb:
    def __init__(self, answer: Answer, cells: Sequence[Cell]) -> None:
        self._cells, self._names, self._asked = cells, [*answer.outcomes], {*answer.outcomes}
        self.sides = Sides(answer, self._names)
        self._missed: dict[tuple[Number, ...], _Miss | None] = {}

    def usual(self) -> tuple[Number, ...]:
        """Return a usual value of each unknown."""
        return tuple([cell.example or cell.default or 1 for cell in self._cells])

    def least(self) -> tuple[Number, ...]:
        """Return the smallest count of each unknown that is one, and a usual value of the others."""
        pairs = zip(self._cells, self.usual(), strict=True)
        return tuple([max(1, math.ceil(cell.bounds.lower)) if cell.integer else usual for cell, usual in pairs])

    def top(self, start: tuple[Number, ...]) -> tuple[_Miss, tuple[Number, ...]] | None:
        """Return the values that come nearest on the way up from some, with what they miss."""
        best, miss = start, self._miss(start)
        while miss is not None:
            steps = [(own, step) for step in self._steps(best) if (own := self._miss(step)) is not None]
            nearer = min(steps, default=(miss, best))
            if nearer[0] >= miss or len(self._missed) > MOST_TRIED:
                return min((miss, best), nearer)
            miss, best = nearer
        return None

    def _steps(self, values: tuple[Number, ...]) -> Iterator[tuple[Number, ...]]:
        """Yield the values that are one step away, within the bounds of their cells."""
        for place in range(len(values)):
            for value in self._near(place, values[place]):
                yield _with(values, {place: value})
        for up, down in permutations(range(len(values)), 2):
            for factor in _COUNTS if self._cells[up].integer else _SIZES:
                more, less = self._moved(up, values[up], factor), self._moved(down, values[down], 1 / factor)
                if more is not None and less is not None:
                    yield _with(values, {up: more, down: less})

    def _near(self, place: int, value: Number) -> Iterator[Number]:
        """Yield the values of one unknown that are one step away."""
        cell = self._cells[place]
        factors = _COUNTS if cell.integer else _SIZES
        moved = [self._moved(place, value, own) for factor in factors for own in (factor, 1 / factor)]
        levels: Iterable[Number] = self.sides.levels(cell.name)
        if cell.integer:
            levels = [value - 1, value + 1, *(end for own in levels for end in (math.floor(own), math.ceil(own)))]
        yield from (own for own in (*moved, *levels) if own is not None and own in cell.bounds)

    def _moved(self, place: int, value: Number, factor: float) -> Number | None:
        cell = self._cells[place]
        if cell.integer:
            whole = round(1 / factor) if factor < 1 else 0
            moved: Number = value * round(factor) if not whole else value // whole
            if whole and value % whole:
                return None
        else:
            moved = float(value) * factor
        return moved if moved in cell.bounds else None

    def _miss(self, values: tuple[Number, ...]) -> _Miss | None:
        """Return by which share the first relations are missed, one of the others at most, and all of these."""
        if values not in self._missed:
            sides = self.sides.at(dict(zip(self._names, values, strict=True)))
            self._missed[values] = None if sides is None else self._sized(sides)
        return self._missed[values]

    def _sized(self, sides: Sequence[tuple[Relation, Number, Number]]) -> _Miss:
        """Return first what is missed of equations, and of relations on the unknowns alone."""
        first, others = 0.0, [0.0]
        for own in sides:
            if own[0].is_equation or own[0].cells <= self._asked:
                first += missing(*own)
            else:
                others.append(missing(*own))
        return first, max(others), sum(others)


def _with(values: tuple[Number, ...], changed: dict[int, Number]) -> tuple[Number, ...]:
    return tuple([changed.get(place, value) for place, value in enumerate(values)])
