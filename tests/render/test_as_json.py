"""The JSON object is the documented one."""

from __future__ import annotations

import json
from typing import Any

import pytest

import flopsheet

WHERE = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
KEYS = ["sheet", "unknown", "answers", "cells", "limits", "checks", "dropped_defaults", "steps", "warnings"]


def _solved(unknown: str, *where: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(
        json.dumps(flopsheet.solve("ffn_memory", unknown, where).as_dict(), allow_nan=False)
    )
    return shown


def test_range_of_a_whole_number() -> None:
    shown = _solved("n_fsdp", *WHERE, "device_memory <= chip.memory")
    assert list(shown) == KEYS
    found = shown["answers"]["n_fsdp"]
    assert (found["kind"], found["lower"], found["upper"]) == ("range", 45.757894736842104, None)
    assert (found["whole"], found["value"], found["unit"], found["si"]) == (46, 46, "", 46.0)
    form = "(state_memory + activation_memory*sharded_activation_fraction)/"
    assert found["closed_form"] == form + "(chip.memory - activation_memory*replicated_activation_fraction)"
    memory = shown["cells"]["device_memory"]
    assert memory == {"value": 94.5, "unit": "GiB", "si": 101468602368.0, "origin": "computed"}
    assert shown["limits"] == [
        {"name": "fits", "relation": "device_memory <= chip.memory", "holds": True, "slack": pytest.approx(0.5 / 95)}
    ]
    step = shown["steps"][0]
    assert step == {
        "cell": "params",
        "relation": "params = 2*d_model*d_ff*n_blocks",
        "form": "2*d_model*d_ff*n_blocks",
        "how": "direct",
        "value": 219848638464,
        "unit": "param",
    }


def test_forward() -> None:
    shown = _solved_forward(*WHERE[:-1], "chip = h100-sxm")
    assert shown["n_chips"]["value"] == 68
    assert shown["total_memory"]["value"] == 5418
    assert shown["activation_memory_per_token"]["si"] == 17547264.0


def _solved_forward(*where: str) -> dict[str, Any]:
    shown: dict[str, Any] = flopsheet.solve("ffn_memory", (), where).as_dict()["cells"]
    return shown


@pytest.mark.parametrize(
    ("unknown", "given", "value", "neighbours"),
    [
        ("tokens", WHERE[:3], 343161.42670401494, [343161, 343162]),
        ("d_ff", [WHERE[0], *WHERE[2:5]], 75782.5015873016, [75782, 75783]),
        ("n_blocks", [*WHERE[:2], *WHERE[3:5]], 176.231884057971, [176, 177]),
    ],
)
def test_count_through_an_equation(unknown: str, given: list[str], value: float, neighbours: list[int]) -> None:
    found = _solved(unknown, *given, "chip = tpu-v5p", "n_fsdp = 64", "device_memory = chip.memory")["answers"][unknown]
    assert found["kind"] == "value"
    assert found["value"] == pytest.approx(value, rel=1e-12)
    assert found["neighbours"] == neighbours
    assert found["closed_form"]


def test_figure_carries_its_place() -> None:
    memory = _solved_forward(*WHERE)["chip.memory"]
    assert (memory["origin"], memory["record"], memory["file"]) == ("record", "tpu-v5p", "hardware/chips/google.yaml")


def test_no_solution() -> None:
    found = _solved("n_fsdp", *WHERE, "replicated_activation_fraction = 1/2", "device_memory <= chip.memory")
    outcome = found["answers"]["n_fsdp"]
    assert (outcome["kind"], outcome["value"], outcome["si"], outcome["closed_form"]) == ("none", None, None, None)
    assert "1071 GiB stay whatever n_fsdp is" in outcome["why"]
    assert found["dropped_defaults"] == ["replicated_activation_fraction"]
