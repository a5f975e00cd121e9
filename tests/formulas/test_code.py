"""Compiled formulas: exact on ratios, floats on floats, both as sympy has it; names of cells are never executed."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import acos, asin, atan, ceil, cos, exp, floor, indicator, log, max_, min_, mod, ratio, sin, sqrt, tan
from flopsheet.formulas.code import Compiled, compiled
from flopsheet.functions.algebra import abs_
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
    from flopsheet.units import Number

X, Y = symbol("x"), symbol("y")


def ran(expression: Any, **values: Number) -> Number:
    function = compiled(expression)
    result: Number = function.exact(*(values[name] for name in function.inputs))
    return result


def ran_on_floats(expression: Any, **values: Number) -> float:
    function = compiled(expression)
    try:
        return float(function.floats(*(float(values[other]) for other in function.inputs)))
    except (ArithmeticError, ValueError):
        return math.nan


EXACT: list[tuple[Any, Number, Number, Number]] = [
    (X / Y, 7, 3, Fraction(7, 3)),
    (X**-2 * Y, Fraction(2, 3), 8, 18),
    (ratio(2, 3) * X - Y, 1, 1, Fraction(-1, 3)),
    (X ** ratio(3, 2), Fraction(4, 9), 0, Fraction(8, 27)),
    (abs_(X - Y), Fraction(1, 3), 1, Fraction(2, 3)),
    (mod(X, Y), Fraction(22, 3), 2, Fraction(4, 3)),
    (mod(X, Y), 7, -3, -2),
    (mod(X, Y), -7, 3, 2),
    (mod(X, Y), 10**40 + 1, 10**20, 1),
    (indicator(X > Y) + 2 * indicator(X <= Y), 3, 3, 2),
    (max_(X, Y, 1) - min_(X, Y, 1), -2, Fraction(1, 2), 3),
    (ceil(X / Y) * 10 + floor(X / Y), 7, 2, 43),
    (X**2 + X**3, 10**25, 0, 10**50 + 10**75),
]


@pytest.mark.parametrize(("expression", "x", "y", "value"), EXACT, ids=lambda value: str(value)[:20])
def test_ratios_stay_ratios(expression: Any, x: Number, y: Number, value: Number) -> None:
    result = ran(expression, x=x, y=y)
    assert result == value
    assert isinstance(result, int | Fraction)


@pytest.mark.parametrize("expression", [case[0] for case in EXACT if case[2] != 10**20], ids=str)
def test_floats_give_floats_or_whole_numbers_alike(expression: Any) -> None:
    exact = float(ran(expression, x=Fraction(5, 2), y=Fraction(3, 4)))
    assert ran_on_floats(expression, x=2.5, y=0.75) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(
    ("expression", "x", "value"),
    [
        (sin(X), 30, 0.5),
        (cos(X), 60, 0.5),
        (tan(X), 45, 1),
        (asin(X), Fraction(1, 2), 30),
        (acos(X), Fraction(1, 2), 60),
        (atan(X), 1, 45),
        (exp(log(X)), 7, 7),
        (sqrt(X), 2, math.sqrt(2)),
        (X + sympy.pi, 1, 1 + math.pi),
        (sympy.Float(0.1) * X, 3, 0.1 * 3),
    ],
    ids=str,
)
def test_what_is_not_rational_is_a_float(expression: Any, x: Number, value: float) -> None:
    assert ran(expression, x=x) == pytest.approx(value, rel=1e-14)
    assert ran_on_floats(expression, x=x) == pytest.approx(value, rel=1e-14)


def test_an_operation_is_evaluated_once() -> None:
    steps = [("a", (X + Y) ** 2), ("b", symbol("a") * (X + Y) + log(X + Y))]
    function = Compiled(steps, symbol("b") + log(X + Y) + symbol("a"))
    assert " ".join(function.lines).count("x0 + x1") == 1
    assert " ".join(function.lines).count("log(") == 1
    assert function.inputs == ("x", "y")
    assert function.exact(1, 2) == pytest.approx(27 + 2 * math.log(3) + 9, rel=1e-14)


def test_several_expressions_give_a_tuple() -> None:
    function = Compiled([("a", X / Y)], sympy.Tuple(symbol("a"), symbol("a") + ratio(1, 3)))
    assert function.exact(1, 3) == (Fraction(1, 3), Fraction(2, 3))
    assert function.floats(1.0, 2.0) == (0.5, pytest.approx(5 / 6))


def test_a_remainder_in_floats_makes_no_ratio() -> None:
    function = compiled(mod(ceil(X), 2))
    assert function.floats(4.5) == function.exact(4.5) == 1
    assert function.floats(4 + 1e-15) == 0


EVIL = '__import__("os").system("x")'


@pytest.mark.parametrize("name", [EVIL, "divided", "x0", "made", "t1", "a.b", "lambda", "1) or (1", "π\n"])
def test_the_name_of_a_cell_is_looked_up_and_never_executed(name: str) -> None:
    cell = symbol(name)
    function = Compiled([("step", 2 * cell)], symbol("step") + cell**2 / X)
    assert function.inputs == (name, "x")
    assert function.exact(3, 2) == Fraction(21, 2)
    assert name not in " ".join(function.lines) or name in ("divided", "x0", "made", "t1")


def test_a_step_may_hide_an_input_of_its_name() -> None:
    assert Compiled([("x", X + 1)], X * 2).exact(3) == 8


@pytest.mark.parametrize("expression", [sympy.gamma(X), sympy.sqrt(-2) * X, sympy.zoo * X], ids=str)
def test_what_is_no_formula_of_ours_is_refused(expression: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        compiled(expression).exact(2)


def test_a_long_sum_and_a_long_chain_are_no_trouble() -> None:
    cells = [symbol(f"c{place}") for place in range(2000)]
    assert Compiled([], sympy.Add(*cells)).exact(*([1] * 2000)) == 2000
    steps = [(cell.name, before + 1) for before, cell in zip([X, *cells], cells, strict=False)]
    assert Compiled(steps, cells[-1]).exact(5) == 2005


numbers = st.fractions(min_value=-6, max_value=6, max_denominator=6)
leaves = st.one_of(st.sampled_from([X, Y]), numbers.map(lambda number: ratio(*number.as_integer_ratio())))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / (1 + b**2), inner, inner),
        st.builds(max_, inner, inner),
        st.builds(lambda a: min_(a, 1), inner),
        st.builds(abs_, inner),
        st.builds(ceil, inner),
        st.builds(lambda a: mod(a, 3), inner),
    ),
    max_leaves=6,
)


@given(expressions, numbers, numbers)
@settings(deadline=None, max_examples=100)
def test_exact_values_are_those_of_sympy(expression: Any, x: Fraction, y: Fraction) -> None:
    if sympy.sympify(expression).is_number:
        return
    expected = expression.xreplace({X: ratio(*x.as_integer_ratio()), Y: ratio(*y.as_integer_ratio())})
    value = Fraction(int(expected.p), int(expected.q))
    result = ran(expression, x=x, y=y)
    assert result == value
    assert not isinstance(result, float)


smooth = st.recursive(
    st.sampled_from([X, Y]),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a: sqrt(1 + a**2), inner),
        st.builds(lambda a: log(2 + a**2), inner),
        st.builds(lambda a, b: exp(-abs_(a)) / (1 + b**2), inner, inner),
    ),
    max_leaves=6,
)


@given(smooth, numbers, numbers)
@settings(deadline=None, max_examples=60)
def test_floats_and_ratios_agree_with_sympy_where_functions_are_not_rational(
    expression: Any, x: Fraction, y: Fraction
) -> None:
    at = {X: ratio(*x.as_integer_ratio()), Y: ratio(*y.as_integer_ratio())}
    expected = float(sympy.N(expression.xreplace(at), 30))
    assert float(ran(expression, x=x, y=y)) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert ran_on_floats(expression, x=x, y=y) == pytest.approx(expected, rel=1e-9, abs=1e-12)
