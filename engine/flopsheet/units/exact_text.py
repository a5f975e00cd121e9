"""Values as exact texts that parse back to the last digit: `12288`, `4 byte/param`, `4/5`, `4e8 EFLOP`."""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.errors import FormulaError
from flopsheet.units import decimal, in_unit, quantity, quantity_in, tidy
from flopsheet.units.quantities import MOST_DIGITS

if TYPE_CHECKING:
    from flopsheet.units import Number, Unit

ZEROS_AS_POWER = 6
_RATIO = re.compile(r"(?P<above>\s*[+-]?[\d.][\w.+-]*)\s*/\s*(?=[\d.])")


def read_value(text: str, shown: Unit, where: str) -> Number:
    """Return the value [base units] that a text writes: a number or a ratio of two, with its unit.

    Args:
        text: the text.
        shown: a unit of the expected dimension.
        where: the place that an error names.

    Raises:
        FormulaError: the text is not a number.
        UnitsError: the unit is unknown, missing, or of another dimension.
    """
    ratio = _RATIO.match(text)
    if ratio is None:
        return quantity_in(text, shown, where).si
    below = quantity_in(text[ratio.end() :], shown, where)
    above = quantity(ratio["above"], where)
    if below.value == 0 or above.unit.text:
        problem = "divides by zero" if below.value == 0 else "has a unit above the bar"
        raise FormulaError(where, f"'{text.strip()}' {problem}.", "Write a number or a ratio, then the unit: 4/5 GB.")
    return tidy(Fraction(above.value) / Fraction(below.value) * below.unit.factor)


def exact_text(value: Number, shown: Unit) -> str:
    """Return a value [base units] in a unit, as `read_value` reads it back."""
    number = in_unit(value, shown)
    text = str(number) if isinstance(number, float) else _number(Fraction(number))
    return f"{text} {shown.text}".strip()


def _number(number: Fraction) -> str:
    text = decimal(number)
    if number.denominator == 1:
        return _whole(number.numerator)
    if "/" not in text and len(text.lstrip("-0.").replace(".", "")) <= sys.float_info.dig:
        return text
    return f"{_whole(number.numerator)}/{_whole(number.denominator)}"


def _whole(number: int) -> str:
    """Return an integer, its trailing zeros as a power of ten where there are many."""
    digits = str(number).rstrip("0")
    zeros = len(str(number)) - len(digits)
    if zeros < ZEROS_AS_POWER or len(digits) > MOST_DIGITS:
        return str(number)
    sign, digits = ("-", digits[1:]) if number < 0 else ("", digits)
    if len(digits) > sys.float_info.dig:
        return f"{sign}{digits}e{zeros}"
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{zeros + len(digits) - 1}"
