"""What a search proves: no value is lost, and none is wrong, for random formulas over boxes of many sizes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, example, given, reject, settings
from hypothesis import strategies as st
from tests.search.questions import (
    INF,
    SIGNS,
    Question,
    X,
    exact_formulas,
    finite_value,
    formula_at,
    hidden_formulas,
    holds,
    holds_near,
    is_beside_a_float,
    over,
    probes,
    questions,
    searched,
    smooth_formulas,
)

from flopsheet import ceil, exp, floor, log, mod, ratio, sqrt
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.functions.algebra import abs_
from flopsheet.numbers.sets import Interval, about, is_in, is_rounded_to
from flopsheet.numbers.spans import Span, around, between
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from flopsheet.units import Number


LARGE = X * sqrt((1900000 + 17 / X**2) ** 3)
NEAR = Fraction(1, 10**7)


@pytest.mark.parametrize(
    ("question", "sign", "level"),
    [
        (Question(X * sqrt((1 + 1 / X**2) ** 3), Fraction(10**12), over(0, 1e13)), "=", 1e12),
        (Question(LARGE, Fraction(6570000000), over(0, 8541 * 10**12)), "=", 1.7206628057234223e19),
        (Question(sqrt(X) + X, Fraction(0), over(0, 10)), ">", -1),
        (Question(X * (11 - 5 * X ** ratio(3, 2)), Fraction(0), over(-10, 10)), ">", -1000),
        (Question(X ** (X / 100), Fraction(10**50), over(1, INF)), ">=", 5),
        (Question(8 / X**3, Fraction(1, 10**200), over(0, 1)), ">=", 1),
        (Question(1 / (2 + X**-3), Fraction(10**11), over(1, 10**12)), ">", 1 / (2 + Fraction(1, 10**30))),
        (
            Question((ratio(19, 2) + 360000 / X**3) ** 2, Fraction(2056), over(2000, 2100), integer=True),
            "<=",
            Fraction(1664292713519044249, 18440755681001536),
        ),
        (Question(X, NEAR, over(NEAR, NEAR)), "=", NEAR),
        (Question(X, NEAR, over(NEAR, 1)), "<=", NEAR),
    ],
    ids=str,
)
def test_what_floats_would_lose_is_kept(question: Question, sign: str, level: Number) -> None:
    formula, at, domain, integer = question
    cover = searched(formula, sign, level, domain, integer=integer)
    assert holds_near(at, (*cover.values, *cover.open))
    assert is_in(at, (*cover.values, *cover.open)) or sign == "="


@pytest.mark.parametrize(
    ("formula", "level", "domain", "integer", "at"),
    [
        (-6 * X ** ratio(3, 2) + 3 * X**2 / 200, -66, over(100_000, 200_000), True, 160_000),
        (X * mod(6, X), 0, over(0, 10), False, 0),
        (X * mod(6, sqrt(X)), 0, over(0, 10), False, 0),
    ],
    ids=str,
)
def test_what_is_no_root_is_not_added(formula: Any, level: int, domain: Interval, integer: bool, at: int) -> None:
    assert not is_in(at, searched(formula, "=", level, domain, integer=integer).values)


@pytest.mark.parametrize("sign", ["=", ">"])
def test_what_lies_beyond_the_largest_number_is_not_excluded(sign: str) -> None:
    cover = searched(log(X) + 1 / X, sign, 1000, over(1, INF))  # met at 10**434
    assert is_in(10**435, (*cover.values, *cover.open)) or (sign == "=" and cover.open)


def test_bounds_that_are_too_large_are_no_numbers() -> None:
    for formula, at, value in ((X * sqrt((1 + X**-2) ** 3), 1e-110, 1e220), (X / sqrt((1 + X) ** 3), 1e120, 1e-60)):
        bounds = Field(program_of(formula), "x", {}).bounds(Span(at, at))
        assert bounds.low <= value <= bounds.high


@given(questions(exact_formulas))
@settings(deadline=None, max_examples=12)
def test_a_planted_root_is_never_lost(question: Question) -> None:
    check_planted_root(question)


@pytest.mark.slow
@given(questions(exact_formulas))
@settings(deadline=None, max_examples=40)
def test_none_of_many_planted_roots_is_lost(question: Question) -> None:
    check_planted_root(question)


@given(questions(hidden_formulas))
@settings(deadline=None, max_examples=12)
def test_a_root_that_a_large_divisor_hides_is_never_lost(question: Question) -> None:
    check_planted_root(question)


@pytest.mark.parametrize(
    ("formula", "at"),
    [
        ((mod(X**-3, -100_000) / ceil(1 / X) + 1) ** 2, Fraction(3750)),
        ((mod(-(X**-3), 100_000) / ceil(1 / X) + 1) ** 2, Fraction(3750)),
        (mod(-ratio(1, 7) / X**4, 10**12) * floor(X), Fraction(1001)),
        (ceil(X) + X / 10**40, Fraction(5, 2)),
        (mod(X, 100) / ceil(2 / X) + 1, Fraction(-1, 100)),  # on a jump, between two floats
    ],
    ids=str,
)
def test_what_hardly_changes_beside_a_rounding_is_not_one_step(formula: Any, at: Fraction) -> None:
    check_planted_root(Question(formula, at, over(*sorted((at / 100, at * 10)))))


def sizes(exponents: tuple[int, int]) -> st.SearchStrategy[Fraction]:
    return st.builds(lambda digits, power: digits * Fraction(10) ** power, st.integers(1, 999), st.integers(*exponents))


@given(sizes((-9, 30)), sizes((-20, 20)), sizes((0, 25)), st.booleans(), st.sampled_from(["=", "<", "<=", ">", ">="]))
@settings(deadline=None, max_examples=40)
def test_what_is_beyond_floats_at_a_root_of_another_factor_is_not_left_out(
    shift: Fraction, scale: Fraction, far: Fraction, folded: bool, sign: str
) -> None:
    """One factor is zero where the other one is too large for floats: exp(-x/scale) far below zero."""
    root = shift - far
    if root >= 0:
        reject()
    across = abs_(X - shift) - far if folded else X + far - shift
    cover = searched(across * (exp(-X / scale) - ratio(3, 8)), sign, 0, over(-math.inf, math.inf))
    for at in (root * (1 + Fraction(way, 10**6)) for way in (-1, 1)):
        is_positive = (at < root) == folded  # below zero, the other factor is
        met = sign != "=" and is_positive == (">" in sign)
        assert any(at in part for part in cover.open) or any(at in part for part in cover.values) == met
    if "=" in sign:
        assert holds_near(root, (*cover.values, *cover.open))


@pytest.mark.parametrize(("power", "level"), [(15, Fraction(-1, 2)), (-15, Fraction(-2)), (33, Fraction(-3))])
def test_a_negative_power_rises_though_its_bounds_underflow_past_zero(power: int, level: Fraction) -> None:
    cover = searched(X**power, "=", level, Interval(-INF, INF, lower_closed=False, upper_closed=False))
    root = -(abs(level) ** (1 / power))
    assert holds_near(Fraction(root), cover.values)


def check_planted_root(question: Question) -> None:
    formula, start, domain, integer = question
    level = Field(program_of(formula), "x", {}).exactly(start)
    if level is None or value_or_none(formula, {"x": start}) is None:
        reject()
    cover = searched(formula, "=", level, domain, integer=integer)
    assert holds_near(start, (*cover.values, *cover.open)), (level, cover)


@given(questions(smooth_formulas))
@settings(deadline=None, max_examples=15)
def test_a_level_that_is_crossed_is_never_lost(question: Question) -> None:
    formula, start, domain, _ = question
    left, right = start - abs(start) / 10**9, start + abs(start) / 10**9
    level = finite_value(formula, start)
    assume(left in domain and right in domain)
    assume(level or not isinstance(level, float))  # one that underflows to zero is no level of an exponential
    sides = {holds(formula, ">", level, at) for at in (left, right)}
    field = Field(program_of(formula), "x", {})
    assume(sides == {True, False} and field.is_continuous(field.forward(around(left, right))))
    cover = searched(formula, "=", level, domain)
    assert any(part.lower <= right and part.upper >= left for part in (*cover.values, *cover.open)), (level, cover)


@given(questions(exact_formulas | smooth_formulas), st.sampled_from(SIGNS), st.sampled_from([0, 0, 1, -1, 3]))
@example(Question(mod(ratio(1, 10), sqrt(X)), Fraction(10), over(10, 100), integer=False), "=", 0)
@example(Question(ceil(1 / X), Fraction(-1), Interval(Fraction(-1), 0), integer=False), "<", 0)
@settings(deadline=None, max_examples=40)
def test_numbers_are_inside_just_when_they_meet_the_relation(question: Question, sign: str, off: int) -> None:
    formula, start, domain, integer = question
    level = finite_value(formula, start)
    assume(abs(float(level)) < 1e300)
    level = level + off * (abs(Fraction(level)) + 1) / 7
    cover = searched(formula, sign, level, domain, integer=integer)
    for at in probes(question):
        if is_beside_a_float(at, (*cover.values, *cover.open)):
            continue
        expected = holds(formula, sign, level, at)
        if expected is True and (sign != "=" or formula_at(formula, at) == level):
            assert is_in(at, cover.values) or is_in(at, cover.open), ("lost", at, level, cover)
        elif expected is False and not is_rounded_to(formula_at(formula, at), level, about(level)):
            assert not is_in(at, cover.values), ("false", at, level, cover)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.booleans())
def test_an_exact_level_at_the_end_of_a_box_of_floats_is_not_inside(end: int, width: int, integer: bool) -> None:
    level = 1 + Fraction(1, end)
    cover = searched(1 + 1 / X, "<", level, Interval(end, end + width), integer=integer)
    assert not is_in(end, cover.values)
    assert is_in(end + 1, cover.values)


@pytest.mark.parametrize("other", [between(0.5, 2.5), between(0, 2.5)], ids=["floats", "a float and an integer"])
def test_what_exact_ends_and_floats_share_has_floats_around_it(other: Span) -> None:
    shared = other.meet(between(Fraction(10**20 + 1, 10**20), math.inf))
    assert shared is not None
    assert isinstance(shared.low, float)
    assert shared.low <= Fraction(10**20 + 1, 10**20)
    assert not shared.exact


@pytest.mark.parametrize("formula", [-(1 - 2 * X * exp(X)) * exp(-X) / 2, (X * exp(X) + 1) * exp(-X)], ids=str)
def test_where_a_formula_has_no_value_in_floats_it_meets_nothing(formula: Any) -> None:
    cover = searched(formula, "<=", 20, Interval(0, math.inf, upper_closed=False))
    assert all(part.upper <= 20 for part in cover.values)


def test_a_difference_of_large_numbers_meets_nothing_that_it_is_above() -> None:
    cover = searched(sqrt(X**2 + 1) - X, "<=", 0, Interval(1, math.inf, upper_closed=False))
    assert cover.values == ()


@pytest.mark.parametrize("power", [1, 3, 5])
@pytest.mark.parametrize("root", [9100, 91, 7 * 10**6])
def test_a_root_of_any_order_is_met_though_floats_miss_it(power: int, root: int) -> None:
    """What rounding leaves of the cubic root of 9100**3 is far from zero beside itself, and so are its powers."""
    at = root**3
    formula = (X ** ratio(1, 3) - root) ** power * (exp(-X / (at / ratio(377, 10))) - ratio(7, 10)) ** power
    cover = searched(formula, "=", 0, over(float(at) / 7, float(at) * 14))
    assert holds_near(Fraction(at), cover.values)
