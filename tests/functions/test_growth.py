"""Bounds of the relative change of every function, and of compositions of them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.functions.samples import TRIES, Sample, X, every_sample, points

from flopsheet import ceil, exp, floor, indicator, log, max_, min_, mod, ratio
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.functions import BY_NODE, has_no_value
from flopsheet.functions.algebra import abs_
from flopsheet.numbers.span_logarithms import logarithms_of
from flopsheet.numbers.spans import NoValueError, Span, around, between, divided
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from collections.abc import Callable


@every_sample
def test_growth_bounds_every_relative_change(sample: Sample) -> None:
    random, field = Random(str(sample.node)), Field(program_of(sample.node), "x", {})  # noqa: S311
    numbers = points(sample)
    for _ in range(TRIES):
        low, high = sorted(random.choices(numbers, k=2))
        for box in (between(low, high), around(low, high)):
            if low < high and (low > 0 or high < 0):
                assert_growth(field, sample.node, box, [low + (high - low) * Fraction(step, 7) for step in range(8)])


def assert_growth(field: Field, formula: Any, box: Span, points: list[Fraction]) -> None:
    """Check ln(f(x) / f(y)) against the bounds of growth times ln(x / y), for all pairs of points in a box."""
    spans, middle = field.forward(box), points[len(points) // 2]
    centre = between(middle, middle) if box.exact else around(middle, middle)
    value, growth, *_ = field.growth(spans, field.forward(centre), logarithms_of(divided(box, centre)))
    numbers = {at: float(number) for at in points if (number := value_or_none(formula, {"x": at})) is not None}
    for number in numbers.values():
        slack = 1e-9 * abs(number)
        assert value.low - slack <= number <= value.high + slack
    if value.low <= 0 <= value.high:
        return
    logs = [(math.log(abs(at)), math.log(abs(number))) for at, number in numbers.items() if number]
    for (left, before), (right, after) in combinations(logs, 2):
        ends = [bound * (right - left) if bound else 0 for bound in (growth.low, growth.high)]
        noise = 1e-9 * (1 + abs(before) + abs(after))
        assert min(ends) - noise <= after - before <= max(ends) + noise, (formula, box.low, box.high, growth)


def _extreme(way: Callable[..., Any], one: Any, other: Any) -> Any:
    """Return the larger or the smaller of two formulas; the first where sympy proves that one is no real number."""
    try:
        return way(one, other)
    except ValueError:
        return one


ratios = st.builds(Fraction, st.integers(1, 30), st.integers(1, 6))
factors = st.builds(lambda number, sign: sign * ratio(*number.as_integer_ratio()), ratios, st.sampled_from([1, 1, -1]))
exponents = st.sampled_from([1, 2, 3, -1, -2, ratio(1, 2), ratio(-3, 2), ratio(1, 3)])
monomials = st.one_of(st.just(X), st.builds(lambda factor, power: factor * X**power, factors, exponents))
compositions = st.recursive(
    monomials,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / b if b != 0 else a, inner, inner),
        st.builds(lambda a, b: a + b, inner, factors),
        st.builds(lambda a, power: a**power if a.has(X) else a, inner, exponents),
        st.builds(_extreme, st.sampled_from([max_, min_]), inner, inner),
        *(st.builds(way, inner) for way in (abs_, ceil, floor)),
        *(st.builds(lambda a, way=way: way(a) if a.has(X) else a, inner) for way in (log, exp)),
        st.builds(mod, inner, factors),
        st.builds(lambda a, b: mod(b, a) if a != 0 else b, inner, factors),
        st.builds(lambda a, b, c: a + b * indicator(sympy.Le(a, c, evaluate=False)), inner, factors, factors),
    ),
    max_leaves=4,
)


@given(compositions, st.integers(-6, 6), st.integers(0, 6), st.lists(ratios, min_size=3, max_size=6), st.booleans())
@settings(deadline=None, max_examples=150)
def test_growth_bounds_the_relative_changes_of_compositions(
    formula: Any, size: int, sizes: int, points: list[Fraction], negative: bool
) -> None:
    assume(formula.has(X) and not has_no_value(formula))
    assume(not [part for part in sympy.preorder_traversal(formula) if part.args and part.func not in BY_NODE])
    scale = Fraction(10) ** size * (-1 if negative else 1)
    inside = sorted({at ** (1 + sizes) * scale for at in points})
    assume(len(inside) > 1)
    field = Field(program_of(formula), "x", {})
    for box in (between(inside[0], inside[-1]), around(inside[0], inside[-1])):
        try:
            assert_growth(field, formula, box, inside)
        except NoValueError:
            assert value_or_none(formula, {"x": inside[len(inside) // 2]}) is None
