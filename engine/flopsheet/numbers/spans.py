"""Bounds of a formula over a range of the unknown, in floats rounded outwards: what they exclude is excluded.

The text of a compiled formula runs on spans as it runs on numbers, in a hundredth of the time that a scan takes.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import exponential, float_power, near_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number

CLEAR = 2e-9  # twice what counts as equal
_LIBRARY = 1e-15  # how far off a function of the library may be
_INF = math.inf
_next = math.nextafter


class Span:
    """All floats between two ends, both included.

    Args:
        low: the lower end.
        high: the upper end.
        total: whether the formula has a value everywhere.
    """

    __slots__ = ("high", "low", "total")

    def __init__(self, low: float, high: float, total: bool = True) -> None:  # made a lot
        self.low, self.high, self.total = low, high, total

    def __add__(self, other: Span | int) -> Span:
        other = _span(other)
        return _outwards(self.low + other.low, self.high + other.high, self.total and other.total)

    __radd__ = __add__

    def __mul__(self, other: Span | int) -> Span:
        if other is self:
            return _square(self)
        other = _span(other)
        a, b, c, d, total = self.low, self.high, other.low, other.high, self.total and other.total
        if a > 0 and c > 0:
            return _outwards(a * c, b * d, total)
        ends = (_times(a, c), _times(a, d), _times(b, c), _times(b, d))
        return _outwards(min(ends), max(ends), total)

    __rmul__ = __mul__


ANYTHING = Span(-_INF, _INF, total=False)


NOTHING = Span(_INF, -_INF, total=False)


class NoValueError(ValueError):
    """A formula has no value anywhere in a span."""


def around(low: Number, high: Number) -> Span:
    """Return a span that holds two numbers of any kind and all between them."""
    left, right = _float(low), _float(high)
    return Span(left if left <= low else _next(left, -_INF), right if right >= high else _next(right, _INF))


def is_outside(span: Span, target: RealSet) -> bool:
    """Whether a span lies clearly outside of a set."""
    return span is NOTHING or all(
        _is_clear(span.high, each.lower) or _is_clear(each.upper, span.low) for each in target
    )


def is_inside(span: Span, target: RealSet) -> bool:
    """Whether a formula has a value everywhere that lies clearly inside of one interval of a set."""
    return span.total and any(
        (each.lower == -_INF or _is_clear(each.lower, span.low))
        and (each.upper == _INF or _is_clear(span.high, each.upper))
        for each in target
    )


def verdict(span: Span, target: RealSet) -> bool | None:
    """Return whether a formula lies inside of a set all over its range or nowhere; None where neither is clear."""
    return False if is_outside(span, target) else True if is_inside(span, target) else None


def _is_clear(below: Number, above: Number) -> bool:
    """Whether a number is smaller than another one by more than rounding."""
    if not below < above:
        return False
    left, right = _float(below), _float(above)
    return right - left > CLEAR * max(abs(left), abs(right)) if math.isfinite(left + right) else left != right


def _float(number: Number) -> float:
    try:
        return float(number)
    except OverflowError:
        return _INF if number > 0 else -_INF


def _span(value: Span | int) -> Span:
    return value if isinstance(value, Span) else Span(value, value)


def _outwards(low: float, high: float, total: bool) -> Span:  # called a lot
    """Return a span with its ends moved outwards by the last digit; anything where one is no number."""
    if low != low or high != high:  # noqa: PLR0124  # not a number
        return ANYTHING
    return Span(_next(low, -_INF) if low else low, _next(high, _INF) if high else high, total)


def _loosely(low: float, high: float, total: bool) -> Span:
    """Return a span with its ends moved outwards by what a function of the library may be off."""
    return _outwards(low - _LIBRARY * abs(low) if math.isfinite(low) else low, high + _LIBRARY * abs(high), total)


def _times(left: float, right: float) -> float:
    return left * right if left and right else 0.0


def _square(span: Span) -> Span:
    low, high = sorted((abs(span.low), abs(span.high)))
    return _outwards(0.0 if span.low < 0 < span.high else low * low, high * high, span.total)


def _divided(above: Span | int, below: Span | int) -> Span:
    below = _span(below)
    low, high = below.low, below.high
    if low < 0 < high or low == high == 0:
        return ANYTHING
    total = below.total and not low <= 0 <= high
    return _span(above) * _outwards(1 / high if high else -_INF, 1 / low if low else _INF, total)


def _power(base: Span | int, exponent: Span | int) -> Span:
    base, exponent = _span(base), _span(exponent)
    low, high, order = base.low, base.high, exponent.low
    if order != exponent.high:
        return _powers(base, exponent)
    total = base.total and (low > 0 or (order > 0 and (low == 0 or order == int(order))))
    if order != int(order):
        low = _from_zero(base)
    elif order % 2 == 0 and low < 0:
        low, high = (0.0 if high > 0 else -high), max(-low, high)
    if order < 0 and low <= 0:
        return Span(float_power(high, order), _INF, total=False) if low == 0 < high else ANYTHING
    ends = float_power(low, order), float_power(high, order)
    return _loosely(min(ends), max(ends), total)


def _from_zero(base: Span) -> float:
    """Return the lower end of a base whose exponent is not whole: below zero it has no value."""
    if base.high < 0:
        raise NoValueError
    return max(base.low, 0.0)


def _powers(base: Span, exponent: Span) -> Span:
    """Return the bounds of a power whose exponent varies: it rises or falls along each edge, so they lie at corners."""
    endless = math.isinf(exponent.low) or math.isinf(exponent.high)
    low = base.low if endless or math.floor(exponent.high) >= exponent.low else _from_zero(base)
    if low < 0 or (low == 0 and exponent.low <= 0):
        return ANYTHING if low < 0 else Span(0.0, _INF, total=False)
    ends = [float_power(end, order) for end in (low, base.high) for order in (exponent.low, exponent.high)]
    return _loosely(min(ends), max(ends), base.low >= 0 and base.total and exponent.total)


def _extreme(which: Callable[..., float], *spans: Span | int) -> Span:
    """Return the bounds of the largest or smallest of several values."""
    each = [_span(span) for span in spans]
    low, high = which(span.low for span in each), which(span.high for span in each)
    return Span(low, high, all(span.total for span in each))


def _size(span: Span | int) -> Span:
    span = _span(span)
    return Span(max(0.0, span.low, -span.high), max(-span.low, span.high), span.total)


def _whole(way: Callable[[float], int], end: float) -> tuple[float, float]:
    """Return an end rounded as it stands and, within rounding of a whole number, as that number."""
    if not math.isfinite(end):
        return end, end
    return float(way(end)), float(way(float(near_whole(end))))


def _rounded(way: Callable[[float], int], span: Span | int) -> Span:
    """Return the bounds of a value rounded up or down."""
    span = _span(span)
    return Span(min(_whole(way, span.low)), max(_whole(way, span.high)), span.total)


def _remainder(value: Span | int, divisor: Span | int) -> Span:
    value, divisor = _span(value), _span(divisor)
    most = Span(min(0.0, divisor.low), max(0.0, divisor.high), value.total and divisor.total)
    if divisor.low <= 0:
        return most if divisor.high < 0 else ANYTHING
    quotient = _divided(value, divisor)
    slack = CLEAR * max(abs(quotient.low), abs(quotient.high), 1)
    if not math.isfinite(slack) or math.floor(quotient.low - slack) != (times := math.floor(quotient.high + slack)):
        return most
    return value + divisor * -times if times else value


def _log(span: Span | int) -> Span:
    span = _span(span)
    if span.high <= 0:
        raise NoValueError
    positive = span.low > 0
    return _loosely(math.log(span.low) if positive else -_INF, math.log(span.high), span.total and positive)


def _exp(span: Span | int) -> Span:
    span = _span(span)
    return _loosely(exponential(span.low), exponential(span.high), span.total)


def _wave(span: Span | int, function: Callable[[float], float], peak: float) -> Span:
    """Return the bounds of a sine or cosine [degree], which has its first peak at an angle."""
    span = _span(span)
    if not span.high - span.low < 360 or max(abs(span.low), abs(span.high)) > 1e9:
        return Span(-1.0, 1.0, span.total)
    ends = [function(math.radians(end)) for end in (span.low, span.high)]
    off = CLEAR * (1 + abs(span.low) + abs(span.high))

    def turns(at: float) -> bool:
        return math.floor((span.high + off - at) / 360) != math.floor((span.low - off - at) / 360)

    return Span(-1.0 if turns(peak + 180) else min(ends) - off, 1.0 if turns(peak) else max(ends) + off, span.total)


def _tangent(span: Span | int) -> Span:
    span = _span(span)
    branches = [(end - 90) / 180 for end in (span.low - CLEAR, span.high + CLEAR)]
    if not max(map(abs, branches)) < 1e9 or math.floor(branches[0]) != math.floor(branches[1]):
        return ANYTHING
    ends = [math.tan(math.radians(end)) for end in (span.low, span.high)]
    off = [CLEAR * (1 + abs(end)) ** 2 for end in ends]
    return Span(ends[0] - off[0], ends[1] + off[1], span.total)


def _is_within_one(span: Span | int) -> bool:
    span = _span(span)
    return span.total and span.low >= -1 and span.high <= 1


# What the names in compiled formulas mean on spans.
SPANS: Mapping[str, Callable[..., Span]] = {
    "divided": _divided,
    "power": _power,
    "ceiling": partial(_rounded, math.ceil),
    "floor": partial(_rounded, math.floor),
    "remainder": _remainder,
    "indicator": lambda left, _, right: Span(0.0, 1.0, _span(left).total and _span(right).total),
    "largest": partial(_extreme, max),
    "smallest": partial(_extreme, min),
    "size": _size,
    "log": _log,
    "exp": _exp,
    "sine": lambda angle: _wave(angle, math.sin, 90),
    "cosine": lambda angle: _wave(angle, math.cos, 0),
    "tangent": _tangent,
    "arcsine": lambda sine: Span(-90.0, 90.0, _is_within_one(sine)),
    "arccosine": lambda cosine: Span(0.0, 180.0, _is_within_one(cosine)),
    "arctangent": lambda tangent: Span(-90.0, 90.0, _span(tangent).total),
}
