"""Numbers, units and relations in texts of a workbook, so that a text says what its cells hold after a change."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.formulas.printing import in_text
from flopsheet.formulas.trees import symbol_names
from flopsheet.report.headlines import COUNTS
from flopsheet.report.workbook.writer import quoted
from flopsheet.tolerances import CLOSENESS
from flopsheet.units import size
from flopsheet.units.quantities import SCALES
from flopsheet.units.text import COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.formulas.relation import Relation
    from flopsheet.report.workbook.goals import Goal
    from flopsheet.units import Number, Unit

AS_ASKED = "At the inputs of the question: "
POWER, WHOLE = "0.000E+00", "#,##0"
SHOWN_DIGITS = 15  # of numbers in spreadsheet programs
LARGEST = 10**15  # from here on numbers have a power of ten
# The digits behind the point of a fractional number, by the smallest one that has so many.
FRACTIONS, MOST_PLACES, LONG_FRACTION = ((100, 1), (10, 2), (1, 3)), 6, f"{WHOLE}.{'#' * 6}"
PATTERNS = ((100, 1), (10, 2), (1, 3), (0.1, 4), (0.01, 5), (1 / 1000, 6))


def number_text(place: str, unit: Unit, *, whole: bool) -> str:
    """Return the formula of the number in a place as a text; how many digits it has follows the number."""
    text = _plain_text(place, whole=whole)
    if unit.text not in COUNTED:
        return text
    for letter, scale in SCALES.items():
        text = f'IF(ABS({place})>={scale},{_plain_text(f"({place}/{scale})", whole=False)}&"{letter}",{text})'
    return f"IF(ABS({place})>={LARGEST},{_plain_text(place, whole=whole)},{text})"


def _plain_text(place: str, *, whole: bool) -> str:
    pattern = quoted(WHOLE)
    if not whole:
        fractional = quoted(POWER)
        for least, digits in reversed(PATTERNS):
            shown = quoted(f"{WHOLE}.{'0' * digits}".rstrip("."))
            fractional = f"IF(ABS({place})>={least},{shown},{fractional})"
        # A search stops beside a whole number, by a last digit that is not shown.
        pattern = f"IF(ABS({place}-ROUND({place},0))*{CLOSENESS}<=ABS({place}),{pattern},{fractional})"
    return f"TEXT({place},IF(ABS({place})>={LARGEST},{quoted(POWER)},{pattern}))"


def shown_number(number: Number, unit: Unit) -> str:
    """Return a number as that formula shows it."""
    if unit.text in COUNTED and size(number) < LARGEST:
        for letter, scale in reversed(SCALES.items()):
            if size(number) >= scale:
                return f"{_plain_number(Fraction(number) / scale)}{letter}"
    return _plain_number(number)


def _plain_number(number: Number) -> str:
    value = float(number)
    if abs(value) < LARGEST and abs(value - round(value)) * CLOSENESS <= abs(value):
        return f"{value:,.0f}"
    digits = next((digits for least, digits in PATTERNS if abs(value) >= least), None)
    if digits is None or abs(value) >= LARGEST:
        return f"{value:.3E}"
    return _rounded(value, digits)


def fraction_text(place: str) -> str:
    """Return the formula of a fraction as a text, with enough digits to differ from a whole number."""
    text = quoted(LONG_FRACTION)
    for least, digits in reversed(FRACTIONS):
        shown = quoted(f"{WHOLE}.{'0' * digits}")
        is_told = f"ROUND({place},{digits})<>ROUND({place},0)"
        text = f"IF(AND(ABS({place})>={least},{is_told}),{shown},{text})"
    return f"TEXT({place},{text})"


def shown_fraction(number: Number) -> str:
    """Return a fraction as that formula shows it."""
    value = float(number)
    for least, digits in FRACTIONS:
        text = _rounded(value, digits)
        if abs(value) >= least and float(text.replace(",", "")) != int(value + 0.5):
            return text
    whole, _, rest = _rounded(value, MOST_PLACES).partition(".")
    return f"{whole}.{rest.rstrip('0')}"


def _rounded(value: float, digits: int) -> str:
    shown = Decimal(f"{value:.{SHOWN_DIGITS}g}")  # programs round the digits that they show, a half away from zero
    return f"{shown.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"


def unit_text(number: str, unit: Unit) -> str:
    """Return the formula of a unit behind a number, which is a formula too: ` chip` behind 1, else ` chips`."""
    if unit.text in COUNTS:
        return f"IF({number}={quoted('1')},{quoted(f' {unit.text}')},{quoted(f' {unit.text}s')})"
    return quoted(f" {unit.text}".rstrip())


def shown_unit(number: str, unit: Unit) -> str:
    """Return a unit as that formula shows it."""
    plural = "s" if unit.text in COUNTS and number != "1" else ""
    return f" {unit.text}{plural}".rstrip()


def relation_text(relation: Relation, cells: Iterable[str], goals: Iterable[Goal]) -> str:
    """Return a relation with the names of demands in place of their numbers: `train_time <= goal train_time`."""
    inside = symbol_names(relation.left) | symbol_names(relation.right)
    used = [goal for goal in goals if goal.key in inside]
    if not used:
        return relation.text
    names = tuple(cells)
    text = f"{in_text(relation.left, names)} {relation.operator} {in_text(relation.right, names)}"
    for goal in used:
        text = text.replace(goal.key, goal.label)
    return text
