"""Comparisons of numbers: exact between exact numbers, within rounding where a float takes part."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from flopsheet.tolerances import STRICT
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.units import Number

HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


_MIRRORED = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}


def mirrored(sign: str) -> str:
    """Return the operator of a relation whose sides change places: `<=` for `>=`."""
    return _MIRRORED[sign]


def holds(left: Number, sign: str, right: Number) -> bool:
    """Whether a relation holds between two numbers, equality within rounding of floats."""
    if sign in ("<", ">") and left != right:
        return HOLDS[sign](left, right) and not _same(left, right)
    if (sign == "=" or isinstance(left, float) or isinstance(right, float)) and close(left, right):
        return "=" in sign
    return HOLDS[sign](left, right)


def _same(left: Number, right: Number) -> bool:
    """Whether floats differ by nothing but rounding: a strict inequality needs more than that."""
    floats = isinstance(left, float) or isinstance(right, float)
    return floats and math.isclose(left, right, rel_tol=STRICT)
