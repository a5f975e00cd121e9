"""Sums that cancel near 1 are searched without the 1: their one root is proven, all sizes from 0 to infinity."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from unittest.mock import Mock

import mpmath
import pytest
import sympy
from tests.published.variables import variables

from flopsheet import Sheet, ceil, exp, floor, formula, given, log, max_, solve, sqrt
from flopsheet.formulas.cancelling.places import factors_of
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.program import Program, program_of
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.method import Proof
from flopsheet.numbers.spans import Span
from flopsheet.search.field import Field
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.functions import Expr
    from flopsheet.units import Number

X, Y, N = symbol("x"), symbol("y"), symbol("n")

EQUATIONS = [
    ("x*(1 - exp(-1/x)) = 0.999999", False),
    ("200000*x/(1 - (1 + x)**(-360)) = 556", False),
    ("200000*x/(1 - (1 + x)**(-360)) = 1050", False),
    ("(exp(x) - 1)/x = 1.000001", False),
    ("x/(exp(x) - 1) = 0.5", False),
    ("x/(1 - exp(-x)) = 1.01", True),
    ("(1 - exp(-x))/x = 0.9999", False),
    ("x*(1 - (1 - 1/x)**100) = 99", False),
    ("x*log(1 + 1/x) = 0.9999", False),
    ("(3 - 3*exp(-x/7))/x = 0.42857", False),
    ("((1 + x)**40 - 1)/x = 40.001", False),
    ("sqrt(x + 1) - sqrt(x) = 1e-6", False),
    ("sqrt(x**2 + 1) - x = 1e-9", False),
    ("sqrt(x**2 + 1) - x = 5", True),
    ("(-x + sqrt(x**2 + 84))/6 = 1e-6", False),
    ("(x**3 + 5)**(1/3) - x = 1e-8", False),
    ("(x + 1)**3 - x**3 = 3e20", False),
]


@pytest.mark.parametrize(("relation", "signed"), EQUATIONS)
def test_one_root_is_proven(tmp_path: Path, relation: str, signed: bool) -> None:
    outcome = solve(variables(tmp_path, {"x": {"signed": signed}}), "x", [relation]).outcomes["x"]
    (root,) = outcome.listed
    assert outcome.proof is not Proof.OPEN
    left, right = re.sub(r"(exp|log|sqrt)", r"mpmath.\1", relation).replace("1/3", "mpmath.mpf(1)/3").split("=")
    with mpmath.workdps(60):
        sides = [
            eval(left, {"mpmath": mpmath, "x": mpmath.mpf(float(root.lower)) * (1 + sign * mpmath.mpf(10) ** -12)})  # noqa: S307
            for sign in (-1, 1)
        ]
        assert (sides[0] - mpmath.mpf(right.strip())) * (sides[1] - mpmath.mpf(right.strip())) < 0


@pytest.mark.parametrize(
    "relation", ["x*(1 - exp(-1/x)) >= 1", "x*log(1 + 1/x) > 1", "(1 - exp(-x))/x >= 1", "sqrt(x**2 + 1) - x <= 0"]
)
def test_a_value_that_is_only_approached_is_not_met(tmp_path: Path, relation: str) -> None:
    outcome = solve(variables(tmp_path, {"x": {}}), "x", [relation]).outcomes["x"]
    assert not outcome.listed


SUMS = [
    (1 - exp(-X), 1e-20),
    (exp(X) - 1, 1e-20),
    (3 * N - 3 * N * exp(-X), 6e-20),
    ((1 + X) ** 5 - 1, 5e-20),
    (7 + exp(X) - 1, 7),
    (log(1 + X), 1e-20),
    (N - N / (1 + X), 2e-20),
    (sqrt(N**2 + X) - N, 2.5e-21),
    (3 * (N + X) ** 4 - 3 * N**4, 9.6e-19),
    (1 / (N + X) - 1 / N, -2.5e-21),
]


@pytest.mark.parametrize(("formula", "value"), SUMS, ids=[str(formula) for formula, _ in SUMS])
def test_bounds_keep_their_digits(formula: Expr, value: float) -> None:
    bounds = Field(program_of(formula), "x", {"n": 2}).bounds(Span(1e-20, 1e-20))
    assert float(bounds.low) == pytest.approx(value, rel=1e-13, abs=0)
    assert float(bounds.high) == pytest.approx(value, rel=1e-13, abs=0)


def test_a_sum_cancels_across_cells() -> None:
    program = Program([("survival", exp(-X)), ("failure", 1 - symbol("survival"))], symbol("failure") / X)
    bounds = Field(program, "x", {}).bounds(Span(1e-18, 1e-17))
    assert 0.099 < bounds.low < bounds.high < 10.1


@pytest.mark.parametrize(
    "formula", [2 - exp(-X), 1 + exp(X), N - exp(X), 1 - X**3, log(2 + X), 1 - 2 * exp(X), sqrt(X + 1) - sqrt(X + 2)]
)
def test_a_sum_that_does_not_cancel_near_one_stays(formula: Expr) -> None:
    names = {operation.node.func.__name__ for operation in program_of(formula).operations.values()}
    assert names.isdisjoint({"exp_less_one", "power_less_one", "log_one_plus", "power_difference"})


def test_a_sum_of_many_terms_takes_work_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each term is split into its factors once, though any two of them could cancel."""
    factors = Mock(wraps=factors_of)
    monkeypatch.setattr("flopsheet.formulas.cancelling.sums.factors_of", factors)
    formula = sum((symbol(f"c{place}") * exp(-X / place) for place in range(1, 400)), sympy.Integer(-1))
    Program((), formula)
    assert factors.call_count == 400


@pytest.mark.parametrize("count", [3, 300])
def test_two_terms_that_cancel_are_found_among_many(count: int) -> None:
    others = sum((symbol(f"c{place}") for place in range(count)), sympy.Integer(0))
    program = program_of(others + 1 - exp(-X))
    assert "exp_less_one" in {operation.node.func.__name__ for operation in program.operations.values()}


@pytest.mark.parametrize(
    "formula", [X * floor(N / X), X * ceil(N / X), 3 * N * X * floor(Y / (2 * X)), X * floor(-N / X)]
)
@pytest.mark.parametrize("size", [1e-9, 0.02, 1.7, 40])
def test_a_whole_multiple_is_bounded_by_its_divisor(formula: Expr, size: float) -> None:
    values: dict[str, Number | str] = {"n": 12, "y": 31}
    field = Field(program_of(formula), "x", values)
    bounds = field.bounds(Span(size, 1.3 * size))
    for share in (0, 0.17, 0.5, 0.83, 1):
        at = size * (1 + 0.3 * share)
        assert bounds.low <= float(evaluate(formula, {**values, "x": at})) <= bounds.high
    assert bounds.high - bounds.low <= 3 * 12 * 1.3 * size * 1.01 + 1e-6


def test_the_larger_of_one_cell_twice_less_that_cell_is_zero() -> None:
    class Twice(Sheet):
        """A cell under two names."""

        x = given("A number")
        first = formula(x, "", "The number")
        again = formula(x, "", "The same")
        largest = formula(max_(first, again), "", "The larger")

    assert solve(Twice(), "x", ["largest <= x"]).outcomes["x"].kind == "range"
    assert solve(Twice(), "x", ["largest > x"]).outcomes["x"].kind == "none"


SPREAD = """
sheet: spread
title: A total less one of its parts, and that part
cells:
  x: {doc: Variable, signed: true}
  scale: {doc: Factor, default: 3/7}
  part: {doc: Part, signed: true, formula: log(x)}
  rest: {doc: The others, signed: true, formula: exp(x) - part}
  total: {doc: Both, signed: true, formula: scale*rest + scale*part}
"""


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("total = 3", [math.log(7), math.log(7)]),
        ("total = 0.3", []),  # exp(x) = 0.7 is below zero, where the logarithm has no value
        ("total >= 0.3", [0, math.inf]),
        ("total <= 3", [0, math.log(7)]),
    ],
)
def test_what_is_taken_off_and_added_again_cancels(relation: str, expected: list[float]) -> None:
    outcome = solve(parse_sheet(SPREAD, "spread"), "x", [relation]).outcomes["x"]
    assert outcome.proof is not Proof.OPEN
    assert [float(end) for part in outcome.listed for end, _ in part.ends] == pytest.approx(expected)
