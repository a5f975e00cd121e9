"""Functions near 1 less the 1: bounds, quotients, growth, rates and contraction hold what many digits give."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import mpmath
import pytest

from flopsheet.functions.enclosed import ONE
from flopsheet.functions.near_one import (
    EXP_LESS_ONE,
    LOG_ONE_PLUS,
    POWER_DIFFERENCE,
    POWER_LESS_ONE,
    POWER_OF_ONE_PLUS,
    NearOne,
)
from flopsheet.numbers.many_digits import precision
from flopsheet.numbers.spans import ANYTHING, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

mpmath.mp.dps = 60
DRAWN = 400


def exp_less_one(term: Any, _exponent: Any) -> Any:
    return mpmath.expm1(term)


def log_one_plus(term: Any, _exponent: Any) -> Any:
    return mpmath.log1p(term)


def power_less_one(term: Any, exponent: Any) -> Any:
    return mpmath.expm1(exponent * mpmath.log1p(term))


def power_of_one_plus(term: Any, exponent: Any) -> Any:
    return mpmath.exp(exponent * mpmath.log1p(term))


FUNCTIONS = [
    pytest.param(EXP_LESS_ONE, exp_less_one, id="exp"),
    pytest.param(LOG_ONE_PLUS, log_one_plus, id="log"),
    pytest.param(POWER_LESS_ONE, power_less_one, id="power"),
    pytest.param(POWER_OF_ONE_PLUS, power_of_one_plus, id="whole power"),
]
every_function = pytest.mark.parametrize(("entry", "value_of"), FUNCTIONS)


def boxes(entry: Any) -> Iterator[tuple[list[Span], list[tuple[float, float]]]]:
    """Yield boxes of the terms, of all sizes and on either side of zero, each with points inside."""
    random = Random(entry.node.__name__)  # noqa: S311  # the same each time
    for _ in range(DRAWN):
        low = random.choice([1, -1]) * 10 ** random.uniform(-30, 2.5)
        low = max(low, -0.999) if entry is not EXP_LESS_ONE else low
        high = random.choice([low, low + abs(low) * 10 ** random.uniform(-14, 1), 10 ** random.uniform(-20, 2.5)])
        low, high = sorted((low, high))
        first = random.choice([1, -1]) * 10 ** random.uniform(-2, 1.5)
        last = random.choice([first, first + 10 ** random.uniform(-5, 1)])
        shares = [(random.random(), random.random()) for _ in range(4)] + [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        points = [(low + (high - low) * one, first + (last - first) * other) for one, other in shares]
        terms = [Span(low, high), Span(first, last)][: entry.arity]
        yield terms, [(min(max(one, low), high), min(max(other, first), last)) for one, other in points]


def holds(span: Span, value: Any) -> bool:
    return bool(mpmath.mpf(span.low) <= value <= mpmath.mpf(span.high))


@every_function
def test_bounds_and_quotients_hold_every_value(entry: Any, value_of: Callable[..., Any]) -> None:
    for terms, points in boxes(entry):
        bounds = entry.bounds(*terms)
        quotients = entry.quotient(*terms) if isinstance(entry, NearOne) else ANYTHING
        for one, other in points:
            value = value_of(mpmath.mpf(one), mpmath.mpf(other))
            assert holds(bounds, value)
            assert not one or holds(quotients, value / one)


@every_function
def test_bounds_keep_their_digits_near_zero(entry: Any, value_of: Callable[..., Any]) -> None:
    for size in (1e-12, 1e-25, -1e-18):
        bounds = entry.bounds(*[Span(size, size), Span(360.0, 360.0)][: entry.arity])
        value = value_of(mpmath.mpf(size), 360)
        assert float(bounds.low) == pytest.approx(float(value), rel=1e-14, abs=0)
        assert float(bounds.high) == pytest.approx(float(value), rel=1e-14, abs=0)
        at_zero = entry.bounds(*[Span(0, 0, exact=True), ONE][: entry.arity])
        assert at_zero.low == at_zero.high == (entry is POWER_OF_ONE_PLUS)


@every_function
def test_growth_holds_the_relative_change_between_two_points(entry: Any, value_of: Callable[..., Any]) -> None:
    for terms, points in boxes(entry):
        (term, *exponents), bounds = terms, entry.bounds(*terms)
        if not (term.low > 0 or term.high < 0) or not (bounds.low > 0 or bounds.high < 0):
            continue
        growth = entry.growth(bounds, terms, [ONE, *(None for _ in exponents)], None)
        for (one, fixed), (other, _) in pairwise(points):
            if abs(one - other) > 1e-3 * abs(one):
                values = [value_of(mpmath.mpf(at), mpmath.mpf(fixed)) for at in (one, other)]
                change = mpmath.log(values[1] / values[0]) / mpmath.log(mpmath.mpf(other) / one)
                assert holds(growth, change)


@every_function
def test_contraction_loses_no_term(entry: Any, value_of: Callable[..., Any]) -> None:
    for terms, points in boxes(entry):
        for one, other in points:
            value = value_of(mpmath.mpf(one), mpmath.mpf(other))
            if not -1 < value < 1e300:
                continue
            low, high = math.nextafter(float(value), -math.inf), math.nextafter(float(value), math.inf)
            for place, at in zip(range(entry.arity), (one, other), strict=False):
                kept = entry.contract(None, place, Span(low, high), terms)
                assert kept is not None
                assert kept.low <= at <= kept.high


@every_function
def test_many_digits_hold_the_value(entry: Any, value_of: Callable[..., Any]) -> None:
    for _, points in boxes(entry):
        with precision(160):
            terms = [mpmath.iv.mpf(at) for at in points[0]][: entry.arity]
            bounds = entry.precise(*terms)
        value = value_of(*map(mpmath.mpf, points[0]))
        assert mpmath.mpf(bounds.a) <= value <= mpmath.mpf(bounds.b)


@pytest.mark.parametrize(("term", "exponent"), [(1e-12, 1e12), (-3e-9, 7), (1e-4, -2.5), (0.05, 30), (2.0, 3)])
def test_a_power_of_one_and_little_keeps_its_digits(term: float, exponent: float) -> None:
    value = power_of_one_plus(mpmath.mpf(term), mpmath.mpf(exponent))
    assert float(POWER_OF_ONE_PLUS.exact(term, exponent)) == pytest.approx(float(value), rel=1e-14, abs=0)
    assert POWER_OF_ONE_PLUS.exact(Fraction(1, 20), 2) == Fraction(441, 400)


def test_a_power_of_a_base_that_may_be_negative_has_its_bounds() -> None:
    bounds = POWER_LESS_ONE.bounds(Span(-3.0, 1.0), Span(2, 2, exact=True))
    assert bounds.low <= -1 < 3 <= bounds.high
    exactly = POWER_LESS_ONE.bounds(ONE, Span(3, 3, exact=True))
    assert exactly.low == exactly.high == 7


def test_a_difference_of_powers_holds_every_value() -> None:
    random = Random(1)  # noqa: S311  # the same each time
    for _ in range(DRAWN):
        order = random.choice([-1.0, 0.5, 2.0, 3.0])
        low = 10 ** random.uniform(-3, 9)
        high = random.choice([low, low * (1 + 10 ** random.uniform(-9, 1))])
        more = random.choice([1, -1]) * 10 ** random.uniform(-9, -3.1)
        power = Span(*sorted((low**order, high**order)))
        terms = [power, Span(low, high), Span(more, more), Span(order, order)]
        bounds = POWER_DIFFERENCE.bounds(*terms)
        for share in (0.0, random.random(), 1.0):
            base = low + (high - low) * share
            value = (mpmath.mpf(base) + more) ** order - mpmath.mpf(base) ** order
            slack = abs(value) * mpmath.mpf(10) ** -15  # of the power, which is rounded here
            assert mpmath.mpf(bounds.low) - slack <= value <= mpmath.mpf(bounds.high) + slack
            kept = [POWER_DIFFERENCE.contract(None, place, bounds, terms) for place in range(3)]
            for part, at in zip(kept, (base**order, base, more), strict=True):
                assert part is not None
                assert part.low <= at * (1 + 1e-12) + 1e-12
                assert part.high >= at * (1 - 1e-12) - 1e-12
