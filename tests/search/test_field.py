"""Programs: whatever the unknown is within its domain, the value of an expression lies between the two bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import acos, atan, ceil, cos, exp, floor, indicator, log, max_, min_, mod, ratio, sin, sqrt, tan
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.functions.algebra import abs_
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.ends import span_interval
from flopsheet.numbers.sets import ALL, Interval
from flopsheet.numbers.spans import NOTHING, Span, between, is_exact
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")
INF = math.inf
VALUES: dict[str, Number | str] = {"a": 3}


def bounds_of(expression: Any, domain: Interval, values: dict[str, Number | str]) -> Span:
    return Field(program_of(expression), "x", values).bounds(between(domain.lower, domain.upper))


def span(lower: Number, upper: Number) -> Interval:
    return Interval(lower, upper, lower != -INF, upper != INF)


@pytest.mark.parametrize(
    ("expression", "domain", "bounds"),
    [
        (X, span(1, 2), (1, 2)),
        (A + 0 * X, span(1, 2), (3, 3)),
        (A * X - 1, span(-1, 2), (-4, 5)),
        (A - X, span(0, INF), (-INF, 3)),
        (X**2, span(-3, 2), (0, 9)),
        (X**3, span(-3, 2), (-27, 8)),
        (1 / X, span(2, 4), (Fraction(1, 4), Fraction(1, 2))),
        (1 / X, span(0, 4), (Fraction(1, 4), INF)),
        (1 / X, span(-1, 1), (-INF, INF)),
        (X**-2, span(-INF, -2), (0, Fraction(1, 4))),
        (sqrt(X), span(4, 9), (2, 3)),
        (max_(X, A), span(0, 5), (3, 5)),
        (min_(X, A), span(0, 5), (0, 3)),
        (abs_(X), span(-3, 2), (0, 3)),
        (abs_(X), span(-3, -2), (2, 3)),
        (ceil(X), span(Fraction(1, 2), Fraction(5, 2)), (1, 3)),
        (floor(X), span(-INF, Fraction(5, 2)), (-INF, 2)),
        (mod(X, A), span(0, INF), (0, 3)),
        (mod(X, -A), span(0, INF), (-3, 0)),
        (log(X), span(0, 1), (-INF, 0)),
        (exp(X), span(-INF, 0), (0, 1.0)),
        (sin(X), span(0, 10), (0, math.sin(math.radians(10)))),
        (sin(X), span(0, INF), (-1, 1)),
        (indicator(X > A), span(0, 10), (0, 1)),
        (tan(X), span(0, 10), (0, math.tan(math.radians(10)))),
        (tan(X), span(0, 100), (-INF, INF)),
    ],
    ids=str,
)
def test_bounds_of_each_function(expression: Any, domain: Interval, bounds: tuple[Number, Number]) -> None:
    result = bounds_of(expression, domain, VALUES)
    if all(map(is_exact, bounds)):
        assert (result.low, result.high) == bounds
    assert (result.low, result.high) == pytest.approx(bounds, rel=1e-7, abs=1e-6)
    assert result.low <= bounds[0] <= bounds[1] <= result.high


def test_what_is_larger_than_floats_may_be_anything() -> None:
    result = bounds_of(exp(X) - exp(2 * X), span(800, 900), VALUES)
    assert (result.low, result.high) == (-INF, INF)


def test_what_has_no_value_anywhere_has_no_bounds() -> None:
    assert bounds_of(X + log(A - 3), span(0, 1), VALUES) is NOTHING


@pytest.mark.parametrize("end", [10**3000, Fraction(10**3000, 7), -(10**3000), Fraction(7, 10**300) ** 50])
def test_ends_with_too_many_digits_are_rounded_outwards(end: Number) -> None:
    result = span_interval(between(end, end))
    assert result.lower <= end <= result.upper
    assert isinstance(result.lower, float)
    assert not math.isinf(result.lower) or not result.lower_closed


@pytest.mark.parametrize(("low", "high"), [(0, 5), (0.0, 0.0), (Fraction(1, 3), INF), (-INF, 0.1)])
def test_an_interval_holds_both_bounds(low: Number, high: Number) -> None:
    result = span_interval(between(low, high))
    assert result.lower <= low <= high <= result.upper
    assert (result.lower, result.upper) == pytest.approx((low, high), rel=1e-15)
    assert (result.lower_closed, result.upper_closed) == (low != -INF, high != INF)


numbers = st.fractions(min_value=-8, max_value=8, max_denominator=6)
symbolic = numbers.map(lambda number: ratio(*number.as_integer_ratio()))


def comparable(*terms: Any) -> bool:
    """Whether sympy makes a max of terms: it refuses those that it knows to be no real numbers."""
    try:
        max_(*terms)
    except ValueError:
        return False
    return True


expressions = st.recursive(
    st.one_of(st.just(X), st.just(X), symbolic),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, power: a**power if a.has(X) else a, inner, st.sampled_from([2, 3, -1, -2, ratio(1, 2)])),
        *(st.builds(lambda a, b, way=way: way(a, b) if comparable(a, b) else a, inner, inner) for way in (max_, min_)),
        *(st.builds(way, inner) for way in (abs_, ceil, floor)),
        *(st.builds(lambda a, way=way: way(a) if a.has(X) else a, inner) for way in (sin, cos, atan)),
        st.builds(lambda a: log(a) if a.has(X) else a, inner),
        st.builds(lambda a: exp(a) if a.has(X) else a, inner),
        st.builds(lambda a: acos(a / 8) if a.has(X) else a, inner),
        st.builds(lambda a, b: mod(a, b) if b != 0 else a, inner, symbolic),
        st.builds(lambda a, b: 2 * indicator(sympy.Lt(a, b)) if (a - b).has(X) else a, inner, inner),
    ),
    max_leaves=7,
)
ends = st.one_of(numbers, st.sampled_from([-INF, INF]))


@given(expressions, st.tuples(ends, ends), st.lists(numbers, min_size=3, max_size=8))
@settings(deadline=None, max_examples=70)
def test_a_value_is_within_the_bounds_of_its_cell(
    expression: Any, domain: tuple[Number, Number], probes: list[Fraction]
) -> None:
    within = span(min(domain), max(domain))
    if within.lower == within.upper and math.isinf(within.lower):
        within = ALL[0]
    result = bounds_of(expression, within, {})
    low, high = result.low, result.high
    for probe in [*probes, *(Fraction(end) for end in domain if math.isfinite(end))]:
        value = value_or_none(expression, {"x": probe})
        if probe in within and value is not None:
            slack = 1e-9 * max(1, abs(float(value)))
            assert low - slack <= value <= high + slack
