"""Small systems of linear equations: exact solutions, the inverse of their best rows in floats, bounds of products."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.numbers.sets import Interval, mapped
from flopsheet.numbers.spans import ANYTHING, Span, in_floats
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.units import Number

ZERO = Fraction(0)


def preconditioner(matrix: Sequence[Sequence[float]]) -> tuple[list[int], list[list[float]]] | None:
    """Return as many rows of a matrix as it has columns, and their inverse; None where columns depend on each other.

    No rows, as of inequalities alone, tell nothing apart.

    Gauss-Jordan elimination with full pivoting over scaled rows: of more equations than unknowns, those that tell the
    unknowns apart best. mpmath inverts square matrices only, and takes ten times as long for two unknowns.
    """
    if not matrix:
        return None
    count = len(matrix[0])
    scales = [max(map(abs, row)) for row in matrix]
    left = [[value / scale if scale else 0.0 for value in row] for row, scale in zip(matrix, scales, strict=True)]
    done: list[tuple[int, int]] = []
    traces = [[float(row == other) for other in range(len(matrix))] for row in range(len(matrix))]
    for _ in range(count):
        rows = [row for row in range(len(matrix)) if row not in {used for used, _ in done}]
        columns = [column for column in range(count) if column not in {used for _, used in done}]
        pivots = [(abs(left[row][column]), row, column) for row in rows for column in columns]
        size, row, column = max(pivots, default=(0.0, 0, 0))
        if not size:
            return None
        done.append((row, column))
        _eliminate(left, traces, row, column)
    rows = [row for row, _ in done]
    by_column = {column: row for row, column in done}
    return rows, [[traces[by_column[at]][row] / scales[row] for row in rows] for at in range(count)]


def _eliminate(left: list[list[float]], traces: list[list[float]], row: int, column: int) -> None:
    """Make a pivot 1 and the rest of its column 0, and do the same to the traces."""
    pivot = left[row][column]
    for lines in (left, traces):
        lines[row] = [value / pivot for value in lines[row]]
    for other in range(len(left)):
        factor = left[other][column]
        if other != row and factor:
            for lines in (left, traces):
                lines[other] = [value - factor * mine for value, mine in zip(lines[other], lines[row], strict=True)]


def weighted(weights: Sequence[float], spans: Sequence[Span]) -> Span:
    """Return the bounds of a sum of spans, each times a float."""
    low = high = 0.0
    for weight, span in zip(weights, spans, strict=True):
        part = in_floats(span)
        first, last = (part.low, part.high) if weight > 0 else (part.high, part.low)
        if weight and first:
            low = math.nextafter(low + math.nextafter(weight * first, -math.inf), -math.inf)
        if weight and last:
            high = math.nextafter(high + math.nextafter(weight * last, math.inf), math.inf)
    return ANYTHING if low != low or high != high else Span(low, high)  # noqa: PLR0124  # not a number


def centres(slopes: Sequence[Sequence[Span]]) -> list[list[float]]:
    """Return the middle of each slope."""
    return [[float(rate.low) + (float(rate.high) - float(rate.low)) / 2 for rate in row] for row in slopes]


class Elimination:
    """Exact linear equations of some unknowns, reduced one after the other; each row holds its right side last."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.rows: dict[int, list[Fraction]] = {}  # by the unknown that each gives, which no other row holds
        self._rooms: dict[int, Fraction] = {}

    def add(self, row: Sequence[Fraction], room: Fraction = ZERO) -> bool:
        """Add an equation, and return whether it agrees with those before; one that follows from them adds nothing.

        The `room` is how far its right side may be off.
        """
        for at, own in self.rows.items():
            room += abs(row[at]) * self._rooms[at]
            row = _less(row, row[at], own)
        pivot = next((at for at, number in enumerate(row[:-1]) if number), None)
        if pivot is None:
            return abs(row[-1]) <= room
        row, room = [number / row[pivot] for number in row], room / abs(row[pivot])
        self._rooms = {at: own + abs(self.rows[at][pivot]) * room for at, own in self._rooms.items()} | {pivot: room}
        self.rows = {at: _less(own, own[pivot], row) for at, own in self.rows.items()} | {pivot: row}
        return True

    @property
    def root(self) -> tuple[Fraction, ...]:
        """The numbers that the equations give the unknowns, where none is free."""
        return tuple(self.rows[at][-1] for at in range(self.count))

    @property
    def free(self) -> tuple[int, ...]:
        """The unknowns that no equation gives."""
        return tuple(at for at in range(self.count) if at not in self.rows)

    def line(self, domains: Sequence[Interval]) -> Interval:
        """Return the values of the one unknown that is free at which all unknowns are within domains."""
        (free,) = self.free
        left = domains[free]
        for at, row in self.rows.items():  # that unknown is row[-1] - row[free] * the free one
            own = domains[at]
            if row[free]:
                left = left.meet(mapped(own, partial(_along, row[-1], row[free]), rising=row[free] < 0))
            elif row[-1] not in own:
                return Interval(0, 0, lower_closed=False, upper_closed=False)
        return left


def _along(total: Fraction, factor: Fraction, end: Number) -> Number:
    """Return what is `end` away from a total, over a factor."""
    if is_finite(end):
        return (total - Fraction(end)) / factor
    return end if factor < 0 else -end


def _less(row: Sequence[Fraction], factor: Fraction, other: Sequence[Fraction]) -> list[Fraction]:
    return [mine - factor * own for mine, own in zip(row, other, strict=True)] if factor else [*row]


def solved(rows: Sequence[dict[int, Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """Return the exact solution of a square system whose rows hold no zeros, by column; None where it has not just one.

    Elimination by the pivot that fills least: the shortest row, and in it the rarest column. Equations of a sheet hold
    few cells each, and so does what is left of them.
    """
    left = {place: (dict(row), value) for place, (row, value) in enumerate(zip(rows, right, strict=True))}
    done: list[tuple[int, dict[int, Fraction], Fraction]] = []
    while left:
        place = min(left, key=lambda place: len(left[place][0]))
        row, value = left.pop(place)
        if not row:
            return None
        column = min(row, key=lambda column: sum(column in other for other, _ in left.values()))
        pivot = row.pop(column)
        row, value = {at: number / pivot for at, number in row.items()}, value / pivot
        done.append((column, row, value))
        for other, (mine, own) in left.items():
            factor = mine.pop(column, None)
            if factor is not None:
                left[other] = _without(mine, factor, row), own - factor * value
    solution: dict[int, Fraction] = {}
    for column, row, value in reversed(done):
        solution[column] = value - sum(number * solution[at] for at, number in row.items())
    return [solution[column] for column in range(len(rows))]


def _without(mine: dict[int, Fraction], factor: Fraction, row: dict[int, Fraction]) -> dict[int, Fraction]:
    """Return a row less a multiple of another, without the zeros that come of it."""
    numbers = mine | {at: mine.get(at, 0) - factor * number for at, number in row.items()}
    return {at: number for at, number in numbers.items() if number}
