"""Limits of a count exclude what a search leaves undecided beyond them."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, ceil, formula, given, limit, max_, min_, solve
from flopsheet.inverse.method import Proof


class Fragments(Sheet):
    """Fragments that are late in turn: beyond 1e300, no method decides how long they wait."""

    n = given("Fragments", integer=True, example=18)
    gap = formula(40 / n + n / 50, "", "Lateness of the first fragment")
    late = formula(min_(n, max_(0, ceil(gap * n**2 / (n + 7)))), "", "Late fragments")
    wait = formula(late * (gap - (late - 1) / (2 * n + 1)) / n, "", "Mean wait", signed=True)
    few = limit(n / 40 <= 50, "There are 2000 fragments at most")


@pytest.mark.parametrize("count", [1, 18, 199, 1201, 2000])
def test_what_is_undecided_beyond_a_limit_is_excluded(count: int) -> None:
    sheet = Fragments()
    wait = f"wait = {solve(sheet, 'wait', [f'n = {count}']).value!r}"
    answer = solve(sheet, "n", [wait])
    outcome = answer.outcomes["n"]
    assert outcome.proof is Proof.PROVEN
    assert answer.value == count
    assert outcome.why == f"'{wait}' holds at {count} only, within limit few ('n/40 <= 50')."
    lifted = solve(sheet, "n", [wait], without=["few"]).outcomes["n"]
    assert lifted.proof is Proof.OPEN
    assert [part.lower for part in lifted.solutions] == [count]
