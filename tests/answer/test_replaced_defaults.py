"""A number that a question gives replaces the default formula behind it, where an inequality bounds the unknown."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, ceil, formula, given, solve


class Service(Sheet):
    """Requests over replicas, of which the usual number leaves a margin."""

    rate = given("Requests per second", "request/second", maximum=1e6)
    work = given("Time of a replica per request", "second", default="0.5 second")
    margin = given("Share of the time that replicas are busy at most", default=0.8, maximum=1)
    chips_each = given("Chips of a replica", default=8, integer=True)
    replicas = given("Replicas", inferred=ceil(rate * work / margin), integer=True, maximum=1000)
    n_chips = formula(replicas * chips_each, "chip", "Chips", integer=True)
    load = formula(rate * work / replicas, "", "Share of the time that they are busy")


SHEET = Service()


@pytest.mark.parametrize(("bound", "rate"), [("load <= 0.9", 3.6), ("load <= 0.5", 2), ("load < 1", 4)])
def test_the_bound_decides_and_not_the_margin(bound: str, rate: float) -> None:
    answer = solve(SHEET, "rate", ["n_chips = 16", bound])
    (part,) = answer.outcomes["rate"].listed
    assert float(part.upper) == pytest.approx(rate)
    assert "replicas" in answer.dropped_defaults


def test_without_a_bound_the_usual_number_gives_the_unknown() -> None:
    (part,) = solve(SHEET, "rate", ["n_chips = 16"]).outcomes["rate"].listed
    assert (float(part.lower), float(part.upper)) == (1.6, 3.2)


def test_the_usual_number_stays_where_it_is_not_given() -> None:
    assert solve(SHEET, "n_chips", ["rate = 3 request/second", "load <= 0.9"]).value == 16
