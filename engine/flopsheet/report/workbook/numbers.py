"""Constants of formulas of a spreadsheet: numbers and texts."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.layout.nodes import ATOM, PRODUCT, SUM

if TYPE_CHECKING:
    from flopsheet.units import Number

MOST_DIGITS = 15  # programs read no more digits of a number in a formula


def scaled(text: str, factor: Fraction) -> str:
    """Return a product times a factor: `a*3/4`; the text itself for 1."""
    if factor < 0:
        return f"(-1)*{scaled(text, -factor)}"
    above = "" if factor.numerator == 1 else f"*{whole(factor.numerator)}"
    below = "" if factor.denominator == 1 else f"/{whole(factor.denominator)}"
    return text + above + below


def number_text(number: Number) -> tuple[str, int]:
    """Return a number, and how strongly its parts bind; a negative one as little as a sum."""
    if isinstance(number, float):
        return repr(number).upper(), SUM if number < 0 else ATOM
    ratio = Fraction(number)
    sign, above = ("-" if ratio < 0 else ""), whole(abs(ratio.numerator))
    if ratio.denominator != 1:
        return f"{sign}{above}/{whole(ratio.denominator)}", SUM if sign else PRODUCT
    return sign + above, SUM if sign else ATOM


def whole(number: int) -> str:
    """Return a whole number, a long one with a power of ten: programs drop all digits behind the fifteenth."""
    text = str(number)
    if len(text) <= MOST_DIGITS:
        return text
    head, rest = text[:MOST_DIGITS], text[MOST_DIGITS : 2 * MOST_DIGITS]
    first = _powered(head, len(text) - MOST_DIGITS)
    return f"({first}+{_powered(rest, max(len(text) - 2 * MOST_DIGITS, 0))})" if int(rest) else first


def _powered(digits: str, power: int) -> str:
    """Return digits and a power of ten, without zeros at either end: `1E+18`."""
    short = digits.rstrip("0")
    return f"{int(short)}E+{power + len(digits) - len(short)}"
