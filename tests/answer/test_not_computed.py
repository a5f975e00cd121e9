"""Warnings of cells that have no value: all of them, or those on which rests what a question asks for."""

from __future__ import annotations

import re

from flopsheet import Sheet, formula, given, max_, part, records, solve


class Shop(Sheet):
    """What a chip costs, and what it earns."""

    chip = part("chip", "Chip", example="h100-sxm")
    duration = given("Hours", "hour", example=10)
    fee = given("Fee", "USD", example=10)
    tax = given("Tax", "USD", example=10)
    rent = formula(duration * chip.hourly_price, "USD", "Rent")
    cost = formula(rent + fee, "USD", "Cost")
    earned = formula(cost + tax, "USD", "Earned")
    paid = formula(fee + tax, "USD", "Paid")
    saved = formula(earned - fee, "USD", "Saved", signed=True)


def cautions(**how: object) -> list[str]:
    """Return what is warned of besides figures that nobody verified."""
    texts = solve(Shop, **how).cautions  # type: ignore[arg-type]
    return [text for text in texts if "not verified" not in text]


WHERE = ["chip = h100-sxm", "duration = 10 hour"]


def test_without_a_name_all_is_asked_for() -> None:
    assert cautions(where=WHERE) == ["Not computed: cost, earned, paid and saved. Not given: fee and tax."]


def test_what_is_shown_has_a_value_and_nothing_is_lacking() -> None:
    assert cautions(where=WHERE, show="rent") == []


def test_what_is_shown_names_what_it_rests_on_and_counts_the_rest() -> None:
    assert cautions(where=WHERE, show="cost") == ["Not computed: cost and 3 other cells. Not given: fee."]
    assert cautions(where=WHERE, show=["earned"]) == [
        "Not computed: cost, earned and 2 other cells. Not given: fee and tax."
    ]


def test_names_are_ranked_without_a_warning_of_what_nobody_asked_for() -> None:
    where = ["duration = 10 hour", "rent <= 40 USD", "chip.vendor = NVIDIA"]
    assert cautions(unknown="chip", where=where) == []
    assert cautions(unknown="chip", where=where, best="min:rent") == []
    assert cautions(unknown="chip", where=where, show="cost") == [
        "Not computed: cost and 3 other cells. Not given: fee."
    ]


def test_a_part_that_is_not_given_is_named_where_it_is_needed() -> None:
    assert cautions(where=["duration = 10 hour"], show="rent") == [
        "Not computed: rent and 4 other cells. Not given: chip."
    ]


def test_figures_that_nobody_verified_are_told_of_where_the_answer_uses_them() -> None:
    chips = ["chip = gh200-96gb", "duration = 10 hour", "fee = 1 USD", "tax = 1 USD"]
    assert any("hourly_price" in text for text in solve(Shop, where=chips, show="cost").cautions)
    assert not any("hourly_price" in text for text in solve(Shop, where=chips, show="paid").cautions)


class Transfer(Sheet):
    """The time in which bytes are sent."""

    sent = given("Bytes", "byte", minimum=0, example=10)
    bandwidth = given("Bandwidth", "byte/s", example=10)
    latency = given("Latency", "s", example=1)
    duration = formula(max_(sent / bandwidth, latency), "s", "Duration")
    later = formula(2 * duration + sent / bandwidth, "s", "What rests on both")
    apart = formula(3 * latency, "s", "What rests on neither")


def test_what_rests_on_an_unknown_without_a_first_value_is_left_out_and_not_solved_for_again() -> None:
    answer = solve(Transfer, "bandwidth", ["sent = 0 byte", "latency = 1 s", "duration = 1 s"])
    assert (answer.outcomes["bandwidth"].kind, answer.solved) == ("range", True)
    assert answer.cautions == [
        "No first value of bandwidth works, only those inside its range: give it to see the other cells."
    ]
    assert answer.cells.keys() == {"sent", "latency", "duration", "apart"}


def unverified(*where: str, **how: object) -> list[str]:
    return [text for text in solve("training_memory", where=where, **how).cautions if "not verified" in text]  # type: ignore[arg-type]


def test_figures_that_nobody_verified_are_one_line_a_record() -> None:
    (text,) = unverified("model = kimi-linear-48b-a3b", "chip = h200-sxm", "seq_len = 4096")
    named, of, record = text.partition(" of kimi-linear-48b-a3b were not verified in their sources.")
    assert (bool(of), record) == (True, "")
    figures = records("architecture")["kimi-linear-48b-a3b"].values.values()
    assert 20 < int(re.search(r"and (\d+) more figures$", named)[1]) < sum(not figure.verified for figure in figures)  # type: ignore[index]


def test_only_figures_that_a_headline_reads_are_told() -> None:
    where = ["model = llama-3.1-8b", "chip = h100-sxm", "n_dp = 8", "sharding = weights", "seq_len = 8192"]
    price = "chip.hourly_price of h100-sxm-lambda was not verified in its source."
    assert price not in solve("training_step", where=where).cautions
    assert price in solve("training_step", where=[*where, "dataset_tokens = 1T"], show="train_cost").cautions
