"""Numbers with as many digits as it takes to tell them apart."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.session import cached
from flopsheet.units.expressions import unit
from flopsheet.units.numerals import exceeds_floats
from flopsheet.units.quantities import in_unit, is_finite, size
from flopsheet.units.text import (
    COUNTED,
    DIGITS,
    LONGEST_COUNT,
    LONGEST_WHOLE,
    MOST_APART,
    MOST_CACHED,
    MOST_DIGITS,
    PLAIN_POWERS,
    format_in,
    format_quantity,
    layout_in,
    quantity_layout,
    shown_in,
    unit_layout,
)

if TYPE_CHECKING:
    from flopsheet.layout import nodes
    from flopsheet.units.expressions import Unit
    from flopsheet.units.numerals import Number

LARGEST_SHORT = 1000  # denominator of a ratio that reads better than its decimal
_ZEROS = re.compile(r"\.?0+(?=$|[a-zA-Z×])")


def format_apart(values: list[Number], declared: Unit, most: int = MOST_DIGITS) -> list[str]:
    """Return values [base units] with as many digits as it takes to distinguish them, up to twelve, or to `most`."""
    digits, shown = digits_apart(values, declared, most), _together(values, declared)
    return [f"{format_in(in_unit(value, shown), shown, digits)} {shown.text}".strip() for value in values]


def _together(values: list[Number], declared: Unit) -> Unit:
    """Return the unit in which the largest of some values reads best, for all of them."""
    return shown_in(max(values, key=size), declared) if values else declared


def format_distinct(values: list[Number], declared: Unit, most: int = MOST_DIGITS) -> list[str]:
    """Return values [base units] as `format_quantity` does, with more digits where two of them would read alike."""
    texts = [format_quantity(value, declared) for value in values]
    return texts if _differ(texts, values) else format_apart(values, declared, most)


def format_all_distinct(values: list[Number], declared: Unit) -> list[str]:
    """Return values [base units] as `format_distinct` does; where 24 digits read alike as `3.3 + 1e-30`, a sum."""
    texts = format_distinct(values, declared, MOST_APART)
    if _differ(texts, values):
        return texts
    shown = _together(values, declared)
    numbers = [in_unit(value, shown) for value in values]
    if any(map(exceeds_floats, numbers)):
        return texts
    bases = [_short_beside(number) for number in numbers]
    rests: list[Number] = [Fraction(number) - base for number, (base, _) in zip(numbers, bases, strict=True)]
    digits = digits_apart(rests, unit(""))
    return [
        f"{text or format_in(base, shown, MOST_DIGITS)}{_added(rest, digits)} {shown.text}".strip()
        for (base, text), rest in zip(bases, rests, strict=True)
    ]


def _short_beside(number: Number) -> tuple[Fraction, str]:
    """Return a decimal of twelve digits beside a number, or a ratio of small integers that is nearer, and its text."""
    decimal, ratio = Fraction(f"{float(number):.{MOST_DIGITS}g}"), Fraction(number).limit_denominator(LARGEST_SHORT)
    is_nearer = size(number - ratio) < size(number - decimal)
    return (ratio, str(ratio)) if is_nearer else (decimal, "")


def _added(rest: Number, digits: int) -> str:
    """Return what is added to a number or taken from it as text, nothing of zero."""
    sign = "-" if rest < 0 else "+"
    return f" {sign} {format_in(size(rest), unit(''), digits)}" if rest else ""


def digits_distinct(values: list[Number], declared: Unit) -> int:
    """Return how many digits distinguish values [base units], at least those of `format_quantity`."""
    texts = [format_quantity(value, declared) for value in values]
    return DIGITS if _differ(texts, values) else digits_apart(values, declared)


def _differ(texts: list[str], values: list[Number]) -> bool:
    bare = {(_bare(number), unit) for number, _, unit in (text.partition(" ") for text in texts)}
    return len(bare) == len(set(values))


def digits_apart(values: list[Number], declared: Unit, most: int = MOST_DIGITS) -> int:
    """Return how many digits distinguish values [base units] in one unit, up to twelve, or to `most`."""
    shown = _together(values, declared)
    for digits in range(DIGITS, most + 1):
        texts = {_bare(format_in(in_unit(value, shown), shown, digits)) for value in values}
        if len(texts) == len(set(values)):
            return digits
    return MOST_DIGITS


def _bare(number: str) -> str:
    """Return a number without zeros behind its point: 46.00 reads as 46."""
    return _ZEROS.sub("", number) if "." in number else number


@cached(maxsize=MOST_CACHED, typed=True)
def format_between(si: Number, declared: Unit) -> str:
    """Return a value [base units] of a cell that counts, with enough digits to differ from the integers beside it."""
    if not is_finite(si):
        return format_quantity(si, declared)
    number = _in_full(si, declared)
    return f"{number} {declared.text}".strip() if number else format_apart(_with_wholes(si), declared)[0]


@cached(maxsize=MOST_CACHED, typed=True)
def between_layout(si: Number, declared: Unit) -> nodes.Node:
    """Return the layout of what `format_between` prints, for a formula."""
    if not is_finite(si):
        return quantity_layout(si, declared)
    if number := _in_full(si, declared):
        from flopsheet.layout import nodes

        shown = nodes.Number(number, None, "")
        return nodes.Quantity(shown, unit_layout(declared)) if declared.text else shown
    return layout_in(in_unit(si, declared), declared, digits_apart(_with_wholes(si), declared))


def _in_full(si: Number, declared: Unit) -> str:
    """Return the digits of a large exact number that counts, of a fraction two behind its point; else nothing."""
    value = in_unit(si, declared)
    is_whole = isinstance(value, int)
    least = LONGEST_WHOLE if is_whole else 10**PLAIN_POWERS
    if isinstance(value, float) or not least <= size(value) < LONGEST_COUNT:
        return ""
    if declared.text.partition("/")[0] in COUNTED or shown_in(si, declared) != declared:
        return ""
    whole, hundredths = divmod(round(size(value) * 100), 100)
    text = f"{whole:,}" if is_whole else f"{whole:,}.{hundredths:02}"
    return f"{'-' * (value < 0)}{text}" if is_whole or hundredths else ""


def _with_wholes(si: Number) -> list[Number]:
    return [si, *(whole for whole in (math.floor(si), math.ceil(si)) if whole != si)]
