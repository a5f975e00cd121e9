"""A step that inverts a rounding has its bound as a formula, with numbers and result, as other steps have."""

from __future__ import annotations

import pytest
from tests.report.pages import steps
from tests.report.test_calculator import failures

from flopsheet import Sheet, ceil, floor, formula, given, solve


class Blocks(Sheet):
    """Memory in blocks of tokens, and what a rounding down leaves."""

    length = given("Tokens", "token", example=100)
    chunk = given("Tokens in a block", "token", default=16)
    size = given("Bytes of a block", "byte", default=1000)
    n_parts = formula(ceil(length / chunk), "", "Blocks", integer=True)
    used = formula(n_parts * size, "KiB", "Memory")
    room = formula(100 - floor(length / chunk / 3), "", "What is left", signed=True)


@pytest.mark.parametrize(
    ("goal", "lines"),
    [
        (
            "used <= 9 KiB",
            [
                r"\text{length} &\le \text{chunk} \cdot \left\lfloor{\frac{9\,\mathrm{KiB}}{\text{size}}}\right\rfloor",
                (
                    r"&= 16\,\mathrm{token} \cdot \left\lfloor{\frac{9\,\mathrm{KiB} \cdot "
                    r"2^{10}\,\mathrm{byte/KiB}}{1000\,\mathrm{byte}}}\right\rfloor"
                ),
                r"&= 144\,\mathrm{token}",
            ],
        ),
        ("n_parts = 12", [r"\text{length} &\le \text{chunk} \cdot \text{n parts}"]),
        ("room = 10", [r"\text{length} &\ge 3 \cdot \text{chunk} \cdot \left(100 - \text{room}\right)"]),
        ("room >= 10.5", [r"\text{length} &< 270 \cdot \text{chunk}"]),
        ("room < 10.5", [r"\text{length} &\ge 270 \cdot \text{chunk}"]),
    ],
)
def test_an_inverted_rounding_has_its_numbers(goal: str, lines: list[str]) -> None:
    text = solve(Blocks(), "length", [goal]).derivation()
    shown = dict(steps(text))["length"]
    assert shown[: len(lines)] == lines
    assert failures(text) == []


def test_a_context_in_blocks_of_a_cache_has_its_numbers() -> None:
    given = ["model = qwen3-32b", "chip = rtx-5090", "n_tp = 1", "weight_format = int4", "n_sequences = 1"]
    goal = "inference_memory <= memory_utilization * chip.memory"
    text = solve("inference_memory", "seq_len", [*given, goal]).derivation("page")
    assert any(r"\left\lfloor{\frac{" in line for line in dict(steps(text))["seq_len"])
    assert failures(text) == []
