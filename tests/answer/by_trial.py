"""Formulas and relations at numbers, by Python's ratios: what a solver has to find is what trying all numbers finds."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from flopsheet.numbers.arithmetic import HOLDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WORDS: dict[str, Any] = {"ceil": math.ceil, "floor": math.floor, "abs": abs, "max": max, "min": min, "ratio": Fraction}
WORDS["mod"] = lambda value, by: value % by
WORDS["select"] = lambda condition, then, otherwise: then if condition else otherwise


def value_of(formula: str, point: Mapping[str, int | Fraction]) -> Any:
    """Return the value of a formula, None where it divides by zero."""
    exact = re.sub(r"\d+", r"ratio(\g<0>)", formula)
    try:
        return eval(exact, {**WORDS, **{name: Fraction(value) for name, value in point.items()}})  # noqa: S307  # of tests
    except ZeroDivisionError:
        return None


def holds(relation: str, point: Mapping[str, int | Fraction]) -> bool:
    """Whether a relation holds, whose right side has no blanks."""
    left, sign, right = relation.rsplit(" ", 2)
    value, level = value_of(left, point), value_of(right, point)
    return value is not None and level is not None and HOLDS[sign](value, level)


def tuples_of(relations: Iterable[str], ranges: Mapping[str, Iterable[int]]) -> list[tuple[int, ...]]:
    """Return the numbers of some ranges at which all relations hold, in ascending order."""
    asked: Sequence[str] = [*relations]
    points = product(*ranges.values())
    return [at for at in points if all(holds(own, dict(zip(ranges, at, strict=True))) for own in asked)]
