"""A redundant equation may differ from the rest by rounding, and by no more."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import pytest
from mpmath.ctx_mp import MPContext
from tests.published.variables import variables

from flopsheet import Sheet, exp, formula, given, log, max_, solve, sqrt
from flopsheet.errors import OverdeterminedError
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Root(Sheet):
    """A value that floats hold within rounding only."""

    a = given("Square", example=2)
    b = given("Factor", example=1)
    root = formula(sqrt(a) * b, doc="Root")


@pytest.mark.parametrize("digits", ["1.4142135623730951", "1.414213562373", "1.4142135623"])
def test_what_rounding_explains_is_a_check(digits: str) -> None:
    answer = solve(Root(), (), ["a = 2", "b = 1", f"root = {digits}"])
    assert answer.solved


@pytest.mark.parametrize("digits", ["1.41421359", "1.4142134", "1.4142137"])
def test_what_rounding_does_not_explain_is_a_contradiction(digits: str) -> None:
    with pytest.raises(OverdeterminedError, match="root"):
        solve(Root(), (), ["a = 2", "b = 1", f"root = {digits}"])


class Gap(Sheet):
    """A small difference of large numbers, whose logarithm has lost most of its digits."""

    a = given("Square", example=2)
    b = given("Almost its root", example=1.41421356)
    gap = formula(sqrt(a) - b, doc="Difference", signed=True)
    level = formula(log(gap), doc="Its logarithm", signed=True)


LEVEL = math.log(math.sqrt(2) - 1.41421356)


@pytest.mark.parametrize("off", [0, 5e-5, -5e-5])
def test_what_cancels_in_a_logarithm_is_explained_too(off: float) -> None:
    assert solve(Gap(), (), ["a = 2", "b = 1.41421356", f"level = {LEVEL + off:.9f}"]).solved


@pytest.mark.parametrize("off", [1e-3, -1e-3])
def test_a_logarithm_that_is_off_by_more_than_cancels_is_a_contradiction(off: float) -> None:
    with pytest.raises(OverdeterminedError, match="level"):
        solve(Gap(), (), ["a = 2", "b = 1.41421356", f"level = {LEVEL + off:.9f}"])


class Flagged(Sheet):
    """A root that a flag lowers."""

    a = given("Square", example=2)
    flag = given("Flag", example=0, integer=True, minimum=0, maximum=1)
    root = formula(sqrt(a) * exp(-flag) - flag / 4, doc="Lowered root")  # is searched


@pytest.mark.parametrize("sign", ["<", "<="])
def test_a_whole_number_gives_way_to_the_next_where_rounding_alone_keeps_it_out(sign: str) -> None:
    """At 0 the root is below the level by less than its last digit: by floats it is above."""
    level = "1.4142135623730951"
    assert math.sqrt(2) > Fraction(level) > Fraction("1.4142135623730950489")
    answer = solve(Flagged(), "flag", ["a = 2", f"root {sign} {level}"])
    outcome = answer.outcomes["flag"]
    assert outcome.kind == "range"
    assert all(check.holds for check in answer.checks)
    assert [whole for whole in (0, 1) if any(whole in part for part in outcome.listed)] == [0, 1]


def test_a_whole_number_that_rounding_alone_keeps_out_is_left_open() -> None:
    answer = solve(Flagged(), "flag", ["a = 2", "root < 1.4142135623730951", "flag <= 0"])
    outcome = answer.outcomes["flag"]
    assert outcome.kind != "none" or outcome.open


class Branches(Sheet):
    """The longer of two times, of which one is a constant beside the other at the answer."""

    share = given("Share", example=0.5, maximum=1)
    work = given("Work", default=1)
    wait = given("Wait", default=0.25)
    time = formula(max_(work / share, wait) + max_(work / share - 1, wait), doc="Time")


def test_a_root_where_branches_meet_is_one_value() -> None:
    """At share = 0.8 both terms of the second maximum are 0.25."""
    for more in ([], ["work = 1.0000000001", "wait = 0.2500000001"]):
        answer = solve(Branches(), "share", [*more, "time = 1.5"])
        assert len(answer.outcomes["share"].listed) == 1, answer.outcomes["share"].why


@pytest.mark.parametrize("sign", ["<=", ">="])
def test_a_range_that_layers_of_floats_end_at_another_number_is_searched(sign: str, tmp_path: Path) -> None:
    level = 2.718281828459046  # in floats, its logarithm is the number next to 1
    answer = solve(variables(tmp_path, {"x": {"signed": True}}), "x", [f"exp(exp(x)) {sign} {level}"])
    mp = MPContext()
    mp.dps = 40
    assert answer.outcomes["x"].boundary == pytest.approx(float(mp.log(mp.log(level))), rel=1e-14)


ABSOLUTES: dict[str, Callable[[float], float]] = {
    "abs(x**2 - {c})": math.sqrt,
    "abs(exp(x) - {c})": math.log,
    "sqrt(abs(x**3 - {c}))": math.cbrt,
    "max(abs(x**2 - {c}), x - 200)": math.sqrt,
    "exp(abs(x**2 - {c})) - 1": math.sqrt,
}


@pytest.mark.parametrize("text", ABSOLUTES)
@pytest.mark.parametrize("seed", range(4))
def test_what_comes_down_to_zero_at_a_kink_is_zero_there(tmp_path: Path, text: str, seed: int) -> None:
    """No float has the root, so that the formula is above zero by rounding at each: that is no contradiction."""
    level = Random(f"{text} {seed}").randint(2, 900) + Fraction(1, 3)  # noqa: S311  # the same each time
    asked = f"{text.format(c=f'({level})')} = 0"
    outcome = solve(variables(tmp_path, {"x": {"minimum": 0, "maximum": 100}}), "x", [asked]).outcomes["x"]
    assert (outcome.proof, len(outcome.listed)) == (Proof.EXACT, 1)
    assert float(outcome.listed[0].lower) == pytest.approx(ABSOLUTES[text](float(level)), rel=1e-14)
