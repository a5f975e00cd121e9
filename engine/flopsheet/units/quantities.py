"""Quantities: an exact number with a unit, parsed without evaluating anything."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.errors import DimensionError, FormulaError, public, shortened, wrong_argument
from flopsheet.tolerances import CLOSENESS
from flopsheet.units.expressions import Unit, is_unit_name, unit
from flopsheet.units.system import Dimension, pint_registry

if TYPE_CHECKING:
    from collections.abc import Container


Number: TypeAlias = int | Fraction | float

MOST_DIGITS = 300
_unit = unit  # where a parameter has this name
LONGEST_DECIMAL = 40  # a ratio whose decimal is longer prints as a ratio
LARGEST_POWER_OF_TEN = 300
FLOAT_BITS = 1020  # of the largest integer that a float holds
LONGEST_SHOWN = 24

_NUMBER = re.compile(r"(?P<digits>(?:\d[\d_]*)?(?:\.[\d_]*)?)(?:[eE](?P<power>[+-]?\d+))?")
_CLEAR = re.compile(r"(?:(?:0|[1-9]\d*(?:_\d+)*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?!\d)")
_UNIT_NAME = re.compile(r"\s*(?P<name>[^\W\d]\w*|[%°$])(?:\s*(?:\^|\*\*)\s*-?[0-9]+)?")
_BAR = re.compile(r"\s*/\s*(?=[\d.])")
_CALL = re.compile(r"\s*[(.]")
_UNIT_JOINT = re.compile(r"\s*[*·/]\s*(?=[^\W\d]|[%°$])")


@dataclass(frozen=True, slots=True, init=False)
class Quantity:
    """A number with a unit, e.g. 95 GiB.

    Args:
        exact: the number as written: an int or a Fraction where the text was exact, else a float.
        unit: the unit as written; a text is parsed.
    """

    exact: Number
    unit: Unit

    @public
    def __init__(self, exact: object, unit: Unit | str) -> None:
        if type(exact) not in (int, float, Fraction):
            exact = _converted(exact, "quantity").exact
        object.__setattr__(self, "exact", exact)
        object.__setattr__(self, "unit", unit if isinstance(unit, Unit) else _unit(unit, "quantity"))

    @property
    def value(self) -> int | float:
        """The number as an int where it is whole, else as a float."""
        return machine_number(self.exact)

    @property
    def si(self) -> Number:
        """The value in base units (byte, FLOP, second, metre, gram, watt, USD, token, param)."""
        factor = self.unit.factor  # products of integers are much faster than those of ratios
        if not self.unit.text:
            return tidy(self.exact)
        return tidy(self.exact * (factor.numerator if factor.denominator == 1 else factor))

    @property
    def dimension(self) -> Dimension:
        """What the quantity measures."""
        return self.unit.dimension

    def pint(self) -> Any:
        """Return the same quantity of pint, in flopsheet's own registry."""
        return pint_registry().Quantity(self.exact, self.unit.pint())

    def _repr_latex_(self) -> str:
        from flopsheet.layout.latex import latex
        from flopsheet.units.text import number_layout, with_unit  # which needs this file

        return f"${latex(with_unit(number_layout(self.exact), self.unit))}$"

    def __str__(self) -> str:
        return f"{decimal(self.exact)} {self.unit}".strip()


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


def size(number: Number) -> Number:
    """Return the absolute value; unlike `abs`, it keeps the type of a union for type checkers."""
    return -number if number < 0 else number


def is_finite(number: Number) -> bool:
    """Whether a number is neither infinite nor "not a number", however large it is."""
    return not isinstance(number, float) or math.isfinite(number)


def close(left: Number, right: Number) -> bool:
    """Whether two numbers are equal within a part in 10^9: the one measure of equality after rounding."""
    if left == right or not (is_finite(left) and is_finite(right)):
        return left == right
    if isinstance(left, float) and isinstance(right, float):  # ratios take much longer
        share = abs(left - right) / max(abs(left), abs(right)) * CLOSENESS
        if not 0.999 < share < 1.001:
            return share <= 1
    exact_left, exact_right = Fraction(left), Fraction(right)
    return abs(exact_left - exact_right) * CLOSENESS <= max(abs(exact_left), abs(exact_right))


def in_unit(si: Number, shown: Unit) -> Number:
    """Return a value given in base units in the shown unit, exact if it was."""
    if isinstance(si, float):
        return si / float(shown.factor) if shown.factor != 1 else si
    return tidy(Fraction(si) / shown.factor)


@public
def quantity(text: object, where: str = "quantity") -> Quantity:
    """Return the quantity that a text such as `3.35 TB/s`, `95 GiB`, `40 %` or `12` writes.

    Args:
        text: a decimal number or a ratio of two, then a unit expression or nothing. A leading minus is taken.
            A number, and a quantity of pint, are quantities already.
        where: the place that an error names.

    Raises:
        FormulaError: the text does not start with a number, or the number is ambiguous, too long or too large.
        UnknownUnitError: the unit is not in the unit file.
        ArgumentError: it is neither a text, a finite number nor a quantity.

    Example:
        >>> from flopsheet import quantity
        >>> memory = quantity("95 GiB")
        >>> memory.si
        102005473280
        >>> str(memory.dimension)
        'information'
        >>> quantity("3.35 TB/s").si / quantity("1 GB/s").si
        3350.0
        >>> quantity("95 gb")
        Traceback (most recent call last):
        flopsheet.errors.UnknownUnitError: ...
    """
    if not isinstance(text, str):
        return _converted(text, where)
    stripped = text.strip()
    signed = stripped[:1] in ("+", "-")
    number, end = scan_number(stripped, int(signed), where)
    if bar := _BAR.match(stripped, end):
        below, end = scan_number(stripped, bar.end(), where)
        number = divided(number, below, where)
    return Quantity(-number if stripped.startswith("-") else number, unit(stripped[end:].strip(), where))


def _converted(value: object, where: str) -> Quantity:
    from flopsheet.units.foreign import as_quantity  # which needs this file

    converted = as_quantity(value, where)
    if converted is None:
        raise wrong_argument(where, value, "a finite number, a quantity or a text of one", 'Write "95 GiB".')
    return converted


def quantity_in(text: object, expected: Unit, where: str) -> Quantity:
    """Return the quantity that a text writes, of the same dimension as the expected unit; others as `quantity` does.

    Raises:
        DimensionError: the text has another dimension, or lacks the unit.
    """
    parsed = quantity(text, where)
    if parsed.dimension == expected.dimension:
        return parsed
    has = f"is {parsed.dimension}" if parsed.unit.text else "has no unit"
    problem = f"'{str(text).strip()}' {has}, but {expected.dimension} is needed."
    raise DimensionError(where, problem, f"Write it in {expected.text or 'no unit'} or a multiple of it.")


def scan_number(text: str, at: int, where: str) -> tuple[Number, int]:
    """Return the number that starts at a position, and the position behind it.

    It is exact, but for a decimal of more than 15 digits: that is a printed float, and is parsed as that float.
    """
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
    power = match["power"] or "0"
    problem = f"The number {digits[:12]}… is longer or larger than numbers may be."
    fix = f"Write at most {MOST_DIGITS} digits and a power of ten up to {LARGEST_POWER_OF_TEN}."
    if len(digits) > MOST_DIGITS or len(power) > 5 or abs(int(power)) > LARGEST_POWER_OF_TEN:
        raise FormulaError(where, problem, fix)
    whole, point, decimals = digits.partition(".")
    if point and _is_of_float(whole + decimals):
        number = float(f"{digits}e{power}")
        if math.isfinite(number):
            return number, match.end()
    scale = int(power) - len(decimals)
    unscaled = int(f"{whole}{decimals}")
    exact = unscaled * 10**scale if scale >= 0 else tidy(Fraction(unscaled, 10**-scale))
    if exceeds_floats(exact):
        raise FormulaError(where, problem, fix)
    return exact, match.end()


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


def machine_number(value: Number) -> int | float:
    """Return a finite number as programs print it, so that it is read back as the same value.

    An int where it is whole, else a float. A ratio that is no short decimal is a float of 16 or 17 digits, one unit off
    in the last place at most: `scan_number` takes a shorter one as exact.
    """
    value = tidy(value)
    if not isinstance(value, Fraction):
        return value
    if abs(value) > sys.float_info.max:
        return round(value)
    nearest = float(value)
    text = repr(nearest)
    if Fraction(text) == value or _is_of_float(text.partition("e")[0].lstrip("-").replace(".", "")):
        return nearest
    return math.nextafter(nearest, math.inf if value > nearest else -math.inf)


def _is_of_float(digits: str) -> bool:
    """Whether a decimal has more digits than every float keeps: it is a printed float, known within its last digit."""
    return len(digits.strip("0")) > sys.float_info.dig


def scan_quantity(text: str, at: int, where: str, cells: Container[str] = ()) -> tuple[Quantity, int]:
    """Return the quantity that starts at a position inside a formula, and the position behind it.

    The unit reaches as far as the names behind the number are units and no cells: `3 TB/step_time` is 3 TB over a
    cell, and `6 FLOP/param/token * tokens` a product with the cell `tokens`.
    """
    number, end = scan_number(text, at, where)
    first = _UNIT_NAME.match(text, end)
    if first is None:
        return Quantity(number, unit("")), end
    begin, end = end, first.end()
    while (joint := _UNIT_JOINT.match(text, end)) and (name := _UNIT_NAME.match(text, joint.end())):
        if name["name"] in cells or not is_unit_name(name["name"]) or _CALL.match(text, name.end()):
            break
        end = name.end()
    written = text[begin:end]
    if written.rstrip().endswith("%") and re.match(r"\s*[\w(]", text[end:]):
        fix = "For percent, put an operator behind it (10 % * x); for the remainder, write mod(a, b)."
        raise FormulaError(where, f"'{text[at:end].strip()}' is followed by a value.", fix)
    return Quantity(number, unit(written, where)), end
