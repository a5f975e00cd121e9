"""What an interactive session prints of an answer and of its parts: one short line each."""

from __future__ import annotations

from typing import Any

import pytest

from flopsheet import quantity, records, sheet, solve, unit

ANSWER = solve(
    "decode",
    "n_sequences",
    ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "seq_len = 8192", "token_time <= 30 ms"],
)
PARTS = {
    "<Answer of decode: n_sequences <= 108.6, so 108>": ANSWER,
    "<Question of decode for n_sequences>": ANSWER.question,
    "<chip.memory = 80 GiB (h100-sxm)>": ANSWER.cells["chip.memory"],
    "<n_tp = 8 (given)>": ANSWER.cells["n_tp"],
    "<token_time = 29.91 ms (computed)>": ANSWER.cells["token_time"],
    "<Outcome of n_sequences: range, exact>": ANSWER.outcomes["n_sequences"],
    "<Step peak_rate = 989.4 TFLOP/s (direct)>": ANSWER.steps[0],
    "<Check 'mod(stage_chips, n_ep) = 0': holds>": ANSWER.limits[0],
    "<Relation 'mod(stage_chips, n_ep) = 0' of limit whole_expert_groups>": ANSWER.limits[0].relation,
    "<Sheet queueing: 19 cells>": sheet("queueing"),
    "<Cell chip.memory [GiB]: Memory of one chip>": ANSWER.cells["chip.memory"].cell,
    "<Record h100-sxm of kind chip: NVIDIA H100 SXM5 80GB>": records("chip")["h100-sxm"],
    "<Value 80 GiB (hand)>": records("chip")["h100-sxm"].values["memory"]._replace(sources=("hand",)),
    "quantity('80 GiB')": quantity("80 GiB"),
    "unit('GB/s')": unit("GB/s"),
}


@pytest.mark.parametrize("text", PARTS)
def test_a_part_is_one_line(text: str) -> None:
    assert repr(PARTS[text]) == text


@pytest.mark.parametrize(
    "part", [ANSWER.cells, ANSWER.steps, ANSWER.limits, ANSWER.outcomes, records("chip")], ids=type
)
def test_collections_have_a_short_line_for_each_part(part: Any) -> None:
    longest = max(len(repr(one)) for one in (part.values() if isinstance(part, dict) else part))
    assert longest < 240
    assert "\n" not in repr(part)
