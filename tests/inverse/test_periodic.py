"""Remainders, sines, cosines and tangents turned round, against probes; and whether all answers are there."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.formulas.code import compiled
from flopsheet.formulas.parser import parse_formula
from flopsheet.functions import BY_NODE, symbol
from flopsheet.functions.angles import Cos, Sin, Tan
from flopsheet.functions.rounding import REMAINDER, Mod
from flopsheet.inverse.method import Proof
from flopsheet.inverse.peel import FIRST_PERIODS, MOST_PERIODS, repeated, shifts
from flopsheet.numbers.sets import ALL, EMPTY, Interval, RealSet, point, side
from flopsheet.numbers.spans import between
from flopsheet.sheets.cell import ANY, Bounds, Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.units import Number

X = symbol("x")
INF = math.inf
WAYS: dict[Any, Callable[[float], float]] = {
    Sin: lambda angle: math.sin(math.radians(angle)),
    Cos: lambda angle: math.cos(math.radians(angle)),
    Tan: lambda angle: math.tan(math.radians(angle)),
}


def inverted(function: Any, target: RealSet, span: tuple[Number, Number], divisor: Number = 0) -> RealSet:
    entry, node = BY_NODE[function], function(symbol("x"), 7) if function is Mod else function(symbol("x"))
    once, period = entry.preimage(node, 0, target, divisor), entry.period(divisor)
    result, more = repeated(once, period, between(*span))
    assert not more
    return result


def has(numbers: RealSet, value: Number) -> bool:
    return any(value in interval for interval in numbers)


@pytest.mark.parametrize(
    ("function", "target", "span", "expected"),
    [
        (Sin, point(1), (0, 720), [(90, 90), (450, 450)]),
        (Sin, point(Fraction(1, 2)), (0, 360), [(30, 30), (150, 150)]),
        (Sin, side(">=", Fraction(1, 2)), (0, 400), [(30, 150), (390, 510)]),
        (Sin, point(2), (0, 360), []),
        (Sin, side("<=", 1), (0, 360), [(0, 360)]),
        (Cos, point(0), (-180, 180), [(-90, -90), (90, 90)]),
        (Cos, side("<", 0), (0, 360), [(90, 270)]),
        (Cos, point(-1), (0, 1000), [(180, 180), (540, 540), (900, 900)]),
        (Tan, point(1), (0, 360), [(45, 45), (225, 225)]),
        (Tan, side(">", 1), (0, 180), [(45, 90)]),
        (Tan, side("<=", 0), (0, 270), [(-90, 0), (90, 180)]),
    ],
)
def test_angles(
    function: Any, target: RealSet, span: tuple[Number, Number], expected: list[tuple[float, float]]
) -> None:
    result = inverted(function, target, span)
    assert [end for interval in result for end in (interval.lower, interval.upper)] == pytest.approx(
        [end for pair in expected for end in pair], rel=1e-12, abs=1e-12
    )


def test_a_pole_of_the_tangent_is_left_out() -> None:
    result = inverted(Tan, ALL, (0, 360))
    assert not has(result, 90)
    assert not has(result, 270)
    assert all(has(result, value) for value in (0, 89, 91, 180, 360))


@pytest.mark.parametrize("divisor", [5, -5, Fraction(7, 3), 0.25])
@pytest.mark.parametrize("sign", ["=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("level", [0, 1, -1, Fraction(1, 2), 7, -7])
def test_a_remainder_holds_just_where_probes_say(divisor: Number, sign: str, level: Number) -> None:
    target = side(sign, level)
    result = inverted(Mod, target, (-12, 12), divisor)
    for probe in {Fraction(step, 6) for step in range(-72, 73)} | {Fraction(divisor) * step for step in range(-2, 3)}:
        assert has(result, probe) == has(target, REMAINDER.exact(probe, Fraction(divisor))), probe


def test_a_divisor_of_zero_leaves_nothing() -> None:
    assert inverted(Mod, ALL, (0, 10), 0) == EMPTY


targets = st.tuples(st.floats(-2, 2), st.floats(-2, 2)).map(lambda ends: (Interval(min(ends), max(ends)),))


@given(st.sampled_from([Sin, Cos, Tan]), targets, st.floats(-500, 500), st.floats(1, 900))
@settings(deadline=None, max_examples=60)
def test_an_angle_is_found_just_when_its_value_is_in_the_target(
    function: Any, target: RealSet, start: float, width: float
) -> None:
    result = inverted(function, target, (start, start + width))
    ends = [end for interval in target for end in (interval.lower, interval.upper)]
    for step in range(101):
        probe = start + width * step / 101
        value = WAYS[function](probe)
        if not any(math.isclose(value, end, rel_tol=1e-9, abs_tol=1e-9) for end in ends):
            assert has(result, probe) == has(target, value), probe


@given(
    st.tuples(st.integers(-50, 50), st.integers(0, 80)).map(lambda pair: (pair[0], sum(pair))),
    st.fractions(min_value=Fraction(1, 3), max_value=9, max_denominator=6),
    st.fractions(min_value=0, max_value=9, max_denominator=6),
)
@settings(deadline=None, max_examples=60)
def test_all_numbers_with_a_remainder_within_a_reach(span: tuple[int, int], divisor: Fraction, rest: Fraction) -> None:
    result = inverted(Mod, point(rest), span, divisor)
    first = math.ceil((span[0] - rest) / divisor)
    last = math.floor((span[1] - rest) / divisor)
    wanted = [rest + divisor * time for time in range(first, last + 1)] if rest < divisor else []
    assert [interval.lower for interval in result] == wanted


@pytest.mark.parametrize("span", [(-INF, INF), (0, INF), (-INF, 0), (0, 5 * MOST_PERIODS + 20)])
def test_an_endless_reach_is_not_complete(span: tuple[Number, Number]) -> None:
    result, more = repeated(point(2), 5, between(*span))
    assert more
    assert not any(interval.lower in part for interval in result for part in more)
    assert FIRST_PERIODS - 3 <= len(result) <= FIRST_PERIODS
    assert all(REMAINDER.exact(interval.lower, 5) == 2 for interval in result)
    assert not shifts(between(*span), 5)[1]


def test_a_remainder_that_may_be_anything_holds_everywhere() -> None:
    node = Mod(X, 5)
    once, period = REMAINDER.preimage(node, 0, side("<", 10), 5), REMAINDER.period(5)
    assert repeated(once, period, between(-INF, INF)) == (ALL, EMPTY)
    assert repeated(EMPTY, period, between(-INF, INF)) == (EMPTY, EMPTY)


@pytest.mark.parametrize(
    ("relation", "first", "last"),
    [
        ("mod(max(n, 4), min(max(n, 1), 1)) = 0", 0, INF),
        ("mod(n**2 - 3*n, min(1, n + 1)) = 0", 0, INF),
        ("mod(max(n, 4), min(max(n, 1), 1)) = 1/2", None, None),
        ("mod(floor(8/n), min(n + 1, 1)) = 0", 1, INF),  # none at 0
    ],
)
def test_whole_numbers_leave_nothing_by_one(relation: str, first: int | None, last: float | None) -> None:
    sheet = Sheet("heads")
    sheet.rows.add_cell(Cell("n", "A count", integer=True))
    outcome = solve(sheet, "n", [relation]).outcomes["n"]
    assert not outcome.open
    parts = outcome.listed
    assert (parts[0].lower, parts[-1].upper) == (first, last) if first is not None else not parts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "level", "last"),
    [
        ("mod(x, 3) + mod(x, 5) + mod(x, 7)", 12, 20_000),
        ("mod(x*x, 1000)", 249, 20_000),
        ("mod(3*x + 5, 7) - mod(x, 3)", 0, 15_000),
    ],
)
def test_whole_numbers_that_bounds_do_not_decide_are_told_by_one_period(formula: str, level: int, last: int) -> None:
    sheet = Sheet("counts")
    sheet.rows.add_cell(Cell("x", "A count", bounds=Bounds(1, last), integer=True))
    sheet.rows.add_cell(Cell("y", "A remainder", bounds=ANY, formula=parse_formula(formula, ["x"], "y")))
    outcome = solve(sheet, "x", f"y = {level}").outcomes["x"]
    numbers = [n for part in outcome.listed for n in range(int(part.lower), int(part.upper) + 1)]
    wholes = compiled(sheet.cells["y"].formula).exact
    assert numbers == [n for n in range(1, last + 1) if wholes(n) == level]
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize(
    ("relation", "values", "proof"),
    [
        ("mod(7, x) = 1", [Fraction(6, 5), Fraction(3, 2), 2, 3, 6], Proof.EXACT),
        ("2*x + mod(7, x) = 12", [5], Proof.PROVEN),
        ("x + mod(x, 1/10) = 9.1134", [Fraction(90567, 10**4), Fraction(91067, 10**4)], Proof.PROVEN),
    ],
)
def test_beside_a_jump_nothing_is_open(relation: str, values: list[Number], proof: Proof) -> None:
    sheet = Sheet("jumps")
    sheet.rows.add_cell(Cell("x", "A number", bounds=Bounds(Fraction(1, 10), 10)))
    outcome = solve(sheet, "x", relation).outcomes["x"]
    assert [part.lower for part in outcome.listed] == values
    assert outcome.proof is proof


def test_what_is_searched_is_looked_for_among_the_multiples_that_others_leave() -> None:
    sheet = Sheet("multiples")
    sheet.rows.add_cell(Cell("x", "A count", bounds=Bounds(1, 100_000), integer=True))
    outcome = solve(sheet, "x", ["mod(x**2, 16) = 9", "mod(x, 35) = 17"]).outcomes["x"]
    assert [part.lower for part in outcome.listed][:3] == [157, 227, 437]
