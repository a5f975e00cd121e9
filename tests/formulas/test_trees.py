"""Looks into expressions: parts are put in without simplifying, and what was found once is kept."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pace import at_most

from flopsheet import ceil, exp, log, max_, min_, mod, ratio, sqrt
from flopsheet.formulas import trees
from flopsheet.formulas.evaluate import evaluate, value_or_none
from flopsheet.formulas.trees import denominators, innermost, irrational_parts, put_in, too_large
from flopsheet.functions.algebra import abs_
from flopsheet.functions.choose import Max
from flopsheet.functions.symbols import exact, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")

numbers = st.fractions(min_value=Fraction(-5), max_value=5, max_denominator=6)
leaves = st.one_of(st.sampled_from([X, Y]), numbers.map(lambda number: ratio(*number.as_integer_ratio())))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / (1 + b**2), inner, inner),
        st.builds(max_, inner, inner),
        st.builds(min_, inner, inner, inner),
        st.builds(abs_, inner),
        st.builds(ceil, inner),
        st.builds(lambda a: mod(a, 3), inner),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@given(expressions, expressions, numbers, numbers)
@settings(deadline=None, max_examples=150)
def test_put_in_has_the_value_of_xreplace(expression: Any, part: Any, x: Fraction, y: Fraction) -> None:
    expression, part = sympy.sympify(expression), sympy.sympify(part)
    values = {"x": x, "y": y}
    inside = {"x": evaluate(part, values), "y": y}
    result = put_in(expression, {X: part})
    assert evaluate(result, values) == evaluate(expression, inside)
    assert evaluate(result, values) == evaluate(expression.xreplace({X: part}), values)


@given(expressions, numbers, numbers)
@settings(deadline=None, max_examples=100)
def test_numbers_put_in_leave_a_number(expression: Any, x: Fraction, y: Fraction) -> None:
    expression = sympy.sympify(expression)
    result = put_in(expression, {X: ratio(*x.as_integer_ratio()), Y: ratio(*y.as_integer_ratio())})
    assert not result.free_symbols
    assert Fraction(int(result.p), int(result.q)) == evaluate(expression, {"x": x, "y": y})


def test_numbers_inside_that_nobody_worked_out_leave_a_number() -> None:
    assert put_in(min_(Y, Max(0, 1, evaluate=False)), {Y: ratio(2, 1)}) == 1


def test_all_parts_are_put_in_at_once() -> None:
    assert put_in(X - Y, {X: Y, Y: X}) == Y - X
    assert put_in(X / Y + X, {X: X + 1}) == (X + 1) / Y + X + 1


@pytest.mark.parametrize("kind", [max_, min_])
def test_max_and_min_are_not_evaluated(kind: Any) -> None:
    result = put_in(kind(X, Y), {X: 2 * Z + 1, Y: 2 * Z})
    assert {*result.args} == {2 * Z + 1, 2 * Z}
    assert kind(2 * Z + 1, 2 * Z) == result  # sympy would decide it, which takes milliseconds a pair
    assert put_in(kind(X, Y), {X: Y}) == Y
    assert put_in(kind(X, Y, 3), {X: sympy.Integer(5), Y: sympy.Integer(4)}) == kind(5, 4, 3)


def test_max_of_long_sums_is_no_trouble() -> None:
    cells = [symbol(f"c{place}") for place in range(40)]
    first, second = (sympy.Add(*(place * cell**power for place, cell in enumerate(cells))) for power in (2, 3))
    with at_most(1):
        result = put_in(max_(X, Y) + min_(X, Y, Z), {X: first, Y: second})
    assert {cell.name for cell in cells} - {"c0"} | {"z"} == {cell.name for cell in result.free_symbols}


def test_what_holds_no_part_is_the_very_same() -> None:
    expression = max_(X, Y) ** 2 + log(X)
    assert put_in(expression, {Z: X}) is expression
    assert put_in(expression, {}) is expression


def test_results_are_cached() -> None:
    expression = sqrt(X + Y) * max_(X, Z)
    before = trees._put_in.cache_info().hits
    first = put_in(expression, {X: Y + 17})
    assert put_in(expression, {X: Y + 17}) is first
    assert trees._put_in.cache_info().hits > before
    assert put_in(expression, {X: Y + 18}) != first


@pytest.mark.parametrize(
    ("expression", "parts"),
    [(X, 1), (X + Y, 3), (X * Y + 1, 5), (max_(X, Y, Z), 4), (sqrt(X), 3)],
    ids=lambda value: "set" if isinstance(value, set | frozenset) else str(value),
)
def test_too_large_counts_parts(expression: Any, parts: int) -> None:
    assert len([*sympy.preorder_traversal(expression)]) == parts
    assert not too_large(expression, parts)
    assert too_large(expression, parts - 1)


KINDS = (Max, sympy.ceiling)


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        (max_(ceil(X), Y), ceil(X)),
        (max_(ceil(Y), X), max_(ceil(Y), X)),
        (ceil(max_(X, Y) / 2), max_(X, Y)),
        (max_(Y, Z) + X, None),
        (min_(X, Y), None),
        (X**2, None),
    ],
    ids=lambda value: "set" if isinstance(value, set | frozenset) else str(value),
)
def test_innermost_holds_the_unknown_and_no_other_such_function(expression: Any, function: Any) -> None:
    assert innermost(expression, X, KINDS) == function


@pytest.mark.parametrize(
    ("expression", "below"),
    [
        (1 / X, {X}),
        (Y / X**2 + X / (X + Y), {X, X + Y}),
        (X / Y, set()),
        (1 / sqrt(X - 1) + exp(X), {X - 1}),
        (max_(1 / (1 - X), Y), {1 - X}),
        (X ** (-Y), {X}),
    ],
    ids=lambda value: "set" if isinstance(value, set | frozenset) else str(value),
)
def test_denominators_are_negative_powers_of_the_unknown(expression: Any, below: set[Any]) -> None:
    bases = tuple(power.base for power in denominators(expression, X))
    assert {*bases} == below
    for base in bases:
        for zero in sympy.solve(base.xreplace({Y: sympy.Integer(2)}), X):
            assert value_or_none(expression, {"x": exact(zero), "y": 2}) is None


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        (X**2 + 3 * X / Y, set()),
        (sqrt(X) + X, {sqrt(X)}),
        (log(X + sqrt(X)) * Y + exp(Y), {log(X + sqrt(X))}),
        (X ** ratio(3, 2) - max_(X, Y), {X ** ratio(3, 2), max_(X, Y)}),
        ((1 + exp(X)) ** -2, {exp(X)}),
        (X**Y, {X**Y}),
    ],
    ids=lambda value: "set" if isinstance(value, set | frozenset) else str(value),
)
def test_irrational_parts_are_the_outermost(expression: Any, parts: set[Any]) -> None:
    assert irrational_parts(expression, X) == parts
