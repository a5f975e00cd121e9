"""Sets of numbers: ends that know whether they belong, unions, meets and images, against membership of probes."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.numbers.ends import near
from flopsheet.numbers.sets import (
    ALL,
    EMPTY,
    Interval,
    RealSet,
    complement,
    hull,
    is_in,
    mapped,
    meet,
    meet_all,
    pieces,
    point,
    side,
    union,
    whole_ends,
    widened,
    without_doubles,
)

GRID = [Fraction(step, 2) for step in range(-12, 13)]
ends = st.sampled_from([-math.inf, *range(-5, 6), math.inf])


def has(numbers: RealSet, value: Fraction) -> bool:
    return any(value in interval for interval in numbers)


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
    ("interval", "inside", "outside"),
    [
        (span(1, 2, "[]"), [1, Fraction(3, 2), 2], [0.999, 2.001]),
        (span(1, 2, "()"), [1.5], [1, 2]),
        (span(1, 2, "[)"), [1], [2]),
        (span(1, 2, "(]"), [2], [1]),
        (span(-math.inf, 0, "()"), [-1e300], [0, 1]),
        (span(3, 3, "[]"), [3, 3.0], [2, 4]),
    ],
)
def test_membership(interval: Interval, inside: list[float], outside: list[float]) -> None:
    assert all(value in interval for value in inside)
    assert not any(value in interval for value in outside)


@pytest.mark.parametrize(
    ("interval", "empty", "single"),
    [
        (span(2, 1), True, False),
        (span(1, 1, "[)"), True, True),
        (span(1, 1, "()"), True, True),
        (span(1, 1), False, True),
        (span(1, 2, "()"), False, False),
    ],
)
def test_empty_and_point(interval: Interval, *, empty: bool, single: bool) -> None:
    assert (interval.is_empty, interval.is_point) == (empty, single)


@given(intervals())
def test_inside_is_strictly_inside(interval: Interval) -> None:
    if interval.is_empty:
        return
    value = interval.inside()
    assert math.isfinite(value)
    assert value in interval
    assert interval.is_point or interval.lower < value < interval.upper


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
def test_side_is_the_set_of_the_operator(sign: str) -> None:
    holds = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    assert [value for value in GRID if has(side(sign, 2), value)] == [value for value in GRID if holds(value, 2)]
    assert not any(closed for part in side(sign, 2) for end, closed in part.ends if math.isinf(end))


@pytest.mark.parametrize(
    ("interval", "factor", "image"),
    [
        (span(1, 2, "[)"), 3, span(3, 6, "[)")),
        (span(1, 2, "[)"), -3, span(-6, -3, "(]")),
        (span(1, math.inf, "[)"), -1, span(-math.inf, -1, "(]")),
    ],
)
def test_mapped_turns_the_ends_round_where_the_function_falls(interval: Interval, factor: int, image: Interval) -> None:
    assert mapped(interval, lambda end: end * factor, rising=factor > 0) == image


def test_no_end_at_infinity_belongs() -> None:
    image = mapped(span(0, 1), lambda end: math.inf if end == 0 else 1 / end, rising=False)
    assert image == span(1, math.inf, "[)")


def test_point_and_meet_of_nothing() -> None:
    assert point(Fraction(1, 3)) == (Interval(Fraction(1, 3), Fraction(1, 3)),)
    assert meet_all([]) == ALL
    assert meet(ALL, EMPTY) == EMPTY


@given(sets)
@settings(deadline=None)
def test_a_complement_holds_what_the_set_does_not(numbers: RealSet) -> None:
    rest = complement(numbers)
    assert all(has(rest, value) != has(numbers, value) for value in GRID)
    assert union(rest) == rest
    assert complement(rest) == numbers


@pytest.mark.parametrize(
    ("numbers", "rest"),
    [
        (ALL, EMPTY),
        (EMPTY, ALL),
        (point(0), (span(-math.inf, 0, "()"), span(0, math.inf, "()"))),
        ((span(0, math.inf, "[)"),), (span(-math.inf, 0, "()"),)),
        ((span(-math.inf, 0, "()"),), (span(0, math.inf, "[)"),)),
    ],
)
def test_complements_at_the_ends(numbers: RealSet, rest: RealSet) -> None:
    assert complement(numbers) == rest


@given(sets)
@settings(deadline=None)
def test_a_hull_spans_the_first_end_to_the_last(numbers: RealSet) -> None:
    whole = hull(numbers)
    if not numbers:
        assert whole is None
        return
    assert whole is not None
    assert union(numbers, (whole,)) == (whole,)
    assert whole.ends == (numbers[0].ends[0], numbers[-1].ends[1])


NEAR, APART = 1 + 1e-10, 1 + 1e-8


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        (point(NEAR), (span(0, 1),), point(NEAR)),  # a float that misses a closed end by rounding
        ((span(0, 1),), point(NEAR), point(NEAR)),
        (point(NEAR), (span(0, 1, "[)"),), EMPTY),
        (point(APART), (span(0, 1),), EMPTY),
        (point(1.0), point(1 + 1e-5), EMPTY),
        (point(1), point(1 + 1e-7), EMPTY),
        ((*point(NEAR), span(5, 6)), (span(0, 1), span(5, 6)), (*point(NEAR), span(5, 6))),
        ((span(0, 2),), (span(1, 3),), (span(1, 2),)),
        ((span(0, 1),), (span(NEAR, 3),), EMPTY),  # only points are moved by rounding
    ],
    ids=str,
)
def test_points_meet_within_rounding(left: RealSet, right: RealSet, both: RealSet) -> None:
    assert meet_all([left, right]) == both


@pytest.mark.parametrize(("first", "second"), [(1, NEAR), (NEAR, 1), (1.0, 1 + 1e-7), (1 + 1e-7, 1.0)])
def test_two_points_within_rounding_meet_in_one_of_them(first: float, second: float) -> None:
    (both,) = meet_all([point(first), point(second)])
    assert both.is_point
    assert both.lower in (first, second)


def test_of_points_within_rounding_the_exact_one_remains() -> None:
    spread = (Interval(2, 3), Interval(1.0, 1.0), Interval(NEAR, NEAR), Interval(Fraction(1), Fraction(1)))
    (first, second) = without_doubles(spread)
    assert (first.lower, type(first.lower), second) == (1, Fraction, Interval(2, 3))


@pytest.mark.parametrize(
    ("domain", "cuts", "parts"),
    [
        (span(0, 9), [2, 5], ["[0 2)", "(2 5)", "(5 9]"]),
        (span(0, 9, "()"), [2], ["(0 2)", "(2 9)"]),
        (span(0, 9), [0, 9], ["(0 9)"]),  # an end that is a cut is not in the pieces
        (span(0, 9), [-1, 10], ["[0 9]"]),
        (span(0, 9), [], ["[0 9]"]),
        (span(-math.inf, 4, "()"), [0], ["(-inf 0)", "(0 4)"]),
    ],
)
def test_pieces_between_cuts(domain: Interval, cuts: list[float], parts: list[str]) -> None:
    assert [_text(interval) for interval in pieces(domain, cuts)] == parts


def _text(interval: Interval) -> str:
    left, right = "[" if interval.lower_closed else "(", "]" if interval.upper_closed else ")"
    return f"{left}{interval.lower} {interval.upper}{right}"


FEW_INTERVALS = tuple(span(2 * place, 2 * place + 1, "[)") for place in range(3))
MANY_INTERVALS = tuple(span(2 * place, 2 * place + 1, "[)") for place in range(-50, 50))


@pytest.mark.parametrize("numbers", [FEW_INTERVALS, MANY_INTERVALS], ids=["few", "many"])
@pytest.mark.parametrize(
    ("value", "within", "beside"),
    [
        (2, True, True),
        (2.5, True, True),
        (3, False, False),
        (Fraction(7, 2), False, False),
        (3 + 1e-10, False, False),
        (2 - 1e-14, False, True),  # a closed end is met within rounding of the value
        (2 - 1e-10, False, False),
        (2 - Fraction(1, 10**10), False, False),  # but not by an exact number
        (2 - 1e-8, False, False),
        (3 - 1e-10, True, True),  # an open one is not widened
    ],
)
def test_a_value_in_a_set_and_within_rounding_of_it(
    numbers: RealSet, value: float | Fraction, within: bool, beside: bool
) -> None:
    assert is_in(value, numbers) is within
    assert near(value, numbers) is beside


def test_an_exact_value_meets_an_end_that_was_rounded() -> None:
    assert near(1, (span(NEAR, 2.0),))
    assert not near(1, (span(NEAR, 2.0, "()"),))


@pytest.mark.parametrize(
    ("interval", "first", "last"),
    [
        (span(1, 4), 1, 4),
        (span(1, 4, "()"), 2, 3),
        (Interval(Fraction(1, 2), Fraction(9, 2)), 1, 4),
        (Interval(1 + 1e-13, 4 - 1e-13), 1, 4),
        (Interval(1 + 1e-13, 4 - 1e-13, lower_closed=False, upper_closed=False), 2, 3),
        (Interval(1 + 1e-9, 4 - 1e-9), 2, 3),
        (Interval(Fraction(5, 4), Fraction(7, 4)), 2, 1),
        (span(1, 2, "()"), 2, 1),
        (span(-math.inf, math.inf, "()"), -math.inf, math.inf),
        (span(0, math.inf, "()"), 1, math.inf),
    ],
    ids=str,
)
def test_whole_numbers_at_the_ends_of_an_interval(interval: Interval, first: float, last: float) -> None:
    assert whole_ends(interval) == (first, last)


@pytest.mark.parametrize(
    ("lower", "upper", "low", "high"),
    [
        (1, 2, 1, 2),
        (1.0, 2.0, 1 - 1e-9, 2 + 2e-9),
        (-2.0, -1.0, -2 - 2e-9, -1 + 1e-9),
        (-math.inf, math.inf, -math.inf, math.inf),
        (0.0, Fraction(5, 3), 0.0, Fraction(5, 3)),
    ],
)
def test_only_float_ends_of_a_range_are_widened(lower: float, upper: float, low: float, high: float) -> None:
    result = widened(Interval(lower, upper, lower_closed=False))
    assert (result.lower, result.upper) == pytest.approx((low, high), rel=1e-11)
    assert (result.lower_closed, result.upper_closed) == (False, high == upper)  # nothing is known of one that moved


@pytest.mark.parametrize("size_of", [10**13, 10**15, 10**18, 10**30])
def test_a_whole_number_is_never_within_rounding_of_a_ratio_far_from_it(size_of: int) -> None:
    """Every whole number beside a range with exact ends is counted by comparing integers."""
    for above in range(1, 4):
        part = Interval(Fraction(3 * size_of + above, 3), Fraction(3 * size_of + 31, 3))
        wholes = [size_of + step for step in range(-20, 21)]
        expected = [whole for whole in wholes if 3 * size_of + above <= 3 * whole <= 3 * size_of + 31]
        both = meet_all([union(*(point(whole) for whole in wholes)), (part,)])
        assert [own.lower for own in both] == expected
