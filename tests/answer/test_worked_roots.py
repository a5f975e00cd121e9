"""Worked questions with several roots, and roots outside bounds: checkpoints and the scaling law."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from tests.answer.worked_ask import about, ask, bisected, crossings, points, spans
from tests.answer.worked_sheets import Checkpoints, ScalingLaw

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKPOINTS, LAW = Checkpoints(), ScalingLaw()
SHORTEST, LONGEST = 3, 120  # the bounds of the interval [minute]


def wasted_at(write_time: float, hours: float, wasted: float) -> list[float]:
    """Return the intervals [minute] with this waste, of any size: the roots of t^2/2 - wasted m t + write_time m."""
    mean = hours * 60
    root = math.sqrt(wasted**2 - 2 * write_time / 60 / mean)
    return [mean * (wasted - root), mean * (wasted + root)]


@pytest.mark.parametrize(
    ("write_time", "hours", "wasted", "places"),
    [(60, 4, 0.15, [0, 1]), (60, 4, 0.27, [0]), (20, 4, 0.2, [1]), (20, 12, 0.2, []), (60, 4, 0.25, [0, 1])],
)
def test_a_root_outside_the_bounds_of_the_cell_is_left_out(
    write_time: float, hours: float, wasted: float, places: list[int]
) -> None:
    given = (f"write_time = {write_time} s", f"time_to_failure = {hours} hour")
    outcome = ask(CHECKPOINTS, "interval", *given, f"wasted = {wasted}")
    both = wasted_at(write_time, hours, wasted)
    inside = [root for root in both if SHORTEST <= root <= LONGEST]
    assert inside == [both[place] for place in places]  # the numbers of this test mean what they should
    assert outcome.kind == ["none", "value", "values"][len(places)]
    assert points(outcome) == pytest.approx(inside, rel=1e-12)


@pytest.mark.parametrize(
    ("relation", "places"), [("interval <= 30 min", 0), ("interval >= 30 min", 1), ("interval > 8 * write_time", 1)]
)
def test_a_relation_on_the_unknown_picks_a_root(relation: str, places: int) -> None:
    given = ("write_time = 60 s", "time_to_failure = 4 hour", "wasted = 15 %")
    outcome = ask(CHECKPOINTS, "interval", *given, relation)
    assert outcome.kind == "value"
    assert points(outcome) == [pytest.approx(wasted_at(60, 4, 0.15)[places], rel=1e-12)]


def test_less_waste_than_any_interval_gives_is_none_with_the_least() -> None:
    outcome = ask(CHECKPOINTS, "interval", "write_time = 60 s", "time_to_failure = 4 hour", "wasted = 5 %")
    assert outcome.kind == "none"
    assert f"{math.sqrt(2 * 60 / (4 * 3600)):.4g}" in outcome.why  # the least of c/t + t/2m


def loss(params: float, tokens: float) -> float:
    """Return the loss of the law."""
    return 1.69 + 406.4 / math.pow(params, 0.34) + 410.7 / math.pow(tokens, 0.28)


ONE_SIDED: list[tuple[str, str, Callable[[float], float], str]] = [
    ("params", "tokens = 1.4e12 token", lambda params: loss(params, 1.4e12), "entropy + tokens_loss"),
    ("tokens", "params = 70e9 param", lambda tokens: loss(70e9, tokens), "entropy + params_loss"),
]


@pytest.mark.parametrize(("unknown", "other", "plain", "_"), ONE_SIDED)
def test_a_loss_gives_parameters_or_tokens(unknown: str, other: str, plain: Callable[[float], float], _: str) -> None:
    exact = bisected(lambda number: plain(number) - 1.95, 1e6, 1e16)
    outcome = ask(LAW, unknown, other, "loss = 1.95")
    assert outcome.kind == "value"
    assert points(outcome) == [pytest.approx(exact, rel=1e-9)]
    at_most = ask(LAW, unknown, other, "loss <= 1.95")
    assert at_most.kind == "range"
    assert spans(at_most) == about((exact, math.inf, "[)"))


@pytest.mark.parametrize(("unknown", "other", "plain", "floor"), ONE_SIDED)
@pytest.mark.parametrize("sign", ["=", "<=", "<"])
def test_a_loss_below_the_floor_names_what_makes_it(
    unknown: str, other: str, plain: Callable[[float], float], floor: str, sign: str
) -> None:
    outcome = ask(LAW, unknown, other, f"loss {sign} 1.7")
    assert outcome.kind == "none"
    assert floor in outcome.why
    assert f"cannot fall below {plain(math.inf):.4g}" in outcome.why


COMPUTE = 5.88e23


def spent(params: float) -> float:
    """Return the loss when all computation goes into a model of this size."""
    return loss(params, COMPUTE / (6 * params))


@pytest.mark.parametrize("wanted", [1.95, 2, 2.5])
def test_a_loss_at_given_computation_has_a_small_and_a_large_model(wanted: float) -> None:
    sizes = [10 ** (place / 10) for place in range(50, 180)]
    expected = crossings(lambda params: spent(params) - wanted, sizes)
    assert len(expected) == 2
    outcome = ask(LAW, "params", f"compute = {COMPUTE} FLOP", f"loss = {wanted}")
    assert outcome.kind == "values"
    assert points(outcome) == pytest.approx(expected, rel=1e-9)
    between = ask(LAW, "params", f"compute = {COMPUTE} FLOP", f"loss <= {wanted}")
    assert spans(between) == about((expected[0], expected[1], "[]"))
    tokens = ask(LAW, "tokens", f"compute = {COMPUTE} FLOP", f"loss = {wanted}")
    assert points(tokens) == pytest.approx(sorted(COMPUTE / 6 / params for params in expected), rel=1e-9)


def test_a_loss_that_given_computation_cannot_buy_is_none() -> None:
    least = min(spent(10 ** (place / 1000)) for place in range(8000, 14000))
    assert least > 1.92
    assert ask(LAW, "params", f"compute = {COMPUTE} FLOP", "loss = 1.92").kind == "none"
    assert ask(LAW, "params", f"compute = {COMPUTE} FLOP", f"loss = {least + 1e-4:.6f}").kind == "values"


def test_tokens_in_proportion_to_parameters_leave_one_root() -> None:
    outcome = ask(LAW, "params", "tokens = 20 token/param * params", "loss = 2")
    assert points(outcome) == [pytest.approx(bisected(lambda n: loss(n, 20 * n) - 2, 1e6, 1e15), rel=1e-9)]
