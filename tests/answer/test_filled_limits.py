"""Limits that a default fills up say nothing of how much room there is."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, choice, floor, formula, given, limit, select, solve
from flopsheet.answer.verification.checks import with_room


class Server(Sheet):
    """A server that takes as many sequences as memory holds."""

    size = choice("small", "large", "huge", doc="Size of the model", default="small")
    memory = given("Memory of a chip", "GiB", default=80)
    small = given("Memory of a sequence of the small model", "GiB", default=3)
    large = given("Memory of a sequence of the large one", "GiB", default=7)
    huge = given("Memory of a sequence of the huge one", "GiB", default=90)
    cache = formula(select(size, small=small, large=large, huge=huge), "GiB", "Memory of a sequence")
    pace = formula(select(size, small=3, large=1, huge=4), "", "Requests at once that a sequence takes")
    n_sequences = given("Sequences: as many as memory holds", inferred=floor(memory / cache), integer=True, minimum=0)
    load = given("Requests at once", default=20)
    held = formula(n_sequences * cache, "GiB", "Memory of all sequences")
    fits = limit(held <= memory, "They have room")
    keeps_up = limit(load <= pace * n_sequences, "All are answered")


def test_names_are_ranked_by_the_other_limits() -> None:
    ranking = solve(Server, "size", {"load": "10"}).ranking
    assert ranking is not None
    assert ranking.options("size") == ["small", "large"]  # 78 of 80 GiB, 26 places of which 10 are used; 77, 11
    assert [round(candidate.room or 0, 3) for candidate in ranking.working] == [0.872, 0.091]


@pytest.mark.parametrize(("question", "names"), [({}, ["keeps_up"]), ({"n_sequences": "26"}, ["fits", "keeps_up"])])
def test_a_number_that_is_given_leaves_the_room_that_it_leaves(question: dict[str, str], names: list[str]) -> None:
    answer = solve(Server, (), question)
    assert [check.relation.name for check in with_room(answer, answer.limits)] == names
