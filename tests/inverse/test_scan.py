"""The scan: every change of side is narrowed down, at all sizes, and touching roots are found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.inverse.scan import Samples, clusters, cuts, grid, scanned
from flopsheet.numbers.sets import ABOVE_ZERO, Interval, point, side

if TYPE_CHECKING:
    from collections.abc import Callable


def _spots(function: Callable[[float], float], domain: Interval, level: float) -> list[float]:
    return [cluster[0] for cluster in clusters(cuts(Samples(function, domain), level)[0])]


@settings(deadline=None, max_examples=30)
@given(st.floats(1e-25, 1e25))
def test_a_root_of_any_size_is_found_to_the_last_digits(root: float) -> None:
    assert _spots(lambda x: x**3 / root**2 + x, ABOVE_ZERO, 2 * root) == pytest.approx([root], rel=1e-12)


def test_all_roots_are_found() -> None:
    expected = [1, 2, 30, 4e8]
    poly = lambda x: math.prod(x / root - 1 for root in expected)  # noqa: E731  # shorter than a function
    assert _spots(poly, ABOVE_ZERO, 0) == pytest.approx(expected, rel=1e-9)


def test_a_touching_root_is_found() -> None:
    assert _spots(lambda x: (x - 3) ** 2, ABOVE_ZERO, 0) == pytest.approx([3], rel=1e-6)


def test_the_ends_of_a_plateau_are_cuts() -> None:
    assert _spots(lambda x: max(x, 3.0) + max(5 - x, 3.0), ABOVE_ZERO, 6) == pytest.approx([2, 3], rel=1e-12)


def test_a_jump_is_a_cut() -> None:
    assert _spots(lambda x: math.ceil(x) * 10, ABOVE_ZERO, 25) == pytest.approx([2], rel=1e-12)


def test_negative_numbers_and_zero_are_scanned() -> None:
    reals = Interval(-math.inf, math.inf, lower_closed=False, upper_closed=False)
    assert _spots(lambda x: x**2, reals, 4) == pytest.approx([-2, 2], rel=1e-12)
    assert 0.0 in list(grid(reals))


def test_samples_serve_every_target() -> None:
    asked: list[float] = []

    def square(x: float) -> float:
        asked.append(x)
        return x * x

    samples = Samples(square, Interval(0, 10))
    first = len(asked)
    for level in (4, 9, 25):
        result, complete = scanned(samples, side("<=", level))
        assert complete
        assert [end for interval in result for end, _ in interval.ends] == pytest.approx([0, level**0.5])
    assert len(asked) - first < first


def test_where_there_is_no_value_there_is_no_side() -> None:
    assert _spots(lambda x: math.log(x - 5) if x > 5 else math.nan, ABOVE_ZERO, 0) == pytest.approx([5, 6], rel=1e-9)


@pytest.mark.parametrize(
    ("function", "roots"),
    [
        (lambda x: math.log(x) - x / 3, [1.857183860207835, 4.536403654973526]),
        (lambda x: math.log(x + 4) - 1 / (x + 1) - 0.7, [0.312976482231495]),
        (lambda x: 1 / (x - math.pi) if x != math.pi else math.nan, []),
        (lambda x: 1.0 if x > math.pi else -1.0, []),
        (lambda x: math.tan(x) if x < 4 else 1.0, [math.pi]),
    ],
)
def test_zero_is_met_where_floats_pass_it_and_not_where_they_jump(
    function: Callable[[float], float], roots: list[float]
) -> None:
    result, complete = scanned(Samples(function, Interval(0.01, 1000.0)), point(0))
    assert complete
    assert [float(root.lower) for root in result] == pytest.approx(roots, rel=1e-12)
