"""Evenly spaced numbers and quotients by them, against the members one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from flopsheet.numbers.progressions import FIRST_LISTED, MOST_LISTED, Progression, Quotient
from flopsheet.numbers.sets import NOT_NEGATIVE, Interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.units import Number

INF = math.inf
ratios = st.fractions(min_value=-6, max_value=6, max_denominator=3)
quotients = st.tuples(ratios, ratios, ratios, ratios).map(lambda terms: Quotient(*terms))
steps = st.integers(-8, 8)
ends = st.one_of(ratios, st.sampled_from([-INF, INF]))
intervals = st.tuples(ends, ends, st.booleans(), st.booleans()).map(
    lambda ends: Interval(
        min(ends[:2]), max(ends[:2]), ends[2] and min(ends[:2]) != -INF, ends[3] and max(ends[:2]) != INF
    )
)


def at(function: Quotient, number: Number) -> Fraction | None:
    constant, slope, below, below_slope = (Fraction(term) for term in function)
    divisor = below + below_slope * Fraction(number)
    return None if divisor == 0 else (constant + slope * Fraction(number)) / divisor


def values(function: Quotient, numbers: Iterable[Number]) -> set[Fraction]:
    return {value for number in numbers if (value := at(function, number)) is not None}


def members(*parts: Progression) -> set[Fraction]:
    listed = [Fraction(number) for part in parts for number in part.numbers()]
    assert len(set(listed)) == len(listed)
    return set(listed)


@given(quotients, steps, steps, intervals, ratios)
def test_the_values_of_a_quotient_of_linear_terms(
    function: Quotient, first: int, last: int, interval: Interval, near: Fraction
) -> None:
    assume(function.constant * function.below_slope != function.slope * function.below)
    expected = values(function, range(first, last + 1))
    parts = function.members(first, last)
    assert members(*parts) == expected
    assert members(*(cut for part in parts for cut in part.within(interval))) == {
        value for value in expected if value in interval
    }
    for part in parts:
        own = sorted(part.numbers())
        assert (own[0], own[-1]) == (part.lower, part.upper)
        assert all(value in part for value in own)
        assert (near in part) == (near in own)
        assert abs(part.nearest(near) - near) == min(abs(Fraction(value) - near) for value in own)


@given(quotients, quotients, steps, steps)
def test_a_function_of_the_members(function: Quotient, outer: Quotient, first: int, last: int) -> None:
    for each in (function, outer):
        assume(each.constant * each.below_slope != each.slope * each.below)
    for part in function.members(first, last):
        assert members(*(part.through(outer) or ())) == values(outer, members(part))


@pytest.mark.slow
@given(quotients, st.integers(2, 6), st.integers(1, 8), intervals, ratios)
def test_a_power_of_the_members(
    function: Quotient, exponent: int, last: int, interval: Interval, near: Fraction
) -> None:
    assume(function.constant * function.below_slope != function.slope * function.below)
    for part in (inside for whole in function.members(1, last) for inside in whole.within(NOT_NEGATIVE[0])):
        power, expected = part.raised(exponent), sorted(Fraction(number) ** exponent for number in part.numbers())
        assert sorted(members(power)) == expected
        assert members(*power.within(interval)) == {value for value in expected if value in interval}
        assert (near in power) == (near in expected)
        assert all(value in power for value in expected)
        assert (expected[0], expected[-1]) == (power.lower, power.upper)
        assert power.through(Quotient(1, 2)) is None
        assert power.integers is None


@dataclass(frozen=True)
class Falling:
    """The reciprocal of a positive number."""

    rises: bool = False

    def of(self, value: Number) -> Fraction | None:
        return 1 / Fraction(value) if value > 0 else None

    def at(self, level: Number) -> Fraction:
        return 1 / Fraction(level)


@given(st.fractions(min_value=Fraction(1, 3), max_value=6, max_denominator=3), st.integers(1, 8), intervals, ratios)
def test_the_numbers_at_which_a_falling_curve_has_such_values(
    by: Fraction, last: int, interval: Interval, near: Fraction
) -> None:
    whole = Progression(Fraction(0), by, None, 1, last, curve=Falling())
    expected = sorted(1 / (by * step) for step in range(1, last + 1))
    assert members(whole) == set(expected)
    assert members(*whole.within(interval)) == {value for value in expected if value in interval}
    assert (whole.lower, whole.upper) == (expected[0], expected[-1])
    assert all(value in whole for value in expected)
    assert (near in whole) == (near in expected)
    assert abs(whole.nearest(near) - near) == min(abs(value - near) for value in expected)
    assert whole.through(Quotient(1, 2)) is None
    assert whole.meet(whole) is None


@given(ratios, ratios, ratios, ratios)
def test_the_common_members_of_evenly_spaced_numbers(
    rest: Fraction, by: Fraction, other: Fraction, than: Fraction
) -> None:
    assume(by and than)
    window = Interval(-40, 40)
    common = Progression(rest, by).meet(Progression(other, than))
    assert common is not None
    one, two = (members(*whole.within(window)) for whole in (Progression(rest, by), Progression(other, than)))
    assert members(*(part for whole in common for part in whole.within(window))) == one & two


def test_what_has_no_simple_way_to_its_common_members_is_not_met() -> None:
    quotients_of = Quotient(12, 0, 0, 1).members(1, INF)[0]
    assert quotients_of.meet(Progression(Fraction(0), Fraction(1))) is None
    assert Progression(Fraction(1), Fraction(3), rounded=True).integers is None


def test_an_endless_one_approaches_its_end() -> None:
    (part,) = Quotient(12, 0, 0, 1).members(1, INF)
    assert part.ends == ((0, False), (12, True))
    assert part.within(Interval(-1, 0)) == ()
    assert part.within(Interval(-1, 5))[0].first == 3
    assert 12 / Fraction(10**40) in part
    assert [end for end, _ in Progression(Fraction(2), Fraction(-5), None, 0, INF).ends] == [-INF, 2]


@pytest.mark.parametrize(
    "spaced", [Progression(Fraction(5), Fraction(12)), Progression(Fraction(5), Fraction(-12), None, 7)]
)
def test_the_first_of_many_are_next_to_zero(spaced: Progression) -> None:
    begin = spaced.begin.numbers()
    assert len(begin) == FIRST_LISTED
    assert all(abs(two - one) == 12 for one, two in pairwise(begin))
    around = [abs(Fraction(number)) for number in spaced.within(Interval(-500, 500))[0].numbers()]
    assert min(abs(Fraction(number)) for number in begin) == min(around)


def test_few_are_listed_all() -> None:
    few = Progression(Fraction(5), Fraction(12), None, 1, MOST_LISTED)
    assert few.begin is few


def test_a_rounded_one_has_members_within_rounding() -> None:
    (part,) = Quotient(1e12, 0, 0, 1).members(1, 10**9)
    assert 1e12 / 7 in part
    assert 1e12 / 123456789 in part
    assert 1e12 / 7.001 not in part
    assert part.within(Interval(1e12 / 123456789, 1e12))[0].last == 123456789
