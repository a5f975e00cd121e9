"""What the words of printed LaTeX stand for: numbers, units, signs and functions."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
from tests.report.spans import Span

from flopsheet.units import unit
from flopsheet.units.text import DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable

LETTERS = {"": 1, "M": 10**6, "B": 10**9, "T": 10**12}
SIGNS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda left, right: left < right,
    r"\le": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    r"\ge": lambda left, right: left >= right,
    "=": lambda left, right: left == right,
}
FUNCTIONS: dict[str, Callable[[Span], Span]] = {
    r"\log": lambda span: span.through(mpmath.log),
    r"\exp": lambda span: span.through(mpmath.exp),
    r"\sin": lambda span: span.wave(0),
    r"\cos": lambda span: span.wave(1),
    r"\tan": lambda span: span.wave(0) * span.wave(1).inverse(),
    r"\arcsin": lambda span: degrees(span.through(lambda value: mpmath.degrees(mpmath.asin(value)))),
    r"\arccos": lambda span: degrees(span.through(lambda value: mpmath.degrees(mpmath.acos(value)))),
    r"\arctan": lambda span: degrees(span.through(lambda value: mpmath.degrees(mpmath.atan(value)))),
}


def degrees(span: Span) -> Span:
    """Return the same number as an angle."""
    return Span(span.low, span.high, unit("degree").dimension)


def parts(number: str) -> tuple[str, Fraction]:
    """Return the digits of a printed number, and the size of its power of ten or of the letter behind it."""
    mantissa, _, power = number.replace("{,}", "").partition(r" \times 10^")
    mantissa, _, letter = mantissa.partition(r"\mathrm")
    return mantissa, Fraction(10) ** int(power.strip("{}") or 0) * LETTERS[letter.strip("{}")]


def printed(number: str) -> Span:
    """Return what a printed number may stand for: known to half of its last digit, exact if whole or of few digits.

    A rounded number has as many digits as the engine shows at least: its zeros are left out only where it is exact.
    """
    mantissa, scale = parts(number)
    behind = len(mantissa.partition(".")[2])
    rounded = behind and len(mantissa.replace(".", "").lstrip("0")) >= DIGITS
    half = scale / 10**behind / 2 if rounded else Fraction(0)
    return Span(Fraction(mantissa) * scale - half, Fraction(mantissa) * scale + half)


def unit_span(latex: str) -> Span:
    r"""Return the unit of `\mathrm{...}` as a factor."""
    text = latex.removeprefix(r"\mathrm{").removesuffix("}")
    for command, plain in ((r"^{\circ}", "degree"), (r"\%", "%"), (r"\_", "_"), (r"\,", "*")):
        text = text.replace(command, plain)
    found_unit = unit(re.sub(r"\^\{(-?\d+)\}", r"^\1", text))
    return Span(found_unit.factor, found_unit.factor, found_unit.dimension)
