"""A redundant equation may differ from the rest by rounding, and by no more."""

from __future__ import annotations

import math

import pytest

from flopsheet import Sheet, formula, given, log, solve, sqrt
from flopsheet.errors import OverdeterminedError


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
