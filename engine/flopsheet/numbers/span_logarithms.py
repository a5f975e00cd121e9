"""Logarithms and exponentials of bounds, rounded outwards."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import LARGEST_LOG, logarithm
from flopsheet.numbers.spans import Span, float_ends, loosely
from flopsheet.tolerances import CONTRACTION
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from flopsheet.units import Number


def logarithms_of(positive: Span) -> Span:
    """Return bounds of the logarithms of a span; minus infinity stands for those that are none."""
    low, high = float_ends(positive)
    return loosely(_log(low), _log(high), positive.total)


def exponentials_of(logs: Span) -> Span:
    """Return bounds of the exponentials of a span."""
    ends = [math.exp(min(float(end), LARGEST_LOG)) if end != -math.inf else 0.0 for end in (logs.low, logs.high)]
    high = math.inf if logs.high >= LARGEST_LOG else ends[1] * (1 + CONTRACTION)
    return loosely(ends[0] * (1 - CONTRACTION), high, total=True)


def _log(end: Number) -> Number:
    return -math.inf if end <= 0 else logarithm(end) if is_finite(end) else end
