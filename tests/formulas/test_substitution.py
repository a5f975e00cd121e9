"""An expression over a part of it: put back, the part gives the expression and its values again."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import Sheet, ceil, exp, floor, log, max_, ratio, solve, sqrt
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.substitution import (
    PART,
    Rooted,
    over_exponent,
    over_exponential,
    over_logarithm,
    over_part,
    over_power,
    over_root,
)
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.cell import POSITIVE, Cell

X, Y = symbol("x"), symbol("y")
HIGHEST = 12


@pytest.mark.parametrize(
    ("expression", "part", "over"),
    [
        (log(X) ** 2 + log(X), log(X), PART**2 + PART),
        (2 * sqrt(X) + Y, sqrt(X), 2 * PART + Y),
        (Y * exp(-X) / (1 + exp(-X)), exp(-X), Y * PART / (1 + PART)),
        (max_(X, Y) ** -2 + sqrt(Y), max_(X, Y), PART**-2 + sqrt(Y)),
        (log(X + sqrt(X)) + 1, log(X + sqrt(X)), PART + 1),
    ],
    ids=str,
)
def test_the_one_part_that_holds_the_unknown(expression: Any, part: Any, over: Any) -> None:
    assert over_part(expression, X) == (part, over)


@pytest.mark.parametrize(
    "expression", [X**2 + 1, log(X), log(X) + X, log(X) + exp(X), sqrt(X) + 1 / sqrt(X), log(Y) ** 2, Y + 1], ids=str
)
def test_several_parts_or_the_whole_are_none(expression: Any) -> None:
    assert over_part(expression, X) is None


@pytest.mark.parametrize(
    ("expression", "part", "over"),
    [
        (exp(-2 * X) - exp(-X), exp(-X), PART**2 - PART),
        (exp(X) + Y * exp(-X), exp(-X), 1 / PART + Y * PART),
        (exp(X / 2) - exp(X / 3), exp(X / 6), PART**3 - PART**2),
        (exp(Y * X + 1) - exp(2 * Y * X + 2), exp(Y * X + 1), PART - PART**2),
        (4**X - 3 * 2**X, 2**X, PART**2 - 3 * PART),
        (Y ** (2 * X) + Y**X, Y**X, PART**2 + PART),
        (4**X - 2 ** (X + 3), 2**X, PART**2 - 8 * PART),
        (exp(2 * X + 1) - exp(X + 3), exp(X), exp(1) * PART**2 - exp(3) * PART),
    ],
    ids=str,
)
def test_exponentials_become_powers_of_one(expression: Any, part: Any, over: Any) -> None:
    found = over_exponential(expression, X)
    assert found is not None
    assert found[0] == part
    assert found[1] == over
    assert not found[1].has(X)
    here = {"x": 0.37, "y": 1.9}
    back = evaluate(found[1].xreplace({PART: part}), here)
    assert float(back) == pytest.approx(float(evaluate(expression, here)), rel=1e-14)


@pytest.mark.parametrize(
    "expression",
    [exp(X), exp(X) + X, exp(X) + exp(X**2), exp(X) + 2**X, exp(X) + sqrt(X), 2**X + 3**X, X**X + X ** (2 * X)],
    ids=str,
)
def test_exponentials_that_are_no_powers_of_one_stay(expression: Any) -> None:
    assert over_exponential(expression, X) is None


@pytest.mark.parametrize(
    ("expression", "part", "over"),
    [
        (exp(2 * X) * 2**-X, 2 * X - X * log(2), exp(PART)),
        (4**X * exp(-X) + Y * 16**X * exp(-2 * X), X * log(4) - X, exp(PART) + Y * exp(2 * PART)),
        (log(exp(X) * 3**X + 1), X + X * log(3), log(exp(PART) + 1)),
        (exp(2 * X), 2 * X, exp(PART)),
        (exp(X + 1) * 2 ** (-2 * X), X + 1 - 2 * X * log(2), exp(PART)),
        (sympy.Rational(36, 25) ** X * sympy.Rational(6, 5) ** (-2 * X), X, sympy.Integer(1)),
        (exp(sympy.log(8, evaluate=False) * X) * 2 ** (-3 * X), X, sympy.Integer(1)),
    ],
    ids=str,
)
def test_exponentials_of_several_bases_have_one_exponent(expression: Any, part: Any, over: Any) -> None:
    found = over_exponent(expression, X)
    assert found is not None
    here = {"x": 0.37, "y": 1.9}
    assert float(evaluate(found[0], here)) == pytest.approx(float(evaluate(part, here)), rel=1e-14)
    assert found[1] == over


@pytest.mark.parametrize("expression", [exp(X), exp(X) * X, exp(X) * 2**X + exp(X), X**2 + 1, Y * exp(Y)], ids=str)
def test_what_has_no_one_exponent_stays(expression: Any) -> None:
    assert over_exponent(expression, X) is None


@pytest.mark.parametrize(
    ("expression", "over", "positive"),
    [
        (log(2 * X) * log(X), (PART + log(2)) * PART, (2,)),
        (log(X**2) - 2 * log(X), 0, ()),
        (log(Y / X) + 3 * log(X), 2 * PART + log(Y), (Y,)),
    ],
    ids=str,
)
def test_logarithms_become_multiples_of_one(expression: Any, over: Any, positive: Any) -> None:
    assert over_logarithm(expression, X) == (log(X), over, positive)


@pytest.mark.parametrize(
    "expression",
    [log(X), log(X) + X, log(X) + log(X + 1), log(X**2) + log(X**4), log(X) + exp(X), log(3 * X) - log(X)],
    ids=str,
)
def test_logarithms_that_are_no_multiples_of_one_stay(expression: Any) -> None:
    """Even powers alone do not tell that the base is positive."""
    assert over_logarithm(expression, X) is None


@pytest.mark.parametrize(
    ("expression", "order", "over"),
    [
        (X + sqrt(X), 2, PART**2 + PART),
        (X ** ratio(1, 3) + Y / sqrt(X), 6, PART**2 + Y / PART**3),
        (X ** ratio(-5, 4) * (1 + X), 4, PART**-5 * (1 + PART**4)),
        (sqrt(X) + sqrt(Y), 2, PART + sqrt(Y)),
        (sqrt(X) + log(X), 2, PART + log(PART**2)),
    ],
    ids=str,
)
def test_roots_of_the_unknown_become_powers(expression: Any, order: int, over: Any) -> None:
    assert over_root(expression, X, HIGHEST) == Rooted(order, over, ())


@pytest.mark.parametrize(
    ("expression", "order", "over", "positive"),
    [
        (X * sqrt(Y / X), 2, PART * sqrt(Y), (Y,)),
        (sqrt(X * Y) / (X / Y) ** ratio(1, 6), 3, PART * sqrt(Y) / (1 / Y) ** ratio(1, 6), (Y, 1 / Y)),
        (floor(sqrt(Y * sqrt(X)) + 1), 4, floor(PART * sqrt(Y) + 1), (Y,)),
        ((Y / X) ** ratio(1, 3) + X, 3, Y ** ratio(1, 3) / PART + PART**3, (Y,)),
    ],
    ids=str,
)
def test_powers_of_products_are_taken_apart(expression: Any, order: int, over: Any, positive: tuple[Any, ...]) -> None:
    rooted = over_root(expression, X, HIGHEST)
    assert rooted is not None
    assert (rooted.order, rooted.over, {*rooted.positive}) == (order, over, {*positive})
    assert rooted.holds({"y": 2})
    assert not rooted.holds({"y": -2})
    at, root = rooted.over, Fraction(3, 2)
    values = {"y": Fraction(5, 7), "x": root**order, PART.name: root}
    assert float(evaluate(at, values)) == pytest.approx(float(evaluate(expression, values)), rel=1e-12)


@pytest.mark.parametrize(
    "expression",
    [X**2, sqrt(X + 1) + X, X**Y, X ** ratio(1, 3) + X ** ratio(1, 5), Y + 1, sqrt(sqrt(X) + 1)],
    ids=str,
)
def test_other_functions_and_high_orders_are_none(expression: Any) -> None:
    assert over_root(expression, X, HIGHEST) is None


def test_the_highest_order_itself_is_taken() -> None:
    expression = X ** ratio(1, 3) + X ** ratio(1, 4)
    assert over_root(expression, X, 12) == Rooted(12, PART**4 + PART**3, ())
    assert over_root(expression, X, 11) is None


numbers = st.integers(-9, 9).filter(bool)
parts = st.sampled_from([log(X + Y), max_(X, Y), ceil(X / 3)])


@given(parts, st.lists(numbers, min_size=2, max_size=4), st.fractions(min_value=1, max_value=9, max_denominator=4))
@settings(deadline=None, max_examples=40)
def test_an_expression_over_a_part_has_the_same_value(part: Any, coefficients: list[int], x: Fraction) -> None:
    expression = sum(coefficient * part**place for place, coefficient in enumerate(coefficients)) / (1 + part**2)
    result = over_part(expression, X)
    assert result is not None
    assert result[0] == part
    over = result[1]
    assert over.xreplace({PART: part}) == expression
    inner = float(evaluate(part, {"x": x, "y": 5}))
    expected = sum(coefficient * inner**place for place, coefficient in enumerate(coefficients)) / (1 + inner**2)
    assert evaluate(over, {PART.name: inner}) == pytest.approx(expected, rel=1e-12, abs=1e-12)


exponents = st.fractions(min_value=-2, max_value=2, max_denominator=4)


@given(st.dictionaries(exponents, numbers, min_size=1, max_size=4), st.fractions(Fraction(1, 3), 4, max_denominator=3))
@settings(deadline=None, max_examples=40)
def test_an_expression_over_a_root_has_the_same_value(terms: dict[Fraction, int], root: Fraction) -> None:
    expression = sum(coefficient * X ** ratio(*power.as_integer_ratio()) for power, coefficient in terms.items())
    order = math.lcm(*(power.denominator for power in terms))
    result = over_root(expression, X, HIGHEST)
    assert (result is None) == (order == 1)
    if result is not None:
        assert result[0] == order
        expected = sum(coefficient * root ** int(power * order) for power, coefficient in terms.items())
        assert evaluate(result[1], {PART.name: root}) == expected
        assert evaluate(expression, {"x": root**order}) == expected


@pytest.mark.parametrize(
    "expression", [PART - log(PART), PART**2 - PART * log(PART**2), max_(PART, PART**2) - PART], ids=str
)
def test_a_part_of_an_expression_over_a_part_is_not_mixed_up_with_it(expression: Any) -> None:
    assert over_part(expression, PART) is None


@pytest.mark.parametrize(
    ("relation", "values"),
    [
        ("x - sqrt(x)*log(x) = 0.233", [0.0011830934239124664]),
        ("sqrt(sqrt(x)) - max(x, x*x) = -30928.37", [175.87498876652236]),
        ("log(x) - sqrt(x) = -3", [0.06413602305930757, 46.89342626448041]),
    ],
)
def test_a_root_inside_of_another_function_loses_no_value(relation: str, values: list[float]) -> None:
    sheet = Sheet("roots")
    sheet.rows.add_cell(Cell("x", "An input", bounds=POSITIVE))
    outcome = solve(sheet, "x", [relation]).outcomes["x"]
    assert [float(part.lower) for part in outcome.solutions] == pytest.approx(values, rel=1e-9)


@pytest.mark.parametrize(
    ("expression", "inside", "over"),
    [
        ((X + 1) ** 16 / (X + 2) ** 16, (X + 1) / (X + 2), PART**16),
        (Y * X**2 / (X + 1) ** 4, X / (X + 1) ** 2, Y * PART**2),
        (X**-6 * log(X) ** -9, 1 / (X**2 * log(X) ** 3), PART**3),
    ],
    ids=str,
)
def test_powers_with_a_common_exponent_are_one_power(expression: Any, inside: Any, over: Any) -> None:
    assert over_power(expression, X) == (inside, over)


@pytest.mark.parametrize("expression", [X**2, X**2 * log(X), X**2 / (X + 1) ** 3, X**2 + 1], ids=str)
def test_other_products_are_no_one_power(expression: Any) -> None:
    assert over_power(expression, X) is None
