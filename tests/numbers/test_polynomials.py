"""Real roots: exact where they are short ratios, else the nearest floats, at all sizes and however close together."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flopsheet.numbers.polynomials import common_factor, is_one_of, real_roots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.units import Number


def with_roots(*roots: Number) -> tuple[Number, ...]:
    """Return the coefficients, constant first, of the product of all `x - root`."""
    start: tuple[Number, ...] = (1,)
    return reduce(
        lambda result, root: tuple(
            before - root * here for before, here in zip((0, *result), (*result, 0), strict=True)
        ),
        roots,
        start,
    )


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
    ids=lambda value: str(value)[:30],
)
def test_exact_roots(polynomial: Sequence[Number], roots: list[Number]) -> None:
    result = real_roots(polynomial)
    assert result == roots
    assert all(isinstance(root, int | Fraction) for root in result)


@pytest.mark.parametrize("power", [3, 5, 8, 12])
@pytest.mark.parametrize("value", [2, 1e-30, 1e30, 7e90])
def test_roots_of_any_size_are_the_nearest_floats(power: int, value: float) -> None:
    roots = real_roots((-Fraction(value), *[0] * (power - 1), 1))
    root = value ** (1 / power)
    assert roots == pytest.approx([root] if power % 2 else [-root, root], rel=1e-13, abs=0)


def test_roots_of_very_different_sizes() -> None:
    spread = [1e-20, 1.0, 1e15, 1e30]
    assert real_roots(with_roots(*map(Fraction, spread))) == pytest.approx(spread, rel=1e-12, abs=0)
    assert real_roots([1.0, 1e200, 1.0]) == pytest.approx([-1e200, -1e-200], rel=1e-12, abs=0)
    assert real_roots([-2e-200, 1e-200, 1e-200]) == pytest.approx([-2, 1], rel=1e-12, abs=0)


@pytest.mark.parametrize("roots", [(0.1, 0.1), (0.3, 0.3, 0.7), (1.1, 1.1, 2.3, 2.3)])
def test_beside_roots_of_rounded_coefficients_are_found_once(roots: tuple[float, ...]) -> None:
    assert real_roots(with_roots(*roots)) == pytest.approx(sorted(set(roots)), rel=1e-6)


def test_a_float_polynomial_that_stays_away_from_zero_has_no_root() -> None:
    assert real_roots([1.01, -2.0, 1.0]) == []
    assert real_roots([1.01, 0.0, -2.0, 0.0, 1.0]) == []


ratios = st.fractions(min_value=-20, max_value=20, max_denominator=12)


@given(st.lists(ratios, min_size=1, max_size=5), st.booleans(), ratios.filter(bool))
@settings(deadline=None, max_examples=60)
def test_a_polynomial_with_known_roots_has_just_these(roots: list[Fraction], bowl: bool, scale: Fraction) -> None:
    polynomial = [scale * root for root in with_roots(*roots)]
    if bowl:  # times x**2 + 1, which has none
        polynomial = [a + b for a, b in zip([*polynomial, 0, 0], [0, 0, *polynomial], strict=True)]
    assert real_roots(polynomial) == sorted(set(roots))


decimals = st.builds(lambda digits, power: digits * Fraction(10) ** power, st.integers(-999, 999), st.integers(-40, 20))


@given(st.lists(decimals, min_size=2, max_size=5, unique=True))
@example([Fraction(0), Fraction(1, 10**15), Fraction(-1, 10**15)])
@settings(deadline=None, max_examples=60)
def test_roots_of_any_sizes_are_told_apart(roots: list[Fraction]) -> None:
    assert [*map(float, real_roots(with_roots(*roots)))] == pytest.approx(
        [*map(float, sorted(roots))], rel=1e-15, abs=0
    )


irrational = st.integers(2, 10**6).filter(lambda number: math.isqrt(number) ** 2 != number)


@given(st.lists(irrational, min_size=2, max_size=4, unique=True), st.lists(ratios, max_size=2))
@settings(deadline=None, max_examples=40)
def test_roots_that_are_no_ratios_are_right_to_the_last_digit(squares: list[int], others: list[Fraction]) -> None:
    polynomial = with_roots(*others)
    for square in squares:
        polynomial = tuple(a - square * b for a, b in zip((0, 0, *polynomial), (*polynomial, 0, 0), strict=True))
    result = real_roots(polynomial)
    assert result == sorted(result)
    assert [root for root in result if not isinstance(root, float)] == sorted(set(others))
    floats = sorted(sign * math.sqrt(square) for square in squares for sign in (1, -1))
    assert [root for root in result if isinstance(root, float)] == pytest.approx(floats, rel=2**-52, abs=0)


@pytest.mark.parametrize(
    ("root", "poles", "expected"),
    [
        (2, {1, 2}, True),
        (2, {2.0}, True),
        (Fraction(1, 3), {Fraction(2, 6)}, True),
        (Fraction(1, 3), {1 / 3}, False),
        (0.1 + 0.2, {0.3}, True),
        (0.3, {0.3 * (1 + 1e-14)}, False),
        (10**17, {10**17 + 1}, False),
        (1e-300, {0.0}, False),
        (2, set(), False),
    ],
)
def test_a_root_is_a_pole_exactly_or_but_for_the_last_digits(root: Number, poles: set[Number], expected: bool) -> None:
    assert is_one_of(root, poles) is expected


@settings(max_examples=60)
@given(
    shared=st.lists(st.fractions(-5, 5, max_denominator=7), max_size=3),
    left=st.lists(st.fractions(6, 9, max_denominator=7), max_size=3),
    right=st.lists(st.fractions(-9, -6, max_denominator=7), max_size=3),
)
def test_a_common_factor_has_the_roots_that_are_shared(
    shared: list[Fraction], left: list[Fraction], right: list[Fraction]
) -> None:
    factor = common_factor(with_roots(*shared, *left), with_roots(*shared, *right))
    assert len(factor) == len(shared) + 1
    assert real_roots(factor) == sorted({*shared})


def test_a_common_factor_of_long_coefficients_takes_no_time() -> None:
    """Euclid's remainders have thousands of digits here, and a chain of twenty powers took more than half an hour."""
    draw = Random(1)  # noqa: S311  # the same coefficients in each run
    left, right, shared = ([Fraction(draw.randrange(1, 10**60), 10**30) for _ in range(n)] for n in (40, 37, 2))
    factor = common_factor(with_roots(*shared, *left), with_roots(*shared, *right))
    assert real_roots(factor) == sorted(shared)
