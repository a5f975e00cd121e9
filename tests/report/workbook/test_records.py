"""Another record picked in a workbook: what the first one had no figure for, or has in another way, follows as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.report.workbooks import by_formulas, far_off, places_by_formulas, recomputable

import flopsheet
from flopsheet.report.workbook.conclusion import HOLDS
from flopsheet.report.workbook.lost import LACKING

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("formulas")
pytest.importorskip("xlsxwriter")

RUN = ("training_run", "n_chips", ["tokens = 4M token", "dataset_tokens = 2T", "train_time <= 60 day"])
SUM = ("collective_time", "payload", ["n_ranks = 128", "collective_time = 20 ms"])
FITS = ["sharding = weights", "device_state_memory <= 20 GB"]
A100 = "a100-sxm4-80gb"
MEMORY = ("model_states", "n_dp", FITS)


@pytest.mark.parametrize(
    ("question", "names", "picked"),
    [
        # llama-3-70b has no active_params: all are; deepseek-v3 has
        (RUN, {"model": "llama-3-70b", "chip": "h100-sxm"}, {"model": "deepseek-v3"}),
        (RUN, {"model": "deepseek-v3", "chip": "h100-sxm"}, {"model": "llama-3-70b"}),
        # a torus has axes, a switched fabric has none; an M3 Ultra has no link beside the network
        (SUM, {"chip": "h100-sxm"}, {"chip": "tpu-v5p"}),
        (SUM, {"chip": "tpu-v5p"}, {"chip": "h100-sxm"}),
        (SUM, {"chip": "h100-sxm"}, {"chip": "apple-m3-ultra"}),
        (SUM, {"chip": "h100-sxm"}, {"chip": "mi300x"}),
        (RUN, {"model": "llama-3-70b", "chip": "h100-sxm"}, {"chip": "a100-80gb"}),  # another name of a100-sxm4-80gb
        pytest.param(
            MEMORY,
            {"model": "llama-3-8b"},
            {"model": "qwen3-30b-a3b"},
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda value: "-".join(value.values()) if isinstance(value, dict) else value[0],
)
def test_the_answer_is_that_for_the_record_that_is_picked(
    tmp_path: Path, question: tuple[str, str, list[str]], names: dict[str, str], picked: dict[str, str]
) -> None:
    sheet, unknown, where = question

    def answer(own: dict[str, str]) -> flopsheet.Answer:
        return flopsheet.solve(sheet, unknown, [*where, *(f"{part} = {key}" for part, key in own.items())])

    before, after = answer(names), answer({**names, **picked})
    computed = by_formulas(before, tmp_path, picked)
    assert far_off(computed, _of_cells(after, computed)) == {}
    assert computed[unknown] == pytest.approx(float(after.cells[unknown].value), rel=1e-9)
    assert computed[unknown] != pytest.approx(float(before.cells[unknown].value), rel=1e-9) or "mi300x" in str(picked)


@pytest.mark.parametrize(("precision", "wanted", "other"), [("fp8", LACKING, HOLDS), ("bf16", HOLDS, LACKING)])
def test_a_record_without_a_figure_that_is_computed_with_is_told(
    tmp_path: Path, precision: str, wanted: str, other: str
) -> None:
    where = [f"precision = {precision}"]
    before, after = (flopsheet.solve("chip_peak", (), [*where, f"chip = {key}"]) for key in ("h100-sxm", A100))
    assert "peak_rate" in before.cells
    assert ("peak_rate" in after.cells) is (wanted == HOLDS)
    texts = {*map(str, places_by_formulas(recomputable(before, {"chip": A100})[0], tmp_path).values())}
    assert wanted in texts
    assert other not in texts


def _of_cells(answer: flopsheet.Answer, computed: dict[str, object]) -> flopsheet.Answer:
    """Return an answer with the cells alone that the workbook has."""
    answer.cells = {name: value for name, value in answer.cells.items() if name in computed}
    return answer
