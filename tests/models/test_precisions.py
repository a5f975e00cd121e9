"""Sheets that compute take the rate of the precision that is asked for, of every chip; else they say what there is."""

from __future__ import annotations

import re

import pytest

from flopsheet import records, solve
from flopsheet.errors import UnderdeterminedError, joined
from flopsheet.report.headlines import headline_text
from flopsheet.sheets.catalogue import sheet, sheet_files

PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4")
CHIPS = tuple(records("chip"))
SHEETS = {
    "chip_peak": "peak_rate",
    "chip_rates": "matmul_rate",
    "linear_layer": "matmul_rate",
    "optimal_run": "matmul_rate",
    "pipeline_step": "matmul_rate",
    "roofline": "peak_rate",
    "training_run": "peak_rate",
}


def test_all_sheets_have_the_same_precisions() -> None:
    choices = {(name, row): sheet(name).choices[row] for name in sheet_files() for row in sheet(name).choices}
    precisions = {place: choice.options for place, choice in choices.items() if place[1].endswith("precision")}
    assert {*precisions.values()} == {PRECISIONS}
    assert {name for name, _ in precisions} >= {*SHEETS, "kv_cache", "gradient_sync"}


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("suite", ["quick", pytest.param("slow", marks=pytest.mark.slow)])
def test_the_rate_is_that_of_the_precision_or_an_error_names_what_there_is(suite: str, chip: str) -> None:
    """Each chip in one sheet, sheets by turns; the slow suite has the others."""
    own = [*SHEETS][CHIPS.index(chip) % len(SHEETS)]
    values = records("chip")[chip].values
    known = [precision for precision in PRECISIONS if f"flops.{precision}" in values]
    for name, rate in SHEETS.items():
        if (name == own) != (suite == "quick"):
            continue
        for precision in PRECISIONS:
            given = [f"chip = {chip}", f"precision = {precision}"]
            if precision in known:
                assert solve(name, rate, given).outcomes[rate].si == values[f"flops.{precision}"].si
                continue
            with pytest.raises(UnderdeterminedError) as raised:
                solve(name, rate, given)
            assert f"{chip} has no chip.flops.{precision}." in raised.value.problem
            options = raised.value.fix.partition(", for which")[0]
            assert options == f"Choose precision = {joined(known, 'or')}"


def test_bytes_follow_the_precision_and_may_be_overridden() -> None:
    assert solve("chip_rates", (), {"precision": "fp4"}).cells["bytes_per_param"].value == 0.5
    assert solve("pipeline_step", (), {"precision": "bf16"}).cells["bytes_per_activation"].value == 2
    overridden = solve(
        "chip_rates", "chip_rate", {"precision": "fp8", "bytes_per_param": "2 byte/param", "chip": "h100-sxm"}
    )
    assert overridden.value == pytest.approx(0.8 * 1978.9)
    assert "bytes_per_param" not in [step.cell.name for step in overridden.steps]


def test_the_source_scales_an_8_bit_rate_only_where_that_is_chosen() -> None:
    chosen = solve("chip_rates", "matmul_rate", {"rate_basis": "scaled_int8", "chip": "gb300"})
    assert chosen.value == 82.5
    assert solve("chip_rates", "matmul_rate", {"chip": "gb300"}).value == 2500


def test_a_v100_trains_in_fp16() -> None:
    run = {"chip": "v100", "precision": "fp16", "params": "7e9 param", "tokens": "1e6 token", "n_chips": 100}
    seconds = 6 * 7e9 * 140e9 / (0.4 * 125e12 * 100)
    assert solve("training_run", "train_time", run).value == pytest.approx(seconds / 86400)


def test_a_page_without_an_unknown_names_the_missing_figure() -> None:
    (warning,) = solve("chip_peak", (), {"chip": "v100"}).warnings
    assert warning.endswith("v100-sxm2-16gb has no chip.flops.bf16: choose precision = fp32 or fp16.")


@pytest.mark.parametrize("chip", CHIPS)
def test_any_chip_decodes_with_the_options_that_its_refusal_names(chip: str) -> None:
    """Following the last line of an answer, and of the next one, leads to a time on every chip that has a rate."""
    values = records("chip")[chip].values
    options: dict[str, str] = {}
    where = ["model = llama-3.1-8b", "n_sequences = 1", "seq_len = 4096", f"chip = {chip}"]
    for _ in range(3):
        answer = solve("decode", (), [*where, *(f"{name} = {option}" for name, option in options.items())])
        if "token_time" in answer.cells:
            break
        named = re.search(r"choose (\w+) = (\w+)", headline_text(answer))
        if named is None:
            break
        options[named[1]] = named[2]
    lacks = "memory_bandwidth" not in values or not any(name.startswith("flops.") for name in values)
    assert ("token_time" in answer.cells) is not lacks


def test_pairs_of_tokens_take_sixteen_bits_or_the_format_of_matrices() -> None:
    where = ["chip = h100-sxm", "precision = fp8"]
    half, matrices = (
        solve("decode", "attention_peak_rate", [*where, f"attention_format = {option}"]).outcomes["attention_peak_rate"]
        for option in ("half", "matrices")
    )
    assert (half.si, matrices.si) == tuple(
        records("chip")["h100-sxm"].si_values[f"flops.{own}"] for own in ("bf16", "fp8")
    )
