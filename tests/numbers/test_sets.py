"""Sets of numbers: ends that know whether they belong, unions, meets and images, against membership of probes."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.numbers.sets import ALL, EMPTY, Interval, RealSet, mapped, meet, meet_all, point, side, union

GRID = [Fraction(each, 2) for each in range(-12, 13)]
ends = st.sampled_from([-math.inf, *range(-5, 6), math.inf])


def has(numbers: RealSet, value: Fraction) -> bool:
    return any(value in each for each in numbers)


def span(lower: float, upper: float, closed: str = "[]") -> Interval:
    return Interval(lower, upper, lower_closed=closed[0] == "[", upper_closed=closed[1] == "]")


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    lower, upper = draw(ends), draw(ends)
    return Interval(
        lower, upper, draw(st.booleans()) and math.isfinite(lower), draw(st.booleans()) and math.isfinite(upper)
    )


sets = st.lists(intervals(), max_size=4).map(lambda parts: union(tuple(parts)))


@pytest.mark.parametrize(
    ("each", "inside", "outside"),
    [
        (span(1, 2, "[]"), [1, Fraction(3, 2), 2], [0.999, 2.001]),
        (span(1, 2, "()"), [1.5], [1, 2]),
        (span(1, 2, "[)"), [1], [2]),
        (span(1, 2, "(]"), [2], [1]),
        (span(-math.inf, 0, "()"), [-1e300], [0, 1]),
        (span(3, 3, "[]"), [3, 3.0], [2, 4]),
    ],
)
def test_membership(each: Interval, inside: list[float], outside: list[float]) -> None:
    assert all(value in each for value in inside)
    assert not any(value in each for value in outside)


@pytest.mark.parametrize(
    ("each", "empty", "single"),
    [
        (span(2, 1), True, False),
        (span(1, 1, "[)"), True, True),
        (span(1, 1, "()"), True, True),
        (span(1, 1), False, True),
        (span(1, 2, "()"), False, False),
    ],
)
def test_empty_and_point(each: Interval, *, empty: bool, single: bool) -> None:
    assert (each.is_empty, each.is_point) == (empty, single)


@given(intervals())
def test_inside_lies_strictly_inside(each: Interval) -> None:
    if each.is_empty:
        return
    value = each.inside()
    assert math.isfinite(value)
    assert value in each
    assert each.is_point or each.lower < value < each.upper


@pytest.mark.parametrize(
    ("parts", "merged"),
    [
        ([span(1, 2), span(2, 3)], (span(1, 3),)),
        ([span(1, 2, "[)"), span(2, 3)], (span(1, 3),)),
        ([span(1, 2, "[)"), span(2, 3, "(]")], (span(1, 2, "[)"), span(2, 3, "(]"))),
        ([span(1, 2, "[)"), span(2, 2), span(2, 3, "(]")], (span(1, 3),)),
        ([span(1, 5), span(2, 3)], (span(1, 5),)),
        ([span(1, 3, "()"), span(1, 3)], (span(1, 3),)),
        ([span(4, 5), span(1, 2)], (span(1, 2), span(4, 5))),
        ([span(2, 1)], EMPTY),
    ],
)
def test_union_merges_what_touches(parts: list[Interval], merged: RealSet) -> None:
    assert union(tuple(parts)) == merged


@given(sets, sets)
@settings(deadline=None)
def test_union_and_meet_are_or_and_and(left: RealSet, right: RealSet) -> None:
    both, either = meet(left, right), union(left, right)
    for value in GRID:
        assert has(either, value) == (has(left, value) or has(right, value))
        assert has(both, value) == (has(left, value) and has(right, value))
        assert has(meet_all([left, right, ALL]), value) == has(both, value)


@given(sets)
def test_a_union_is_sorted_disjoint_and_stable(numbers: RealSet) -> None:
    assert union(numbers) == numbers
    for before, after in pairwise(numbers):
        assert before.upper <= after.lower
        assert not (before.upper == after.lower and (before.upper_closed or after.lower_closed))


@pytest.mark.parametrize("sign", ["=", "<", "<=", ">", ">="])
def test_side_is_what_the_operator_says(sign: str) -> None:
    holds = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    assert [value for value in GRID if has(side(sign, 2), value)] == [value for value in GRID if holds(value, 2)]


@pytest.mark.parametrize(
    ("each", "factor", "image"),
    [
        (span(1, 2, "[)"), 3, span(3, 6, "[)")),
        (span(1, 2, "[)"), -3, span(-6, -3, "(]")),
        (span(1, math.inf, "[)"), -1, span(-math.inf, -1, "(]")),
    ],
)
def test_mapped_turns_the_ends_round_where_the_function_falls(each: Interval, factor: int, image: Interval) -> None:
    assert mapped(each, lambda end: end * factor, rising=factor > 0) == image


def test_no_end_at_infinity_belongs() -> None:
    image = mapped(span(0, 1), lambda end: math.inf if end == 0 else 1 / end, rising=False)
    assert image == span(1, math.inf, "[)")


def test_point_and_meet_of_nothing() -> None:
    assert point(Fraction(1, 3)) == (Interval(Fraction(1, 3), Fraction(1, 3)),)
    assert meet_all([]) == ALL
    assert meet(ALL, EMPTY) == EMPTY
