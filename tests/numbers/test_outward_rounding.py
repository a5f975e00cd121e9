"""Intervals are rounded outwards: exact arithmetic on floats never leaves them, by not even the last digit."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.formulas.program import program_of
from flopsheet.functions.powers import _root_span
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.many_digits import ends_of, interval_of, precision
from flopsheet.numbers.spans import LARGEST, Span, around, between, divided
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.units import Number

X, Y = symbol("x"), symbol("y")
EXACT: dict[str, tuple[Any, Callable[[Fraction, Fraction], Fraction]]] = {
    "sum": (X + Y, lambda x, y: x + y),
    "product": (X * Y, lambda x, y: x * y),
    "quotient": (X / Y, lambda x, y: x / y),
    "square": (X**2 + 0 * Y, lambda x, _: x * x),
    "cube": (X**3, lambda x, _: x**3),
    "inverse square": (X**-2, lambda x, _: 1 / x**2),
}


def _over(expression: Any, low: float, high: float, other: float) -> Span:
    return Field(program_of(expression), "x", {"y": other}).bounds(around(low, high))


@pytest.mark.parametrize("name", EXACT)
def test_exact_values_lie_inside(name: str) -> None:
    expression, exact = EXACT[name]
    random = Random(name)  # noqa: S311  # no secret
    for _ in range(300):
        x, y = (random.choice((-1, 1)) * 10 ** random.uniform(-6, 6) for _ in range(2))
        span = _over(expression, x, x, y)
        value = exact(Fraction(x), Fraction(y))
        assert Fraction(span.low) <= value <= Fraction(span.high), (x, y)
        assert Fraction(span.high) - Fraction(span.low) <= abs(value) * Fraction(1, 10**13), (x, y)


def test_some_sums_need_the_outward_step() -> None:
    """A check of the check: plain floats miss exact sums, so that without the step the test above fails."""
    random = Random(1)  # noqa: S311  # no secret
    pairs = [(random.random(), random.random()) for _ in range(50)]
    assert any(Fraction(x) + Fraction(y) != Fraction(x + y) for x, y in pairs)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1, 0), (0, math.inf), (-math.inf, 0)])
def test_a_quotient_has_no_value_where_the_divisor_ends_at_zero(low: float, high: float) -> None:
    assert not _over(1 / X, low, high, 1).total
    assert not _over(Y / X, low, high, 1).total


@pytest.mark.parametrize(("low", "high"), [(1, 2), (-2, -1), (1e-300, 1)])
def test_a_quotient_has_a_value_wherever_the_divisor_is_not_zero(low: float, high: float) -> None:
    assert _over(1 / X, low, high, 1).total


ENDS = st.floats(allow_nan=False) | st.integers(-(10**30), 10**30) | st.fractions()
OPERATIONS: dict[str, tuple[Callable[[Span, Span], Span], Callable[[Fraction, Fraction], Fraction]]] = {
    "+": (operator.add, operator.add),
    "-": (operator.sub, operator.sub),
    "*": (operator.mul, operator.mul),
    "/": (divided, operator.truediv),
}


@st.composite
def spans_with_a_member(draw: st.DrawFn) -> tuple[Span, Fraction]:
    """Return a span of floats or of exact ends, and a number in it."""
    ends = draw(st.sampled_from([ENDS, st.floats(1e-3, 1e3), st.floats(-1e3, -1e-3)]))
    low, high = sorted((draw(ends.filter(lambda end: end < math.inf)), draw(ends)))
    high = max(high, -LARGEST)
    first, last = (Fraction(max(min(end, LARGEST), -LARGEST)) for end in (low, high))
    return between(low, high), first + (last - first) * draw(st.fractions(0, 1))


@pytest.mark.parametrize("sign", OPERATIONS)
@given(spans_with_a_member(), spans_with_a_member())
@settings(deadline=None, max_examples=60)
def test_what_members_give_lies_in_what_spans_give(
    sign: str, left: tuple[Span, Fraction], right: tuple[Span, Fraction]
) -> None:
    on_spans, on_numbers = OPERATIONS[sign]
    if sign == "/" and not right[1]:
        return
    span, value = on_spans(left[0], right[0]), on_numbers(left[1], right[1])
    assert span.low <= value <= span.high


def test_zero_stays_zero() -> None:
    assert (Span(0.0, 0.3) * Span(0.1, 0.7)).low == 0
    assert (Span(0.0, 0.3) * Span(-0.7, -0.1)).high == 0
    assert (Span(0.0, 0.3) + Span(0.0, 0.1)).low == 0


SMALL = st.floats(1e-100, 1e100) | st.fractions(Fraction(1, 999), 999)
ROOM = st.just(0.0) | st.floats(0, 1e300)


@pytest.mark.parametrize("order", [2, 3, -1, -2, -3, Fraction(1, 2), Fraction(-1, 3)])
@given(
    st.lists(SMALL, min_size=2, max_size=2), st.fractions(0, 1), st.lists(ROOM, min_size=2, max_size=2), st.booleans()
)
@settings(deadline=None, max_examples=50)
def test_a_base_whose_power_lies_in_a_target_is_kept(
    order: Fraction, ends: tuple[Number, Number], share: Fraction, room: tuple[float, float], negative: bool
) -> None:
    low, high = sorted(ends)
    low = -low if negative and order.denominator == 1 else low
    member = Fraction(low) + (Fraction(high) - Fraction(low)) * share
    if not member:
        return
    with precision(400):
        raised = interval_of(member) ** (order if order.denominator == 1 else interval_of(order))
        least, most = ends_of(raised)
    target = Span(math.nextafter(float(least), -math.inf) - room[0], math.nextafter(float(most), math.inf) + room[1])
    kept = _root_span(target, order, between(low, high))
    assert kept is not None
    assert kept.low <= member <= kept.high
