"""Choices that a question leaves at their default are named where it has no answer."""

from __future__ import annotations

import pytest

from flopsheet import solve

KNOWN = ["model = llama-3.1-8b", "chip = h100-sxm", "seq_len = 8192", "device_memory <= {} GiB"]


def reason(size: int, *more: str) -> str:
    known = [text.format(size) for text in KNOWN]
    return solve("training_memory", "n_dp", [*known, *more]).outcomes["n_dp"].why


def test_choices_that_are_not_stated_are_named_where_nothing_works() -> None:
    assert "choices at their default: recipe = mixed_16, sharding = none" in reason(80)
    stated = reason(30, "sharding = optimizer")
    assert "recipe = mixed_16" in stated
    assert "sharding" not in stated.partition("choices at their default")[2]


@pytest.mark.slow
def test_what_limits_exclude_is_none_without_time_to_say_what_they_exclude() -> None:
    known = ["model = llama-3-70b", "system = dgx-h100", "seq_len = 8192", "n_tp = 8", "batch = 1024"]
    outcome = solve("training_step", "n_dp", [*known, "token_rate >= 1000000 token/s"], budget=0.3).outcomes["n_dp"]
    assert outcome.kind == "none"
    assert "some are not excluded" not in outcome.why
