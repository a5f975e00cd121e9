"""The JSON object is the documented one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_sheets import Roofline
from tests.report.chips import count, fitting

import flopsheet
from flopsheet import ceil, ratio
from flopsheet.functions import symbol
from flopsheet.report.as_json import all_as_dict
from flopsheet.sheets.cell import Cell

WHERE = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
KEYS = ["sheet", "unknown", "answers", "tuples", "cells", "limits", "lifted", "figures", "checks"]
KEYS += ["dropped_defaults", "steps", "bindings", "warnings"]


def _solved(unknown: Any, *where: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(
        json.dumps(flopsheet.solve("ffn_memory", unknown, where).as_dict(), allow_nan=False)
    )
    return shown


def test_range_of_a_whole_number() -> None:
    shown = _solved("n_fsdp", *WHERE, "device_memory <= chip.memory")
    assert list(shown) == KEYS
    outcome = shown["answers"]["n_fsdp"]
    assert (outcome["kind"], outcome["lower"], outcome["upper"]) == ("range", 45.757894736842104, None)
    assert (outcome["whole"], outcome["value"], outcome["unit"], outcome["si"]) == (46, 46, "", 46.0)
    form = "(state_memory + activation_memory*sharded_activation_fraction)/"
    assert outcome["closed_form"] == form + "(chip.memory - activation_memory*replicated_activation_fraction)"
    memory = shown["cells"]["device_memory"]
    assert memory == {"value": 94.5, "unit": "GiB", "si": 101468602368.0, "origin": "computed"}
    assert shown["limits"] == [
        {
            "name": "fits",
            "relation": "device_memory <= chip.memory",
            "holds": True,
            "slack": pytest.approx(0.5 / 95),
            "lifted": False,
        }
    ]
    step = next(row for row in shown["steps"] if row["cell"] == "params")
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
def test_a_count_that_only_a_fraction_satisfies_is_none_with_its_neighbours(
    unknown: str, given: list[str], value: float, neighbours: list[int]
) -> None:
    outcome = _solved(unknown, *given, "chip = tpu-v5p", "n_fsdp = 64", "device_memory = chip.memory")["answers"][
        unknown
    ]
    assert (outcome["kind"], outcome["value"], outcome["si"]) == ("none", None, None)
    assert outcome["fractional"] == pytest.approx(value, rel=1e-12)
    assert outcome["neighbours"] == neighbours
    assert outcome["closed_form"]


def test_figure_carries_its_place() -> None:
    memory = _solved_forward(*WHERE)["chip.memory"]
    assert (memory["origin"], memory["record"], memory["file"]) == ("record", "tpu-v5p", "hardware/chips/google.yaml")


def test_no_solution() -> None:
    shown = _solved("n_fsdp", *WHERE, "replicated_activation_fraction = 1/2", "device_memory <= chip.memory")
    outcome = shown["answers"]["n_fsdp"]
    assert (outcome["kind"], outcome["value"], outcome["si"], outcome["closed_form"]) == ("none", None, None, None)
    assert "1071 GiB remain for every n_fsdp" in outcome["why"]
    assert shown["dropped_defaults"] == ["replicated_activation_fraction"]


def _toy(unknown: Any, *where: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(json.dumps(all_as_dict(flopsheet.solve(TOY, unknown, where)), allow_nan=False))
    return shown


def test_elasticities_and_the_condition_come_with_the_answer() -> None:
    outcome = _solved("n_fsdp", *WHERE, "device_memory <= 95 GiB")["answers"]["n_fsdp"]
    state, activations = 16 * 2 * 16384 * 53248 * 126, 126 * (16384 + 53248) * 2 * 128 * 1024 / 2
    elasticities = outcome["elasticities"]
    assert outcome["condition"] == pytest.approx(1)
    assert elasticities["95 GiB"] == pytest.approx(-1)
    assert elasticities["bytes_per_param"] == pytest.approx(state / 4 / (state + activations))
    assert elasticities["batch"] == pytest.approx(activations / (state + activations))
    assert [*map(abs, elasticities.values())] == sorted(map(abs, elasticities.values()), reverse=True)
    still = _toy("n", "mod(30, n) = 0")["answers"]["n"]
    assert (still["condition"], still["elasticities"]) == (None, {})


def test_whole_numbers_are_listed() -> None:
    outcome = _toy("n", "mod(n, 5) = 2", "n <= 20")["answers"]["n"]
    kind, values, whole, value = (outcome[key] for key in ("kind", "values", "whole", "value"))
    assert (kind, values, whole, value) == ("whole", [2, 7, 12, 17], 17, 17)  # bounded from above alone
    assert outcome["complete"] is True
    endless = _toy("n", "mod(n, 5) = 2")["answers"]["n"]
    assert endless["complete"] is False
    assert endless["values"][:3] == [2, 7, 12]


def test_several_roots_are_listed() -> None:
    outcome = _toy("x", "bowl = 1")["answers"]["x"]
    assert (outcome["kind"], outcome["values"], outcome["value"]) == ("values", [1, 3], 3)


def test_names_and_their_candidates() -> None:
    shown = _solved(["chip", "n_fsdp"], *WHERE[:5], "device_memory <= chip.memory", "n_fsdp <= 60")
    assert list(shown) == [*KEYS, "candidates"]
    chip, number = shown["answers"]["chip"], shown["answers"]["n_fsdp"]
    works = fitting(60)
    assert works.items() >= {"h200-sxm": 31, "tpu-v5p": 46, "a100-sxm4-80gb": 55, "h100-sxm": 55}.items()
    best, least = next(iter(works.items()))
    assert (chip["kind"], chip["value"], chip["values"]) == ("names", best, [*works])
    assert chip["why"].startswith(f"{len(works)} of {count()} chips meet ")
    assert (number["whole"], number["value"]) == (least, least)
    candidates = {candidate["names"]["chip"]: candidate for candidate in shown["candidates"]}
    assert {
        name: candidate["values"]["n_fsdp"] for name, candidate in candidates.items() if candidate["works"]
    } == works
    assert len(candidates) == count()
    assert all(bool(candidate["why"]) is not candidate["works"] for candidate in candidates.values())


def test_no_name_works() -> None:
    shown = _solved("chip", *WHERE[:5], "n_fsdp = 2")
    outcome = shown["answers"]["chip"]
    assert (outcome["kind"], outcome["value"], outcome["values"]) == ("none", None, [])
    assert [candidate["works"] for candidate in shown["candidates"]] == [False] * count()
    assert {cell["origin"] for cell in shown["cells"].values()} == {"given"}


def test_all_has_the_cells_of_every_value() -> None:
    shown = _toy("x", "bowl = 1")
    assert list(shown) == [*KEYS, "all", "more"]
    assert not shown["more"]
    many = _toy("n", "total <= 102", "x = 1", "mod(n, 1) = 0")
    assert (len(many["all"]), many["more"]) == (50, True)
    assert [row["answers"] for row in shown["all"]] == [{"x": "1"}, {"x": "3"}]
    assert [row["cells"]["scaled"]["value"] for row in shown["all"]] == [20, 60]
    for row in shown["all"]:
        assert list(row) == ["answers", "cells", "limits", "checks", "warnings"]
        assert [check["holds"] for check in row["checks"]] == [True]
    pairs = _toy(["x", "n"], "bowl = 1", "total <= 3")["all"]
    assert [row["answers"] for row in pairs] == [
        {"x": x, "n": n} for x, n in (("1", "1"), ("1", "2"), ("1", "3"), ("3", "1"))
    ]
    assert [row["cells"]["total"]["value"] for row in pairs] == [1, 2, 3, 3]


def test_bindings_name_the_deciding_branch() -> None:
    rates = {"flop_rate": "800 TFLOP/s", "memory_bandwidth": "2 TB/s", "link_bandwidth": "50 GB/s"}
    work = {"work": "1200 TFLOP", "traffic": "4 TB", "exchanged": "50 GB"}
    assert flopsheet.solve(Roofline(), "step_time", {**work, **rates}).as_dict()["bindings"] == [
        {
            "cell": "step_time",
            "expression": "max(compute_time, memory_time, network_time)",
            "branch": "memory_time",
            "si": 2.0,
            "tied": False,
        }
    ]
    assert _toy("x", "largest = 5", "y = 5")["bindings"][0]["tied"] is True


def test_an_ill_conditioned_answer_is_a_warning() -> None:
    gap = 1e-13
    shown = flopsheet.solve(TOY, "x", ["hill = y", "y = 3.9999999999999"], near=3).as_dict()
    assert shown["answers"]["x"]["condition"] == pytest.approx(4 / (2 * gap**0.5 * 2), rel=1e-2)
    assert any("x is ill-conditioned: 1 % more of y moves it by" in text for text in shown["warnings"])
    mild = flopsheet.solve(TOY, "x", ["hill = y", "y = 3.9"], near=3).as_dict()
    assert not any("ill-conditioned" in text for text in mild["warnings"])


def test_a_number_of_json_pasted_into_a_question_is_met_on_a_plateau() -> None:
    """The nearest float of this ratio, 46.187171599153, reads as an exact decimal, which no number of chips gives."""
    sheet = flopsheet.Sheet("ratio")
    sheet.rows.add_cell(Cell("x", "Chips"))
    sheet.rows.add_cell(Cell("work", "Work", formula=ratio(46187171599153001, 10**15) * ceil(symbol("x"))))
    for x in range(1, 40):
        value = flopsheet.solve(sheet, (), [f"x = {x}"]).as_dict()["cells"]["work"]["value"]
        back = flopsheet.solve(sheet, "x", [f"work = {value!r}"]).outcomes["x"]
        assert [(part.lower, part.upper) for part in back.solutions] == [(x - 1, x)], value


def test_a_relation_that_could_not_be_checked_is_null_and_the_first_warning() -> None:
    answer = flopsheet.solve("ffn_shape", (), ["d_model = 1", "d_ff = 1/(d_model - 1)", "d_ff >= 1"])
    shown = answer.as_dict()
    assert not answer.solved
    assert [check["holds"] for check in shown["checks"]] == [None, None]
    assert {check["left"] for check in shown["checks"]} == {None}
    assert shown["warnings"][0] == "'d_ff = 1/(d_model - 1)' cannot be checked: there is no value for d_ff."
    assert answer.derivation().splitlines()[2] == f"**{shown['warnings'][0]}**"


def test_the_cell_that_ranks_names_is_among_the_values_of_each() -> None:
    answer = flopsheet.solve("chip_peak", "chip", ["peak_rate >= 900 TFLOP/s"], best="min:chip.power")
    shown = answer.as_dict()
    assert shown["answers"]["chip"]["by"] == "chip.power, the smallest first"
    working = [candidate["values"] for candidate in shown["candidates"] if candidate["works"]]
    powers = [values["chip.power"] for values in working if "chip.power" in values]
    assert powers == sorted(powers)
    assert powers
