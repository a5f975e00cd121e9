"""Counts that are one by default: where limits do not hold, the answer says with which they do."""

from __future__ import annotations

import math
from typing import Any

import pytest

from flopsheet import Chip, Sheet, equal, formula, given, limit, mod, part, solve
from flopsheet.answer.verification import warnings
from flopsheet.errors import ArithmeticTrapError, OverdeterminedError
from flopsheet.registry.store import records


class Split(Sheet):
    """A state that chips of two kinds of degrees share, of which one must divide heads."""

    state = given("State", "GB")
    n_heads = given("Heads", default=12, integer=True)
    n_tp = given("Chips that share a layer", default=1, integer=True, maximum=1000)
    n_pp = given("Stages", inferred=1, integer=True, maximum=8)
    n_spare = given("Spare chips, which hold nothing", default=1, integer=True)
    chip = part(Chip, example="h100-sxm")
    held = formula(state / (n_tp * n_pp), "GB", "Held by one")
    cost = formula(n_spare * state, "GB", "Something else")
    fits = limit(held <= chip.memory, "One chip holds its share")
    heads_divide = limit(equal(mod(n_heads, n_tp), 0), "Heads divide evenly")


SERVED = ["model = llama-3-70b", "chip = h100", "arrival_rate = 5/s", "prompt_len = 2000", "output_len = 300"]
SHEET, MEMORY = Split(), records("chip")["h100-sxm"].si_values["memory"] / 1e9


def remarks(*texts: str, unknown: Any = "held") -> list[str]:
    answer = solve(SHEET, unknown, ["chip = h100-sxm", *texts])
    return [text for text in answer.warnings if text.startswith("All limits hold with")]


def power(shares: float) -> int:
    return int(2 ** math.ceil(math.log2(shares)))


@pytest.mark.parametrize("state", [100, 300, 340])
def test_each_count_is_named_that_mends_alone(state: int) -> None:
    least = power(state / MEMORY)
    assert least in (2, 4)
    expected = f"All limits hold with n_tp = {least} or n_pp = {least}; the default is 1."
    assert remarks(f"state = {state} GB") == [expected]


def test_a_count_that_breaks_another_limit_is_not_named() -> None:
    assert remarks("state = 600 GB") == ["All limits hold with n_pp = 8; the default is 1."]


def test_counts_are_tried_once_somebody_reads_the_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def mended(*about: Any) -> str:
        asked.append(about)
        return ""

    monkeypatch.setattr(warnings, "mended", mended)
    answer = solve(SHEET, "held", ["chip = h100-sxm", "state = 100 GB"])
    assert answer.broken
    assert not asked
    assert answer.warnings is answer.warnings
    assert len(asked) == 1


def test_what_is_given_or_asked_for_is_not_named() -> None:
    assert remarks("state = 100 GB", "n_tp = 1") == ["All limits hold with n_pp = 2; the default is 1."]
    assert remarks("state = 100 GB", "n_tp = 1", "n_pp = 1") == []


def test_a_count_that_follows_from_what_is_given_is_not_named() -> None:
    """Three chips in pairs are one and a half copies: two copies would be four chips."""
    given = ["model = llama-3-8b", "chip = h100", "n_sequences = 1", "seq_len = 1000", "n_tp = 2", "n_chips = 3"]
    with pytest.raises(OverdeterminedError) as caught:
        solve("decode", "token_time", given)
    assert caught.value.problem == "It would be 1.5 by 'n_chips = 3', which is no whole number."
    assert "n_dp = 2" not in caught.value.fix


def test_nothing_is_said_where_limits_hold_or_no_count_mends() -> None:
    assert remarks("state = 50 GB") == []
    assert remarks("state = 9000 GB") == []


def test_a_formula_without_value_says_which_count_mends() -> None:
    with pytest.raises(ArithmeticTrapError) as caught:
        solve("serving", "n_chips", SERVED)
    assert "134.9 GiB is more than 72 GiB" in caught.value.problem
    counts = "n_tp = 2 (n_chips = 22) or n_pp = 2 (n_chips = 46)"
    assert caught.value.fix == f"The limits that are computed hold with {counts}; the default is 1."


def test_the_count_that_is_named_mends() -> None:
    assert not solve("serving", "n_chips", [*SERVED, "n_tp = 2"]).broken


def test_a_count_that_multiplies_chips_says_how_many_they_are() -> None:
    given = ["model = llama-3-70b", "system = dgx-h100", "n_tp = 4", "n_pp = 4", "n_dp = 8", "batch = 512"]
    answer = solve("training_step", (), [*given, "seq_len = 8192"])
    (text,) = [text for text in answer.warnings if text.startswith("All limits hold with")]
    assert text == "All limits hold with n_cp = 8 (n_chips = 1024); the default is 1."
    again = solve("training_step", (), [*given, "seq_len = 8192", "n_cp = 8"])
    assert again.cells["n_chips"].si == 1024
    assert not again.broken
