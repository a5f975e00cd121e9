"""The inverse of the best rows of a matrix, and the exact solution of a square system."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.numbers.linear import preconditioner, solved, weighted
from flopsheet.numbers.spans import LARGEST, Span

sizes = st.floats(-1e6, 1e6).filter(lambda value: abs(value) > 1e-6)


@pytest.mark.parametrize("matrix", [[[0.0, 0.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 4.0]], [[0.0]]])
def test_columns_that_depend_on_each_other_have_no_inverse(matrix: list[list[float]]) -> None:
    made = preconditioner(matrix)
    assert made is None or max(abs(value) for row in made[1] for value in row) > 1e12


def test_of_more_rows_than_columns_those_that_tell_most_are_taken() -> None:
    made = preconditioner([[1.0, 1.0], [1.0, 1.000001], [0.0, 3.0]])
    assert made is not None
    assert 2 in made[0]


@given(st.lists(st.lists(sizes, min_size=3, max_size=3), min_size=3, max_size=5))
@settings(deadline=None)
def test_the_inverse_times_its_rows_is_one(matrix: list[list[float]]) -> None:
    made = preconditioner(matrix)
    if made is None:
        return
    rows, inverse = made
    for at, weights in enumerate(inverse):
        terms = [[weight * value for value in matrix[row]] for weight, row in zip(weights, rows, strict=True)]
        largest = max(1.0, *(abs(value) for row in terms for value in row))  # rounding mixes all columns
        for column in range(3):
            assert abs(sum(row[column] for row in terms) - (at == column)) <= 1e-14 * largest


weights = st.floats(-1e9, 1e9)
ends = st.tuples(st.floats(), st.floats()).filter(  # spans that hold a number
    lambda pair: pair[0] <= pair[1] and pair[0] <= LARGEST and pair[1] >= -LARGEST
)


@given(st.lists(st.tuples(weights, ends, st.fractions(0, 1)), min_size=1, max_size=5))
@settings(deadline=None)
def test_a_weighted_sum_holds_every_sum_of_numbers_in_its_spans(
    terms: list[tuple[float, tuple[float, float], Fraction]],
) -> None:
    bounds = weighted([weight for weight, _, _ in terms], [Span(low, high) for _, (low, high), _ in terms])
    total = Fraction(0)
    for weight, (low, high), share in terms:
        ends = [Fraction(max(min(end, LARGEST), -LARGEST)) for end in (low, high)]
        total += Fraction(weight) * (ends[0] + (ends[1] - ends[0]) * share)
    assert bounds.low <= total <= bounds.high


def test_a_weighted_sum_of_exact_spans_is_rounded_outwards() -> None:
    third = Fraction(1, 3)
    bounds = weighted([3.0, 1.0], [Span(third, third, exact=True), Span(0, 0, exact=True)])
    assert bounds.low < 1 < bounds.high
    assert bounds.high - bounds.low < 1e-15


@given(st.lists(st.lists(st.integers(-3, 3), min_size=6, max_size=6), min_size=5, max_size=5))
@settings(deadline=None)
def test_a_solution_meets_every_equation_exactly(table: list[list[int]]) -> None:
    """Small numbers with many zeros: there are rows that depend on each other, and entries that cancel."""
    rows = [{at: Fraction(value) for at, value in enumerate(line[:5]) if value} for line in table]
    right = [Fraction(line[5], 7) for line in table]
    solution = solved(rows, right)
    assert (solution is None) == (sympy.Matrix([line[:5] for line in table]).rank() < 5)
    for row, value in zip(rows, right, strict=True):
        assert solution is None or sum(number * solution[at] for at, number in row.items()) == value
