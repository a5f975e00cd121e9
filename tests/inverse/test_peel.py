"""Peeling: each layer turned round on closed, open, unbounded and single targets, and random nests of layers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flopsheet import ceil, exp, floor, log, max_, min_, ratio, sqrt
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions.spec import NoInverseError
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.peel import rest_of, undo
from flopsheet.numbers.sets import ALL, EMPTY, Interval, RealSet, whole_ends

if TYPE_CHECKING:
    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")
INF = math.inf


def preimage(expression: Any, unknown: Any, target: RealSet, values: dict[str, Number]) -> RealSet:
    while expression != unknown:
        (layer,) = (arg for arg in expression.args if arg.has(unknown))
        rest = rest_of(expression, layer)
        target = undo(expression, layer, target, None if rest is None else evaluate(rest, values))[0]
        expression = layer
    return target


def span(lower: Number, upper: Number, closed: str = "[]") -> Interval:
    return Interval(lower, upper, lower_closed=closed[0] == "[", upper_closed=closed[1] == "]")


def has(numbers: RealSet, value: Number) -> bool:
    return any(value in interval for interval in numbers)


EXACT = [
    (X + A, span(5, 7, "[)"), [span(2, 4, "[)")]),
    (A - X, span(5, 7, "[)"), [span(-4, -2, "(]")]),
    (A * X, span(1, INF, "()"), [span(Fraction(1, 3), INF, "()")]),
    (-A * X, span(-INF, 6, "(]"), [span(-2, INF, "[)")]),
    (A / X, span(6, 6), [span(Fraction(1, 2), Fraction(1, 2))]),
    (A / X, span(3, INF, "[)"), [span(0, 1, "(]")]),
    (A / X, span(0, 3, "[]"), [span(1, INF, "[)")]),
    (A / X, span(-3, 3, "[)"), [span(-INF, -1, "(]"), span(1, INF, "()")]),
    (X**2, span(4, 9, "(]"), [span(-3, -2, "[)"), span(2, 3, "(]")]),
    (X**2, span(-5, 4), [span(-2, 2)]),
    (X**2, span(-5, -1), []),
    (X**2, span(0, 0), [span(0, 0)]),
    (X**3, span(-8, 27, "(]"), [span(-2, 3, "(]")]),
    (X**-2, span(Fraction(1, 4), INF, "[)"), [span(-2, 0, "[)"), span(0, 2, "(]")]),
    (X**-3, span(-INF, 8, "(]"), [span(-INF, 0, "()"), span(Fraction(1, 2), INF, "[)")]),
    (sqrt(X), span(2, 3, "[)"), [span(4, 9, "[)")]),
    (sqrt(X), span(-1, 3), [span(0, 9)]),
    (X ** ratio(-1, 2), span(Fraction(1, 3), INF, "()"), [span(0, 9, "()")]),
    (X ** ratio(2, 3), span(4, 9), [span(8, 27)]),
    (max_(X, A), span(2, 5), [span(-INF, 5, "(]")]),
    (max_(X, A), span(3, 3), [span(-INF, 3, "(]")]),
    (max_(X, A), span(4, 4), [span(4, 4)]),
    (max_(X, A), span(1, 2), []),
    (max_(X, A), span(3, INF, "()"), [span(3, INF, "()")]),
    (min_(X, A), span(3, 9), [span(3, INF, "[)")]),
    (min_(X, A), span(1, 2, "()"), [span(1, 2, "()")]),
    (min_(X, A), span(4, 5), []),
    (ceil(X), span(2, 2), [span(1, 2, "(]")]),
    (ceil(X), span(2, 4, "()"), [span(2, 3, "(]")]),
    (ceil(X), span(-INF, Fraction(7, 2), "(]"), [span(-INF, 3, "(]")]),
    (ceil(X), span(Fraction(5, 2), Fraction(11, 4)), []),
    (floor(X), span(2, 2), [span(2, 3, "[)")]),
    (floor(X), span(2, INF, "()"), [span(3, INF, "[)")]),
    (floor(X), span(-INF, 2, "()"), [span(-INF, 2, "()")]),
    (ceil(X / A), span(2, 2), [span(3, 6, "(]")]),
    (2 * max_(X**2, A) + 1, span(7, 19), [span(-3, 3)]),
]


@pytest.mark.parametrize(
    ("expression", "target", "expected"), EXACT, ids=lambda value: str(value) if value != [] else "none"
)
def test_each_layer_exactly(expression: Any, target: Interval, expected: list[Interval]) -> None:
    assert preimage(expression, X, (target,), {"a": 3}) == tuple(expected)


@pytest.mark.parametrize(
    ("expression", "target", "lower", "upper"),
    [
        (log(X), span(0, 2, "[)"), 1.0, math.exp(2)),
        (log(X), span(-INF, 1, "(]"), 0, math.e),
        (exp(X), span(1, 5, "[)"), 0.0, math.log(5)),
        (exp(X), span(-3, 5), -INF, math.log(5)),
        (exp(-X), span(0, 2), -math.log(2), INF),
        (2**X, span(2, 8), 1, 3),
        (A ** (-X), span(9, 27), -3, -2),
    ],
    ids=str,
)
def test_logarithms_and_exponentials(expression: Any, target: Interval, lower: float, upper: float) -> None:
    (result,) = preimage(expression, X, (target,), {"a": 3})
    assert (result.lower, result.upper) == pytest.approx((lower, upper), rel=1e-12, abs=1e-12)
    assert result.lower_closed == (target.lower_closed and math.isfinite(lower) and target.lower > -3)


def test_a_factor_of_zero_gives_all_or_nothing() -> None:
    assert preimage(A * X, X, (span(0, 1),), {"a": 0}) == ALL
    assert preimage(A * X, X, (span(1, 2),), {"a": 0}) == EMPTY


@pytest.mark.parametrize(
    ("base", "power", "value"), [(10, 1000, 3), (3, 243, 5), (5, 125, 3), (7, Fraction(1, 49), -2)]
)
def test_a_perfect_power_gives_its_exponent_within_rounding(base: int, power: Number, value: int) -> None:
    (result,) = preimage(base**X, X, (span(power, power),), {})
    assert result.is_point
    assert result.lower == pytest.approx(value, rel=1e-12)


def test_a_number_too_large_to_take_the_exponential_of_has_a_preimage_beyond_floats() -> None:
    beyond = (span(sys.float_info.max, INF, "()"),)
    assert undo(log(X), X, (span(1000, 1000),), None) == (EMPTY, beyond)


@pytest.mark.parametrize("base", [0, 1, -2])
def test_a_power_without_inverse_raises(base: int) -> None:
    with pytest.raises(NoInverseError):
        preimage(A**X, X, (span(1, 2),), {"a": base})


@pytest.mark.parametrize(
    ("interval", "ends"),
    [
        (span(1, 3), (1, 3)),
        (span(1, 3, "()"), (2, 2)),
        (span(Fraction(3, 2), Fraction(7, 2)), (2, 3)),
        (span(Fraction(3, 2), Fraction(7, 4)), (2, 1)),
        (span(-INF, 2, "()"), (-INF, 1)),
    ],
)
def test_whole_ends(interval: Interval, ends: tuple[Number, Number]) -> None:
    assert whole_ends(interval) == ends


Layer = tuple[Callable[[Any, Any], Any], Callable[[Fraction, Fraction], Fraction | int]]
numbers = st.fractions(min_value=Fraction(1, 8), max_value=8, max_denominator=8)
# Each layer on symbols, and the same on plain Fractions.
layers: list[Layer] = [
    (lambda inner, number: inner + number, lambda inner, number: inner + number),
    (lambda inner, number: number - inner, lambda inner, number: number - inner),
    (lambda inner, number: inner * number, lambda inner, number: inner * number),
    (lambda inner, number: -inner / number, lambda inner, number: -inner / number),
    (max_, max),
    (min_, min),
    (lambda inner, _: ceil(inner), lambda inner, _: math.ceil(inner)),
    (lambda inner, _: floor(inner), lambda inner, _: math.floor(inner)),
    (lambda inner, _: 1 / inner, lambda inner, _: 1 / Fraction(inner)),
    (lambda inner, _: inner**2, lambda inner, _: inner**2),
    (lambda inner, _: inner**3, lambda inner, _: inner**3),
    (lambda inner, _: inner**-2, lambda inner, _: 1 / Fraction(inner) ** 2),
]
Nest = list[tuple[Layer, Fraction]]
nests: st.SearchStrategy[Nest] = st.lists(st.tuples(st.sampled_from(layers), numbers), min_size=1, max_size=5)


def composed(nest: Nest) -> Any:
    expression = X
    for (on_symbols, _), number in nest:
        expression = on_symbols(expression, ratio(*number.as_integer_ratio()))
    assume(sum(node == X for node in sympy.preorder_traversal(expression)) == 1)
    return expression


def value_at(nest: Nest, at: Fraction) -> Fraction | None:
    """Return the value there, None where it divides by zero."""
    try:
        for (_, on_numbers), number in nest:
            at = Fraction(on_numbers(at, number))
    except ZeroDivisionError:
        return None
    return at


@given(nests, numbers)
@settings(deadline=None, max_examples=100)
def test_a_value_leads_back_to_its_argument(nest: Nest, number: Fraction) -> None:
    value, expression = value_at(nest, number), composed(nest)
    if value is None:
        return
    assert evaluate(expression, {"x": number}) == value
    result = preimage(expression, X, (span(value, value),), {})
    ends = [end for interval in result for end in (interval.lower, interval.upper)]
    assert has(result, number) or any(math.isclose(end, number, rel_tol=1e-9) for end in ends)


@given(nests, st.tuples(numbers, numbers), st.sampled_from(["[]", "()", "[)", "(]"]), st.lists(numbers, max_size=8))
@settings(deadline=None, max_examples=100)
def test_a_probe_is_found_just_when_its_value_is_in_the_target(
    nest: Nest, ends: tuple[Fraction, Fraction], closed: str, probes: list[Fraction]
) -> None:
    target = span(min(ends), max(ends), closed)
    result = preimage(composed(nest), X, (target,), {})
    inexact = [end for interval in result for end in (interval.lower, interval.upper) if isinstance(end, float)]
    for probe in [*probes, *(-probe for probe in probes)]:
        value = value_at(nest, probe)
        if value is not None and not any(math.isclose(end, probe, rel_tol=1e-9) for end in inexact):
            assert has(result, probe) == (value in target), (probe, value)
