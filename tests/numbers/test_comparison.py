"""Comparisons: exact between exact numbers; with a float, equality reaches as far as rounding."""

from __future__ import annotations

import operator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest

from flopsheet.numbers.comparison import holds, mirrored

if TYPE_CHECKING:
    from flopsheet.units import Number

SIGNS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
APART: list[Number] = [-3, Fraction(-1, 3), 0, 0.5, Fraction(2, 3), 1, 1.5, 10**30]


@pytest.mark.parametrize("sign", SIGNS)
def test_numbers_that_are_clearly_apart_compare_as_numbers(sign: str) -> None:
    for left, right in product(APART, APART):
        assert holds(left, sign, right) == SIGNS[sign](left, right), (left, right)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("difference", [0, 1e-15, 1e-13, 1e-11, 1e-8, 1e-3])
def test_a_relation_reads_the_same_from_right_to_left(sign: str, difference: float) -> None:
    assert holds(1.0, sign, 1 + difference) == holds(1 + difference, mirrored(sign), 1.0)
    assert holds(1, sign, 1 + Fraction(difference)) == holds(1 + Fraction(difference), mirrored(sign), 1)


@pytest.mark.parametrize("exponent", [0, 12, -12, 25])
@pytest.mark.parametrize(
    ("difference", "holding"),
    [
        (Fraction(0), {"=", "<=", ">="}),
        (Fraction(1, 10**13), {"=", "<=", ">="}),  # rounding: neither is strictly larger
        (Fraction(1, 10**11), {"=", "<=", ">=", ">"}),
        (Fraction(1, 10**10), {"=", "<=", ">=", ">"}),
        (Fraction(1, 10**8), {">=", ">"}),
    ],
)
def test_floats_are_equal_within_rounding(difference: Fraction, holding: set[str], exponent: int) -> None:
    scale = Fraction(10) ** exponent
    left, right = scale * (1 + difference), scale
    assert {sign for sign in SIGNS if holds(float(left), sign, float(right))} == holding
    if difference != Fraction(1, 10**13):
        assert {sign for sign in SIGNS if holds(float(left), sign, right)} == holding
        assert {sign for sign in SIGNS if holds(left, sign, float(right))} == holding


@pytest.mark.parametrize(
    ("difference", "holding"),
    [
        (Fraction(0), {"=", "<=", ">="}),
        (Fraction(1, 10**13), {"=", ">=", ">"}),
        (Fraction(1, 10**10), {"=", ">=", ">"}),
        (Fraction(1, 10**8), {">=", ">"}),
    ],
)
def test_between_exact_numbers_an_inequality_is_exact(difference: Fraction, holding: set[str]) -> None:
    assert {sign for sign in SIGNS if holds(1 + difference, sign, 1)} == holding
