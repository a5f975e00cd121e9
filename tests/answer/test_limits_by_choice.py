"""An equation with a choice in it is judged by the branch that is taken, also where it is quoted."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, choice, equal, formula, given, limit, max_, select, solve


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


class Quarter(Sheet):
    """A count, and a quarter of it."""

    mode = choice("whole", "quarter", doc="What the limit bounds", default="whole")
    count = given("Count", integer=True, minimum=1, maximum=30)
    quarter = formula(count / 4, "", "Quarter")
    high = limit(select(mode, whole=count, quarter=quarter) >= 15, "High enough")


@pytest.mark.parametrize("relations", [(), ("select(mode, whole=count, quarter=quarter) >= 15",)])
def test_a_branch_that_no_number_meets_is_told(relations: tuple[str, ...]) -> None:
    """The reason is that of the branch that is taken: it crashed, as did names of which one meets no limit."""
    outcome = solve(Quarter, "count", ["mode = quarter", *relations]).outcomes["count"]
    assert outcome.kind == "none"
    assert "quarter cannot rise above 7.5" in outcome.why
    ranking = solve(Quarter, ["mode", "count"], relations).ranking
    assert ranking is not None
    assert [own.text for own in ranking.working] == ["whole"]
