"""A later question with other numbers has the answer that it has by itself, whatever was kept of earlier ones."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest

import flopsheet
from flopsheet import Answer, Sheet, ceil, exp, formula, given, solve

SHARDS = {"d_model": 16384, "d_ff": 53248, "n_blocks": 126, "batch": 128, "seq_len": 1024, "chip": "tpu-v5p"}
QUESTIONS: list[tuple[str, list[str], list[dict[str, Any]]]] = [
    ("n_fsdp", ["device_memory <= {} GiB"], [SHARDS, SHARDS | {"batch": 256}, SHARDS | {"chip": "h100-sxm"}, SHARDS]),
    ("d_model", ["device_memory = {} GiB"], [{**SHARDS, "n_fsdp": 64}, {**SHARDS, "n_fsdp": 128}]),
]


def _shown(answer: Answer) -> tuple[str, ...]:
    return str(answer), answer.derivation(), repr(answer.outcomes)


@pytest.mark.slow
@pytest.mark.parametrize(("unknown", "goals", "given"), QUESTIONS, ids=[unknown for unknown, _, _ in QUESTIONS])
def test_a_later_question_is_answered_as_by_itself(unknown: str, goals: list[str], given: list[dict[str, Any]]) -> None:
    asked = [
        [f"{name} = {value}" for name, value in known.items() if name != unknown] + [goal.format(at) for goal in goals]
        for known in given
        for at in (80, 90, "70.5", 5, 80)
    ]
    later = [_shown(solve("ffn_memory", unknown, relations)) for relations in asked]
    for relations, shown in zip(asked, later, strict=True):
        flopsheet.reload()
        assert _shown(solve("ffn_memory", unknown, relations)) == shown


class Steps(Sheet):
    """Relations of which no exact method inverts each."""

    x = given("Rate", example=1, minimum=0)
    k = given("Factor", example=2)
    y = formula(x * exp(x) + k, "", "Growth")
    z = formula(ceil(k * y) + x, "", "Steps")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["y", "z"])
def test_what_a_search_keeps_does_not_change_a_later_answer(way: str) -> None:
    asked = [["k = 2", f"{way} = {at}"] for at in (5, "5.25", 7, 1, 5)] + [["k = 2.5", f"{way} = 7"]]
    later = [_shown(solve(Steps(), "x", relations)) for relations in asked]
    for relations, shown in zip(asked, later, strict=True):
        flopsheet.reload()
        assert _shown(solve(Steps(), "x", relations)) == shown


def test_what_was_seen_is_kept_while_other_cells_have_the_same_values() -> None:
    answers = [solve(Steps(), "x", [f"k = {k}", f"y = {y}"]) for k, y in ((2, 5), (2, 6), ("2.0", 7), (3, 7), (2, 7))]
    chains = [answer.outcomes["x"].condition for answer in answers]
    known = [condition.chain.known for condition in chains if condition is not None]
    assert known[0] is known[1] is known[2]
    assert len(set(map(id, known[2:]))) == 3


class Shop(Sheet):
    """Beside the unknown a cell that may be below zero, and a count that may be fractional."""

    people = given("People", example=3, minimum=0)
    price = given("Price of a box", example=2, minimum=0)
    boxes = formula(people / 2, "", "Boxes", integer=True)
    room = formula(20 - people, "", "Seats that are left")
    cost = formula(price * people, "", "Cost")


def test_what_one_is_wary_of_is_told_each_time() -> None:
    for people, says in ((25, ["room", "boxes"]), (25, ["room", "boxes"]), (4, []), (25, ["room", "boxes"])):
        for cost in (50, 75):
            warnings = solve(Shop(), "price", [f"people = {people}", f"cost = {cost}"]).warnings
            assert [warning.split()[0] for warning in warnings] == says


def test_threads_share_nothing_that_is_kept() -> None:
    alone = [solve(Steps(), "x", ["k = 2", f"y = {at}"]).value for at in range(3, 40)]
    found: dict[int, list[Any]] = {}

    def ask(number: int) -> None:
        found[number] = [solve(Steps(), "x", ["k = 2", f"y = {at}"]).value for at in range(3, 40)]

    threads = [Thread(target=ask, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(3), alone)
