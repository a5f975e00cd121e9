"""The values of several unknowns at which the relations of a question come nearest to holding, among those tried.

From usual values on, and from the whole numbers around values that have a fraction, each step multiplies or divides one
unknown, counts on or back by one, moves it to what a relation compares it with, or multiplies one and divides another,
which keeps their product. Equations come first, as the number of chips that a layout has to fill, and relations of the
unknowns with values; then the relation that fails by most. The others, which take most of the time, are computed only
where the first are missed by least.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING

from flopsheet.report.conflicts.nearest import Nearest, is_without_values
from flopsheet.report.conflicts.sides import Sides, missing, tried
from flopsheet.units import size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_TRIED, MOST_EVALUATED = 600, 100_000  # values, and formulas at all of them
_COUNTS, _SIZES = (2, 3, 5, 7), (10.0, 2.0, 1.1, 1.01)  # by which unknowns are multiplied

_Miss = tuple[float, float, float]


def nearest_tuple(answer: Answer) -> Nearest | None:
    """Return where several unknowns that have no values come nearest to some; None where nothing can be computed."""
    names = tried(answer) if is_without_values(answer) else []
    if len(names) < 2:
        return None
    climb = _Climb(answer, [answer.outcomes[name].cell for name in names])
    tops = [top for start in (*climb.rounded(), climb.usual(), climb.least()) if (top := climb.top(start)) is not None]
    if not tops:
        return None
    _, values = min(tops)
    named = dict(zip(names, values, strict=True))
    sides = climb.sides.worst(named)
    if sides is None:
        return None
    failing = {own[0].text: own[0] for own in climb.sides.at(named) or () if missing(*own)}
    others = [relation for text, relation in failing.items() if text != sides[0].text]
    return Nearest(named, *sides, "", tuple(others))


class _Climb:
    def __init__(self, answer: Answer, cells: Sequence[Cell]) -> None:
        self._cells, self._names = cells, [cell.name for cell in cells]
        self.sides = Sides(answer, self._names)
        self._firsts: dict[tuple[Number, ...], float | None] = {}
        self._missed: dict[tuple[Number, ...], _Miss | None] = {}
        self._fractions = [(own.boundary, own.neighbours) for own in map(answer.outcomes.__getitem__, self._names)]

    def rounded(self) -> Iterator[tuple[Number, ...]]:
        """Yield the nearest whole numbers where every unknown would have one value that is none, or not of a count."""
        values = [
            min(near, key=lambda own: size(own - at), default=at) for at, near in self._fractions if at is not None
        ]
        if len(values) == len(self._names):
            yield tuple(values)

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
            nearer = min(self._nearest(self._steps(best), miss[0]), default=(miss, best))
            if nearer[0] >= miss or len(self._missed) > MOST_TRIED or self.sides.evaluated > MOST_EVALUATED:
                return min((miss, best), nearer)
            miss, best = nearer
        return None

    def _nearest(self, tuples: Iterable[tuple[Number, ...]], most: float) -> list[tuple[_Miss, tuple[Number, ...]]]:
        """Return those that miss the first relations by least, and by so much at most, with all that they miss."""
        firsts: dict[float, list[tuple[Number, ...]]] = {}
        for values in dict.fromkeys(tuples):
            first = self._first(values)
            if first is not None and first <= most:
                firsts.setdefault(first, []).append(values)
        for first in sorted(firsts):
            found = [(miss, values) for values in firsts[first] if (miss := self._miss(values)) is not None]
            if found:
                return found
        return []

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

    def _first(self, values: tuple[Number, ...]) -> float | None:
        """Return by which share the first relations are missed, in sum."""
        if values not in self._firsts:
            sides = self.sides.at(dict(zip(self._names, values, strict=True)), self.sides.first)
            self._firsts[values] = None if sides is None else sum(missing(*own) for own in sides)
        return self._firsts[values]

    def _miss(self, values: tuple[Number, ...]) -> _Miss | None:
        """Return by which share the first relations are missed, one of the others at most, and all of these."""
        first = self._first(values)
        if values not in self._missed and first is not None:
            sides = self.sides.at(dict(zip(self._names, values, strict=True)), self.sides.others)
            others = [0.0] if sides is None else [0.0, *(missing(*own) for own in sides)]
            self._missed[values] = None if sides is None else (first, max(others), sum(others))
        return self._missed.get(values)


def _with(values: tuple[Number, ...], changed: dict[int, Number]) -> tuple[Number, ...]:
    return tuple([changed.get(place, value) for place, value in enumerate(values)])
