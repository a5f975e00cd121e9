"""The command line: forms of output, exit codes, files, help."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from flopsheet.cli import main
from flopsheet.registry.packs import packs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

QUESTION = packs()[0].folder / "models" / "questions" / "fsdp-shards.yaml"
SOLVE = ["solve", "ffn_memory", "n_fsdp", "d_model=16384", "d_ff=53248", "n_blocks=126", "batch=128", "seq_len=1024"]
FITS = ["chip=tpu-v5p", "device_memory <= chip.memory"]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["flopsheet", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return call


def test_text_starts_with_the_answer(run: Run) -> None:
    code, out, err = run(*SOLVE, *FITS)
    assert code == 0
    assert not err
    assert out.startswith("n_fsdp >= 45.76, so 46\n")
    assert "219,848,638,464 param" in out
    assert "limit fits: device_memory <= chip.memory: 94.5 GiB <= 95 GiB: holds, slack 0.5263 %" in out


def test_json_is_the_answer(run: Run) -> None:
    code, out, _ = run(*SOLVE, *FITS, "--as", "json")
    assert code == 0
    assert json.loads(out)["answers"]["n_fsdp"]["whole"] == 46


def test_markdown_is_the_derivation(run: Run) -> None:
    assert "## Steps" in run(*SOLVE, *FITS, "--as", "markdown")[1]


@pytest.mark.parametrize("shape", ["text", "markdown", "json"])
def test_no_solution_exits_with_1(run: Run, shape: str) -> None:
    code, out, _ = run(*SOLVE, *FITS, "replicated_activation_fraction=1/2", "--as", shape)
    assert code == 1
    assert "1071 GiB" in out


def test_wrong_question_exits_with_2(run: Run) -> None:
    code, out, err = run(*SOLVE, "chip=h100-sxn")
    assert (code, out) == (2, "")
    assert "Did you mean 'h100-sxm'" in err


def test_wrong_option_exits_with_2(run: Run) -> None:
    assert run(*SOLVE, "--as", "pdf")[0] == 2


@pytest.mark.parametrize("shape", ["text", "markdown", "json"])
def test_output_goes_to_a_file(run: Run, tmp_path: Path, shape: str) -> None:
    target = tmp_path / "answer"
    printed = run(*SOLVE, *FITS, "--as", shape)[1]
    code, out, _ = run(*SOLVE, *FITS, "--as", shape, "-o", str(target))
    assert (code, out) == (0, "")
    assert target.read_text(encoding="utf-8") == printed


def test_unwritable_file_is_said(run: Run, tmp_path: Path) -> None:
    code, _, err = run(*SOLVE, *FITS, "--as", "json", "-o", str(tmp_path / "no" / "such" / "folder"))
    assert code == 2
    assert "cannot be written" in " ".join(err.split())


def test_ask_answers_a_file(run: Run) -> None:
    code, out, _ = run("ask", str(QUESTION), "--as", "markdown")
    assert code == 0
    assert out == QUESTION.with_suffix(".md").read_text(encoding="utf-8")


def test_sheets_lists_and_shows(run: Run) -> None:
    assert "ffn_memory" in run("sheets")[1]
    shown = run("sheets", "ffn_memory")[1]
    for text in ("d_model", "GiB", "= batch * seq_len", "limit fits", "Assumptions", "cs336-systems"):
        assert text in shown


def test_hardware_lists_and_shows(run: Run) -> None:
    assert "989.4 TFLOP/s" in run("hardware", "list")[1]
    shown = run("hardware", "show", "h100")[1]
    assert "h100-sxm: NVIDIA H100 SXM5 80GB" in shown
    assert "hardware/chips/nvidia.yaml:" in shown


@pytest.mark.parametrize("command", [[], ["solve"], ["ask"], ["sheets"], ["hardware"], ["hardware", "show"]])
def test_help(run: Run, command: list[str]) -> None:
    code, out, _ = run(*command, "--help")
    assert code == 0
    assert "Usage: " in out


def test_a_defect_is_one_paragraph(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flopsheet.solver.engine.answer", lambda _: 1 // 0)
    code, _, err = run(*SOLVE, *FITS)
    assert code == 3
    assert "ZeroDivisionError" in err
    assert "Traceback" not in err
