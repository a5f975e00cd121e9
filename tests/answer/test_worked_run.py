"""Worked questions to the sheet of fifty cells: where a bound holds, held against plain floats at many places."""

from __future__ import annotations

import operator

import pytest
from tests.answer.worked_ask import ask
from tests.benchmarks.fifty_cells import GIVEN, FiftyCells, float_values, on_floats

from flopsheet import quantity

SHEET = FiftyCells()
HOLDS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
QUESTIONS = [
    ("chip_flops", "train_time <= 40 day"),
    ("chip_flops", "utilization >= 50 %"),
    ("link_bandwidth", "exposed_time > 0.5 s"),
    ("link_bandwidth", "train_time <= 65 day"),
    ("chip_memory", "train_time <= 61.5 day"),
    ("chip_memory", "recompute_factor > 1.5"),
    ("value_size", "chip_bytes <= 60 GiB"),
    ("n_layers", "train_time < 50 day"),
    ("n_layers", "memory_share >= 1.2"),
    ("n_chips", "train_time <= 40 day"),
    ("n_chips", "cost <= 7.6e6 USD"),
    ("n_chips", "utilization >= 90 %"),
    ("vocabulary", "peak_values <= 50 GiB"),
    ("vocabulary", "utilization < 0.95"),
    ("batch", "step_time <= 3 s"),
    ("batch", "cost < 7514650 USD"),
    ("context", "cost >= 8e6 USD"),
    ("context", "chip_bytes <= 80 GiB"),
    ("data_tokens", "n_steps <= 1000000"),
    ("data_tokens", "train_time > 100 day"),
    ("width", "chip_bytes <= 40 GiB"),
    ("width", "chip_work <= 7.5 PFLOP"),
    ("width", "train_time <= 40 day"),
    ("chip_price", "cost <= 5e6 USD"),
]


@pytest.mark.parametrize(("unknown", "relation"), QUESTIONS)
def test_a_bound_holds_where_plain_floats_say(unknown: str, relation: str) -> None:
    cell, sign, bound = relation.split(maxsplit=2)
    given = (f"{name} = {text}" for name, text in GIVEN.items() if name != unknown)
    outcome = ask(SHEET, unknown, *given, relation)
    values, most = float_values(), float(quantity(bound).si)
    start, verdicts = values[unknown], set()
    for place in range(-120, 121):
        at = start * 10 ** (place / 40)
        values[unknown] = at = max(1, round(at)) if outcome.cell.integer else at
        holds = HOLDS[sign](on_floats(values)[cell], most)
        assert holds == any(at in interval for interval in outcome.solutions), at
        verdicts.add(holds)
    assert verdicts == {True, False}  # the bound lies among the places
