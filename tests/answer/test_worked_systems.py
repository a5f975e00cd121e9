"""Worked questions with cases, choices, absolute values, and several unknowns in several relations."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from tests.answer.worked_ask import ask, points, spans
from tests.answer.worked_more import Rectangle, Transformer
from tests.answer.worked_sheets import Pipeline, TrainingRun

from flopsheet import Sheet, formula, given, ratio, solve
from flopsheet.errors import FlopsheetError

PIPELINE, RECTANGLE, TRANSFORMER, RUN = Pipeline(), Rectangle(), Transformer(), TrainingRun()
RATE = {"bf16": 400, "fp8": 800}
RATES = ("bf16_rate = 400 TFLOP/s", "fp8_rate = 800 TFLOP/s", "bubble = 1 s")


def batch_time(stages: int, precision: str) -> float:
    """Return the time of a batch of 4000 TFLOP [second]."""
    return 4000 / (RATE[precision] * stages) + (stages > 1)


@pytest.mark.parametrize("precision", RATE)
@pytest.mark.parametrize("bound", [1.5, 2, 3, 4, 5, 5.5, 10])
def test_stages_for_a_time_with_a_bubble_that_one_stage_has_not(precision: str, bound: float) -> None:
    outcome = ask(
        PIPELINE, "stages", "work = 4000 TFLOP", *RATES, f"precision = {precision}", f"batch_time <= {bound} s"
    )
    fast = [stages for stages in range(1, 60) if batch_time(stages, precision) <= bound]
    assert outcome.whole == fast[0]
    assert [stages for stages in range(1, 60) if any(stages in interval for interval in outcome.solutions)] == fast


@pytest.mark.parametrize("precision", RATE)
def test_a_broken_number_of_stages_is_none_where_a_whole_one_takes_the_same_time(precision: str) -> None:
    alone = batch_time(1, precision)
    given = ("work = 4000 TFLOP", *RATES, f"precision = {precision}")
    outcome = ask(PIPELINE, "stages", *given, f"batch_time = {alone} s")
    assert 4000 / RATE[precision] / (alone - 1) % 1 > 0
    assert (outcome.kind, points(outcome)) == ("value", [1])


@pytest.mark.parametrize(
    ("precision", "bound", "says"),
    [
        ("bf16", 0.9, "cannot fall below 1 second"),
        ("fp8", 1, "comes near 1 second as stages grows and never reaches it"),
        ("fp8", 10, "cannot rise above 5 second"),
    ],
)
def test_a_time_that_no_number_of_stages_takes_is_none_for_a_true_reason(
    precision: str, bound: float, says: str
) -> None:
    given = ("work = 4000 TFLOP", *RATES, f"precision = {precision}")
    outcome = ask(PIPELINE, "stages", *given, f"batch_time = {bound} s")
    assert outcome.kind == "none"
    assert says in outcome.why


@pytest.mark.parametrize(("precision", "rate"), [("bf16", "bf16_rate"), ("fp8", "fp8_rate")])
def test_the_rate_of_the_precision_that_is_chosen(precision: str, rate: str) -> None:
    given = ("work = 4000 TFLOP", "bubble = 1 s", "stages = 4", f"precision = {precision}", "batch_time = 5 s")
    outcome = ask(PIPELINE, rate, *given)
    assert points(outcome) == [4000 / 4 / (5 - 1)]


def test_a_precision_that_nobody_chose_is_asked_for() -> None:
    given = ("work = 4000 TFLOP", *RATES, "stages = 4")
    with pytest.raises(FlopsheetError, match="precision"):
        solve(PIPELINE, "batch_time", given)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("abs(batch_time - target_time) = 1 s", [(2, 2, "[]"), (4, 4, "[]")]),
        ("abs(batch_time - target_time) <= 1 s", [(2, 4, "[]")]),
        ("abs(batch_time - target_time) > 1 s", [(0, 2, "()"), (4, math.inf, "()")]),
        ("abs(batch_time - target_time) = 0 s", [(3, 3, "[]")]),
        ("abs(batch_time - target_time) >= 4 s", [(7, math.inf, "[)")]),
    ],
)
def test_the_work_for_a_time_near_the_planned_one(relation: str, expected: list[tuple[float, float, str]]) -> None:
    given = ("bf16_rate = 400 TFLOP/s", "bubble = 1 s", "precision = bf16", "stages = 4", "target_time = 3 s")
    outcome = ask(PIPELINE, "work", *given, relation)
    # work / (4 * 400 TFLOP/s) + 1 s is the time, so work is 1600 TFLOP/s of the time less a second
    assert spans(outcome) == [(1600 * max(0, low - 1), 1600 * (high - 1), ends) for low, high, ends in expected]


@pytest.mark.parametrize(
    ("relations", "sides"),
    [
        (("side_a^2 + side_b^2 = 25 m^2", "side_a * side_b = 12 m^2"), (3, 4)),
        (("diagonal = 5 m", "area = 12 m^2"), (3, 4)),
        (("diagonal = 13 m", "perimeter = 34 m"), (5, 12)),
        (("perimeter = 30 m", "area = 56 m^2"), (7, 8)),
        (("imbalance = 7 m", "area = 60 m^2"), (5, 12)),
        (("imbalance = 7 m", "diagonal = 13 m"), (5, 12)),
        (("imbalance = 7 m", "perimeter = 34 m"), (5, 12)),
    ],
)
@pytest.mark.parametrize("first", ["side_a", "side_b"])
def test_two_relations_give_both_sides_either_way_round(
    relations: tuple[str, ...], sides: tuple[int, int], first: str
) -> None:
    second = "side_b" if first == "side_a" else "side_a"
    answer = solve(RECTANGLE, [first, second], relations)
    assert points(answer.outcomes[first]) == pytest.approx(sides, rel=1e-9)
    assert sorted(float(answer.cells[name].si) for name in (first, second)) == pytest.approx(sides, rel=1e-9)
    assert [check.holds for check in answer.checks] == [True, True]
    assert points(ask(RECTANGLE, first, *relations)) == pytest.approx(sides, rel=1e-9)


@pytest.mark.parametrize(
    ("unknown", "relations", "expected"),
    [
        ("perimeter", ("diagonal = 5 m", "area = 12 m^2"), 14),
        ("area", ("perimeter = 14 m", "imbalance = 1 m"), 12),
        ("diagonal", ("perimeter = 14 m", "area = 12 m^2"), 5),
        ("imbalance", ("diagonal = 13 m", "perimeter = 34 m"), 7),
    ],
)
def test_both_ways_round_make_one_answer_of_what_both_share(
    unknown: str, relations: tuple[str, ...], expected: int
) -> None:
    outcome = ask(RECTANGLE, unknown, *relations)
    assert outcome.kind == "value"
    assert points(outcome) == [pytest.approx(expected, rel=1e-12)]


@pytest.mark.parametrize(
    ("relations", "says"),
    [
        (("area = 13 m^2", "diagonal = 5 m"), f"cannot fall below {math.sqrt(26):.4g} m"),
        (("perimeter = 16 m", "diagonal = 5 m"), f"cannot rise above {10 * math.sqrt(2):.4g} m"),
    ],
)
def test_sides_that_do_not_exist_are_none_with_a_true_figure(relations: tuple[str, ...], says: str) -> None:
    outcome = ask(RECTANGLE, "side_a", *relations)
    assert outcome.kind == "none"
    assert says in outcome.why


def test_two_bounds_that_meet_in_one_point_give_it() -> None:
    outcome = ask(RECTANGLE, "side_a", "diagonal <= 5 m", "area >= 12 m^2", "side_b = 3 m")
    assert (outcome.kind, points(outcome)) == ("value", [4])


@pytest.mark.parametrize(("sign", "expected"), [("<=", [(3, 4, "[]")]), (">", [(0, 3, "()"), (4, 7, "()")])])
def test_a_side_leaves_something_for_the_other(sign: str, expected: list[tuple[float, float, str]]) -> None:
    outcome = ask(RECTANGLE, "side_a", "perimeter = 14 m", f"diagonal {sign} 5 m")
    assert spans(outcome) == expected


@pytest.mark.parametrize("order", [("n_chips", "price"), ("price", "n_chips")])
def test_unknowns_one_of_which_rests_on_the_other(order: tuple[str, str]) -> None:
    given = ("work = 3.8e25 FLOP", "flop_rate = 400 TFLOP/s", "penalty = 0.001", "growth = 0.5")
    seconds = round(3.8e25 / 400e12 / 10_000 * (1 + 0.001 * math.sqrt(10_000)))
    answer = solve(RUN, order, (*given, "cost = 65e6 USD", f"train_time = {seconds} second"))
    assert answer.outcomes["n_chips"].si == 10_000
    assert points(answer.outcomes["price"]) == [pytest.approx(65e6 / 10_000 / (seconds / 3600), rel=1e-9)]
    assert len(answer.checks) == 2
    assert all(check.holds for check in answer.checks)


def test_an_unknown_that_rests_on_a_count_without_a_value_has_none_either() -> None:
    given = ("work = 3.8e25 FLOP", "flop_rate = 400 TFLOP/s", "penalty = 0.001", "growth = 0.5")
    answer = solve(RUN, ("price", "n_chips"), (*given, "cost = 65e6 USD", "train_time = 60 day"))
    assert (answer.solved, answer.value) == (False, {"price": None, "n_chips": None})
    assert answer.outcomes["n_chips"].neighbours == (20_979, 20_980)
    assert answer.outcomes["price"].why.startswith("It rests on n_chips. 'train_time = 60 day' holds at 20,979.99 ")


def test_the_first_of_two_counts_is_whole_and_the_second_follows_from_it() -> None:
    given = ("vocabulary = 128000", "context = 8192 token", "memory <= 100 GiB", "aspect = 128")
    answer = solve(TRANSFORMER, ["n_layers", "width"], given)
    sizes = {n: 16 * (12 * (128 * n) ** 2 * n + 128_000 * 128 * n) + 2 * 8192 * 128 * n * n for n in range(1, 99)}
    most = max(n for n, size in sizes.items() if size <= 100 * 2**30)
    assert answer.value == {"n_layers": most, "width": 128 * most}
    assert all(check.holds for check in answer.checks)


class Counts(Sheet):
    """Two counts of which the equations have broken solutions too."""

    x = given("One count", integer=True)
    k = given("Another", integer=True)
    p = formula(k * x**2 + 10 * x, "", "A square of one of them")
    a = formula(k * x + 7 * x, "", "Their product and one of them")


@pytest.mark.parametrize(("x", "k"), [(3, 5), (9, 40), (2, 4), (4, 3), (20, 1)])
def test_a_count_is_followed_at_its_whole_values(x: int, k: int) -> None:
    outcome = solve(Counts(), ("x", "k"), [f"p = {k * x**2 + 10 * x}", f"a = {k * x + 7 * x}"])
    assert (outcome.outcomes["x"].si, outcome.outcomes["k"].si) == (x, k)


class Rack(Sheet):
    """Heat of a rack, and the water that takes it away."""

    n_chips = given("Chips in the rack", integer=True, example=72)
    overhead = given("Heat of all else over that of the chips", default=ratio(15, 100))
    heat = formula(1200 * n_chips * (1 + overhead), "", "Heat of the rack")
    flow = formula(heat / 41800, "", "Water that flows")


def test_what_rests_on_what_is_given_does_not_rest_on_the_unknown_that_is_inverted() -> None:
    """The heat is given, so that the flow is known where no whole number of chips has this heat."""
    answer = solve(Rack(), ["n_chips", "flow"], ["heat = 100000"])
    assert answer.outcomes["n_chips"].kind == "none"
    assert answer.outcomes["n_chips"].neighbours == (72, 73)  # of 100,000 / 1380
    assert (answer.outcomes["flow"].kind, answer.outcomes["flow"].si) == ("value", Fraction(100_000, 41_800))
