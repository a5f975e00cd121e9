"""The sample of each sheet: quick and slow questions are all of them, each once, up to the number that is allowed."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from tests.cases import KEY
from tests.models.sampling import QUICK, both_ways, in_turn, number_of_parts, quick, rest

SHEET = "kv_cache"  # of several parts
PAIRS = [(free, output) for free in "abcde" for output in "uvwxyz"]


@pytest.mark.parametrize(("most", "asked"), [(sys.maxsize, 60), (60, 60), (40, 40), (1, QUICK)])
def test_all_parts_together_ask_each_question_once(most: int, asked: int) -> None:
    cases = both_ways(in_turn(PAIRS, "key"), ("<=", ">="))
    assert number_of_parts(SHEET) > 1
    recorded: list[Any] = []
    slow = [
        case
        for part in range(number_of_parts(SHEET))
        for case in rest(cases, SHEET, part, most, lambda key, counts: recorded.append((key, counts)))
    ]
    assert sorted([*quick(cases), *slow]) == sorted(cases[:asked])
    assert {key for key, _ in recorded} == {KEY}
    assert sum(tried for _, (_, tried, _) in recorded) == len(slow)
    assert sum(every for _, (*_, every) in recorded) == len(cases) - len(quick(cases))


def test_each_input_and_each_pair_comes_once_before_any_comes_again() -> None:
    ordered = in_turn(PAIRS, "key")
    assert ordered == in_turn(PAIRS, "key") != in_turn(PAIRS, "other")
    assert sorted(ordered) == sorted(PAIRS)
    for turn in range(6):
        assert {free for free, _ in ordered[5 * turn : 5 * turn + 5]} == {*"abcde"}
    asked = both_ways(ordered, ("<=", ">="))
    assert [(free, output) for free, output, _ in asked] == [*ordered, *ordered]
    assert len({*asked}) == 60
    assert {sign for *_, sign in asked[:2]} == {"<=", ">="}
