"""Derivatives at a point: by rules where a formula is smooth, along the branch that is taken where it is not."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy.core.symbol import Str
from tests.cases import sampled
from tests.models.points import SHEETS

from flopsheet import acos, ceil, cos, exp, floor, indicator, log, max_, min_, mod, ratio, select, sheet, sin, sqrt, tan
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import binding_branch
from flopsheet.formulas.slopes import Slopes, derivative, slopes, smoothed
from flopsheet.functions.algebra import abs_
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
    from flopsheet.units import Number

X, Y, MODE = symbol("x"), symbol("y"), symbol("mode")
DEGREE = math.pi / 180

AT_3_AND_2: list[tuple[Any, dict[str, Number]]] = [
    (X * Y**2, {"x": 4, "y": 12}),
    (X / Y, {"x": Fraction(1, 2), "y": Fraction(-3, 4)}),
    (ratio(1, 3) * X - 7, {"x": Fraction(1, 3)}),
    (max_(X, Y) * Y, {"x": 2, "y": 3}),
    (min_(X, Y) * Y, {"y": 4}),
    (max_(X, Y**2), {"y": 4}),
    (max_(X * Y, min_(X**2, 100 * Y), 1), {"x": 6}),
    (ceil(X / Y) * Y, {"y": 2}),
    (floor(X / Y) * X, {"x": 1}),
    (mod(X, Y), {"x": 1, "y": -1}),
    (mod(-X, Y), {"x": -1, "y": 2}),
    (mod(X, Y) * mod(Y, X), {"x": 2, "y": -1}),
    (indicator(X > Y) * X, {"x": 1}),
    (indicator(X < Y) * X + Y, {"x": 0, "y": 1}),
    (abs_(X - Y), {"x": 1, "y": -1}),
    (abs_(Y - X), {"x": 1, "y": -1}),
    (max_(X - Y, abs_(Y - 2 * X) - 2), {"x": 2, "y": -1}),
]


@pytest.mark.parametrize(("expression", "expected"), AT_3_AND_2, ids=lambda value: str(value)[:40])
def test_slopes_of_ratios_are_exact(expression: Any, expected: dict[str, Number]) -> None:
    result = slopes(expression, {"x": 3, "y": 2})
    assert {name: slope for name, slope in result.items() if slope} == {
        name: slope for name, slope in expected.items() if slope
    }
    assert all(isinstance(slope, int | Fraction) for slope in result.values())


@pytest.mark.parametrize(
    ("expression", "x", "slope"),
    [
        (sin(X), 30, math.cos(30 * DEGREE) * DEGREE),
        (cos(2 * X), 20, -2 * math.sin(40 * DEGREE) * DEGREE),
        (tan(X), 45, 2 * DEGREE),
        (acos(X), Fraction(1, 2), -1 / math.sqrt(0.75) / DEGREE),
        (sqrt(X), 2, 0.5 / math.sqrt(2)),
        (exp(-X) * log(X), 3, math.exp(-3) * (1 / 3 - math.log(3))),
        (X ** ratio(17, 50), 5, 0.34 * 5**-0.66),
        (2**X, 5, 32 * math.log(2)),
        (X**X, 2, 4 * (math.log(2) + 1)),
    ],
    ids=str,
)
def test_slopes_of_what_is_not_rational_are_floats(expression: Any, x: Number, slope: float) -> None:
    assert slopes(expression, {"x": x}) == {"x": pytest.approx(slope, rel=1e-12)}


def test_a_case_distinction_moves_as_its_branch() -> None:
    expression = select(MODE, fast=X**2, slow=max_(X, Y)) * 3
    assert slopes(expression, {"mode": "fast", "x": 5, "y": 9}) == {"x": 30}
    assert slopes(expression, {"mode": "slow", "x": 5, "y": 9}) == {"y": 3}
    nested = select(MODE, fast=max_(X, select(MODE, fast=Y * X, slow=0)), slow=1)
    assert slopes(nested, {"mode": "fast", "x": 5, "y": 9}) == {"x": 9, "y": 5}


@pytest.mark.parametrize(
    ("expression", "x"), [(sqrt(X), 0), (log(X - 1), 1), (1 / X, 0), (acos(X), 1), (mod(3, X), 0)], ids=str
)
def test_a_missing_slope_is_an_error(expression: Any, x: Number) -> None:
    with pytest.raises(ArithmeticTrapError):
        slopes(expression, {"x": x})


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (X + max_(X, Y), X + X),
        (min_(X, Y, 7) ** 2, Y**2),
        (ceil(X / Y) + X, X + 2),
        (indicator(X >= 3) * Y, Y),
        (abs_(Y - X), X - Y),
        (mod(X, Y), X - Y),
        (log(X) + Y, log(X) + Y),
        (max_(max_(X, Y) + 1, Y), X + 1),
        (sympy.Integer(5), 5),
    ],
    ids=lambda value: str(value)[:40],
)
def test_each_branching_function_is_replaced_by_the_branch_taken(expression: Any, shown: Any) -> None:
    assert sympy.simplify(smoothed(expression, {"x": 3, "y": 2}) - shown) == 0


@pytest.mark.parametrize(
    ("expression", "branch"),
    [
        (max_(X, Y), X),
        (min_(X, Y), Y),
        (max_(X, Y, X * Y), X * Y),
        (max_(X + 1, 2 * Y + ratio(1, 1000)), 2 * Y + ratio(1, 1000)),
        (min_(X / Y, ratio(3, 2) + Y / 10**9), X / Y),
    ],
    ids=str,
)
def test_the_largest_or_smallest_term_decides(expression: Any, branch: Any) -> None:
    assert binding_branch(expression, {"x": 3, "y": 2}) == branch


numbers = st.fractions(min_value=Fraction(1, 4), max_value=5, max_denominator=9)
expressions = st.recursive(
    st.sampled_from([X, Y, X + ratio(1, 7), 2 * Y]),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / (1 + b), inner, inner),
        st.builds(max_, inner, inner),
        st.builds(min_, inner, inner),
        st.builds(lambda a, b: abs_(a - b) + 1, inner, inner),
        st.builds(lambda a: mod(a, 3) + 1, inner),
        st.builds(lambda a: ceil(a) * a, inner),
    ),
    max_leaves=6,
)


def _exact(expression: Any, x: Fraction, y: Fraction) -> Fraction:
    result = sympy.sympify(expression).xreplace({X: ratio(*x.as_integer_ratio()), Y: ratio(*y.as_integer_ratio())})
    return Fraction(int(result.p), int(result.q))


STEP = Fraction(1, 10**12)
WAYS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 2), (2, 1), (-1, -2), (-2, -1), (1, -2), (2, -1), (-1, 2), (-2, 1)]


def _slopes_on_all_sides(expression: Any, x: Fraction, y: Fraction) -> tuple[float, float] | None:
    """Return the slopes by x and y that differences tell; None at a corner or a jump, where ways differ in them."""
    middle = _exact(expression, x, y)
    change = {(a, b): float((_exact(expression, x + a * STEP, y + b * STEP) - middle) / STEP) for a, b in WAYS}
    by_x, by_y = change[1, 0], change[0, 1]
    is_smooth = all(math.isclose(change[a, b], a * by_x + b * by_y, rel_tol=1e-6, abs_tol=1e-6) for a, b in WAYS)
    return (by_x, by_y) if is_smooth else None


@given(expressions, numbers, numbers)
@example(max_(min_(X, Y), min_(Y, X + ratio(1, 7))), Fraction(1, 4), Fraction(1, 4))  # Y at all points near
@example(min_(X * ceil(X), max_(X, Y)), Fraction(1), Fraction(1))  # X along both axes, and Y beside them
@settings(deadline=None, max_examples=150)
def test_random_slopes_are_those_on_all_sides(expression: Any, x: Fraction, y: Fraction) -> None:
    told = _slopes_on_all_sides(expression, x, y)
    if told is not None:
        result = slopes(expression, {"x": x, "y": y})
        assert [float(result.get(name, 0)) for name in "xy"] == pytest.approx([*told], rel=1e-6, abs=1e-6)


def test_slopes_are_worked_out_again_only_where_a_value_changed() -> None:
    square = Slopes(max_(X, 2) * Y)
    nearby: list[str] = []

    def beside() -> dict[str, Number | str]:
        nearby.append("asked")
        return {"x": Fraction(21, 10), "y": 5}

    first = square.at({"x": 3, "y": 5, "other": 1}, beside)
    assert dict(first) == {"x": 5, "y": 3}
    assert square.at({"x": 3, "y": 5, "other": 2}, beside) is first
    assert dict(square.at({"x": 4, "y": 5, "other": 2}, beside)) == {"x": 5, "y": 4}
    assert not nearby
    assert dict(square.at({"x": 2, "y": 5}, beside)) == {"x": 5, "y": 2}  # equal terms: what decides nearby
    assert dict(square.at({"x": 2, "y": 5}, lambda: {"x": 1, "y": 5})) == {"y": 2}
    assert nearby == ["asked"]


def test_slopes_that_cancel_have_the_digits_that_are_left() -> None:
    slope = slopes((exp(X) - 1 - X) * Y, {"x": Fraction(1, 10**9), "y": 1})["y"]
    assert slope == pytest.approx(5e-19, rel=1e-6, abs=0)


@pytest.mark.parametrize("name", sampled([*SHEETS]))
def test_derivatives_are_those_of_sympy(name: str) -> None:
    for cell in sheet(name).cells.values():
        for own in cell.formulas if cell.formula is not None else ():
            gap = cell.symbol - own
            for by in () if gap.has(Str) else gap.free_symbols:  # a choice or comparison: slopes are those of a branch
                assert derivative(gap, by) == sympy.diff(gap, by)


def test_derivatives_of_sums_products_and_powers_ask_sympy_only_for_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    diff = sympy.diff

    def noted(expression: Any, by: Any) -> Any:
        asked.append(expression)
        return diff(expression, by)

    monkeypatch.setattr(sympy, "diff", noted)
    assert derivative((X + 3 * Y) ** 4 / (X * Y + 1) * exp(X * Y / 7) - X * 31, Y).has(Y)
    assert asked == [exp(X * Y / 7)]
