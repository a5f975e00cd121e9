"""Rational functions on numbers: coefficients, poles, and all real roots, exact where they are short ratios."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.sheets.cell import symbol
from flopsheet.sheets.functions import log, max_, ratio, sqrt
from flopsheet.solver.rational import as_rational
from flopsheet.solver.roots import real_roots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")


def with_roots(*roots: Number) -> tuple[Number, ...]:
    """Return the coefficients, constant first, of the product of all `x - root`."""
    start: tuple[Number, ...] = (1,)
    return reduce(
        lambda found, root: tuple(before - root * here for before, here in zip((0, *found), (*found, 0), strict=True)),
        roots,
        start,
    )


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
    found = as_rational(expression, X, {"a": 3})
    assert found is not None
    assert found.above == above
    assert found.pole_values() == poles


@pytest.mark.parametrize(
    "expression", [sqrt(X), log(X) + X, X**A, X**13, max_(X, 1), 2**X, (X + 1) ** 7 * X**6], ids=str
)
def test_what_is_none_or_too_high_gives_none(expression: Any) -> None:
    assert as_rational(expression, X, {"a": 3}) is None


def test_the_numerator_of_a_difference() -> None:
    found = as_rational((X + 1) / (X - 1), X, {})
    assert found is not None
    assert found.minus(3) == (4, -2)
    assert found.minus(1) == (2,)
    assert found.degree == 1


def test_the_inverse_of_what_is_zero_is_a_division_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        as_rational(1 / (A * X - 3 * X), X, {"a": 3})


@pytest.mark.parametrize(
    ("polynomial", "roots"),
    [
        ((), []),
        ((5,), []),
        ((0, 0), []),
        ((-6, 2), [3]),
        ((1, 0, 1), []),
        ((0, 0, 4), [0]),
        ((2, -3, 1, 0, 0), [1, 2]),
        (with_roots(1, 1, 3, 3), [1, 3]),
        (with_roots(0, 0, 0, Fraction(1, 7)), [0, Fraction(1, 7)]),
        (with_roots(*range(12)), [*range(12)]),
        (with_roots(0, 1, 2, Fraction(1, 3)), [0, Fraction(1, 3), 1, 2]),
        (with_roots(Fraction(1, 3), Fraction(333333, 10**6), 2), [Fraction(333333, 10**6), Fraction(1, 3), 2]),
        (with_roots(10**17 + 1, 1), [1, 10**17 + 1]),
        (with_roots(Fraction(1, 10**6), 1, 10**6, 10**12), [Fraction(1, 10**6), 1, 10**6, 10**12]),
        ((-1, *[0] * 11, 2**12), [Fraction(-1, 2), Fraction(1, 2)]),
        ((1, *[0] * 11, 1), []),
    ],
    ids=lambda each: str(each)[:30],
)
def test_exact_roots(polynomial: Sequence[Number], roots: list[Number]) -> None:
    found = real_roots(polynomial)
    assert found == roots
    assert all(isinstance(each, int | Fraction) for each in found)


@pytest.mark.parametrize("power", [3, 5, 8, 12])
@pytest.mark.parametrize("value", [2, 1e-30, 1e30, 7e90])
def test_roots_of_any_size_are_the_nearest_floats(power: int, value: float) -> None:
    roots = real_roots((-Fraction(value), *[0] * (power - 1), 1))
    assert roots == pytest.approx(([] if power % 2 else [-(value ** (1 / power))]) + [value ** (1 / power)], rel=1e-13)


def test_roots_of_very_different_sizes() -> None:
    spread = [1e-20, 1.0, 1e15, 1e30]
    assert real_roots(with_roots(*map(Fraction, spread))) == pytest.approx(spread, rel=1e-12)
    assert real_roots([1.0, 1e200, 1.0]) == pytest.approx([-1e200, -1e-200], rel=1e-12)
    assert real_roots([-2e-200, 1e-200, 1e-200]) == pytest.approx([-2, 1], rel=1e-12)


@pytest.mark.parametrize("roots", [(0.1, 0.1), (0.3, 0.3, 0.7), (1.1, 1.1, 2.3, 2.3)])
def test_touching_roots_of_rounded_coefficients_are_found_once(roots: tuple[float, ...]) -> None:
    assert real_roots(with_roots(*roots)) == pytest.approx(sorted(set(roots)), rel=1e-6)


def test_a_float_polynomial_that_stays_away_from_zero_has_no_root() -> None:
    assert real_roots([1.01, -2.0, 1.0]) == []
    assert real_roots([1.01, 0.0, -2.0, 0.0, 1.0]) == []


ratios = st.fractions(min_value=-20, max_value=20, max_denominator=12)


@given(st.lists(ratios, min_size=1, max_size=5), st.booleans(), ratios.filter(bool))
@settings(deadline=None, max_examples=80)
def test_a_polynomial_with_known_roots_has_just_these(roots: list[Fraction], bowl: bool, scale: Fraction) -> None:
    polynomial = [scale * each for each in with_roots(*roots)]
    if bowl:  # times x**2 + 1, which has none
        polynomial = [a + b for a, b in zip([*polynomial, 0, 0], [0, 0, *polynomial], strict=True)]
    assert real_roots(polynomial) == sorted(set(roots))


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=5, unique=True))
@settings(deadline=None, max_examples=40)
def test_known_roots_are_read_off_an_expression(roots: list[int]) -> None:
    found = as_rational(math.prod((X - ratio(each, 7) for each in roots), start=X**0), X, {})
    assert found is not None
    assert real_roots(found.above) == pytest.approx(sorted(each / 7 for each in roots), rel=1e-12)
