"""A redundant equation may differ from the rest by rounding, and by no more."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, formula, given, solve, sqrt
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
