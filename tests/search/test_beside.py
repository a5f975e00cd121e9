"""What is left open beside a number at which a formula touches its level, or has a pole."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from flopsheet import Sheet, ratio, solve, sqrt
from flopsheet.formulas.parser import parse_formula
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import Interval, side
from flopsheet.search.beside import apart_from_poles, apart_from_touching
from flopsheet.search.one_unknown import Cover
from flopsheet.sheets.cell import Bounds, Cell


def touching(formula: str, lower: float | None) -> Sheet:
    sheet = Sheet("touching")
    bounds = Bounds() if lower is None else Bounds(lower, 1000, lower_closed=False)
    sheet.rows.add_cell(Cell("x", "An input", bounds=bounds))
    sheet.rows.add_cell(Cell("y", "A formula", bounds=Bounds(), formula=parse_formula(formula, ["x"], "y")))
    return sheet


def asked(formula: str, relation: str, lower: float | None = None) -> tuple[list[object], Proof]:
    outcome = solve(touching(formula, lower), "x", [relation]).outcomes["x"]
    return [part.lower for part in outcome.solutions if part.is_point], outcome.proof


@pytest.mark.parametrize(
    ("formula", "at", "lower"),
    [
        ("exp(x) - x - 1", 0, None),
        ("exp(x) + exp(-x) + x**2 - 2", 0, None),
        ("x - 1 - log(x)", 1, 0),
        ("x*log(x) - x + 1", 1, 0),
        ("exp(x - 1) - x", 1, None),
        ("x**x - x", 1, 1e-9),
    ],
)
@pytest.mark.parametrize("sign", ["=", "<="])
def test_where_it_touches_is_the_only_value(formula: str, at: int, lower: float | None, sign: str) -> None:
    assert asked(formula, f"y {sign} 0", lower) == ([at], Proof.PROVEN)


def test_just_above_where_it_touches_there_are_two_values() -> None:
    points, _ = asked("x - 1 - log(x)", "y = 1e-12", 0)
    assert points == pytest.approx([1 - 2**0.5 * 1e-6, 1 + 2**0.5 * 1e-6], rel=1e-11)


def test_just_below_nothing_is_found() -> None:
    assert asked("x - 1 - log(x)", "y = -1e-12", 0)[0] == []


@pytest.mark.parametrize(
    ("formula", "spot"),
    [
        ("exp(x) - 2*x - 1", 0),
        ("exp(x) - x - 3/2", 0.5),
        ("x**3 - x**2", 0),
        ("exp(x) - x - 1 + 1e-9", 0),
        ("max(x**2, x)", 0),
    ],
)
def test_what_does_not_bend_away_from_an_exact_touch_stays_open(formula: str, spot: float) -> None:
    opened = (Interval(spot, 1, lower_closed=False),)
    cover = Cover((Interval(spot, spot),), opened)
    parsed = parse_formula(formula, ["x"], "y")
    assert apart_from_touching(cover, (Interval(0, 0),), parsed, "x", {}) == Cover(cover.values, opened)


@pytest.mark.parametrize(
    ("formula", "sign", "ranges"),
    [
        ("log(x) - x + 1", "<=", [(0, 1000)]),
        ("x*log(x) - x + 1", ">=", [(0, 1000)]),
        ("exp(3*x - 2) - 3*x + 1", ">=", [(0, 1000)]),
        ("exp(3*x - 2) - 3*x + 1", "<", []),
        ("exp(3*x - 2) - 3*x + 1", ">", [(0, Fraction(2, 3)), (Fraction(2, 3), 1000)]),
    ],
)
def test_beside_where_it_touches_an_inequality_holds_throughout_or_nowhere(
    formula: str, sign: str, ranges: list[tuple[object, object]]
) -> None:
    outcome = solve(touching(formula, 0), "x", [f"y {sign} 0"]).outcomes["x"]
    assert [(part.lower, part.upper) for part in outcome.listed] == ranges
    assert outcome.proof is Proof.PROVEN


X, POLE = symbol("x"), Fraction(8000, 87)


@pytest.mark.parametrize(("level", "left"), [(Fraction(3, 2), 0), (2, 2), (10**15, 0), (3, 0)])
@pytest.mark.parametrize("way", [1, -1])
def test_a_quotient_of_what_is_infinite_at_a_pole_is_excluded_beside_it(
    level: int | Fraction, left: int, way: int
) -> None:
    wait = 1 / (way * (ratio(8000, 87) - X))  # 2 at the pole
    formula = sqrt(4 * wait**2 + 1) / (wait + 3)
    below, above = (math.nextafter(float(POLE), end * math.inf) for end in (-1, 1))
    parts = [Interval(below, POLE), Interval(POLE, above), Interval(below, above)]
    # at 2 it is below on one side only
    assert len(apart_from_poles(tuple(parts), side("=", level), formula, "x", {})) == left


def test_what_is_open_without_an_end_stays_open() -> None:
    opened = (Interval(2, math.inf, upper_closed=False),)
    assert apart_from_poles(opened, side("=", 1), 1 / (symbol("x") - 3), "x", {}) == opened
