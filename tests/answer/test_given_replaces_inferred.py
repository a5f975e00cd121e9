"""A cell that is given replaces what would be inferred for the one from which it follows: 8 replicas are 8."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, ceil, formula, given, solve
from flopsheet.errors import ArithmeticTrapError

SERVED = ["model = llama-3.1-8b", "prompt_len = 1000", "output_len = 200"]
ON_H100 = [*SERVED, "chip = h100"]
RATE, LATENCY = "arrival_rate = 60 request/second", "token_latency <= 12 ms"
SAME = [("n_dp = 8", "answer_replicas = 8"), ("n_chips = 8", "answer_replicas = 8")]


class Scaled(Sheet):
    """Machines, as many as a load takes unless stated."""

    load = given("Load", example=10)
    share = given("Load of a machine", default=2)
    machines = given("Machines", integer=True, inferred=ceil(load / share))
    racks = formula(2 * machines, "", "Racks", integer=True)
    delay = formula(load / machines, "", "Delay")


@pytest.mark.parametrize(("stated", "meant"), SAME)
def test_what_is_asked_at_given_replicas_is_that_of_as_many_inferred(stated: str, meant: str) -> None:
    for unknown, relation in (("token_latency", RATE), ("arrival_rate", LATENCY)):
        one, other = (solve("serving", unknown, [*ON_H100, relation, own]).outcomes[unknown] for own in (stated, meant))
        assert (one.kind, one.listed, one.si) == (other.kind, other.listed, other.si)


@pytest.mark.slow
def test_names_are_tried_with_the_replicas_that_are_given() -> None:
    chips = ["chip.vendor = nvidia", "chip.memory >= 180 GB", RATE, LATENCY]
    one, other = (solve("serving", "chip", [*SERVED, *chips, own]) for own in SAME[0])
    assert [own.value for own in one.alternatives] == [own.value for own in other.alternatives] != []


def test_both_disaggregated_counts_take_theirs() -> None:
    chips = ["decode.chip = h100", "prefill.chip = h100", "answer_replicas = 6"]
    answer = solve("disaggregated_serving", "arrival_rate", [*SERVED, *chips, "n_chips = 8", LATENCY])
    assert answer.cells["prompt_replicas"].value == 2


@pytest.mark.parametrize("relation", ["delay <= 3", "delay = 3"])
def test_an_input_is_found_at_machines_that_are_given(relation: str) -> None:
    answer = solve(Scaled, "load", ["racks = 16", relation])
    assert answer.value == 24
    assert answer.cells["machines"].value == 8


def test_without_another_relation_the_input_makes_what_is_given() -> None:
    (part,) = solve(Scaled, "load", ["racks = 16"]).outcomes["load"].listed
    assert (part.lower, part.upper) == (14, 16)


def test_what_is_given_decides_forward_too() -> None:
    assert solve(Scaled, "delay", ["racks = 16", "load = 40"]).value == 5


def test_replicas_that_are_given_need_no_usual_load() -> None:
    """Where the model fits on no chip, no usual load has a value; limits say so whether replicas are given or not."""
    known = ["model = llama-3-70b", "chip = h100", "prompt_len = 2000", "output_len = 500", RATE]
    for more in ([], ["n_chips = 24"]):
        with pytest.raises(ArithmeticTrapError, match="limit weights_fit"):
            solve("serving", "token_latency", [*known, *more])
