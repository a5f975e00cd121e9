"""Serving on two kinds of chips: the times of both passes alone, the past on its way, and what a busy fleet costs."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from flopsheet import sheet, solve

SAME = ("decode.chip = h100-sxm", "prefill.chip = h100-sxm", "decode.n_tp = 8", "decode.weight_format = fp8",
        "prefill.weight_format = fp8")  # fmt: skip
SPLIT = ("decode.chip = a100-sxm4-80gb", "prefill.chip = h100-sxm", "decode.n_tp = 8", "prefill.n_tp = 4",
         "prefill.n_pp = 2", "prefill.precision = fp8", "prefill.weight_format = fp8")  # fmt: skip
LOAD = ("model = llama-3-70b", "prompt_len = 4000 token", "output_len = 600 token", "n_sequences = 96")
RATE = "arrival_rate = 7 request/s"
PRICES = ("prefill_rent.chip_price = 4 USD/hour", "decode_rent.chip_price = 2 USD/hour")


@cache
def cells(*relations: str, name: str = "disaggregated_serving") -> dict[str, Any]:
    """Return the cells of a sheet by name [base units], whether or not limits hold."""
    answer = solve(name, (), relations, without=[*sheet(name).limits])
    return {name: cell.si for name, cell in answer.cells.items()}


def test_chips_of_one_kind_serve_as_those_of_serving_apart() -> None:
    here = cells(*LOAD, *SAME, RATE)
    one_kind = ("chip = h100-sxm", "n_tp = 8", "weight_format = fp8", "placement = apart")
    there = cells(*LOAD, *one_kind, RATE, name="serving")
    for cell in ("first_token_time", "token_time", "n_chips", "tail_first_token", "max_arrival_rate", "concurrency"):
        assert here[cell] == pytest.approx(there[cell]), cell
    assert here["prefill.n_tp"] == 8
    assert here["request_time"] - here["handover_time"] == pytest.approx(there["request_time"])


def test_each_pass_takes_as_long_as_alone_on_its_own_chips() -> None:
    here = cells(*LOAD, *SPLIT, RATE)
    prefill = cells(
        "model = llama-3-70b", "chip = h100-sxm", "n_tp = 4", "n_pp = 2", "precision = fp8", "weight_format = fp8",
        "prompt_len = 4000 token", name="prefill",
    )  # fmt: skip
    decode = cells(
        "model = llama-3-70b", "chip = a100-sxm4-80gb", "n_tp = 8", "n_sequences = 96", "context = 4300 token",
        name="decode",
    )  # fmt: skip
    assert here["first_token_time"] == pytest.approx(prefill["first_token_time"])
    assert here["token_time"] == pytest.approx(decode["token_time"])
    assert (here["prefill_chips"], here["replica_chips"]) == (8, 8)


@pytest.mark.parametrize("cache_transfer", ["after", "layerwise"])
def test_the_past_of_a_prompt_moves_over_the_network(cache_transfer: str) -> None:
    bandwidths = ("prefill.scale_out_bandwidth = 50 GB/s", "decode.scale_out_bandwidth = 25 GB/s")
    found = cells(*LOAD, *SPLIT, *bandwidths, f"cache_transfer = {cache_transfer}")
    past = 4000 * 80 * 2 * 8 * 128 * 2  # tokens, layers, keys and values, heads, width, bytes
    assert found["cache_transfer_time"] == pytest.approx(past / (8 * 25e9))  # the eight A100 receive half as fast
    shown = past / (8 * 25e9) / (80 if cache_transfer == "layerwise" else 1)
    assert found["handover_time"] == pytest.approx(shown)


def test_busy_chips_cost_what_their_tokens_cost() -> None:
    replicas = ("prompt_replicas = 3", "answer_replicas = 5")
    found = cells(*LOAD, *SPLIT, *PRICES, *replicas)
    prompts, answers = 3 / found["prompt_time"], 5 / found["slot_time"]  # requests per second of each kind of chip
    hour = prompts * 3600 * 4000 * found["input_cost"] + answers * 3600 * 600 * found["output_cost"]
    assert hour == pytest.approx(3 * 8 * 4 + 5 * 8 * 2)
    assert found["fleet_price"] * 3600 == pytest.approx(hour)
    assert found["chip_ratio"] == pytest.approx((8 / prompts * 3) / (8 / answers * 5))


def test_parts_repeat_no_row_of_the_model() -> None:
    shared, rows = sheet("matrix_work"), sheet("disaggregated_serving")
    names = {*rows.cells, *rows.choices, *rows.limits}
    assert not {f"{part}.{name}" for part in ("decode", "prefill") for name in (*shared.cells, *shared.choices)} & names


def test_together_is_another_sheet() -> None:
    answer = solve("disaggregated_serving", (), [*LOAD, *SPLIT, RATE, "placement = together"])
    assert "chips_apart" in [check.relation.name for check in answer.limits if not check.holds]


def test_answers_of_one_token_wait_for_no_past() -> None:
    found = solve("disaggregated_serving", (), [LOAD[0], LOAD[1], *SAME, RATE, "output_len = 1 token"])
    assert found.cells["handover_time"].si == 0
    assert found.cells["request_time"].si == pytest.approx(found.cells["mean_first_token"].si)
    assert not [check.relation.name for check in found.broken]


@pytest.mark.parametrize("load_factor", [1, 0.5])
def test_the_same_chips_cost_the_same_in_both_sheets(load_factor: float) -> None:
    factor = f"load_factor = {load_factor}"
    here = cells(
        *LOAD, *SAME, RATE, factor, "prefill_rent.chip_price = 3 USD/hour", "decode_rent.chip_price = 3 USD/hour"
    )
    one_kind = ("chip = h100-sxm", "n_tp = 8", "weight_format = fp8", "placement = apart", "chip_price = 3 USD/hour")
    there = cells(*LOAD, *one_kind, RATE, factor, name="serving")
    assert here["token_cost"] == pytest.approx(float(there["token_cost"]), rel=1e-9)
