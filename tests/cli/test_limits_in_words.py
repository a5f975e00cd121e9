"""A limit of formulas that does not hold, or that leaves nothing, says in words what it demands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import Sheet, given, limit, mod, solve

if TYPE_CHECKING:
    from tests.cli.conftest import Run

PLAN = ["model=llama-3-70b", "chip=h100-sxm", "n_tp=8", "n_dp=24", "seq_len=8192", "batch=96"]


class Pairs(Sheet):
    """Gloves."""

    n_gloves = given("Gloves", example=4, integer=True)
    n_hands = given("Hands", example=4, integer=True)
    paired = limit(mod(n_gloves, 2 + n_hands - n_hands) <= 0, "Gloves are in pairs: a left one has a right one")
    enough = limit(n_gloves >= n_hands, "Each hand has one")


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_broken_limit_of_formulas_says_what_it_means(form: str, run: Run) -> None:
    _, told, _ = run("solve", "training_plan", "step_time", *PLAN, "n_sites=3", "--as", form)
    assert "Several sites synchronize" in " ".join(told.split())


def test_a_limit_of_cells_says_it_itself() -> None:
    answer = solve(Pairs(), [], ["n_gloves = 3", "n_hands = 4"])
    failures = sorted(check.failure for check in answer.broken)
    assert failures[0] == "limit enough ('n_gloves >= n_hands') does not hold: 3 is less than 4"
    assert "': Gloves are in pairs) does not hold: 1 is more than 0" in failures[1]


def test_a_limit_that_leaves_nothing_says_what_it_means() -> None:
    answer = solve(Pairs(), "n_gloves", ["n_hands = 3", "n_gloves <= 3"])
    assert "Gloves are in pairs" in answer.outcomes["n_gloves"].why
