"""The default write-up has every part, in the order in which a person reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import flopsheet

if TYPE_CHECKING:
    from flopsheet.solver.answer import Answer

WHERE = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
GOAL = "device_memory <= chip.memory"


@pytest.fixture(scope="module")
def answer() -> Answer:
    return flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL])


def test_parts_in_order(answer: Answer) -> None:
    headings = re.findall(r"^## (.+)$", answer.derivation(), re.MULTILINE)
    assert headings == ["Answer", "Inputs", "Steps", "Check", "Limits", "Also known", "Assumptions", "Sources"]


def test_answer_in_bold_with_closed_form(answer: Answer) -> None:
    text = answer.derivation()
    assert "**n_fsdp >= 45.76, so 46**" in text
    assert r"n_{\text{fsdp}} \ge \frac{M_{\text{state}} + A \sigma}{M_{\text{chip}} - A \rho}" in text


def test_steps_say_symbols_then_numbers_then_result(answer: Answer) -> None:
    text = answer.derivation()
    assert r"N &= 2 d f L \\" in text
    assert r"&= 2 \cdot 16{,}384 \cdot 53{,}248 \cdot 126 \\" in text
    assert r"&= 219{,}848{,}638{,}464\,\mathrm{param}" in text
    assert "from 'device_memory <= chip.memory', solved by" in text
    assert r"\frac{M_{\text{state}} + A \sigma}{n_{\text{fsdp}}} + A \rho \le M_{\text{chip}}" in text


def test_steps_only_as_needed(answer: Answer) -> None:
    steps = answer.derivation().partition("## Steps")[2].partition("## Check")[0]
    assert "total_memory" not in steps
    assert (
        steps.index("`params`")
        < steps.index("`state_memory`")
        < steps.index("`n_fsdp`")
        < steps.index("`device_memory`")
    )


def test_inputs_name_record_file_and_source(answer: Answer) -> None:
    text = answer.derivation()
    row = next(line for line in text.splitlines() if "`chip.memory` |" in line)
    assert re.search(r"95 GiB .* tpu-v5p \(hardware/chips/google\.yaml:\d+\) \| \[1\]", row)
    assert re.search(r"^1\. Google Cloud TPU documentation.*<https://", text, re.MULTILINE)


def test_limits_with_slack(answer: Answer) -> None:
    assert "| `fits` | `device_memory <= chip.memory` | 94.5 GiB | 95 GiB | 0.5263 % | yes |" in answer.derivation()


def test_no_solution_says_why_and_has_no_result() -> None:
    text = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL, "replicated_activation_fraction = 1/2"]).derivation()
    assert "**no n_fsdp works**" in text
    assert "device_memory cannot fall below 1071 GiB however large n_fsdp is" in text
    assert "Defaults that gave way to the question: replicated_activation_fraction = 0." in text


def test_forward_question() -> None:
    text = flopsheet.solve("ffn_memory", (), [*WHERE, "n_fsdp = 46"]).derivation()
    assert "## Answer" not in text
    assert r"&= 94.5\,\mathrm{GiB}" in text


def test_unverified_figure_is_named() -> None:
    text = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE[:-1], "chip = h200", GOAL]).derivation()
    assert "chip.memory of h200-sxm was not verified in its source." in text


def test_numbers_read_like_an_engineers(answer: Answer) -> None:
    assert not re.search(r"\de[+-]?\d", answer.derivation())
    assert ".0 " not in answer.derivation()


def test_notebooks_show_the_write_up(answer: Answer) -> None:
    assert answer._repr_markdown_() == answer.derivation()
