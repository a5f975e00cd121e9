"""Polynomials as tuples of coefficients, against their values at points."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.numbers.polynomials import Polynomial, divided_by, product, total, trimmed

if TYPE_CHECKING:
    from flopsheet.units import Number

numbers = st.fractions(min_value=-9, max_value=9, max_denominator=6)
polynomials = st.lists(numbers, max_size=6).map(lambda coefficients: trimmed(tuple(coefficients)))


def at(polynomial: Polynomial, point: Fraction) -> Number:
    return sum((coefficient * point**place for place, coefficient in enumerate(polynomial)), Fraction(0))


def degree(polynomial: Polynomial) -> int:
    return len(polynomial) - 1


@given(polynomials, polynomials, numbers)
@settings(deadline=None, max_examples=60)
def test_sums_and_products_have_the_values_of_sums_and_products(
    left: Polynomial, right: Polynomial, point: Fraction
) -> None:
    assert at(total(left, right), point) == at(left, point) + at(right, point)
    assert at(product(left, right), point) == at(left, point) * at(right, point)
    if left and right:
        assert degree(product(left, right)) == degree(left) + degree(right)


@given(polynomials)
@settings(deadline=None, max_examples=40)
def test_what_cancels_leaves_no_zeros(polynomial: Polynomial) -> None:
    assert total(polynomial, tuple(-coefficient for coefficient in polynomial)) == ()
    assert total(polynomial, ()) == total((), polynomial) == polynomial
    assert product(polynomial, ()) == product((), polynomial) == ()
    assert product(polynomial, (1,)) == polynomial


@given(polynomials, numbers)
@settings(deadline=None, max_examples=60)
def test_division_takes_off_a_root_and_nothing_else(polynomial: Polynomial, root: Fraction) -> None:
    factor = (-root, 1)
    assert divided_by(product(polynomial, factor), factor) == polynomial
    quotient = divided_by(polynomial, factor)
    assert (quotient is None) == (at(polynomial, root) != 0)
    if quotient is not None:
        assert product(quotient, factor) == polynomial


@pytest.mark.parametrize(
    ("above", "root", "quotient"),
    [
        ((-6, 11, -6, 1), 1, (6, -5, 1)),
        ((-6, 11, -6, 1), 4, None),
        ((0, 0, 3), 0, (0, 3)),
        ((-1, 0, 0, 8), Fraction(1, 2), (2, 4, 8)),
        ((10**40, -(10**20) - 10**20, 1), 10**20, (-(10**20), 1)),
        ((5,), 2, None),
        ((), 2, ()),
    ],
    ids=str,
)
def test_quotients(above: Polynomial, root: Number, quotient: Polynomial | None) -> None:
    assert divided_by(above, (-root, 1)) == quotient


@pytest.mark.parametrize(
    ("coefficients", "expected"),
    [((), ()), ((0, 0.0, Fraction(0)), ()), ((0, 1, 0), (0, 1)), ((0, 0, 1e-300), (0, 0, 1e-300)), ((7,), (7,))],
    ids=str,
)
def test_only_zeros_of_the_highest_powers_go(coefficients: Polynomial, expected: Polynomial) -> None:
    assert trimmed(coefficients) == expected


def test_floats_and_ratios_may_mix() -> None:
    assert total((1, Fraction(1, 2)), (0.5,)) == (1.5, Fraction(1, 2))
    assert product((0.5, 1), (Fraction(1, 4), 2)) == (0.125, 1.25, 2)
