"""Limits on whole numbers that every whole number meets, beside those that few meet."""

from __future__ import annotations

from flopsheet import Sheet, equal, formula, given, limit, mod, solve


class Layout(Sheet):
    """Chips in groups."""

    n_groups = given("Groups", maximum=1000, integer=True)
    n_members = given("Members of a group", default=8, integer=True)
    n_chips = formula(n_groups * n_members, "chip", "Chips", integer=True)
    share = formula(100 / n_groups, "", "Share of a group")
    whole_groups = limit(equal(mod(n_chips, n_members), 0), "Groups are whole")


def test_every_whole_number_is_a_range() -> None:
    outcome = solve(Layout(), "n_groups", ["share <= 6"]).outcomes["n_groups"]
    assert (outcome.kind, outcome.whole, outcome.limits) == ("range", 17, ())
    assert [(float(part.lower), float(part.upper)) for part in outcome.solutions] == [(100 / 6, 1000)]


def test_divisors_are_few() -> None:
    outcome = solve(Layout(), "n_members", ["n_groups = 24/n_members", "share <= 30"]).outcomes["n_members"]
    assert [float(part.lower) for part in outcome.solutions] == [1, 2, 3, 4, 6]
    assert outcome.limits == ("whole_groups",)
