"""Worked questions about sizes that divide each other: micro-batches, data-parallel degrees, rests."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from tests.answer.worked_ask import about, ask, points, spans, works
from tests.answer.worked_sheets import Batches

from flopsheet import Sheet, formula, given, mod, solve
from flopsheet.numbers.sets import whole_ends

if TYPE_CHECKING:
    from collections.abc import Callable

BATCHES = Batches()
SIZES = ("mod(micro_batch, 8) = 0", "micro_batch >= 16", "micro_batch <= 128")


@pytest.mark.parametrize("batch", [3840, 4096, 1000, 2520, 720_720, 6_983_776_800])
def test_all_micro_batches_that_divide_a_batch(batch: int) -> None:
    outcome = ask(BATCHES, "micro_batch", f"batch = {batch}", "mod(batch, micro_batch) = 0", *SIZES)
    assert outcome.kind == "whole"
    assert points(outcome) == [size for size in range(16, 129) if batch % size == 0 and size % 8 == 0]
    assert outcome.whole == points(outcome)[0]


@pytest.mark.parametrize(("batch", "dp"), [(3840, 12), (3840, 1), (4096, 4), (720_720, 6)])
def test_all_micro_batches_that_divide_a_batch_over_data_parallel_ranks(batch: int, dp: int) -> None:
    given = (f"batch = {batch}", f"dp = {dp}", "mod(batch, micro_batch * dp) = 0")
    outcome = ask(BATCHES, "micro_batch", *given, *SIZES)
    assert outcome.kind == "whole"
    assert points(outcome) == [size for size in range(16, 129) if batch % (size * dp) == 0 and size % 8 == 0]


def test_all_data_parallel_degrees_of_a_batch_without_bounds() -> None:
    outcome = ask(BATCHES, "dp", "batch = 3840", "micro_batch = 16", "mod(batch, micro_batch * dp) = 0")
    assert outcome.kind == "whole"
    assert points(outcome) == [dp for dp in range(1, 3841) if 3840 % (16 * dp) == 0]


def test_a_bound_on_the_steps_in_between_keeps_the_larger_ones() -> None:
    given = ("batch = 3840", "dp = 12", "mod(batch, micro_batch * dp) = 0", "batch / (micro_batch * dp) <= 8")
    outcome = ask(BATCHES, "micro_batch", *given)
    assert points(outcome) == [size for size in range(1, 3841) if 3840 % (size * 12) == 0 and 8 * size * 12 >= 3840]


@pytest.mark.parametrize(("relation", "most"), [("<= 3", 3), ("= 0", 0), ("< 3", 2)])
def test_micro_batches_that_leave_a_small_rest(relation: str, most: int) -> None:
    given = ("batch = 3840", f"mod(batch, micro_batch) {relation}", "micro_batch >= 100", "micro_batch <= 140")
    outcome = ask(BATCHES, "micro_batch", *given)
    whole = [whole_ends(interval) for interval in outcome.listed]
    sizes = [size for first, last in whole for size in range(int(first), int(last) + 1)]
    assert sizes == [size for size in range(100, 141) if 3840 % size <= most]


def test_micro_batches_that_leave_some_rest_are_runs_of_numbers() -> None:
    given = ("batch = 3840", "mod(batch, micro_batch) > 0", "micro_batch >= 100", "micro_batch <= 140")
    outcome = ask(BATCHES, "micro_batch", *given)
    assert all(works(outcome, size) == (3840 % size > 0) for size in range(100, 141))
    assert not works(outcome, 99)


@pytest.mark.parametrize(
    ("relations", "rule"),
    [
        (("mod(batch, micro_batch * dp) = 0",), lambda n: n % 96 == 0),
        (("mod(batch, micro_batch) = 1", "mod(batch, dp) = 2"), lambda n: n % 32 == 1 and n % 3 == 2),
        (("mod(batch, micro_batch) = 1", "mod(batch, dp) = 0"), lambda n: n % 32 == 1 and n % 3 == 0),
        (("mod(batch, micro_batch) >= 30",), lambda n: n % 32 >= 30),
    ],
)
def test_all_batches_with_given_rests(relations: tuple[str, ...], rule: Callable[[int], bool]) -> None:
    outcome = ask(BATCHES, "batch", "micro_batch = 32", "dp = 3", *relations, "batch <= 1000")
    assert all(works(outcome, n) == rule(n) for n in range(1, 1001))
    assert not works(outcome, 1056)


def test_no_divisor_between_the_bounds_is_none_for_a_true_reason() -> None:
    outcome = ask(BATCHES, "micro_batch", "batch = 3847", "mod(batch, micro_batch) = 0", *SIZES)
    assert not [size for size in range(2, 129) if 3847 % size == 0]
    assert outcome.kind == "none"
    assert "even at micro_batch = 1 " not in outcome.why  # 1 divides it
    assert len(outcome.why) < 1000


def test_rests_that_contradict_each_other_are_none() -> None:
    outcome = ask(
        BATCHES, "batch", "micro_batch = 32", "dp = 3", "mod(batch, 4) = 1", "mod(batch, 8) = 2", "batch <= 99"
    )
    assert outcome.kind == "none"


def test_multiples_without_end_begin_with_the_first() -> None:
    outcome = ask(BATCHES, "batch", "micro_batch = 32", "dp = 3", "mod(batch, micro_batch * dp) = 0")
    assert (outcome.kind, outcome.whole) == ("whole", 96)
    assert [part.lower for part in outcome.listed[:50]] == [96 * times for times in range(1, 51)]
    assert [(part.lower, part.upper, part.factor) for part in outcome.progressions] == [(96, math.inf, Fraction(96))]
    assert not outcome.open


def test_rests_of_two_divisions_without_end_are_those_of_one() -> None:
    outcome = ask(BATCHES, "batch", "micro_batch = 32", "dp = 3", "mod(batch, 12) = 5", "mod(batch, 8192) = 1")
    assert [(part.lower, part.factor) for part in outcome.progressions] == [(16385, Fraction(24576))]
    assert all(part.lower % 12 == 5 and part.lower % 8192 == 1 for part in outcome.listed)
    assert not outcome.open


def test_padding_of_the_last_batch_is_small_for_one_range_of_batches_for_each_number_of_steps() -> None:
    given = ("tokens = 1e8 token", "batch_tokens >= 4000000 token", "batch_tokens <= 200000000 token")
    outcome = ask(BATCHES, "batch_tokens", *given, "n_steps * batch_tokens - tokens <= 500000 token")
    expected = [(1e8 / steps, 1.005e8 / steps, "[]") for steps in range(25, 0, -1)]
    assert spans(outcome) == about(*expected)


def test_padding_by_the_tokens_repeats_with_each_batch() -> None:
    given = ("batch_tokens = 1000000 token", "tokens <= 3000000 token")
    outcome = ask(BATCHES, "tokens", *given, "n_steps * batch_tokens - tokens <= 200000 token")
    assert spans(outcome) == about((0.8e6, 1e6, "[]"), (1.8e6, 2e6, "[]"), (2.8e6, 3e6, "[]"))
    assert all(works(outcome, n * 7001) == (math.ceil(n * 7001 / 1e6) * 1e6 - n * 7001 <= 2e5) for n in range(1, 428))


class MicroBatches(Sheet):
    """Micro-batches that divide a batch and are multiples of the copies of a model."""

    micro = given("Sequences of a micro-batch", integer=True)
    copies = given("Copies of the model", integer=True)
    batch = given("Sequences of a batch", integer=True)
    left = formula(mod(batch, micro), "", "What is left of the batch")


@pytest.mark.parametrize(
    ("batch", "copies"),
    [(4096, 2), (10240, 2), (10240, 64), (12288, 1), (100_000, 1), (1_000_000, 4), (997, 1), (35, 6)],
)
def test_all_micro_batches_are_listed_however_many_multiples_there_are(batch: int, copies: int) -> None:
    goals = ["mod(micro, copies) = 0", "mod(batch, micro) = 0", f"micro >= {copies}", f"micro <= {batch}"]
    outcome = solve(MicroBatches(), "micro", [f"batch = {batch}", f"copies = {copies}", *goals]).outcomes["micro"]
    expected = [size for size in range(copies, batch + 1, copies) if batch % size == 0]
    assert [interval.lower for interval in outcome.listed] == expected
    assert not outcome.open
