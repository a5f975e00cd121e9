"""Axes of charts: where a number is drawn, which numbers are printed beside the axis, and where curves are sampled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.numbers.sets import whole_ends
from flopsheet.units import format_number, is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

AROUND, SAMPLES, MOST_WHOLES = 3.0, 49, 60  # how far around a value a curve goes, and at how many places
MOST_MARKED, MOST_BEYOND = 24, 4  # of several values, how many are marked, and how many of these farther than AROUND
SEVERAL = ("values", "whole")  # kinds of an outcome
DECADES = 30.0  # above this ratio of its ends an axis is logarithmic
ROOM = 0.06  # of an axis, left free at its ends
_STEPS, _WHOLE_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0), (1.0, 2.0, 5.0, 10.0)
_LETTERS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "k"))
LARGEST, SMALLEST = 1e15, 1 / 1000
PLACES = 9  # to which ratios are rounded, so that a tick at the end of an axis is on it


@dataclass(frozen=True)
class Scale:
    """An axis from a low to a high number."""

    low: float
    high: float
    is_log: bool

    @classmethod
    def over(cls, numbers: Sequence[float], *, room: float = ROOM) -> Scale:
        """Return an axis that shows all of some numbers; logarithmic where positive ones span decades."""
        low, high = min(numbers), max(numbers)
        if low > 0 and high / low > DECADES:
            free = (high / low) ** room
            return cls(low / free, high * free, is_log=True)
        if low == high:
            low, high = min(low * 0.9, low * 1.1, low - (not low)), max(low * 0.9, low * 1.1, low + (not low))
        free = (high - low) * room
        low = 0.0 if 0 <= low < (high - low) / 2 else low - free
        return cls(low, high + free, is_log=False)

    def part(self, number: float) -> float:
        """Return where on the axis a number is, from 0 to 1."""
        if self.is_log:
            return math.log(max(number, self.low) / self.low) / math.log(self.high / self.low)
        return (number - self.low) / (self.high - self.low)

    def ticks(self, most: int = 5, *, whole: bool = False) -> list[float]:
        """Return the round numbers on the axis that are printed, at most about so many; whole ones where it counts."""
        return self._decades(most) if self.is_log else self._even(most, 1.0 if whole else 0.0)

    def _even(self, most: int, least: float) -> list[float]:
        wanted = max((self.high - self.low) / most, least)
        power = 10.0 ** math.floor(math.log10(wanted))
        sizes = _WHOLE_STEPS if least else _STEPS
        step = next(size * power for size in sizes if round(size * power / wanted, PLACES) >= 1)
        first = math.ceil(round(self.low / step, PLACES))
        return [place * step for place in range(first, math.floor(round(self.high / step, PLACES)) + 1)]

    def _decades(self, most: int) -> list[float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        apart = max(-(-(last - first + 1) // most), 1)
        powers = [10.0**power for power in range(first, last + 1, apart)]
        if len(powers) > 2:
            return powers
        between = (size * 10.0**power for power in range(first - 1, last + 1) for size in (1, 2, 5))
        return [number for number in between if self.low <= number <= self.high]


def tick_text(number: float) -> str:
    """Return a round number as short as an axis needs it: `0.5`, `2500`, `50k`, `2M`, `1e18`."""
    size = abs(number)
    if size and not SMALLEST <= size < LARGEST:
        power = math.floor(round(math.log10(size), PLACES))
        head = format_number(float(f"{number / 10.0**power:.3g}"))
        return f"{head}e{power}"
    for scale, letter in _LETTERS:
        if size >= scale:
            divisor = 1e3 if letter == "k" else scale
            return f"{format_number(float(f'{number / divisor:.6g}'))}{letter}"
    return format_number(float(f"{number:.6g}"))


def several_of(outcome: Outcome) -> list[Number]:
    """Return the first of several values that work, and the ends of their runs; none of a single one."""
    several = outcome.listed if outcome.kind in SEVERAL else ()
    return [end for part in several for end in whole_ends(part) if is_finite(end)][:MOST_MARKED]


def places_around(centre: float, cell: Cell, others: Sequence[Number] = ()) -> list[Number]:
    """Return where a curve is sampled: from a third of a value to three times of it, and the next of others beyond."""
    places = _around(centre, cell)
    return [*places, *[at for at in others if at > places[-1]][:MOST_BEYOND]]


def _around(centre: float, cell: Cell) -> list[Number]:
    """Return where a curve is sampled around a value, within the bounds of its cell."""
    low, high = (centre / AROUND, centre * AROUND) if centre > 0 else (centre - abs(centre) / 2 - 1, 1.0)
    low, high = max(low, float(cell.bounds.lower)), min(high, float(cell.bounds.upper))
    if cell.integer:
        first, last = math.ceil(low), max(math.floor(high), math.ceil(low) + 1)
        step = max((last - first) // MOST_WHOLES, 1)
        return sorted({*range(first, last + 1, step), last, round(centre)})
    return sorted({*(low + (high - low) * part / (SAMPLES - 1) for part in range(SAMPLES)), centre})


def thinned(run: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return a level line by its ends."""
    return [run[0], run[-1]] if len({height for _, height in run}) == 1 else run
