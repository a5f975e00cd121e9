"""Numbers and quantities as text, rounded to the digits that a reader needs."""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.session import cached
from flopsheet.units.expressions import Unit, unit
from flopsheet.units.numerals import LONGEST_DECIMAL, Number, decimal, tidy
from flopsheet.units.quantities import SCALES, close, in_unit, is_finite, size

if TYPE_CHECKING:
    from flopsheet.layout import nodes

DIGITS, MOST_EXACT, MOST_DIGITS, MOST_APART, MOST_WHOLE = 4, 9, 12, 24, 15
PLAIN_POWERS = 9  # numbers from that power of ten on are written with one
LONGEST_WHOLE, LONGEST_COUNT = 10**15, 10**24  # so are whole numbers from the first on, and counts from the second on
ZEROS_AS_POWER = 6
SECONDS, SHORTER, SHORT_TIME = ("s", "second"), ("ms", "us", "ns", "ps"), Fraction(1, 10)
LONG_TIME = 10**5  # of a unit that is shorter than a second
MOST_CACHED = 16_384  # texts of numbers: one number is printed in many places of a page
COUNTED = ("param", "token", "USD")  # of which there are so many that people write M, B and T behind their number
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LONGEST_SCALED = 6  # digits of a whole number with such a letter: more digits read better in full
LARGEST_FLOP = 10**18  # computation above has a power of ten in place of a prefix: 8.4e24 FLOP
_EXPONENT = re.compile(r"\s*(?:\*\*|\^)\s*\(?(-?\d+(?:/\d+)?)\)?")
_DECIMAL = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi")


@cached(maxsize=MOST_CACHED, typed=True)
def format_number(value: Number, digits: int = DIGITS) -> str:
    """Return a number for people: `219,848,638,464`, `1071`, `45.76`, `0.0163`, `8.4e24`.

    Whole numbers are exact below 10^15; others keep the given significant digits and at least one behind the point.
    Zeros at the end are left out where what is left is the whole truth: 2.5 is exact, 2.500 is rounded.
    """
    return _joined(*_digits(value, digits))


def format_whole(value: Number) -> str:
    """Return a whole number with all of its digits, as one that counts has to be read: `4,659,362,933,024,892`."""
    return (
        f"{value:,}" if isinstance(value, int) and LONGEST_WHOLE <= abs(value) < LONGEST_COUNT else format_number(value)
    )


def format_in(value: Number, shown: Unit, digits: int = DIGITS) -> str:
    """Return a value [that unit] without its unit: `70.55B` of parameters and tokens, else as `format_number` does."""
    return _joined(*_scaled(value, shown, digits))


@cached(maxsize=MOST_CACHED, typed=True)
def format_with_power(value: Number, digits: int = DIGITS) -> str:
    """Return a number with a power of ten, whatever its size: `3.183e6`; zero has none."""
    return _joined(*_digits(value, digits, with_power=True))


def _joined(mantissa: str, power: int | None, letter: str = "") -> str:
    if power is not None and power < 0:
        return f"{mantissa}×10{str(power).translate(_SUPERSCRIPT)}"
    return f"{mantissa}{letter}" if power is None else f"{mantissa}e{power}"


@cached(maxsize=MOST_CACHED, typed=True)
def layout_in(value: Number, shown: Unit, digits: int = DIGITS) -> nodes.Node:
    """Return the layout of a value [that unit] with its unit, for a formula."""
    from flopsheet.layout import nodes

    number = nodes.Number(*_scaled(value, shown, digits))
    return nodes.Quantity(number, unit_layout(shown)) if shown.text else number


def _scaled(value: Number, shown: Unit, digits: int) -> tuple[str, int | None, str]:
    """Return the digits of a value, its power of ten, and the letter behind what is counted: M, B or T."""
    value = tidy(value)
    whole = isinstance(value, int) and digits > LONGEST_SCALED
    positive = size(value)
    is_large = positive >= SCALES["M"] or close(positive, SCALES["M"])
    if shown.text.partition("/")[0] in COUNTED and is_finite(value) and is_large and not whole:
        power = _rounded(positive, magnitude(positive), digits)[1]
        for letter, scale in SCALES.items():
            if 1 <= Fraction(10) ** power / scale < 1000:
                exact = value / scale if isinstance(value, float) else Fraction(value, scale)
                return (*_digits(exact, digits), letter)
    return (*_digits(value, digits), "")


@cached(maxsize=MOST_CACHED, typed=True)
def number_layout(value: Number, digits: int = DIGITS) -> nodes.Number:
    """Return the same number for a formula."""
    from flopsheet.layout import nodes  # lists of records need no formulas

    return nodes.Number(*_digits(value, digits))


def _digits(value: Number, digits: int, *, with_power: bool = False) -> tuple[str, int | None]:
    """Return the digits of a number, and the power of ten behind them where it is written with one, or has to be."""
    value = tidy(value)
    if not is_finite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else "-∞"), None
    sign, positive = ("-" if value < 0 else ""), size(value)
    if positive == 0 or (isinstance(positive, int) and positive < LONGEST_WHOLE and not with_power):
        return sign + _grouped(f"{int(positive):,}"), None
    power = magnitude(positive)
    plain = -4 <= power < PLAIN_POWERS and not with_power
    mantissa, power = _rounded(positive, power, digits)
    if plain:
        number = _with_digits(positive, digits)
        return sign + _grouped(_trimmed(f"{number:,.{max(digits - 1 - power, 1)}f}", positive)), None
    return sign + _trimmed(mantissa, positive, power), power


def _rounded(positive: Number, power: int, digits: int) -> tuple[str, int]:
    """Return a number as so many digits times a power of ten, which is one larger where 9.9999 becomes 10."""
    if isinstance(positive, float):
        mantissa, _, exponent = f"{positive:.{digits - 1}e}".partition("e")
        return mantissa, int(exponent)
    above, below = positive.as_integer_ratio()
    scaled = Fraction(above * 10 ** max(-power, 0), below * 10 ** max(power, 0))
    mantissa = f"{_with_digits(scaled, digits):.{digits - 1}f}"
    return (f"{1:.{digits - 1}f}", power + 1) if mantissa.startswith("10") else (mantissa, power)


def _with_digits(positive: Number, digits: int) -> float | Decimal:
    """Return a number that has so many digits: a decimal of an exact one, where a float has fewer."""
    if isinstance(positive, float) or digits <= MOST_DIGITS:
        return float(positive)
    above, below = Fraction(positive).as_integer_ratio()
    with localcontext(prec=2 * MOST_APART):
        return Decimal(above) / Decimal(below)


def _grouped(text: str) -> str:
    """Return a number without the comma of a four-digit one: 1071, but 10,710."""
    return text.replace(",", "") if text.partition(".")[0].count(",") == 1 and text.index(",") == 1 else text


def _trimmed(text: str, value: Number, power: int = 0) -> str:
    """Return a decimal without zeros at its end where it is the value; a rounded one keeps them: they are digits."""
    if "." not in text or not text.endswith("0"):
        return text
    shown = Fraction(text.replace(",", "")) * Fraction(10) ** power
    whole = close(shown, value) if isinstance(value, float) else shown == value
    return text.rstrip("0").rstrip(".") if whole else text


def magnitude(positive: Number) -> int:
    """Return the power of ten of a positive number: 2 for 812, -1 for 0.5."""
    if isinstance(positive, float):
        return int(f"{positive:.17e}".partition("e")[2])
    exact = Fraction(positive)
    bits = exact.numerator.bit_length() - exact.denominator.bit_length()
    power = math.ceil((bits + 1) * math.log10(2))  # at most two too large; digits of long integers are not to be had
    above, below = exact.as_integer_ratio()
    while above * 10 ** max(-power, 0) < below * 10 ** max(power, 0):
        power -= 1
    return power


@cached(maxsize=MOST_CACHED, typed=True)
def shown_in(si: Number, declared: Unit) -> Unit:
    """Return the unit in which a value reads best: the declared one, or another prefix where that reads badly."""
    value = size(in_unit(si, declared))
    if declared.text.endswith("FLOP") and declared.text[:-4] in _DECIMAL and is_finite(si) and size(si) >= LARGEST_FLOP:
        return unit("FLOP")
    is_long = declared.text in SHORTER and value >= LONG_TIME and is_finite(si)
    if is_long or (declared.text in SECONDS and 0 < value < SHORT_TIME):
        times = (unit(text) for text in ("second", *SHORTER))
        return next((own for own in times if size(in_unit(si, own)) >= 1), unit(SHORTER[-1]))
    if value == 0 or Fraction(1, 1000) <= value < 10**6 or (not is_finite(value)):
        return declared
    head, bar, rest = declared.text.partition("/")
    for name, base in (("byte", "B"), ("B", "B"), ("bit", "bit"), ("FLOP", "FLOP"), ("Wh", "Wh"), ("W", "W")):
        prefix = head.removesuffix(name)
        if prefix == head or prefix not in (*_DECIMAL, *_BINARY):
            continue
        if name == "byte" and tidy(value) == int(value):
            return declared
        family = _BINARY if prefix.endswith("i") else _DECIMAL
        candidates = [unit(f"{scale}{base}{bar}{rest}") for scale in family]
        fitting = [candidate for candidate in candidates if size(in_unit(si, candidate)) >= 1]
        return fitting[-1] if fitting else candidates[0]
    return declared


@cached(maxsize=MOST_CACHED, typed=True)
def format_quantity(si: Number, declared: Unit, digits: int = DIGITS) -> str:
    """Return a value given in base units as people write it: `94.5 GiB`, `3.04 TB/s`, `46`."""
    shown = shown_in(si, declared)
    return f"{format_in(in_unit(si, shown), shown, digits)} {shown.text}".strip()


@cached(maxsize=MOST_CACHED, typed=True)
def format_input(si: Number, declared: Unit) -> str:
    """Return a value as it was given: with all of its digits, up to nine."""
    return format_quantity(si, declared, input_digits(si, declared))


def input_digits(si: Number, declared: Unit) -> int:
    """Return how many digits show a value as it was given: all, or those of a computed one if nine do not suffice."""
    return exact_digits(si, declared) or telling_digits(si, declared) or DIGITS


@cached(maxsize=MOST_CACHED, typed=True)
def telling_digits(si: Number, declared: Unit) -> int:
    """Return how many digits tell a value from the round number that it is near: 1.000244 is no 1.000.

    0 where as many as always do, and where nine do not.
    """
    value = size(in_unit(si, shown_in(si, declared)))
    if value == 0 or not is_finite(value) or value == int(value):
        return 0
    texts = (_rounded(value, magnitude(value), digits)[0] for digits in range(DIGITS, MOST_EXACT + 1))
    least = next((digits for digits, text in enumerate(texts, DIGITS) if not text.rstrip("0").endswith(".")), 0)
    return least if least > DIGITS else 0


@cached(maxsize=MOST_CACHED, typed=True)
def exact_digits(si: Number, declared: Unit) -> int:
    """Return how many digits show a value [base units] exactly, 0 where nine do not suffice."""
    value = size(in_unit(si, shown_in(si, declared)))
    if value == 0 or not is_finite(value):
        return DIGITS
    power = magnitude(value)
    counted = isinstance(value, int) and declared.text.partition("/")[0] in COUNTED
    for digits in range(DIGITS, (MOST_WHOLE if counted else MOST_EXACT) + 1):
        scaled = Fraction(value) * Fraction(10) ** (digits - 1 - power)
        if scaled.denominator == 1 or (isinstance(value, float) and close(round(scaled), scaled)):
            return digits
    return 0


@cached(maxsize=MOST_CACHED, typed=True)
def quantity_layout(si: Number, declared: Unit, digits: int = DIGITS) -> nodes.Node:
    """Return a value given in base units for a formula, as `format_quantity` prints it."""
    shown = shown_in(si, declared)
    return layout_in(in_unit(si, shown), shown, digits)


@cached(maxsize=MOST_CACHED)
def unit_layout(shown: Unit) -> nodes.Unit:
    """Return a unit for a formula, its exponents apart."""
    from flopsheet.layout import nodes

    return nodes.Unit(tuple(_EXPONENT.split(shown.text)))


def exact_text(value: Number, shown: Unit) -> str:
    """Return a value [base units] in a unit, as `quantity` reads it back."""
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
    if zeros < ZEROS_AS_POWER or len(digits) > LONGEST_DECIMAL:
        return str(number)
    sign, digits = ("-", digits[1:]) if number < 0 else ("", digits)
    if len(digits) > sys.float_info.dig:
        return f"{sign}{digits}e{zeros}"
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{zeros + len(digits) - 1}"
