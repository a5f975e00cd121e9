"""Cells that depend on each other: exact where the equations are linear, else every root that the starts lead to."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import exp, log, max_, ratio
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.simultaneous import _beside_wholes, _solved, _UnfinishedError, simultaneous
from flopsheet.numbers.sets import Interval
from flopsheet.search.several_unknowns import Tuples
from flopsheet.sheets.cell import ANY, FROM_ONE, Bounds, Cell

if TYPE_CHECKING:
    from flopsheet.search.several_unknowns import Point
    from flopsheet.units import Number

X, Y, Z, A = (symbol(name) for name in "xyza")


def points(
    cells: str, *equations: tuple[Any, Any], formulas: dict[str, Any] | None = None, bounds: Bounds = ANY
) -> list[Point]:
    sought = [Cell(name, name, bounds=bounds) for name in cells]
    relations = [Relation(sympy.sympify(left), "=", sympy.sympify(right), "") for left, right in equations]
    return [*simultaneous(sought, formulas or {}, relations, {"a": 3}).points]


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        ([(X + Y, 10), (X - Y, 2)], (6, 4)),
        ([(X + 2 * Y, A), (3 * X, Y + 1)], (Fraction(5, 7), Fraction(8, 7))),
        ([(X / A + Y, 1), (Y, 10**30)], (3 - 3 * 10**30, 10**30)),
        ([(X, Y + 10**-9 * sympy.Integer(1)), (X + Y, 1)], None),
    ],
    ids=str,
)
def test_linear_equations_are_solved_exactly(equations: list[tuple[Any, Any]], expected: Point | None) -> None:
    (result,) = points("xy", *equations)
    if expected is not None:
        assert result == expected
        assert not any(isinstance(value, float) for value in result)
    assert result[0] + result[1] == pytest.approx(float(sum(expected or (1,))), rel=1e-12)


def test_formulas_between_the_cells_are_followed() -> None:
    formulas = {"s": X + Y, "d": 2 * symbol("s") - Y}
    assert points("xy", (symbol("s"), 10), (symbol("d"), 14), formulas=formulas) == [(4, 6)]


@pytest.mark.parametrize(
    "equations", [[(X + Y, 1), (X + Y, 2)], [(X + Y, 1), (2 * X + 2 * Y, 3)], [(X**2, -1), (Y, 1)]], ids=str
)
def test_equations_that_contradict_each_other_have_no_point(equations: list[tuple[Any, Any]]) -> None:
    assert points("xy", *equations) == []


def test_a_linear_solution_out_of_bounds_is_none() -> None:
    assert points("xy", (X + Y, 1), (X - Y, 3)) == [(2, -1)]
    assert points("xy", (X + Y, 1), (X - Y, 3), bounds=FROM_ONE) == []


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        ([(X * Y, 12), (X + Y, 7)], [(3, 4), (4, 3)]),
        ([(X**2 + Y**2, 25), (X * Y, 12)], [(3, 4), (4, 3)]),
        ([(X * Y, ratio(1, 4)), (X / Y, 10**8)], [(5000, 5e-5)]),
        ([(X * exp(Y), 2 * math.e), (Y, log(X) + 1 - log(2))], [(2, 1)]),
        ([(X**2, 4 * Y), (Y**2, ratio(1, 2) * X)], [(2, 1)]),
        ([(max_(X, Y), 5), (X + 2 * Y, 9)], [(5, 2)]),
    ],
    ids=str,
)
def test_all_positive_roots_of_curved_equations(
    equations: list[tuple[Any, Any]], expected: list[tuple[float, float]]
) -> None:
    result = points("xy", *equations, bounds=Bounds(lower=Fraction(1, 10**5)))
    assert [value for solution in result for value in solution] == pytest.approx(
        [value for solution in expected for value in solution], rel=1e-7
    )


def test_three_cells_of_very_different_size() -> None:
    result = points("xyz", (X * Y, 6e15), (Y * Z, 9e3), (X * Z, 6e12), bounds=Bounds(lower=1))
    assert [list(solution) for solution in result] == [pytest.approx([2e12, 3e3, 3], rel=1e-9)]


def test_equations_without_a_root_have_none() -> None:
    assert points("xy", (X**2 + Y**2, 1), (X + Y, 10)) == []


def test_the_same_equations_give_the_same_points() -> None:
    equations = [(X**2 + Y, 11), (X + Y**2, 7)]
    first, second = (points("xy", *equations, bounds=Bounds(lower=0)) for _ in range(2))
    assert first == second
    assert (3, 2) in [tuple(round(coordinate, 9) for coordinate in point) for point in first]


def test_the_same_equations_are_solved_once_and_apart_from_rounded_ones() -> None:
    equations = [(X + Y, 1), (X - Y, symbol("a"))]
    sought = [Cell(name, name, bounds=ANY) for name in "xy"]
    relations = [Relation(left, "=", sympy.sympify(right), "") for left, right in equations]
    before = _solved.cache_info().misses
    exact = [[*simultaneous(sought, {}, relations, {"a": 3, "b": value}).points] for value in (1, 2)]
    assert exact == [[(2, -1)], [(2, -1)]]
    assert _solved.cache_info().misses == before + 1
    assert isinstance(simultaneous(sought, {}, relations, {"a": 3.5}).points[0][0], float | Fraction)


numbers = st.fractions(min_value=-9, max_value=9, max_denominator=5)


@given(st.lists(numbers, min_size=9, max_size=9), st.tuples(numbers, numbers, numbers))
@settings(deadline=None, max_examples=25)
def test_a_linear_system_gives_back_the_point_it_was_made_of(slopes: list[Fraction], point: Point) -> None:
    rows = [slopes[:3], slopes[3:6], slopes[6:]]
    exact = sympy.Matrix([[ratio(*number.as_integer_ratio()) for number in row] for row in rows])
    if exact.det() == 0:
        return
    equations: list[tuple[Any, Number]] = [
        (
            sum((ratio(*slope.as_integer_ratio()) * cell for slope, cell in zip(row, (X, Y, Z), strict=True)), 0 * X),
            sum(slope * value for slope, value in zip(row, point, strict=True)),
        )
        for row in rows
    ]
    sides = [(left, ratio(*Fraction(right).as_integer_ratio())) for left, right in equations]
    assert points("xyz", *sides) == [point]


@given(st.tuples(st.integers(1, 50), st.integers(1, 50)))
@settings(deadline=None, max_examples=4)
def test_a_product_and_a_sum_give_back_both_numbers(point: tuple[int, int]) -> None:
    first, second = point
    result = points("xy", (X * Y, first * second), (X + Y, first + second), bounds=FROM_ONE)
    assert sorted(point) in [[round(coordinate, 4) for coordinate in solution] for solution in result]


def test_what_is_not_finished_beside_whole_numbers_stays_open() -> None:
    """What a search beside them had found until its time was over has no values of them, and was the whole result."""
    count, share = Interval(1, 3), Interval(0, 1)
    found = Tuples((), (((1, 1), (0.0, 1.0)),))

    def unfinished(*_: Any) -> Tuples:
        raise _UnfinishedError(Tuples(((1,),), (((0.0, 1.0),),)))

    assert _beside_wholes(found, (("n", count, True), ("x", share, False)), unfinished) == found
    finished = _beside_wholes(found, (("n", count, True), ("x", share, False)), lambda *_: Tuples(((Fraction(1, 3),),)))
    assert finished == Tuples(((1, Fraction(1, 3)),))
