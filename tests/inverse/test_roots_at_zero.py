"""Roots at zero, beside which numbers of all sizes give the level but for rounding: they are no plateau."""

from __future__ import annotations

import math
from typing import cast

import pytest

from flopsheet import Sheet, given, solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import point


class Line(Sheet):
    """A number of either sign."""

    x = given("Number", example=1, minimum=-1e300)


EQUATIONS = (
    "exp(x) + x = 1",
    "exp(x) - x - 1 = 0",
    "exp(x) + 2*x = 1",
    "exp(2*x) + x = 1",
    "exp(x) + exp(-x) + x**2 = 2",
    "exp(x**3) + x**3 = 1",
    "exp(x/7) + x**5 = 1",
)


@pytest.mark.parametrize("equation", EQUATIONS)
def test_zero_is_the_only_root(equation: str) -> None:
    outcome = solve(Line(), "x", [equation]).outcomes["x"]
    assert (outcome.listed, outcome.open, outcome.proof) == (point(0), (), Proof.PROVEN)


def test_a_second_root_is_found_beside_it() -> None:
    listed = solve(Line(), "x", ["exp(x) + x**2 + x = 1"]).outcomes["x"].listed
    assert [float(part.lower) for part in listed] == pytest.approx([-1.51498167, 0], abs=1e-6)
    assert all(part.is_point for part in listed)


class Wait(Sheet):
    """A number from zero on."""

    x = given("Number", example=1)


HARDLY_CHANGING = (
    "-101.3 - 1e-7*x**2*log(2 + x)/7.1",
    "-101.3 + 1e-8*x*sqrt(1 + x)/(2 + x)",
    "3.7 + 1e-8*(exp(x) + x**2)/7.3",
)


@pytest.mark.parametrize("at", [0.39, 0.03])
@pytest.mark.parametrize("output", HARDLY_CHANGING)
def test_zero_is_no_root_where_digits_tell_it_from_one(output: str, at: float) -> None:
    """An output that hardly depends on the input is the same at zero to nine digits: not to those that were asked."""
    goal = cast("float", eval(output, {"x": at, "sqrt": math.sqrt, "log": math.log, "exp": math.exp}))  # noqa: S307
    listed = solve(Wait(), "x", [f"{output} = {goal!r}"]).outcomes["x"].listed
    assert [float(part.lower) for part in listed] == pytest.approx([at], rel=1e-3)
