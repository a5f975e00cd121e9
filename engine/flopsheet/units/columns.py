"""Columns of a table: all values of one in the same unit and in the same notation, where they allow it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.units.quantities import in_unit, is_finite, size
from flopsheet.units.text import format_in, format_with_power, shown_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.units.expressions import Unit
    from flopsheet.units.numerals import Number

READABLE = Fraction(1, 100), 10_000  # numbers that read well in a column
LEAST_LARGE, MOST_SMALL = 1000, Fraction(1, 10)  # where a power of ten reads well beside larger and smaller ones
_SMALL = "×10"


def headed(name: str, unit: str) -> str:
    """Return the head of a column: a name, with the unit of the numbers below it, if they have one."""
    return f"{name} [{unit}]" if unit else name


def column_unit(values: Iterable[Number], declared: Unit) -> Unit:
    """Return the one unit in which most values [base units] of a column read well, the declared one before others."""
    known = [value for value in values if value and is_finite(value)]
    units = dict.fromkeys(shown_in(value, declared) for value in known)
    if len(units) < 2:
        return next(iter(units), declared)
    low, high = READABLE
    return max((declared, *units), key=lambda unit: sum(low <= size(in_unit(value, unit)) < high for value in known))


def format_column(values: Sequence[Number], shown: Unit) -> list[str]:
    """Return the values [base units] of a column in a unit, without it: all with a power of ten where one needs it.

    They stay as they are where that reads worse: 0.5 beside 2e9.
    """
    numbers = [in_unit(value, shown) for value in values]
    texts = [format_in(number, shown) for number in numbers]
    sizes = [size(number) for number in numbers if number and is_finite(number)]
    large = any("e" in text for text in texts) and min(sizes) >= LEAST_LARGE
    small = any(_SMALL in text for text in texts) and max(sizes) < MOST_SMALL
    return list(map(format_with_power, numbers)) if large or small else texts
