"""Numbers as people type them: digits, a power of ten, and M, B or T for millions, billions and trillions."""

from __future__ import annotations

import re
import sys
import unicodedata
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

from flopsheet.errors import FormulaError, shortened

Number: TypeAlias = int | Fraction | float

MOST_DIGITS = 300
LONGEST_DECIMAL = 40  # a ratio whose decimal is longer prints as a ratio
LONGEST_RATIO, SHORT_DIGITS = 12, 10  # signs of one that reads well; digits in place of a longer one
LARGEST_POWER_OF_TEN = 300
FLOAT_BITS = 1020  # of the largest integer that a float holds
LONGEST_SHOWN = 24

_NUMBER = re.compile(r"(?P<digits>(?:\d[\d_]*)?(?:\.[\d_]*)?)(?:[eE](?P<power>[+-]?\d+))?")
_CLEAR = re.compile(r"(?:(?:0|[1-9]\d*(?:_\d+)*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r",(\d+)", re.ASCII)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?![\d_,])", re.ASCII)  # as answers print them
_RAISED = re.compile(r"[×·*]10(?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?!\d)")


def tidy(number: Number) -> Number:
    """Return a ratio that is whole as an int, anything else as it is."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return number.numerator
    return number


def decimal(number: Number) -> str:
    """Return a number as a decimal where it ends, else as a ratio: `8.5`, `1/3`."""
    if not isinstance(number, Fraction):
        return str(number)
    digits = 0
    while digits < LONGEST_DECIMAL and (number * 10**digits).denominator != 1:
        digits += 1
    scaled = number * 10**digits
    if scaled.denominator != 1:
        return str(number)
    text = f"{abs(scaled.numerator):0{digits + 1}d}"
    return f"{'-' if number < 0 else ''}{text[:-digits] or text}{'.' + text[-digits:] if digits else ''}"


def short(number: Number) -> str:
    """Return a number as a decimal or a ratio, or with ten digits where the ratio is long: `448.5683854`, `1e-41`."""
    text = decimal(number)
    if not isinstance(number, Fraction) or "/" not in text or len(text) <= LONGEST_RATIO:
        return text
    with localcontext(prec=SHORT_DIGITS):
        return str((Decimal(number.numerator) / number.denominator).normalize()).replace("E+", "e").replace("E", "e")


def scan_number(text: str, at: int, where: str) -> tuple[Number, int]:
    """Return the number that starts at a position, and the position behind it.

    It is exact, but for a decimal of more than 15 digits that programs print of a float: that is parsed as that float.
    Outside of brackets, where commas separate terms, they may group digits. `8.4×10²⁴` is one number.
    """
    if (grouped := _GROUPED.match(text, at)) and _is_apart(text, at):
        number, end = scan_number(grouped[0].replace(",", "") + text[grouped.end() :], 0, where)
        return number, at + end + grouped[0].count(",")
    match = _NUMBER.match(text, at)
    digits = match["digits"].replace("_", "") if match else ""
    if match is None or not digits.strip("."):
        shown = shortened(text[at:], LONGEST_SHOWN)
        raise FormulaError(where, f"'{shown}' does not start with a number.", "Write a number and a unit: 95 GiB.")
    if date := _DATE.match(text, at):
        fix = "Put blanks around the minus signs of a difference."
        raise FormulaError(where, f"'{date[0]}' is a date, and no number.", fix)
    if not _CLEAR.fullmatch(match[0]):
        fix = "Write it in the digits 0 to 9, without a leading zero; a single _ may group them: 16_384."
        raise FormulaError(where, f"'{shortened(match[0], LONGEST_SHOWN)}' can be read as several numbers.", fix)
    if text.startswith(",", match.end()) and re.match(r",\d{3}(?!\d)", text[match.end() :]):
        fix = "Write it without commas, or with _ between groups: 16_384. Put a blank behind a comma between terms."
        raise FormulaError(where, "A comma stands inside a number.", fix)
    if (behind := _DECIMAL_COMMA.match(text, match.end())) and _is_apart(text, at):
        problem = f"A comma stands inside the number '{match[0]}{behind[0]}'."
        raise FormulaError(where, problem, f"Write decimals behind a point: {match[0]}.{behind[1]}.")
    raised = None if match["power"] else _RAISED.match(text, match.end())
    power = unicodedata.normalize("NFKC", raised["power"]).replace("\u2212", "-") if raised else match["power"] or "0"
    problem = f"The number {digits[:12]}… is longer or larger than numbers may be."
    fix = f"Write at most {MOST_DIGITS} digits and a power of ten up to {LARGEST_POWER_OF_TEN}."
    if len(digits) > MOST_DIGITS or len(power) > 5 or abs(int(power)) > LARGEST_POWER_OF_TEN:
        raise FormulaError(where, problem, fix)
    whole, point, decimals = digits.partition(".")
    scale = int(power) - len(decimals)
    unscaled = int(f"{whole}{decimals}")
    exact = unscaled * 10**scale if scale >= 0 else tidy(Fraction(unscaled, 10**-scale))
    if exceeds_floats(exact):
        raise FormulaError(where, problem, fix)
    return _printed(exact) if point and is_of_float(whole + decimals) else exact, (raised or match).end()


def _is_apart(text: str, at: int) -> bool:
    """Whether a position is outside of brackets."""
    return all(text.count(left, 0, at) <= text.count(right, 0, at) for left, right in ("()", "[]"))


def _printed(exact: Number) -> Number:
    """Return the float of which a number is the shortest decimal, or that of 17 digits; else the number itself."""
    number = float(exact)
    return number if exact in (Fraction(repr(number)), Fraction(f"{number:.17g}")) else exact


def divided(above: Number, below: Number, where: str) -> Number:
    """Return the ratio of two numbers; raise a FormulaError where it has none, or one that numbers may not be."""
    if below == 0:
        raise FormulaError(
            where, f"'{decimal(above)}/{decimal(below)}' divides by zero.", "Write a ratio of two numbers: 1/3."
        )
    exact = tidy(Fraction(above) / Fraction(below))
    if exceeds_floats(exact):
        raise FormulaError(where, "A ratio is larger or smaller than numbers may be.", "Write a number.")
    return exact


def exceeds_floats(number: Number) -> bool:
    """Whether an exact number other than zero is larger or smaller than what floats hold with all their digits."""
    if isinstance(number, float) or not number:
        return False
    return abs(number.numerator.bit_length() - number.denominator.bit_length()) > FLOAT_BITS


def is_of_float(digits: str) -> bool:
    """Whether a decimal has more digits than every float keeps: it is a printed float, known within its last digit."""
    return len(digits.strip("0")) > sys.float_info.dig
