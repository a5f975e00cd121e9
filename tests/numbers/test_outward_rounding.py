"""Intervals are rounded outwards: exact arithmetic on floats never leaves them, by not even the last digit."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet.functions.symbols import symbol
from flopsheet.numbers.spans import Span, around
from flopsheet.search.field import Field
from flopsheet.search.program import program_of

if TYPE_CHECKING:
    from collections.abc import Callable

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
