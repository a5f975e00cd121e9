"""An equation with a choice in it is judged by the branch that is taken, also where it is quoted."""

from __future__ import annotations

from flopsheet import Sheet, choice, equal, given, limit, max_, select, solve


class Ranks(Sheet):
    """Ranks that share heads, or sequences."""

    split = choice("heads", "sequences", doc="What ranks divide", default="heads")
    width = given("Heads of a rank")
    n_ranks = given("Ranks", default=4, integer=True)
    most = given("Heads at most", default=12)
    bounded = limit(equal(max_(select(split, heads=width * n_ranks, sequences=0), most), most), "No more than these")


def test_a_range_that_meets_it() -> None:
    answer = solve(Ranks, "width", ["width <= 100"])
    assert [(part.lower, part.upper) for part in answer.outcomes["width"].listed] == [(0, 3)]
    assert "limit bounded" in str(answer)
