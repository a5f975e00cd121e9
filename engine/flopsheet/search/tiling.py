"""How the boxes of several unknowns are measured, split and queued, and where Newton's method in floats leads to.

That proves nothing: it leads to a small box in which a root may lie.
"""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from flopsheet.numbers.linear import centres, preconditioner
from flopsheet.numbers.spans import Span
from flopsheet.search.grid import LARGEST, OFF_CENTRE, REALS, WHOLES, Queue
from flopsheet.tolerances import FINEST, NARROW, SMALLEST_SIZE, USUAL, VANISHED
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.numbers.sets import Interval
    from flopsheet.search.joint import Box, Joint
    from flopsheet.units import Number

SIZES = math.log(LARGEST) - math.log(SMALLEST_SIZE)
LOPSIDED = 1000  # a box of one sign whose ends differ by more is split in sizes
START_SIZES = (1.0, 30.0, 1e3, 1e6, 1e9, 1e12, 1e-3)
MOST_STEPS, DAMPED = 60, 8  # of a start; no number grows beyond this factor in a step
WIDE = 1.5  # sides of an equation that differ by more than this factor are compared by their logarithms


class Tiling:
    """How the boxes of several unknowns are measured and split, each over its domain, some of them whole numbers."""

    def __init__(self, domains: Sequence[Interval], integers: Sequence[bool]) -> None:
        self.domains, self.integers = domains, integers
        self.widths = [
            float(domain.upper - domain.lower) if is_finite(domain.upper - domain.lower) else math.inf
            for domain in domains
        ]

    def boxes(self) -> Iterator[Box]:
        """Yield boxes that cover all values, that of the sizes that occur in practice first."""
        sides = [self._sides(domain, integer) for domain, integer in zip(self.domains, self.integers, strict=True)]
        if all(sides):
            wide = [(min(low for low, _ in parts), max(high for _, high in parts)) for parts in sides]
            yield tuple(parts[0] for parts in sides)
            for at, parts in enumerate(sides):
                before = tuple(earlier[0] for earlier in sides[:at])
                yield from ((*before, part, *wide[at + 1 :]) for part in parts[1:])

    @staticmethod
    def _sides(domain: Interval, integer: bool) -> list[tuple[Number, Number]]:
        """Return the parts of a domain by size, the usual ones first."""
        low, high = max(domain.lower, -LARGEST), min(domain.upper, LARGEST)
        least, most = USUAL
        first, last = max(low, -most if low < 0 else least), min(high, most)
        if not first < last or math.isfinite(domain.upper - domain.lower):
            first, last = low, high
        if integer:
            usual = WHOLES.outwards(first, last)
            below, above = WHOLES.outwards(low, usual[0] - 1), WHOLES.outwards(usual[1] + 1, high)
            return [part for part in (usual, below, above) if part[0] <= part[1]]
        ends = [REALS.outwards(*part) for part in ((first, last), (low, first), (last, high)) if part[0] <= part[1]]
        return [ends[0], *((one, other) for one, other in ends[1:] if one < other)] if ends else []

    def starts(self, count: int) -> Iterator[tuple[float, ...]]:
        """Yield points to start from: the middle, sizes alike in all unknowns, then mixed ones, the same every time."""
        chance = Random(0)  # noqa: S311  # the same starts every time
        ends = [(float(domain.lower), float(domain.upper)) for domain in self.domains]
        if all(map(math.isfinite, self.widths)):
            yield tuple((low + high) / 2 for low, high in ends)
        for place in range(count):
            sizes = [chance.choice(START_SIZES) * chance.uniform(0.5, 2) for _ in ends]
            same = START_SIZES[place] if place < len(START_SIZES) else None
            signs = [-1 if low < 0 and chance.random() < 1 / 2 else 1 for low, _ in ends]
            point = (sign * (same or size) for sign, size in zip(signs, sizes, strict=True))
            yield tuple(min(max(value, low), high) for value, (low, high) in zip(point, ends, strict=True))

    def queue(self, box: Box) -> Queue[Box]:
        """Return a queue of a box and its parts."""
        return Queue((box,), lambda part: -sum(self.size(at, *side) for at, side in enumerate(part)), newest=True)

    def size(self, at: int, low: Number, high: Number) -> float:
        """Return which share of its domain a side of a box is, of its sizes where the domain is endless."""
        largest = max(abs(float(low)), abs(float(high)))
        is_fine = float(high - low) <= FINEST * largest or largest <= SMALLEST_SIZE  # a root not proven there touches
        if low == high or (is_fine and not self.integers[at]):
            return 0.0
        if 0 in self.domains[at] and math.isfinite(self.widths[at]):
            return float(high - low) / self.widths[at]
        least, most = sorted((float(size(low)), float(size(high))))
        return 2.0 if low < 0 < high else math.log(most / max(least, SMALLEST_SIZE)) / SIZES

    def around(self, point: Sequence[Number]) -> Box:
        """Return a small box around a point."""
        off = [NARROW * (abs(float(value)) or min(width, 1)) for value, width in zip(point, self.widths, strict=True)]
        return tuple((float(value) - room, float(value) + room) for value, room in zip(point, off, strict=True))

    def split(self, box: Box, shares: Sequence[float]) -> list[Box] | None:
        """Return the two parts of a box along the side of the largest share, the widest among equals.

        None where all sides are fine.
        """
        sizes = [self.size(at, low, high) for at, (low, high) in enumerate(box)]
        at = max(range(len(box)), key=lambda at: (sizes[at] > 0, shares[at] if shares else 0, sizes[at]))
        if not sizes[at]:
            return None
        low, high = box[at]
        middle = self._middle(at, low, high)
        if self.integers[at]:
            middle = min(max(math.floor(middle), low), high - 1)
            return [(*box[:at], part, *box[at + 1 :]) for part in ((low, middle), (middle + 1, high))]
        return [(*box[:at], part, *box[at + 1 :]) for part in ((low, middle), (middle, high))]

    def _middle(self, at: int, low: Number, high: Number) -> Number:
        if low < 0 < high and math.isinf(self.widths[at]):
            return 0
        least, most = sorted((size(low), size(high)))
        if low < 0 < high or most <= LOPSIDED * least or LOPSIDED * most > self.widths[at]:
            return low + (high - low) // 2 if self.integers[at] else float(low) + OFF_CENTRE * float(high - low)
        middle = math.sqrt(max(float(least), 1 if self.integers[at] else SMALLEST_SIZE)) * math.sqrt(float(most))
        return math.copysign(middle, low + high)


def reached(joint: Joint, domains: Sequence[Interval], start: Sequence[float]) -> Box | None:
    """Return a small box around the point that damped steps lead to from a start; None where they lead nowhere."""
    at, signed = [*start], [domain.lower < 0 < domain.upper for domain in domains]
    try:
        for _ in range(MOST_STEPS):
            step = _step(joint, at)
            if step is None or not all(map(math.isfinite, step)):
                return None
            most = DAMPED * (max(map(abs, at)) or max(map(abs, step)))
            at = [
                min(max(value + move, -most), most) if both else _moved(value, move)
                for value, move, both in zip(at, step, signed, strict=True)
            ]
            least = VANISHED * max(map(abs, at))  # what tends to zero is never known to a share of itself
            rooms = [max(NARROW * abs(value), least) for value in at]
            if all(abs(move) <= room for move, room in zip(step, rooms, strict=True)):
                return tuple((value - room, value + room) for value, room in zip(at, rooms, strict=True))
    except (ArithmeticError, ValueError):
        pass
    return None


def _step(joint: Joint, at: list[float]) -> list[float] | None:
    """Return a step towards a root: of positive sides, towards where their logarithms are equal."""
    here = joint.over([Span(value, value) for value in at])
    slopes = joint.slopes(here, [*range(len(at))])
    if slopes is None:
        return None
    rows, gaps = centres(slopes), []
    for (left, right), row in zip(joint.equations, rows, strict=True):
        mine, other = float(here[left].low), float(here[right].low)
        gap = mine - other
        if mine > 0 and other > 0 and max(mine, other) > WIDE * min(mine, other):
            gap = math.log(mine / other) * min(mine, other)  # a secant of the logarithm, which overshoots less
        gaps.append(gap)
        row[:] = [slope if math.isfinite(slope) else 0.0 for slope in row]
    made = preconditioner(rows)
    if made is None:
        return None
    chosen, inverse = made
    return [-sum(weight * gaps[row] for weight, row in zip(weights, chosen, strict=True)) for weights in inverse]


def _moved(value: float, step: float) -> float:
    """Return a number moved by a step that neither changes its sign nor makes it much larger at once."""
    if not value:
        return step
    return value * min(max(1 + step / value, 1 / DAMPED), DAMPED)
