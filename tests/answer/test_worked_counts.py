"""Worked questions whose answers are counts: chips within a budget, tokens for so many steps, sizes that divide."""

from __future__ import annotations

import math

import pytest
from tests.answer.worked_ask import about, ask, bisected, points, spans
from tests.answer.worked_sheets import Batches, TrainingRun

from flopsheet.numbers.sets import whole_ends

RUN, BATCHES = TrainingRun(), Batches()
MOST_CHIPS = 80_000


def train_days(chips: float, penalty: float, growth: float) -> float:
    """Return how long the run takes on so many chips."""
    return 3.8e25 / (chips * 400e12) * (1 + penalty * math.pow(chips, growth)) / 86400


def price(chips: float, penalty: float, growth: float) -> float:
    """Return what the run costs on so many chips [USD]."""
    return 2 * chips * train_days(chips, penalty, growth) * 24


def run(penalty: float, growth: float) -> tuple[str, ...]:
    """Return the relations that give everything but the chips."""
    fixed = ("work = 3.8e25 FLOP", "flop_rate = 400 TFLOP/s", "price = 2 USD/hour/chip")
    return (*fixed, f"penalty = {penalty}", f"growth = {growth}")


BUDGETS = [(0.001, 0.5, 65e6, 60), (0.00001, 1, 65e6, 60), (0.01, 0.3, 65e6, 60), (0.001, 0.5, 60e6, 110)]


@pytest.mark.parametrize(("penalty", "growth", "budget", "days"), BUDGETS)
def test_chips_for_a_budget_and_a_deadline_are_a_range_with_both_ends(
    penalty: float, growth: float, budget: float, days: float
) -> None:
    relations = (f"cost <= {budget} USD", f"train_time <= {days} day")
    outcome = ask(RUN, "n_chips", *run(penalty, growth), *relations)
    assert (outcome.kind, outcome.interval is not None) == ("range", True)
    ((lower, upper, closed),) = spans(outcome)
    assert lower == pytest.approx(bisected(lambda n: days - train_days(n, penalty, growth), 1, 1e6), rel=1e-9)
    assert upper == pytest.approx(bisected(lambda n: price(n, penalty, growth) - budget, 1, 1e6), rel=1e-9)
    assert closed == "[]"
    assert all(f"'{relation}'" in outcome.why for relation in relations)


@pytest.mark.parametrize(("penalty", "growth", "budget", "days"), BUDGETS)
def test_the_first_and_last_whole_chips_are_those_of_brute_force(
    penalty: float, growth: float, budget: float, days: float
) -> None:
    relations = (f"cost <= {budget} USD", f"train_time <= {days} day")
    outcome = ask(RUN, "n_chips", *run(penalty, growth), *relations)
    numbers = range(1, MOST_CHIPS)
    holding = [n for n in numbers if price(n, penalty, growth) <= budget and train_days(n, penalty, growth) <= days]
    assert outcome.interval is not None
    assert (outcome.whole, outcome.si) == (holding[0], holding[0])
    assert whole_ends(outcome.interval) == (holding[0], holding[-1])
    assert len(holding) == holding[-1] - holding[0] + 1


@pytest.mark.parametrize(("budget", "days"), [(55e6, 60), (65e6, 20), (54e6, 1)])
def test_a_budget_and_a_deadline_that_no_number_of_chips_meets_are_both_named(budget: float, days: float) -> None:
    relations = (f"cost <= {budget} USD", f"train_time <= {days} day")
    outcome = ask(RUN, "n_chips", *run(0.001, 0.5), *relations)
    assert not any(
        price(n, 0.001, 0.5) <= budget and train_days(n, 0.001, 0.5) <= days for n in range(1, 4_000_000, 97)
    )
    assert outcome.kind == "none"
    assert all(f"'{relation}'" in outcome.why for relation in relations)


def test_a_budget_below_the_price_without_communication_names_only_the_budget() -> None:
    outcome = ask(RUN, "n_chips", *run(0.01, 0.3), "cost <= 50e6 USD", "train_time <= 60 day")
    assert price(1, 0.01, 0.3) > 50e6
    assert outcome.kind == "none"
    assert "'cost <= 50e6 USD'" in outcome.why
    assert "train_time" not in outcome.why


def test_a_price_that_no_whole_number_meets_exactly_gives_those_around() -> None:
    outcome = ask(RUN, "n_chips", *run(0.001, 0.5), "cost = 65e6 USD")
    exact = bisected(lambda n: price(n, 0.001, 0.5) - 65e6, 1, 1e6)
    assert (outcome.kind, points(outcome), outcome.si) == ("none", [], None)
    assert outcome.boundary == pytest.approx(exact, rel=1e-9)
    assert outcome.neighbours == (math.floor(exact), math.ceil(exact))


PER_BATCH, LAST, NEXT = 1e6, 99e6, 101e6
HALF_OPEN = [
    ("n_steps = 100", LAST, 1e8, "(]"),
    ("n_steps <= 100", 0, 1e8, "(]"),
    ("n_steps < 100", 0, LAST, "(]"),
    ("n_steps > 100", 1e8, math.inf, "()"),
    ("n_steps >= 100", LAST, math.inf, "()"),
    ("n_steps = 1", 0, PER_BATCH, "(]"),
    ("full_steps = 100", 1e8, NEXT, "[)"),
    ("full_steps <= 100", 0, NEXT, "()"),
    ("full_steps < 100", 0, 1e8, "()"),
    ("full_steps > 100", NEXT, math.inf, "[)"),
    ("full_steps >= 100", 1e8, math.inf, "[)"),
    ("full_steps = 0", 0, PER_BATCH, "()"),
]


@pytest.mark.parametrize(("relation", "lower", "upper", "closed"), HALF_OPEN)
def test_tokens_for_so_many_steps_are_half_open(relation: str, lower: float, upper: float, closed: str) -> None:
    outcome = ask(BATCHES, "tokens", "batch_tokens = 1000000 token", relation)
    assert outcome.kind == "range"
    assert spans(outcome) == [(lower, upper, closed)]


@pytest.mark.parametrize(
    ("relation", "lower", "upper", "closed"),
    [("n_steps = 100", 1e8 / 100, 1e8 / 99, "[)"), ("full_steps = 100", 1e8 / 101, 1e8 / 100, "(]")],
)
def test_a_batch_for_so_many_steps_is_half_open_the_other_way(
    relation: str, lower: float, upper: float, closed: str
) -> None:
    outcome = ask(BATCHES, "batch_tokens", "tokens = 1e8 token", relation)
    assert spans(outcome) == about((lower, upper, closed))


@pytest.mark.parametrize(("relation", "first", "last"), [("counted_steps = 100", 99_000_001, 100_000_000)])
def test_counted_tokens_for_so_many_steps_begin_after_the_open_end(relation: str, first: int, last: int) -> None:
    outcome = ask(BATCHES, "whole_tokens", "batch_tokens = 1000000 token", relation)
    assert (outcome.whole, -(-first // 10**6), -(-(first - 1) // 10**6)) == (first, 100, 99)
    assert outcome.interval is not None
    assert whole_ends(outcome.interval) == (first, last)
