"""Names that an equation decides on: each is tried with the defaults of the sheet, and must have the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import solve
from flopsheet.registry.store import records

if TYPE_CHECKING:
    from flopsheet.answer.outcomes.value import CellValue

RUN = ["params = 8B", "n_chips = 256", "dataset_tokens = 1T", "utilization = 0.4"]
DECODE = ["model = llama-3.1-8b", "seq_len = 4096", "n_sequences = 1"]
LENGTHS = ["seq_len = 8192", "n_sequences = 1"]


def pasted(value: CellValue) -> str:
    """Return a value as it is printed in JSON, with its unit."""
    return f"{value.value!r} {value.cell.unit.text}".strip()


def names(sheet: str, unknown: str, where: list[str]) -> tuple[list[str], list[str]]:
    """Return the names that work, and the reasons of those that do not."""
    ranking = solve(sheet, unknown, where).ranking
    assert ranking is not None
    assert ranking.complete
    assert not any(
        candidate.answer and set(candidate.answer.dropped_defaults) - {"tokens_per_param"}
        for candidate in ranking.working
    )
    return [candidate.text for candidate in ranking.working], [candidate.why for candidate in ranking.rejected]


@pytest.mark.parametrize(
    ("sheet", "unknown", "name", "where", "cell"),
    [
        ("training_run", "chip", "h200-sxm", RUN, "train_time"),
        ("training_run", "chip", "a100-sxm4-80gb", RUN, "train_cost"),
        ("decode", "chip", "h200-sxm", DECODE, "token_time"),
        ("kv_cache", "model", "llama-3.1-8b", LENGTHS, "growth"),
        ("roofline", "chip", "mi300x", ["n_rows = 4096", "d_in = 4096", "d_out = 4096"], "operator_time"),
    ],
)
def test_a_name_is_found_again_by_what_it_gives_and_all_that_work_give_the_same(
    sheet: str, unknown: str, name: str, where: list[str], cell: str
) -> None:
    value = solve(sheet, (), [*where, f"{unknown} = {name}"]).cells[cell]
    working, _ = names(sheet, unknown, [*where, f"{cell} = {pasted(value)}"])
    assert name in working
    for other in working:
        same = solve(sheet, (), [*where, f"{unknown} = {other}"]).cells[cell]
        assert float(same.si) == pytest.approx(float(value.si), rel=1e-9)


def test_no_default_gives_way_to_a_name() -> None:
    assert names("kv_cache", "model", [*LENGTHS, "growth = 127.5 KiB/token"])[0] == []
    assert names("training_run", "chip", [*RUN, "train_time = 31 day"])[0] == []


def test_what_would_only_tell_the_figure_that_a_name_lacks_is_not_met() -> None:
    working, reasons = names("training_run", "chip", [*RUN, "train_cost = 200000 USD"])
    assert working == []
    lacking = [why for why in reasons if "There is no figure for chip.hourly_price: chip_price would have to be" in why]
    both = (
        "There is no figure for chip.flops.bf16 and chip.hourly_price, so 'train_cost = 200000 USD' cannot be checked."
    )
    assert len(lacking) > 50
    assert both in reasons
    working, reasons = names("decode", "chip", [*DECODE, "token_time = 8 ms"])
    assert working == []
    assert "There is no figure for chip.flops.bf16, so 'token_time = 8 ms' cannot be checked." in reasons


@pytest.mark.parametrize(
    ("sheet", "unknown", "where", "tried"),
    [
        (
            "training_run",
            "model",
            ["chip = h100-sxm", "utilization = 40 %", "n_chips = 1024", "dataset_tokens = 15T", "train_time <= 30 day"],
            ["qwen3-30b-a3b", "llama-3-8b", "llama-3-70b", "pythia-70m", "deepseek-v3"],
        ),
        (
            "ffn_memory",
            "chip",
            [
                *("d_model = 8192", "d_ff = 28672", "n_blocks = 80", "tokens = 1M", "n_fsdp = 15"),
                "device_memory <= 90 % * chip.memory",
            ],
            ["mi325x", "h100-sxm", "rubin", "mi300x"],
        ),
    ],
)
def test_where_an_inequality_decides_a_name_works_as_it_does_alone(
    sheet: str, unknown: str, where: list[str], tried: list[str]
) -> None:
    ranking = solve(sheet, unknown, where).ranking
    assert ranking is not None
    working = {candidate.text for candidate in ranking.working}
    alone = [solve(sheet, (), [*where, f"{unknown} = {name}"]) for name in tried]
    holds = [all(check.holds for check in (*answer.checks, *answer.limits)) for answer in alone]
    assert {name for name, met in zip(tried, holds, strict=True) if met} == working.intersection(tried)
    assert set(holds) == {True, False}


def test_what_is_given_replaces_the_default_from_which_it_would_follow() -> None:
    """As with the name alone. A name does not fit where the default would have to be out of the bounds of its cell."""
    ranking = solve("electricity", "model", ["dataset_tokens = 2T"]).ranking
    assert ranking is not None
    assert len(ranking.working) == len(records("architecture"))
    ranking = solve("training_run", "chip", ["model = llama-3-8b", "n_chips = 1024", "chip_rate = 400 TFLOP/s"]).ranking
    assert ranking is not None
    rates = {name: own.si_values.get("flops.bf16", 0) for name, own in records("chip").items()}
    assert {own.text for own in ranking.working} == {name for name, rate in rates.items() if rate >= 400e12}


def test_a_chip_without_the_rate_that_time_and_cost_ask_for_tells_the_rate_that_it_would_need() -> None:
    """Counted by hand: the money rents so many whole chips for the time, which have to do the work."""
    run = ["model = llama-3-8b", "tokens = 4M", "dataset_tokens = 15T"]
    asked = [*run, "train_time = 30 day", "train_cost <= 3e6 USD"]
    ranking = solve("training_run", ["chip", "n_chips"], asked, best="min:train_time").ranking
    assert ranking is not None
    assert not ranking.working  # no chip takes a whole number of chips for 30 days to the second
    reasons = {own.text: own.why for own in ranking.rejected}
    work = 6 * 8_030_261_248 * 15e12
    for name in ("v100-sxm2-16gb", "t4-16gb"):
        price = records("chip")[name].si_values["hourly_price"] * 30 * 86_400
        seconds = 3e6 // price * 30 * 86_400
        start, _, rate = reasons[name].removesuffix(" TFLOP/s.").rpartition(" ")
        assert start == "There is no figure for chip.flops.bf16: it would have to be"
        assert float(rate) == pytest.approx(work / seconds / 0.4 / 1e12, abs=0.005)  # its last digit
