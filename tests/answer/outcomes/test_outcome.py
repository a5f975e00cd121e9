"""What kind of answer a set of solutions is, and which relation sets its end."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, formula, given, solve, sqrt


class Root(Sheet):
    """A bound that floats miss by their last digit."""

    a = given("Square", example=2)
    b = given("Factor", example=1)
    root = formula(sqrt(a) * b, doc="Root")


@pytest.mark.parametrize(("square", "bound"), [(3, "1732.0508075688774"), (7, "2645.7513110645905")])
def test_an_end_within_rounding_of_a_whole_number_is_still_set_by_its_relation(square: int, bound: str) -> None:
    answer = solve(Root(), "b", [f"a = {square}", f"root <= {bound}"])
    outcome = answer.outcomes["b"]
    assert outcome.kind == "range"
    assert outcome.boundary == pytest.approx(1000, rel=1e-12)
    assert outcome.deciding is not None
    assert outcome.deciding.text == f"root <= {bound}"
    assert str(outcome.closed_form).endswith("/sqrt(a)")
