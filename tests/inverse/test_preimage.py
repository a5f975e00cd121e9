"""Preimages: every exact method, and random expressions, where membership of probes decides."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flopsheet import atan, ceil, exp, floor, indicator, log, max_, min_, mod, ratio, sin, sqrt
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions import has_no_value
from flopsheet.functions.algebra import abs_
from flopsheet.functions.spec import NoInverseError
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.preimage import Preimage
from flopsheet.numbers.sets import ALL, Interval, RealSet, meet, point, side, union

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")
INF = math.inf
POSITIVE = Interval(0, INF, lower_closed=False, upper_closed=False)
SMALL = Interval(-8, 8)
COUNTS = Interval(1, 60)
ENDLESS = Interval(1, INF, upper_closed=False)


def ends(numbers: RealSet) -> list[tuple[Number, Number]]:
    return [(interval.lower, interval.upper) for interval in numbers]


@pytest.mark.parametrize(
    ("expression", "target", "domain", "methods", "expected"),
    [
        (2 * X + 1, point(7), ALL[0], [], [(3, 3)]),
        (max_(X, 2 * X - 3), side(">=", 5), ALL[0], [], [(4, INF)]),
        (min_(X, 6 - X), side(">", 1), ALL[0], [], [(1, 5)]),
        (max_(X**2, X + 2), point(4), ALL[0], [], [(-2, -2), (2, 2)]),
        (X**2 - X, side("<=", 6), ALL[0], ["quadratic"], [(-2, 3)]),
        (X**3 - 6 * X**2 + 11 * X, point(6), ALL[0], ["polynomial"], [(1, 1), (2, 2), (3, 3)]),
        ((X + 1) / X, side(">", 2), ALL[0], ["linear"], [(0, 1)]),
        (log(X) ** 2 + log(X), point(0), POSITIVE, ["quadratic"], [(math.exp(-1), math.exp(-1)), (1, 1)]),
        (max_(X, 2) ** 2 + max_(X, 2), point(6), ALL[0], ["quadratic"], [(-INF, 2)]),
        (X + sqrt(X), side("<", 6), POSITIVE, ["quadratic"], [(0, 4)]),
        (X - X ** ratio(3, 2), point(0), POSITIVE, ["polynomial"], [(0, 0), (1, 1)]),
        (X + abs_(X), point(4), ALL[0], ["cases"], [(2, 2)]),
        (X * indicator(X > 2), point(0), ALL[0], ["cases"], [(-INF, 2)]),
        (X + ceil(X), side("<=", 4), Interval(0, 3), ["cases"], [(0, 2)]),
        (mod(X, 5), point(2), Interval(0, 10), ["period"], [(2, 2), (7, 7)]),
    ],
    ids=str,
)
def test_each_method_of_the_ladder(
    expression: Any, target: RealSet, domain: Interval, methods: list[str], expected: list[tuple[float, float]]
) -> None:
    inversion = Preimage(X, lambda: domain, {})
    result = inversion.of(expression, target)
    assert [end for pair in ends(result) for end in pair] == pytest.approx(
        [end for pair in expected for end in pair], rel=1e-12
    )
    assert sorted(set(inversion.methods)) == methods
    assert not inversion.open


def test_divisors_are_enumerated() -> None:
    inversion = Preimage(X, lambda: COUNTS, {}, integer=True)
    result = inversion.of(mod(60, X), point(0))
    divisors = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60]
    assert [number for number in range(1, 61) if any(number in part for part in result)] == divisors
    assert "divisors" in inversion.methods
    assert not inversion.open


@pytest.mark.parametrize(
    ("expression", "target", "domain", "integer"),
    [
        (X + log(X), point(1), POSITIVE, False),
        (mod(60, X), side("<", 1), COUNTS, True),
        (mod(X**2, X + 3), point(1), COUNTS, True),
        (X * mod(X, 4), point(9), COUNTS, True),
        (mod(X**2, X + 1), point(1), ENDLESS, True),
        (X + log(max_(X, A) - A), point(4), ALL[0], False),
        (max_(log(X) - X, 2 / X), side(">", 0), ALL[0], False),
    ],
    ids=str,
)
def test_what_no_exact_method_inverts_is_left_to_the_search(
    expression: Any, target: RealSet, domain: Interval, integer: bool
) -> None:
    with pytest.raises(NoInverseError):
        Preimage(X, lambda: domain, {"a": 3}, integer=integer).of(expression, target)


@pytest.mark.parametrize("expression", [mod(X, 5), sin(X)], ids=str)
def test_single_values_of_a_periodic_function_over_an_infinite_domain_are_progressions(expression: Any) -> None:
    inversion = Preimage(X, lambda: ENDLESS, {})
    assert inversion.of(expression, point(ratio(1, 2) if expression.func.__name__ == "Sin" else 1)) == ()
    assert inversion.progressions
    assert not inversion.open


@pytest.mark.parametrize("expression", [mod(X, 5), sin(X)], ids=str)
def test_ranges_of_a_periodic_function_over_an_infinite_domain_are_not_all_listed(expression: Any) -> None:
    inversion = Preimage(X, lambda: ENDLESS, {})
    assert inversion.of(expression, side("<=", ratio(1, 2)))
    assert inversion.open


def test_progressions_in_one_branch_of_a_function_are_open() -> None:
    inversion = Preimage(X, lambda: ENDLESS, {})
    inversion.of(max_(mod(X, 5), mod(X, 7)), point(0))
    assert not inversion.progressions


@pytest.mark.parametrize(
    ("expression", "target", "expected"),
    [
        (X + log(X), side("<", 1), []),
        (X + log(X), side(">", 1), [(2, 9)]),
        (max_(X + log(X), 2 * X - log(X)), side("<=", 2), []),
        (X**2 + log(X) * max_(X, 3 * log(X)), side(">", 0), [(2, 9)]),
    ],
    ids=str,
)
def test_bounds_decide_before_any_method(expression: Any, target: RealSet, expected: list[tuple[float, float]]) -> None:
    inversion = Preimage(X, lambda: Interval(2, 9), {})
    assert ends(inversion.of(expression, target)) == expected
    assert inversion.methods == []


def test_divisors_that_need_not_be_whole_are_parts_of_a_number_for_single_remainders() -> None:
    inversion = Preimage(X, lambda: POSITIVE, {})
    assert inversion.of(mod(60, X), point(0)) == ()
    (parts,) = inversion.progressions
    assert all(Fraction(60, step) in parts for step in (1, 7, 10**9))
    with pytest.raises(NoInverseError):
        Preimage(X, lambda: POSITIVE, {}).of(mod(60, X), side("<=", 1))


@pytest.mark.parametrize(
    ("expression", "target", "expected"),
    [
        ((X**4 - 4) / (X**2 - 2), point(4), []),
        (min_(5, X) / X, side("<=", 1), [(-INF, 0), (0, INF)]),
        (indicator(X > 2) * log(X), point(0), [(0, 2)]),
        (X**3 / 10**12 + X / 10**12 + 1, point(1), [(0, 0)]),
        ((X - 10**20) * (X - 10**20 - 1), side("<", 0), [(10**20, 10**20 + 1)]),
        (atan(X), side(">", 45), [(1, INF)]),
        (sqrt(X), point(1e200), []),
        (exp(X), point(Fraction(10**400, 3)), [(math.log(10**400) - math.log(3),) * 2]),
        (A / 0, ALL, []),
    ],
    ids=lambda value: str(value)[:40],
)
def test_ends_poles_and_sizes_that_are_easily_lost(
    expression: Any, target: RealSet, expected: list[tuple[float, float]]
) -> None:
    result = Preimage(X, lambda: ALL[0], {"a": 3}).of(expression, target)
    assert [end for pair in ends(result) for end in pair] == pytest.approx(
        [end for pair in expected for end in pair], rel=1e-12
    )


numbers = st.fractions(min_value=-6, max_value=6, max_denominator=3)
symbolic = numbers.map(lambda number: ratio(*number.as_integer_ratio()))
lines = st.builds(lambda slope, level: slope * X + level, symbolic.filter(bool), symbolic)
stepped = st.recursive(
    lines,
    lambda inner: st.one_of(
        *(st.builds(function, inner, inner) for function in (max_, min_)),
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, lines),
        st.builds(lambda a, b: a / b, inner, lines),
        *(st.builds(function, inner) for function in (abs_, ceil, floor)),
        st.builds(lambda a, power: a**power, inner, st.sampled_from([2, 3, -1])),
        st.builds(lambda a, b: a * indicator(sympy.Le(b, 0)) + 1, inner, lines),
        st.builds(lambda a, b: mod(a, abs(b)), lines, symbolic.filter(bool)),
        st.builds(lambda a: sqrt(a) if a.has(X) else a, inner),
        st.builds(lambda a: log(a) if a.has(X) else a, lines),
    ),
    max_leaves=3,
)
PROBES = sorted({Fraction(numerator, part) for part in (1, 2, 3, 7) for numerator in range(-8 * part, 8 * part + 1)})


@given(stepped, numbers, st.sampled_from(["=", "<", "<=", ">", ">="]))
@settings(deadline=None, max_examples=50)
def test_a_probe_is_in_the_preimage_just_when_its_value_is_in_the_target(
    expression: Any, level: Fraction, sign: str
) -> None:
    assume(expression.has(X) and not has_no_value(expression))
    inversion, target = Preimage(X, lambda: SMALL, {}), side(sign, level)
    try:
        result = inversion.of(expression, target)
    except NoInverseError:
        return  # left to the search, whose tests have the same formulas
    inexact = [end for interval in result for end, _ in interval.ends if isinstance(end, float)]
    for probe in PROBES:
        try:
            value: Number | None = evaluate(expression, {"x": probe})
        except ArithmeticTrapError:
            value = None
        if value is not None and isinstance(value, float) and math.isclose(value, level, rel_tol=1e-9, abs_tol=1e-9):
            continue
        if not any(math.isclose(end, probe, rel_tol=1e-9, abs_tol=1e-9) for end in inexact):
            expected = value is not None and any(value in interval for interval in target)
            assert any(probe in interval for interval in result) == expected, (probe, value)


def test_a_product_is_zero_where_a_factor_is_and_the_others_have_a_value() -> None:
    assert Preimage(X, lambda: ALL[0], {}).of(X * exp(-X), point(0)) == point(0)
    assert Preimage(X, lambda: ALL[0], {}).of((X - 2) * (X + 3) * log(X), point(0)) == union(point(1), point(2))
    with pytest.raises(NoInverseError):
        Preimage(X, lambda: ALL[0], {}).of(X * exp(-X), point(1))
    assert Preimage(X, lambda: ALL[0], {"a": 0}).of(A * X * exp(-X), point(0)) == ALL


def test_a_product_has_a_sign_where_what_is_left_without_positive_factors_has_it() -> None:
    def of(expression: Expr, target: RealSet) -> RealSet:
        return Preimage(X, lambda: ALL[0], {}).of(expression, target)

    below, not_above = side("<", 0), side("<=", 0)
    assert of((X - 3) * exp(-X), below) == side("<", 3)
    assert of((X - 3) * exp(-X) * (X + 1) ** 2, not_above) == side("<=", 3)
    assert of((X - 3) * exp(-X) * (X + 1) ** 2, below) == union(side("<", -1), meet(side(">", -1), side("<", 3)))
    assert of((X - 3) * (X + 5) * sqrt(X + 2), side(">=", 0)) == union(point(-2), side(">=", 3))
    assert of(exp(1 / X) * (X - 2), not_above) == union(side("<", 0), meet(side(">", 0), side("<=", 2)))
    assert of(log(X) ** 2 * (X - 5), side(">=", 0)) == union(point(1), side(">=", 5))


def test_a_root_whose_power_no_float_holds_is_an_exact_ratio() -> None:
    inversion = Preimage(X, lambda: POSITIVE, {})
    (root,) = inversion.of(X + sqrt(X), point(4.5e-201))
    assert root.lower == Fraction(4.5e-201) ** 2
