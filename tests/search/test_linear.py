"""The inverse of the best rows of a matrix."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.search.linear import preconditioner

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
        for column in range(3):
            terms = [weight * matrix[row][column] for weight, row in zip(weights, rows, strict=True)]
            assert abs(sum(terms) - (at == column)) <= 1e-9 * max(1.0, *map(abs, terms))
