"""Evaluation: ratios stay exact until a function is not rational, and what has no value is a named error."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import ceil, exp, floor, log, log2, max_, min_, mod, ratio, select, sqrt
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions.rounding import CEILING, FLOOR
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.arithmetic import power

if TYPE_CHECKING:
    from flopsheet.units import Number

X, Y, KIND = symbol("x"), symbol("y"), symbol("kind")

EXACT: list[tuple[Any, Number, Number, Number]] = [
    (2 * X * Y, 3, 7, 42),
    (X / Y, 6, 3, 2),
    (X / Y, 1, 3, Fraction(1, 3)),
    (X - Y, Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),
    (X**3, Fraction(2, 3), 0, Fraction(8, 27)),
    (X**-2, Fraction(2, 3), 0, Fraction(9, 4)),
    (sqrt(X), Fraction(9, 4), 0, Fraction(3, 2)),
    (sqrt(X), 10**40, 0, 10**20),
    (X ** ratio(1, 3), Fraction(8, 27), 0, Fraction(2, 3)),
    (X ** ratio(-2, 3), Fraction(8, 27), 0, Fraction(9, 4)),
    (X**Y, 4, Fraction(3, 2), 8),
    (X**Y, 5, 0, 1),
    (max_(X, Y), Fraction(1, 3), Fraction(1, 2), Fraction(1, 2)),
    (min_(X, Y, 0), 1, 2, 0),
    (ceil(X / Y), 7, 2, 4),
    (floor(-X / Y), 7, 2, -4),
    (ceil(X), 10**30, 0, 10**30),
    (X * 10**30 + Y, 1, 1, 10**30 + 1),
]


@pytest.mark.parametrize(("expression", "x", "y", "value"), EXACT, ids=lambda value: str(value)[:20])
def test_ratios_stay_exact(expression: Any, x: Number, y: Number, value: Number) -> None:
    result = evaluate(expression, {"x": x, "y": y})
    assert result == value
    assert not isinstance(result, float)
    assert isinstance(result, int) == (Fraction(value).denominator == 1)


@pytest.mark.parametrize(
    ("expression", "x", "value"),
    [
        (sqrt(X), 2, math.sqrt(2)),
        (X ** ratio(1, 3), 10, 10 ** (1 / 3)),
        (log(X), 10, math.log(10)),
        (log2(X), 8, 3.0),
        (exp(X), Fraction(1, 2), math.exp(0.5)),
        (X + 1, 0.5, 1.5),
        (X**2, 0.5, 0.25),
        (exp(1) * X, 1, math.e),
        (X**1000, Fraction(101, 100), 1.01**1000),
    ],
    ids=str,
)
def test_floats_where_the_function_is_not_rational(expression: Any, x: Number, value: float) -> None:
    result = evaluate(expression, {"x": x})
    assert isinstance(result, float)
    assert result == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize("size", [-12, -9, -6, -3])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_cancels_near_one_keeps_its_digits(size: int, sign: int) -> None:
    """Each is u, plus or less half of its square: a difference of two floats would lose `size` digits."""
    u = sign * 1.2345e-3 * 10.0 ** (size + 3)
    more = sum(u**n / math.factorial(n) for n in range(8, 0, -1))
    log_more = sum(-((-u) ** n) / n for n in range(12, 0, -1))
    assert math.isclose(evaluate(exp(X) - 1, {"x": u}), more, rel_tol=4e-16)
    assert math.isclose(evaluate(Y * (exp(X) - 1) + 1, {"x": u, "y": 1e9 / u}), 1e9 / u * more + 1, rel_tol=4e-16)
    assert math.isclose(evaluate(log(1 + X), {"x": u}), log_more, rel_tol=4e-16)


def test_a_case_distinction_takes_the_branch_of_the_choice() -> None:
    expression = select(KIND, small=X, large=Y)
    assert evaluate(expression, {"kind": "large", "x": 1, "y": 2}) == 2
    assert evaluate(expression, {"kind": "small", "x": 1}) == 1


TRAPS: list[tuple[Any, Number]] = [
    (1 / X, 0),
    (1 / X, 0.0),
    (1 / (X - 1) ** 2, 1),
    (log(X), 0),
    (log(X), -1),
    (sqrt(X), -4),
    (X ** ratio(2, 3), -8),
    (X ** ratio(2, 3), -8.0),
    (X ** ratio(1, 3), -8),
    (X ** ratio(-1, 2), 0),
    (exp(X), 1000),
    (X**16, 1e300),
    (1e308 * X, 10),
    (X - X**2, 1e200),
]


@pytest.mark.parametrize(("expression", "x"), TRAPS, ids=str)
def test_what_has_no_value_is_a_named_error(expression: Any, x: Number) -> None:
    with pytest.raises(ArithmeticTrapError, match=r"cell 'y': .*has no value at these numbers") as caught:
        evaluate(expression, {"x": x}, "cell 'y'")
    assert isinstance(caught.value, ArithmeticError)


def test_a_remainder_by_a_divisor_that_is_too_large() -> None:
    divisor = -(6**X)  # 6**65536 has more digits than powers are computed with
    assert evaluate(mod(-7, divisor), {"x": 65536}) == -7
    assert evaluate(mod(0, divisor), {"x": 65536}) == 0
    with pytest.raises(ArithmeticTrapError, match="larger than numbers can be"):
        evaluate(mod(7, divisor), {"x": 65536})
    assert evaluate(mod(-6, X), {"x": 6**300}) == 6**300 - 6
    with pytest.raises(ArithmeticTrapError, match="larger than numbers can be"):
        evaluate(mod(-6, X), {"x": 6**65536})


def test_a_name_is_no_number() -> None:
    with pytest.raises(ArithmeticTrapError, match="'bf16' is a name"):
        evaluate(KIND + 1, {"kind": "bf16"})


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (3.0000000000000004, 3, 3),
        (2.9999999999999996, 3, 3),
        (0.1 * 3 * 10, 3, 3),
        (3.001, 4, 3),
        (2.999, 3, 2),
        (-3.0000000000000004, -3, -3),
        (Fraction(3 * 10**20 + 1, 10**20), 4, 3),
        (1e-300, 1, 0),
        (0.0, 0, 0),
        (7, 7, 7),
    ],
)
def test_rounding_forgives_the_rounding_of_floats_only(value: Number, up: int, down: int) -> None:
    assert (CEILING.exact(value), FLOOR.exact(value)) == (up, down)


def test_ceil_of_a_float_beside_a_whole_number_in_a_formula() -> None:
    assert evaluate(ceil(X / Y), {"x": 0.3, "y": 0.1}) == 3
    assert evaluate(floor(X / Y), {"x": 0.3, "y": 0.1}) == 3


@given(st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50), st.integers(1, 5), st.integers(-5, 5))
@settings(deadline=None)
def test_a_root_undoes_its_power(base: Fraction, root: int, times: int) -> None:
    assert power(power(base, root), Fraction(1, root)) == base
    assert power(base, times) == base**times
    assert float(power(base, Fraction(times, root))) == pytest.approx(float(base) ** (times / root), rel=1e-12)


@given(st.lists(st.fractions(max_denominator=1000, min_value=-(10**6), max_value=10**6), min_size=3, max_size=3))
@settings(deadline=None)
def test_the_four_operations_are_those_of_fractions(terms: list[Fraction]) -> None:
    x, y, z = terms
    a, b, c = symbol("a"), symbol("b"), symbol("c")
    values: dict[str, Number | str] = {"a": x, "b": y, "c": z}
    assert evaluate(a * b - c + a * c**2, values) == x * y - z + x * z * z
    if y != z:
        assert evaluate(a / (b - c), values) == x / (y - z)
