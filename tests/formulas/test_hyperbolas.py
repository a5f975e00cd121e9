"""Whole numbers on hyperbolas of linear terms, against trying all numbers around zero."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
import sympy

from flopsheet.formulas.hyperbolas import tuples_on_hyperbola
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import Interval

X, Y = symbol("x"), symbol("y")
MOST = 30
DOMAINS = {X: Interval(-MOST, MOST), Y: Interval(-MOST, MOST)}


@pytest.mark.parametrize("seed", range(30))
def test_all_whole_numbers_on_a_product_of_terms(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # the same hyperbolas every time
    a, b, c, d, e, f = (chance.randint(-4, 4) for _ in range(6))
    level, divisor = chance.randint(1, 60), chance.randint(1, 3)
    gap = sympy.expand((a * X + b * Y + c) * (d * X + e * Y + f) - level) / divisor
    points = tuples_on_hyperbola(gap, DOMAINS)
    if points is None:
        assert a * e == b * d  # its lines are parallel, or it has one unknown
        return
    numbers = range(-MOST, MOST + 1)
    expected = [(x, y) for x, y in product(numbers, numbers) if (a * x + b * y + c) * (d * x + e * y + f) == level]
    assert sorted(points) == expected


@pytest.mark.parametrize(
    "gap", [X**2 + Y**2 - 25, X**2 - 2 * Y**2 - 1, X * Y, X + Y - 3, X**3 - Y, X**2 - 3 * X - 10, X**2 - Y**2]
)
def test_other_curves_are_left_to_a_search(gap: sympy.Expr) -> None:
    assert tuples_on_hyperbola(gap, DOMAINS) is None
