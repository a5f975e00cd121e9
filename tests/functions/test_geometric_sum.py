"""Sums of geometric series against the sums of their terms, beside a ratio of 1 and over boxes of both terms."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import mpmath
import pytest
from tests.models.independent import CONTEXT, geometric_sum

from flopsheet.formulas.slopes import slopes
from flopsheet.functions import symbol
from flopsheet.functions.series import GEOMETRIC_SUM
from flopsheet.numbers.geometric import count_of, ratio_of, summed
from flopsheet.numbers.spans import Span, around, between

RANDOM = Random(18)  # noqa: S311  # no secrets here
ONE = Span(1, 1, exact=True)


def drawn_ratio() -> float:
    """Return a ratio of any size, often beside 1."""
    sizes = (10 ** RANDOM.uniform(-9, 2), 1 + RANDOM.choice((-1, 1)) * 10 ** RANDOM.uniform(-15, -1), RANDOM.random())
    return RANDOM.choice((*sizes, 1.0))


def drawn_count() -> float:
    """Return a number of terms, often whole or little above 1."""
    return RANDOM.choice((RANDOM.uniform(1, 12), float(RANDOM.randint(1, 60)), 1 + 10 ** RANDOM.uniform(-6, 0)))


def in_digits(ratio: float, count: float) -> mpmath.mpf:
    """Return the sum to many digits."""
    value = geometric_sum(Fraction(ratio), Fraction(count))
    return CONTEXT.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


@pytest.mark.parametrize("apart", [0.0, *(sign * 10**size for sign in (-1, 1) for size in range(-16, 0))])
def test_digits_are_kept_beside_a_ratio_of_one(apart: float) -> None:
    for count in (1, 2, 5, 40, 2.5):
        assert math.isclose(summed(1 + apart, count), in_digits(1 + apart, count), rel_tol=3e-15 * count)


def test_exact_numbers_stay_exact_and_lead_back() -> None:
    for _ in range(200):
        ratio, count = Fraction(RANDOM.randint(1, 40), RANDOM.randint(1, 20)), RANDOM.randint(2, 12)
        value = summed(ratio, count)
        assert value == sum(ratio**place for place in range(count))
        assert (ratio_of(count, value), count_of(ratio, value)) == (ratio, count)


@pytest.mark.slow
def test_boxes_hold_values_slopes_and_relative_changes() -> None:
    for _ in range(400):
        (low, high), (few, many) = (sorted((draw(), draw())) for draw in (drawn_ratio, drawn_count))
        box = (around(low, high), around(few, many))
        bounds, rates = GEOMETRIC_SUM.bounds(*box), GEOMETRIC_SUM.rates(*box)
        ends = [(RANDOM.uniform(low, high), RANDOM.uniform(few, many)) for _ in range(2)]
        (ratio, count), (other, more) = ends
        first, by_ratio, by_count = in_digits(ratio, count), in_digits(other, count), in_digits(ratio, more)
        slack = first * mpmath.mpf(10) ** -25
        assert bounds.low <= first + slack
        assert first - slack <= bounds.high
        changes = ((other - ratio, by_ratio - first, rates[0]), (more - count, by_count - first, rates[1]))
        for step, change, rate in changes:
            moved = sorted((CONTEXT.mpf(rate.low) * step, CONTEXT.mpf(rate.high) * step))
            assert (
                moved[0] - slack - abs(step) * 1e-14 * first <= change <= moved[1] + slack + abs(step) * 1e-14 * first
            )
        growths = [GEOMETRIC_SUM.growth(bounds, box, pair, lambda *_: ONE) for pair in ((ONE, None), (None, ONE))]
        for start, end, value, growth in ((ratio, other, by_ratio, growths[0]), (count, more, by_count, growths[1])):
            log, change = mpmath.log(CONTEXT.mpf(end) / start), CONTEXT.log(value / first)
            moved = sorted((growth.low * log, growth.high * log))
            assert moved[0] - 1e-13 <= change <= moved[1] + 1e-13


@pytest.mark.slow
def test_contractions_keep_what_leads_to_the_target() -> None:
    for _ in range(400):
        (low, high), (few, many) = (sorted((draw(), draw())) for draw in (drawn_ratio, drawn_count))
        at = (RANDOM.uniform(low, high), RANDOM.uniform(few, many))
        value = float(in_digits(*at))
        below, above = math.nextafter(value, 0), math.nextafter(value, math.inf)
        for target in (Span(below, above), Span(-math.inf, above), Span(below, math.inf)):
            for place in (0, 1):
                kept = GEOMETRIC_SUM.contract(None, place, target, (between(low, high), between(few, many)))
                assert kept is not None
                assert kept.low <= at[place] <= kept.high


@pytest.mark.parametrize("ratio", [0, Fraction(1, 2), Fraction(9999, 10000), 1, 1.00002, 3])
def test_slopes_are_those_of_the_terms(ratio: float) -> None:
    change = slopes(GEOMETRIC_SUM.build(symbol("ratio"), 6), {"ratio": ratio})["ratio"]
    assert math.isclose(change, sum(place * ratio ** (place - 1) for place in range(1, 6)), rel_tol=1e-9)
