"""One condition on one unknown: linear, quadratic, with poles, by peeling; inequalities against probes by force."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import sampled

from flopsheet import ceil, exp, indicator, log, max_, min_, mod, ratio, sqrt
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.solution import Segment, closed_forms
from flopsheet.numbers.arithmetic import HOLDS
from flopsheet.numbers.sets import ALL, Interval

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.inverse.solution import Solution
    from flopsheet.units import Number

X, A, B, C = (symbol(name) for name in "xabc")
REALS = ALL[0]
POSITIVE = Interval(0, math.inf, lower_closed=False, upper_closed=False)
FROM_ONE = Interval(1, math.inf, upper_closed=False)
VALUES: dict[str, Number | str] = {"a": 3, "b": Fraction(1, 2), "c": -2}


def solved(left: Any, sign: str, right: Any, domain: Interval = REALS) -> Solution | None:
    return Chain("x", domain, {}, VALUES).solve(Relation(left, sign, right, ""))


def roots(left: Any, right: Any, domain: Interval = REALS) -> list[Number]:
    result = solved(left, "=", right, domain)
    assert result is not None
    assert all(interval.is_point for interval in result.values)
    return [interval.lower for interval in result.values]


@pytest.mark.parametrize(
    ("left", "right", "how", "expected"),
    [
        (A * X + 1, 7, "peel", [2]),
        (7, A * X + 1, "peel", [2]),
        (A * X, B * X + 5, "linear", [2]),
        (X / (X + 1), B, "linear", [1]),
        ((A + X) / X, 4, "linear", [1]),
        (X**2, 9, "peel", [-3, 3]),
        (X**2 + X, 6, "quadratic", [-3, 2]),
        (X**2 + 9, 6 * X, "quadratic", [3]),
        (X**2 + X + 1, 0, "quadratic", []),
        (X + 1 / X, Fraction(5, 2), "quadratic", [Fraction(1, 2), 2]),
        ((X**2 - 1) / (X - 1), 2, "linear", []),
        ((X**2 - 1) / (X - 1), 5, "linear", [4]),
        ((A - 3) * X**2 + 2 * X, 8, "linear", [4]),
        (A, X - X + 3, "constant", None),
    ],
    ids=str,
)
def test_equations(left: Any, right: Any, how: str, expected: list[Number] | None) -> None:
    left, right = (
        ratio(*side.as_integer_ratio()) if isinstance(side, int | Fraction) else side for side in (left, right)
    )
    result = solved(left, "=", right)
    assert result is not None
    assert result.how == how
    assert result.values == (ALL if expected is None else tuple(Interval(value, value) for value in expected))


def test_a_root_at_which_a_side_divides_by_zero_is_none() -> None:
    assert roots((X**2 - 1) / (X - 1), ratio(1, 1)) == [0]


def test_roots_outside_the_domain_are_left_out() -> None:
    assert roots(X**2 + X, ratio(6, 1), POSITIVE) == [2]
    assert roots(X**2, ratio(1, 4), FROM_ONE) == []


def test_roots_of_very_different_size_do_not_cancel() -> None:
    small, large = roots(X**2 - ratio(10**9, 1) * X + 2, ratio(0, 1))
    exact = (10**9 + math.isqrt(10**18 * 10**40 - 8 * 10**40) / 10**20) / 2
    assert large == pytest.approx(exact, rel=1e-12)
    assert small == pytest.approx(2 / exact, rel=1e-12)


@pytest.mark.parametrize(
    ("left", "right", "how", "expected"),
    [
        (X**3 + X, 10, "polynomial", [2]),
        (X**3 - 6 * X**2 + 11 * X, 6, "polynomial", [1, 2, 3]),
        ((X - 1) ** 2 * (X - 3) ** 2, 0, "polynomial", [1, 3]),
        (X + log(X), 1, "search", [1]),
        (X * exp(X), 2 * math.e**2, "search", [2]),
        (X + sqrt(X), 6, "quadratic", [4]),
        (X + X ** ratio(1, 3), 10, "polynomial", [8]),
        (log(X) ** 2 + log(X), 6, "quadratic", [math.exp(-3), math.exp(2)]),
        (max_(X, A) + X, 10, "cases", [5]),
        (max_(X, A) + X, 4, "cases", [1]),
        (max_(X, A / X) + min_(X, 2), 6, "cases", [0.5505102572168219, 4]),
        (indicator(X > 2) * X + X, 6, "cases", [3]),
        (1 / X + X**3, 2, "polynomial", [0.5436890126920764, 1]),
        (1 / X**3 + X / 10**9, 1, "polynomial", [1.000000000333333333, 1e9]),
        (mod(X, 5) + mod(X, 7), 8, "search", [4, 6.5]),
    ],
    ids=str,
)
def test_each_condition_by_the_simplest_method_that_applies(
    left: Any, right: float, how: str, expected: list[float]
) -> None:
    domain = Interval(0, 10, lower_closed=False) if left.has(sympy.Mod) else POSITIVE
    result = solved(left, "=", ratio(*Fraction(right).as_integer_ratio()), domain)
    assert result is not None
    assert [interval.lower for interval in result.values] == pytest.approx(expected, rel=1e-9)
    assert all(interval.is_point for interval in result.values)
    assert result.how == how


@pytest.mark.parametrize(
    ("left", "sign", "ends"),
    [
        (max_(X, A) + max_(X / 2, 1), "=", (0, 2)),
        (max_(X, A) + max_(X / 2, 1), "<=", (0, 2)),
        (X + ceil(X), "<=", (0, 2)),
        (X**3 + X, "<", (0, 1.3787967001295573)),
    ],
    ids=str,
)
def test_plateaus_and_ranges(left: Any, sign: str, ends: tuple[float, float]) -> None:
    result = solved(left, sign, ratio(4, 1), POSITIVE)
    assert result is not None
    (interval,) = result.values
    assert (interval.lower, interval.upper) == pytest.approx(ends, rel=1e-9)
    assert interval.upper_closed is ("=" in sign)


LEFT = [
    A * X + 1,
    B - X,
    X**2,
    X**2 - X,
    -(X**2) + 4 * X,
    X**2 - 4 * X + 4,
    X / (X - 1),
    1 / X,
    X + 1 / X,
    1 / (X - 2) ** 2,
    A / (X**2 - 4),
    (X - 1) / (X - 3),
    (X**2 - 1) / (X - 1),
    1 / (X - 1) + 1 / (X - 2),
    max_(X, A),
    min_(X**2, A),
    ceil(X / A),
    X * (X + C),
    A * X - 3 * X + B,
]
RIGHT = [ratio(0, 1), ratio(1, 1), ratio(5, 2), ratio(-1, 2), X, 2 * X - 1, 1 / (X + 1)]
PROBES = sorted({Fraction(n, d) for d in (1, 2, 3) for n in range(-6 * d, 6 * d + 1)} | {Fraction(999, 1000)})


def value(expression: Any, at: Fraction) -> Fraction | None:
    """Return the exact value there by sympy, None where it has none."""
    exact = ratio(*at.as_integer_ratio())
    result = expression.subs({A: 3, B: ratio(1, 2), C: -2})
    if any(base.xreplace({X: exact}) == 0 for base in _divisors(result)):
        return None
    number = result.xreplace({X: exact})
    return Fraction(int(number.p), int(number.q))


def _divisors(expression: Any) -> list[Any]:
    return [power.base for power in expression.atoms(type(1 / X)) if power.exp.is_negative]


@pytest.mark.parametrize("left", sampled(LEFT), ids=str)
@pytest.mark.parametrize("domain", [REALS, POSITIVE, FROM_ONE], ids=["reals", "positive", "from one"])
def test_inequalities_hold_just_where_probes_say(left: Any, domain: Interval) -> None:
    solved_here = 0
    inside = [probe for probe in PROBES if probe in domain]
    for right in RIGHT:
        known = [(probe, value(left, probe), value(right, probe)) for probe in inside]
        for sign in ("<=", ">=", "<", ">"):
            result = solved(left, sign, right, domain)
            if result is None:
                continue
            solved_here += 1
            for probe, mine, other in known:
                expected = mine is not None and other is not None and HOLDS[sign](mine, other)
                near = any(
                    isinstance(end, float) and math.isclose(end, probe, rel_tol=1e-9)
                    for interval in result.values
                    for end in (interval.lower, interval.upper)
                )
                assert near or any(probe in interval for interval in result.values) == expected, (sign, right, probe)
    assert solved_here >= 16


numbers = st.fractions(min_value=-9, max_value=9, max_denominator=6)


@given(numbers, numbers, numbers.filter(bool))
@settings(deadline=None, max_examples=60)
def test_a_quadratic_with_known_roots_has_just_these(first: Fraction, second: Fraction, bend: Fraction) -> None:
    p, q, r = (ratio(*number.as_integer_ratio()) for number in (first, second, bend))
    difference = (r * X**2 - r * (p + q) * X + r * p * q).expand()
    if not difference.has(X**2) or not (difference - r * X**2).has(X):
        return
    assert roots(difference, ratio(0, 1)) == sorted({first, second})
    result = solved(difference, "<=", ratio(0, 1))
    assert result is not None
    middle = (first + second) / 2
    assert any(middle in interval for interval in result.values) == (bend > 0 or first == second)


@pytest.mark.parametrize(
    ("left", "right"),
    [(A * X + 1, 7), (A * X, B * X + 5), (X**2 + X, 6), (A / X, 6), (-(X**2) + 4 * X, 3), (A * X + C * X**2, B)],
    ids=str,
)
@pytest.mark.parametrize("domain", [REALS, POSITIVE], ids=["reals", "positive"])
def test_the_closed_form_is_one_of_the_answers(left: Any, right: Any, domain: Interval) -> None:
    right = ratio(right, 1) if isinstance(right, int) else right
    result = solved(left, "=", right, domain)
    assert result is not None
    for interval in result.values:
        form = result.form_at(interval.lower, VALUES)
        assert form is not None
        assert math.isclose(float(evaluate(form, VALUES)), interval.lower, rel_tol=1e-9)


def test_a_closed_form_has_a_value_where_the_bend_vanishes() -> None:
    result = solved((A - 3) * X**2 + 2 * X, "=", ratio(8, 1))
    assert result is not None
    assert [interval.lower for interval in result.values] == [4]
    assert evaluate(result.form_at(4, VALUES), VALUES) == 4


def test_each_root_has_its_own_closed_form() -> None:
    result = solved(-(X**2) + 4 * X, "=", ratio(3, 1))
    assert result is not None
    assert [interval.lower for interval in result.values] == [1, 3]
    assert [evaluate(result.form_at(end, VALUES), VALUES) for end in (1, 3)] == [1, 3]


def test_a_closed_form_of_doubling_digits_is_left_out() -> None:
    segments = (Segment(sqrt(X), X),) * 40
    assert closed_forms(segments[:3], sympy.Rational(7, 10)) == (sympy.Rational(7, 10) ** 8,)
    assert closed_forms(segments, sympy.Rational(7, 10)) == ()


@pytest.mark.parametrize(("expression", "right"), [(log(X) / log(2), 10**40), (X ** ratio(1, 10**12), 3)])
def test_a_power_of_too_many_digits_is_no_closed_form(expression: Expr, right: int) -> None:
    assert closed_forms((Segment(expression, X),), sympy.Integer(right)) == ()
