"""Arithmetic and comparison: exact between rational numbers, within rounding where a float takes part."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest

from flopsheet.numbers.arithmetic import divided, float_power, holds, mirrored, near_whole, power

if TYPE_CHECKING:
    from flopsheet.units import Number

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
SIGNS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
APART: list[Number] = [-3, Fraction(-1, 3), 0, 0.5, Fraction(2, 3), 1, 1.5, 10**30]


def same(result: Number, expected: Number) -> bool:
    """Whether two numbers are equal and equally exact; a whole ratio is as exact as an int."""
    return result == expected and isinstance(result, float) == isinstance(expected, float)


@pytest.mark.parametrize(
    ("above", "below", "quotient"),
    [
        (1, 3, THIRD),
        (THIRD, 2, Fraction(1, 6)),
        (10**400, 10**399, 10),
        (1.0, 4, 0.25),
        (1, 4.0, 0.25),
        (THIRD, 2.0, 1 / 6),
    ],
)
def test_a_quotient_is_a_ratio_unless_a_float_takes_part(above: Number, below: Number, quotient: Number) -> None:
    assert same(divided(above, below), quotient)


@pytest.mark.parametrize(("value", "half"), [(3, Fraction(3, 2)), (THIRD, Fraction(1, 6)), (3.0, 1.5), (-4, -2)])
def test_half_a_number_is_exact(value: Number, half: Number) -> None:
    assert same(divided(value, 2), half)


@pytest.mark.parametrize(
    ("base", "exponent", "raised"),
    [
        (2, 10, 1024),
        (2, -2, Fraction(1, 4)),
        (-2, 3, -8),
        (0, 0, 1),
        (0, HALF, 0),
        (Fraction(4, 9), HALF, Fraction(2, 3)),
        (Fraction(8, 27), Fraction(-2, 3), Fraction(9, 4)),
        (2, HALF, math.sqrt(2)),
        (Fraction(4, 3), HALF, math.sqrt(4 / 3)),
        (Fraction(3, 4), HALF, math.sqrt(3) / 2),
        (4.0, 2, 16.0),
        (4, 0.5, 2.0),
        (2, 2048, 2**2048),  # 2 has two bits: 4096 in all
        (2, 2049, math.inf),
        (HALF, 2048, Fraction(1, 2**2048)),
        (HALF, 2049, 0.0),
        (2, -2049, 0.0),
    ],
    ids=str,
)
def test_a_power_is_exact_where_it_is_rational_and_short(base: Number, exponent: Number, raised: Number) -> None:
    assert same(power(base, exponent), raised)


@pytest.mark.parametrize("base", [-4, Fraction(-1, 4), -8.0])
@pytest.mark.parametrize("exponent", [HALF, THIRD, 0.5])
def test_a_fractional_power_of_a_negative_number_has_no_value(base: Number, exponent: Number) -> None:
    with pytest.raises(ValueError, match="a negative number"):
        power(base, exponent)


@pytest.mark.parametrize("base", [0, 0.0])
def test_a_negative_power_of_zero_divides_by_zero(base: Number) -> None:
    with pytest.raises(ZeroDivisionError):
        power(base, -1)


@pytest.mark.parametrize(
    ("base", "exponent", "raised"),
    [
        (10, 400, math.inf),
        (-10, 400, math.inf),
        (-10, 401, -math.inf),
        (-2, 3, -8.0),
        (-2.0, -1, -0.5),
        (9, HALF, 3.0),
        (1e-300, 2, 0.0),
    ],
)
def test_a_power_in_floats_that_is_too_large_is_infinite_with_its_sign(
    base: Number, exponent: Number, raised: float
) -> None:
    assert same(float_power(base, exponent), raised)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3.0, 3),
        (3 + 1e-12, 3),
        (3 - 1e-12, 3),
        (-3 - 1e-12, -3),
        (1e9 + 5e-4, 10**9),
        (0.0, 0),
        (3 + 1e-11, 3 + 1e-11),
        (-3 + 1e-11, -3 + 1e-11),
        (1e9 + 5e-3, 1e9 + 5e-3),
        (1e-13, 1e-13),
        (0.5, 0.5),
        (math.inf, math.inf),
        (-math.inf, -math.inf),
        (3, 3),
        (3 + Fraction(1, 10**15), 3 + Fraction(1, 10**15)),
    ],
)
def test_a_float_within_rounding_of_a_whole_number_is_that_number(value: Number, expected: Number) -> None:
    result = near_whole(value)
    assert result == expected
    assert type(result) is type(expected)


def test_what_is_no_number_is_near_no_whole_number() -> None:
    assert math.isnan(near_whole(math.nan))


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


@pytest.mark.parametrize("value", [15016863334292.7, 2e9 + 0.01, -3e14 - 0.4, 1e9 + 2e-3])
def test_a_large_count_with_a_fraction_that_floats_show_is_not_whole(value: float) -> None:
    assert near_whole(value) == value
    assert isinstance(near_whole(value), float)


@pytest.mark.parametrize("value", [15016863334293.002, 2e9 + 5e-7, 0.1 * 30, 1e15])
def test_a_float_within_its_last_digits_of_an_integer_is_whole(value: float) -> None:
    assert isinstance(near_whole(value), int)
