"""Quantities: an exact number with a unit, parsed without evaluating anything."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flopsheet.errors import DimensionError, FormulaError, public, wrong_argument
from flopsheet.tolerances import CLOSENESS
from flopsheet.units.expressions import RATE_OVER_TIME, Unit, base_unit, is_unit_name, unit
from flopsheet.units.numerals import Number, decimal, divided, exceeds_floats, is_of_float, scan_number, short, tidy
from flopsheet.units.system import Dimension, pint_registry

if TYPE_CHECKING:
    from collections.abc import Container

_unit = unit  # where a parameter has this name
SCALES = {"M": 10**6, "B": 10**9, "T": 10**12}  # K is missing: 128K tokens are 131,072 to some readers
_UNIT_NAME = re.compile(r"\s*(?P<name>[^\W\d]\w*|[%°$])(?:\s*(?:\^|\*\*)\s*-?[0-9]+)?")
_BAR = re.compile(r"\s*/\s*(?=[\d.])")
_OVER = re.compile(r"(?:\s+1)?\s*/(?=\s*[^\W\d])")
_CALL = re.compile(r"\s*[(.]")
_UNIT_JOINT = re.compile(rf"\s*[*·/]\s*(?=[^\W\d]|[%°$])|{RATE_OVER_TIME}")
_BILLIONS = re.compile(r"(?<![\w.])(?P<number>[\d_.]*\d)B(?![\w^/])")
_SCALE = re.compile(r"[MBT](?![\w^]|\*\*)")


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
        from flopsheet.units.text import layout_in  # which needs this file

        return f"${latex(layout_in(self.exact, self.unit))}$"

    @property
    def written(self) -> str:
        """The quantity as a text that gives it again exactly: `8612513/19200 TFLOP/s`."""
        return f"{decimal(self.exact)} {self.unit}".strip()

    def __str__(self) -> str:
        return f"{short(self.exact)} {self.unit}".strip()

    def __repr__(self) -> str:
        return f"quantity({self.written!r})"


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
    parsed = _parsed(text.strip(), where)
    if not parsed.unit.text and (problem := ambiguity(text)):
        raise FormulaError(where, *problem)
    return parsed


def ambiguity(text: str) -> tuple[str, str] | None:
    """Return what is wrong with a number of a text that has a B behind it, which may be bytes, and the fix."""
    if not (match := _BILLIONS.search(text)):
        return None
    number = match["number"]
    return f"'{match[0]}' can be read as billions and as bytes.", f"Write {number}e9, {number} byte or {number} GB."


def _parsed(text: str, where: str) -> Quantity:
    number, end = scan_number(text, int(text[:1] in ("+", "-")), where)
    if bar := _BAR.match(text, end):
        below, end = scan_number(text, bar.end(), where)
        number = divided(number, below, where)
    number, end = _scaled(number, text, end)
    inverse = _inverse_unit(text, end)
    written = f"1/{text[inverse.start('name') :]}" if inverse else text[end:]
    return Quantity(-number if text.startswith("-") else number, unit(written.strip(), where))


def _inverse_unit(text: str, end: int, cells: Container[str] = ()) -> re.Match[str] | None:
    """Return where a number is over a unit that stands alone, `5/s` or `5 1/s`: the name of the unit, or None."""
    bar = _OVER.match(text, end)
    name = _UNIT_NAME.match(text, bar.end()) if bar else None
    if name is None or name["name"] in cells or _CALL.match(text, name.end()):
        return None
    return name if is_unit_name(name["name"]) else None


def _scaled(number: Number, text: str, end: int, cells: Container[str] = ()) -> tuple[Number, int]:
    """Return a number with the M, B or T right behind it taken in, `70B` or `15T token`; bytes stay bytes: `3B/s`."""
    if not _SCALE.match(text, end):
        return number, end
    joint, following = _UNIT_JOINT.match(text, end + 1), _UNIT_NAME.match(text, end + 1)
    if joint and (name := _UNIT_NAME.match(text, joint.end())):
        if name["name"] not in cells and is_unit_name(name["name"]):
            return number, end
    elif following and is_unit_name(following["name"]) and not _takes_scale(unit(following["name"]).dimension):
        return number, end
    scaled = tidy(number * SCALES[text[end]])
    return (number, end) if exceeds_floats(scaled) or not is_finite(scaled) else (scaled, end + 1)


def _takes_scale(dimension: Dimension) -> bool:
    return dimension.is_count or not dimension or dimension == unit("USD").dimension


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
    counts = expected.dimension.is_count or not expected.dimension
    parsed = _parsed(text.strip(), where) if counts and isinstance(text, str) else quantity(text, where)
    if parsed.dimension == expected.dimension:
        return parsed
    if counts and not parsed.unit.text and _SCALE.match(str(text).strip()[-1:]):
        return Quantity(parsed.exact, base_unit(expected.dimension))
    has = f"is {parsed.dimension}" if parsed.unit.text else "has no unit"
    problem = f"'{str(text).strip()}' {has}, but {expected.dimension} is needed."
    raise DimensionError(where, problem, f"Write it in {expected.text or 'no unit'} or a multiple of it.")


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
    if Fraction(text) == value or is_of_float(text.partition("e")[0].lstrip("-").replace(".", "")):
        return nearest
    return math.nextafter(nearest, math.inf if value > nearest else -math.inf)


def scan_quantity(text: str, at: int, where: str, cells: Container[str] = ()) -> tuple[Quantity, int]:
    """Return the quantity that starts at a position inside a formula, and the position behind it.

    The unit reaches as far as the names behind the number are units and no cells: `3 TB/step_time` is 3 TB over a
    cell, and `6 FLOP/param/token * tokens` a product with the cell `tokens`.
    """
    number, end = scan_number(text, at, where)
    unscaled, (number, end) = end, _scaled(number, text, end, cells)
    inverse = _inverse_unit(text, end, cells) if end == unscaled else None
    first = inverse or _UNIT_NAME.match(text, end)
    if first is None or (end > unscaled and not is_unit_name(first["name"])):
        return Quantity(number, unit("")), end
    begin, end = end, first.end()
    while (joint := _UNIT_JOINT.match(text, end)) and (name := _UNIT_NAME.match(text, joint.end())):
        if name["name"] in cells or not is_unit_name(name["name"]) or _CALL.match(text, name.end()):
            break
        end = name.end()
    written = f"1/{''.join(text[inverse.start('name') : end].split())}" if inverse else text[begin:end]
    if written.rstrip().endswith("%") and re.match(r"\s*[\w(]", text[end:]):
        fix = "For the remainder, write mod(a, b); for percent in a question, put an operator behind it (10 % * x)."
        raise FormulaError(where, f"'{text[at:end].strip()}' is followed by a value.", fix)
    return Quantity(number, unit(written, where)), end
