"""Roots that derivatives tell: where a formula touches its level, beside poles, and of zero over zero."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import Bounds, Cell

if TYPE_CHECKING:
    from collections.abc import Callable


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


@pytest.mark.parametrize(("level", "count", "proof"), [("3/2", 2, "PROVEN"), (2, 1, "OPEN"), (3, 1, "PROVEN")])
def test_beside_a_pole_of_what_is_infinite_over_infinite(level: object, count: int, proof: str) -> None:
    wait = "1/(8000/87 - x)"  # beside the pole, which no float is, the quotient tends to 2
    values, told = asked(f"sqrt(4*({wait})**2 + 1)/({wait} + 3)", f"y = {level}", 0)
    assert (len(values), told) == (count, Proof[proof])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "level", "root"),
    [
        ("(exp(x) - 1 - x)/x**2", "0.5000001", lambda x: (mpmath.exp(x) - 1 - x) / x**2),
        ("1/x - 1/(exp(x) - 1)", "0.499", lambda x: 1 / x - 1 / (mpmath.exp(x) - 1)),
        ("(exp(x) - exp(-x))/x", "2.001", lambda x: (mpmath.exp(x) - mpmath.exp(-x)) / x),
        ("(log(1 + x) - x)/x**2", "-0.4999", lambda x: (mpmath.log(1 + x) - x) / x**2),
        ("(x - log(1 + x))/(x*log(1 + x))", "0.4999", lambda x: (x - mpmath.log(1 + x)) / (x * mpmath.log(1 + x))),
        ("(sqrt(1 + x) - 1 - x/2)/x**2", "-0.12499", lambda x: (mpmath.sqrt(1 + x) - 1 - x / 2) / x**2),
    ],
)
@pytest.mark.parametrize("sign", ["=", "<=", ">"])
def test_zero_over_zero(formula: str, level: str, root: Callable[[object], object], sign: str) -> None:
    with mpmath.workdps(60):
        at = mpmath.findroot(lambda x: root(x) - mpmath.mpf(level), (1e-6, 1), solver="anderson", tol=1e-40)
    outcome = solve(touching(formula, 0), "x", [f"y {sign} {level}"]).outcomes["x"]
    ends = {float(end) for part in outcome.listed for end, _ in part.ends} - {0, 1000}
    assert [*ends] == [pytest.approx(float(at), rel=1e-14)]
    assert outcome.proof is Proof.PROVEN


@pytest.mark.slow
@given(st.integers(1, 3), st.integers(-300, 300), st.sampled_from(["exp(x)", "exp(-x/3)", "(1 + x**2)", "1"]))
def test_a_root_of_any_order_is_the_only_value(order: int, hundredths: int, factor: str) -> None:
    root = Fraction(hundredths, 100)
    terms = [f"{comb(order, k) * (-root) ** (order - k)}*x**{k}*{factor}" for k in range(order + 1)]
    outcome = solve(touching(" + ".join(terms), None), "x", ["y = 0", "x >= -5", "x <= 5"]).outcomes["x"]
    assert [part.lower for part in outcome.listed] == [root]
    assert not outcome.open


@pytest.mark.parametrize(
    ("relation", "ranges"),
    [
        ("exp(x) > 1 + x + x**2/2", [(0, 10)]),
        ("exp(x) >= 1 + x + x**2/2 + x**3/6", [(-10, 10)]),
        ("x - x**3/6 < (exp(x) - exp(-x))/2", [(0, 10)]),
        ("log(1 + x**2) <= x**2 - x**4/2", [(0, 0)]),
    ],
)
def test_inequalities_of_series(relation: str, ranges: list[tuple[int, int]]) -> None:
    outcome = solve(touching("x", None), "x", [relation, "x >= -10", "x <= 10"]).outcomes["x"]
    assert [(part.lower, part.upper) for part in outcome.listed] == ranges
    assert outcome.proof is not Proof.OPEN


def test_a_root_that_is_touched_at_no_short_number_stays_open_by_itself() -> None:
    outcome = solve(touching("x**2 - 2*x*exp(-x) + exp(-2*x)", None), "x", ["y = 0"]).outcomes["x"]
    (part,) = outcome.open
    assert part.lower <= 0.567143290409783873 <= part.upper <= part.lower * (1 + 1e-14)
