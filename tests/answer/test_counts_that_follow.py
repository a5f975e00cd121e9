"""A count whose default gives way to what is given: it is told, and no whole number is no answer."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, formula, given, solve
from flopsheet.errors import OverdeterminedError

LAYOUT = ["model = llama-3.1-70b", "system = hgx-h200", "n_dp = 4", "n_tp = 8", "seq_len = 4096", "batch = 64"]


class Ranks(Sheet):
    """Ranks of two kinds."""

    n_rows = given("Rows", integer=True, default=1)
    n_columns = given("Columns", integer=True, example=4)
    n_ranks = formula(n_rows * n_columns, "", "Ranks", integer=True)
    work = given("Work", example=100)
    share = formula(work / n_ranks, "", "Work of a rank")


def test_a_fraction_that_would_follow_is_refused() -> None:
    with pytest.raises(OverdeterminedError) as caught:
        solve("training_step", (), [*LAYOUT, "n_pp = 3", "n_chips = 128"])
    assert caught.value.where == "cell 'n_cp'"
    assert caught.value.problem == "It would be 1.333 by 'n_chips = 128', which is no whole number."


@pytest.mark.parametrize("unknown", [(), ("work",)])
def test_it_is_refused_whatever_is_asked(unknown: tuple[str, ...]) -> None:
    beside = "share = 5" if unknown else "work = 100"
    with pytest.raises(OverdeterminedError, match=r"It would be 2\.5 by 'n_ranks = 10'"):
        solve(Ranks, unknown, ["n_columns = 4", "n_ranks = 10", beside])
    assert solve(Ranks, unknown, ["n_columns = 4", "n_ranks = 8", beside]).cells["n_rows"].value == 2


def test_a_count_that_follows_is_told_with_its_number() -> None:
    page = solve("training_step", (), [*LAYOUT, "n_pp = 4", "n_chips = 256"]).derivation()
    assert "n_cp = 2 (1 by default)" in page
