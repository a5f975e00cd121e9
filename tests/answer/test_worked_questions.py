"""Worked questions about the time of a training step: the slowest of three resources, and communication as a share."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from tests.answer.worked_ask import about, ask, bisected, spans, works
from tests.answer.worked_sheets import Exchange, Roofline

ROOFLINE, EXCHANGE = Roofline(), Exchange()
AMOUNTS = ("work = 1200 TFLOP", "traffic = 4 TB", "exchanged = 50 GB")
AMOUNT = {"flop_rate": 1200, "memory_bandwidth": 4, "link_bandwidth": 50}
RATE = {"flop_rate": 400, "memory_bandwidth": 2, "link_bandwidth": 50}
UNIT = {"flop_rate": "TFLOP/s", "memory_bandwidth": "TB/s", "link_bandwidth": "GB/s"}
TIME = {"flop_rate": "compute_time", "memory_bandwidth": "memory_time", "link_bandwidth": "network_time"}
BELOW, ABOVE = Fraction(1, 2), 1  # seconds from the plateau


def others(unknown: str) -> tuple[str, ...]:
    """Return the relations that give everything but one rate."""
    return (*AMOUNTS, *(f"{name} = {RATE[name]} {UNIT[name]}" for name in RATE if name != unknown))


def slowest_other(unknown: str) -> tuple[Fraction, str]:
    """Return the time of the slower of the other two resources, and the cell that holds it."""
    return max((Fraction(AMOUNT[name], RATE[name]), TIME[name]) for name in RATE if name != unknown)


each_rate = pytest.mark.parametrize("unknown", RATE)


@each_rate
@pytest.mark.parametrize("sign", ["=", "<="])
def test_at_the_plateau_every_rate_that_is_fast_enough_works(unknown: str, sign: str) -> None:
    plateau, _ = slowest_other(unknown)
    outcome = ask(ROOFLINE, unknown, *others(unknown), f"step_time {sign} {plateau} s")
    assert (outcome.kind, outcome.sign) == ("range", ">=")
    assert spans(outcome) == about((float(AMOUNT[unknown] / plateau), math.inf, "[)"))
    assert outcome.si == AMOUNT[unknown] / plateau * outcome.cell.unit.factor


@each_rate
@pytest.mark.parametrize("sign", ["=", "<="])
def test_below_the_plateau_no_rate_works_and_the_resource_that_stops_it_is_named(unknown: str, sign: str) -> None:
    plateau, stopping = slowest_other(unknown)
    outcome = ask(ROOFLINE, unknown, *others(unknown), f"step_time {sign} {float(plateau - BELOW)} s")
    assert outcome.kind == "none"
    assert f"cannot fall below {plateau} second" in outcome.why
    assert stopping in outcome.why
    assert not any(time in outcome.why for time in TIME.values() if time != stopping)


@each_rate
def test_above_the_plateau_one_rate_works(unknown: str) -> None:
    plateau, _ = slowest_other(unknown)
    outcome = ask(ROOFLINE, unknown, *others(unknown), f"step_time = {plateau + ABOVE} s")
    assert outcome.kind == "value"
    assert outcome.si == AMOUNT[unknown] / (plateau + ABOVE) * outcome.cell.unit.factor


@each_rate
def test_a_step_time_at_most_above_the_plateau_is_the_same_rate_or_more(unknown: str) -> None:
    plateau, _ = slowest_other(unknown)
    outcome = ask(ROOFLINE, unknown, *others(unknown), f"step_time <= {plateau + ABOVE} s")
    assert outcome.kind == "range"
    assert spans(outcome) == about((float(AMOUNT[unknown] / (plateau + ABOVE)), math.inf, "[)"))


@each_rate
def test_strictly_less_than_the_plateau_is_refused_without_a_false_reason(unknown: str) -> None:
    plateau, _ = slowest_other(unknown)
    outcome = ask(ROOFLINE, unknown, *others(unknown), f"step_time < {plateau} s")
    assert outcome.kind == "none"
    assert f"cannot fall to {plateau}" not in outcome.why  # it does
    assert "at most" not in outcome.why


@each_rate
def test_a_step_time_at_least_the_plateau_says_nothing_of_the_rate(unknown: str) -> None:
    plateau, _ = slowest_other(unknown)
    outcome = ask(ROOFLINE, unknown, *others(unknown), f"step_time >= {plateau} s")
    assert spans(outcome) == [(0, math.inf, "()")]
    assert "Every value" in outcome.why


@each_rate
@pytest.mark.parametrize("relation", ["step_time <= 7/2 s", "step_time >= 7/2 s", "step_time > 5 s", "step_time < 5 s"])
def test_each_rate_works_or_not_as_plain_arithmetic_says(unknown: str, relation: str) -> None:
    outcome = ask(ROOFLINE, unknown, *others(unknown), relation.replace("7/2", "3.5"))
    sign, bound = relation.split()[1], Fraction(relation.split()[2])
    for percent in range(5, 400, 5):
        rate = Fraction(RATE[unknown] * percent, 100)
        time = max(AMOUNT[unknown] / rate, slowest_other(unknown)[0])
        holds = {"<=": time <= bound, ">=": time >= bound, "<": time < bound, ">": time > bound}[sign]
        assert works(outcome, rate) == holds


COMPUTE = ("work = 1200 TFLOP", "flop_rate = 400 TFLOP/s", "exchanged = 50 GB")


@pytest.mark.parametrize(("sign", "kind"), [("<=", "range"), ("=", "value")])
def test_a_bandwidth_that_keeps_communication_to_a_tenth_of_the_step_it_is_part_of(sign: str, kind: str) -> None:
    def too_much(bandwidth: float) -> float:
        comm_time = 50 / bandwidth
        return comm_time / (comm_time + 1200 / 400) - 0.1

    outcome = ask(EXCHANGE, "link_bandwidth", *COMPUTE, f"comm_time {sign} 10 % * step_time")
    assert outcome.kind == kind
    assert spans(outcome)[0][0] == pytest.approx(bisected(too_much, 1, 1e6), rel=1e-12)
    assert spans(outcome)[0][1:] == ((math.inf, "[)") if sign == "<=" else (spans(outcome)[0][0], "[]"))


def test_a_slow_chip_hides_communication_too() -> None:
    given = ("work = 1200 TFLOP", "exchanged = 50 GB", "link_bandwidth = 50 GB/s")
    outcome = ask(EXCHANGE, "flop_rate", *given, "comm_time <= 10 % * step_time")
    comm_time = 50 / 50
    assert spans(outcome) == about((0, 1200 / (9 * comm_time), "(]"))


def test_communication_that_is_all_of_the_step_needs_no_computation() -> None:
    outcome = ask(EXCHANGE, "link_bandwidth", *COMPUTE, "comm_time = step_time")
    assert outcome.kind == "none"
    assert "cannot rise above 0" not in outcome.why  # it can: both sides rise together
