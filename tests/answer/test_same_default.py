"""The same whole numbers give the same default, whether they were found as a range or one by one."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.sheets.yaml_sheet import parse_sheet

DECODE = ["n_tp = 8", "weight_format = fp8", "precision = fp8", "context = 4096 token", "seq_len = 4096 token"]
COUNT = """sheet: count
title: A count.
cells:
  n: {doc: Count, integer: true%s}
  part: {doc: Part, example: 3}
  whole: {formula: 'n / part', doc: Whole}
"""
TRIED = """sheet: tried
title: A count that divides another one.
cells:
  cap: {doc: Most, integer: true}
  n: {doc: Count, integer: true}
  time: {formula: 'ceil(cap / n) + mod(n, 5) / 10', doc: Time}
limits:
  within: {relation: 'n <= cap', doc: No more than the most}
  divides: {relation: 'mod(cap, n) = 0', doc: Equal parts}
"""


@pytest.mark.parametrize(
    ("chip", "model"), [("l20-48gb", "qwen3-235b-a22b"), ("l20-48gb", "qwen3-32b"), ("h100-sxm", "qwen3-32b")]
)
def test_a_deadline_leaves_the_most_sequences_that_meet_it(chip: str, model: str) -> None:
    where = [*DECODE, f"chip = {chip}", f"model = {model}"]
    most = solve("decode", "n_sequences", [*where, "token_time <= 30 ms"]).outcomes["n_sequences"].whole
    assert most is not None
    fits = {}
    for count in (most, most + 1):
        cells = solve("decode", ["token_time", "inference_memory"], [*where, f"n_sequences = {count}"]).cells
        room = cells["chip.memory"].si * cells["memory_utilization"].si
        fits[count] = cells["token_time"].si <= 0.03 and cells["inference_memory"].si <= room
    assert fits == {most: True, most + 1: False}


@pytest.mark.parametrize("bound", ["", ", maximum: 64", ", maximum: 40"])
@pytest.mark.parametrize("among", [(84,), (84, 2), (96, 4)])
def test_of_divisors_the_end_that_was_asked_is_taken(bound: str, among: tuple[int, ...]) -> None:
    """The largest where what was asked bounds them from above alone, else the smallest."""
    sheet = parse_sheet(COUNT % bound, "count")
    divisors = [n for n in range(1, 41) if among[0] % n == 0 and all(n % by == 0 for by in among[1:])]
    texts = [f"mod({among[0]}, n) = 0", *(f"mod(n, {by}) = 0" for by in among[1:])]
    for more, wanted in {
        (): divisors[0],
        ("n <= 20",): max(n for n in divisors if n <= 20),
        ("whole <= 5",): max(n for n in divisors if n <= 15),
        ("n >= 5",): min(n for n in divisors if n >= 5),
        ("n >= 5", "whole <= 5"): min(n for n in divisors if n >= 5),
    }.items():
        assert solve(sheet, "n", [*texts, "part = 3", *more]).outcomes["n"].si == wanted, more


@pytest.mark.parametrize("step", [2, 3, 7])
def test_of_multiples_too_many_to_list_the_end_that_was_asked_is_taken(step: int) -> None:
    """A thousand of them are listed, and the last of these is not the largest that works."""
    where = [f"mod(n, {step}) = 0", "part = 3"]
    most = solve(parse_sheet(COUNT % "", "count"), "n", [*where, "whole <= 4000"]).outcomes["n"]
    assert most.si == 12000 // step * step
    assert f"{most.si:,} gives whole" in most.why
    assert (
        solve(parse_sheet(COUNT % "", "count"), "n", [*where, "whole >= 40"]).outcomes["n"].si == -(-120 // step) * step
    )


@pytest.mark.parametrize("cap", [12, 24, 60])
@pytest.mark.parametrize("most", [2, 5, 9, 80])
def test_an_end_of_what_was_tried_is_no_bound(cap: int, most: int) -> None:
    """What was asked is tried up to where a limit ends, and holds beyond: it bounds the count from below at most."""
    works = [n for n in range(1, cap + 1) if cap % n == 0 and -(-cap // n) + n % 5 / 10 <= most]
    outcome = solve(parse_sheet(TRIED, "tried"), "n", [f"cap = {cap}", f"time <= {most}"]).outcomes["n"]
    assert outcome.si == (works[0] if works else None)
