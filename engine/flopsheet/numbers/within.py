"""Whether bounds of a value lie inside a set, outside of it, or touch it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.numbers.spans import NOTHING, Span, as_float
from flopsheet.tolerances import CLEAR

if TYPE_CHECKING:
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number


def touches(value: Span, target: RealSet) -> bool:
    """Whether bounds share a number with a set."""
    return any(
        (value.high > part.lower or (value.high == part.lower and part.lower_closed))
        and (value.low < part.upper or (value.low == part.upper and part.upper_closed))
        for part in target
    )


def is_outside(span: Span, target: RealSet) -> bool:
    """Whether a span is outside a set by more than rounding."""
    return span is NOTHING or all(
        _is_clear(span.high, part.lower) or _is_clear(part.upper, span.low) for part in target
    )


def is_inside(span: Span, target: RealSet) -> bool:
    """Whether a formula has a value everywhere, inside one interval of a set by more than rounding."""
    return span.total and any(
        (part.lower == -math.inf or _is_clear(part.lower, span.low))
        and (part.upper == math.inf or _is_clear(span.high, part.upper))
        for part in target
    )


def _is_clear(below: Number, above: Number) -> bool:
    """Whether a number is smaller than another one by more than rounding."""
    if not below < above:
        return False
    left, right = as_float(below), as_float(above)
    return right - left > CLEAR * max(abs(left), abs(right)) if math.isfinite(left + right) else left != right
