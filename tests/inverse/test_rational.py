"""Rational functions on numbers: coefficients and poles, and roots that are read off them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import log, max_, ratio, sqrt
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.rational import as_rational
from flopsheet.numbers.polynomials import real_roots

if TYPE_CHECKING:
    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")


@pytest.mark.parametrize(
    ("expression", "above", "poles"),
    [
        (A * X + 1, (1, 3), set()),
        ((X + 1) * (X - A), (-3, -2, 1), set()),
        (1 / X + 1 / (X - 1), (-1, 2), {0, 1}),
        ((X**2 - 1) / (X - 1), (1, 1), {1}),
        ((X**2 - 1) / (X - 1) ** 2, (1, 1), {1}),
        (X / (2 * X - A), (0, Fraction(1, 2)), {Fraction(3, 2)}),
        (1 / (1 / X), (0, 1), set()),
        (1 / (1 + 1 / X), (0, 1), {0, -1}),
        ((X - 1) ** -3 * (X - 1) ** 2 + 0 * X, (1,), {1}),
        (1 / (X**2 + 1), (1,), set()),
        ((A - 3) * X**2 + X, (0, 1), set()),
        ((A - 3) * X, (), set()),
    ],
    ids=str,
)
def test_the_numerator_and_the_poles(expression: Any, above: tuple[Number, ...], poles: set[Number]) -> None:
    result = as_rational(expression, X, {"a": 3})
    assert result is not None
    assert result.above == above
    assert result.pole_values() == poles


@pytest.mark.parametrize(
    "expression", [sqrt(X), log(X) + X, X**A, X**33, max_(X, 1), 2**X, (X + 1) ** 17 * X**16], ids=str
)
def test_other_expressions_and_high_degrees_give_none(expression: Any) -> None:
    assert as_rational(expression, X, {"a": 3}) is None


def test_the_numerator_of_a_difference() -> None:
    result = as_rational((X + 1) / (X - 1), X, {})
    assert result is not None
    assert result.minus(3) == (4, -2)
    assert result.minus(1) == (2,)
    assert result.degree == 1


def test_the_inverse_of_what_is_zero_is_a_division_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        as_rational(1 / (A * X - 3 * X), X, {"a": 3})


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=5, unique=True))
@settings(deadline=None, max_examples=40)
def test_known_roots_are_read_off_an_expression(roots: list[int]) -> None:
    result = as_rational(math.prod((X - ratio(root, 7) for root in roots), start=X**0), X, {})
    assert result is not None
    assert real_roots(result.above) == pytest.approx(sorted(root / 7 for root in roots), rel=1e-12)
