"""An input that the options of an answer leave out is told once, with the option that leaves it out."""

from __future__ import annotations

import pytest

from flopsheet import solve

MEMORY = ["model = llama-3.1-8b", "chip = h100-sxm", "seq_len = 4096", "n_dp = 8", "batch = 8", "lora_rank = 16"]
OPERATOR = ["n_rows = 1024", "d_in = 4096", "d_out = 4096", "chip = h100-sxm", "stated_work = 5 GFLOP"]
RUN = ["params = 405B", "n_chips = 16384", "given_interval = 30 minute"]


@pytest.mark.parametrize(
    ("sheet", "unknown", "where", "text"),
    [
        ("goodput", "goodput", RUN, "given_interval is not used with interval_rule = daly."),
        ("roofline", [], OPERATOR, "stated_work is not used with operator = matmul."),
        ("training_memory", "device_memory", MEMORY, "lora_rank is not used with recipe = mixed_16."),
        (
            "scaling_law",
            [],
            ["params = 8B", "dataset_tokens = 1T", "own_floor = 1.5"],
            "own_floor is not used with loss_fit = epoch.",
        ),
    ],
)
def test_it_is_told(sheet: str, unknown: str | list[str], where: list[str], text: str) -> None:
    assert solve(sheet, unknown, where).warnings.count(text) == 1


@pytest.mark.parametrize(
    ("sheet", "unknown", "where"),
    [
        ("goodput", "goodput", [*RUN, "interval_rule = given"]),
        ("training_memory", "device_memory", [*MEMORY, "recipe = lora"]),
        (
            "training_run",
            "train_time",
            ["params = 70B", "dataset_tokens = 1.4T", "tokens = 4M", "n_chips = 8", "chip = h100-sxm"],
        ),
    ],
)
def test_what_an_option_reads_is_not(sheet: str, unknown: str, where: list[str]) -> None:
    assert not [text for text in solve(sheet, unknown, where).warnings if "not used" in text]
