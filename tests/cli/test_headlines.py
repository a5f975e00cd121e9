"""The command line and question files: cells that a headline shows, one line a cell, and every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import read_question

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

GPT_4 = (  # the run of the first seed document
    *("params=283.4e9", "dataset_tokens=13e12", "tokens=67108864"),
    *("n_chips=15360", "chip_rate=156 TFLOP/s"),
)
FILE = "sheet: training_run\nshow: chip_time\nwhere:\n" + "".join(f"  - {text}\n" for text in GPT_4)


def test_a_run_is_ten_lines(run: Run) -> None:
    code, out, _ = run("solve", "training_run", *GPT_4, "--template", "table")
    assert code == 0
    assert "| `train_time` | $`T`$ | 106.8 day | $`\\frac{H}{n}`$ |" in out
    assert len([line for line in out.splitlines() if line.startswith("| `")]) <= 10


@pytest.mark.parametrize(
    "show", [("--show", "n_steps", "--show", "chip_time"), ("--show", "n_steps,chip_time")], ids=["twice", "list"]
)
def test_cells_are_shown(show: tuple[str, ...], run: Run) -> None:
    out = run("solve", "training_run", *GPT_4, *show, "--template", "page")[1]
    assert "\n**Steps of the run (n_steps): 193,715.1 steps; Chip-hours of the run (chip_time): " in out
    assert "(train_time)" not in out.partition("\n## ")[0]


def test_a_shown_cell_is_one_of_the_sheet(run: Run) -> None:
    code, _, error = run("solve", "training_run", *GPT_4, "--show", "chip_tim")
    assert code == 2
    assert "Did you mean 'chip_time', " in error


def test_a_file_names_what_it_shows(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(FILE)
    assert read_question(file).question.shown == ("chip_time",)
    assert "(chip_time): " in run("ask", str(file), "--template", "brief")[1]
    out = run("ask", str(file), "--template", "brief", "--show", "n_steps")[1]
    assert "(n_steps): " in out
    assert "(chip_time): " not in out


def test_every_step_is_shown(run: Run) -> None:
    question = ("solve", "training_run", *GPT_4, "--template", "page")
    used, every = run(*question)[1], run(*question, "--steps", "all")[1]
    assert used.count("\n1. ") == every.count("\n1. ") >= 1
    assert ("steps are shown" in used, "steps are shown" in every) == (True, False)
    assert used.count("```math") < every.count("```math")
