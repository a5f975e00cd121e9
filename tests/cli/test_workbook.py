"""Workbooks from the command line."""

from __future__ import annotations

import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from flopsheet.registry.packs import packs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

SOLVE = ["solve", "ffn_memory", "params", "d_model=2", "d_ff=2", "n_blocks=2", "--as", "xlsx"]
QUESTIONS = packs()[0].folder / "models" / "questions"


def _sheets(file: Path) -> int:
    return sum(name.startswith("xl/worksheets/sheet") for name in zipfile.ZipFile(file).namelist())


def test_solve_writes_a_workbook(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    assert run(*SOLVE, "-o", str(tmp_path / "a.xlsx")) == (0, "", "")
    assert _sheets(tmp_path / "a.xlsx") == 3  # Answer, Curve and Model


def test_the_end_of_the_file_says_the_form(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    assert run(*SOLVE[:-2], "-o", str(tmp_path / "a.xlsx")) == (0, "", "")
    assert _sheets(tmp_path / "a.xlsx") == 3  # Answer, Curve and Model


def test_ask_writes_the_table_too(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    code, _, _ = run("ask", str(QUESTIONS / "sync-by-batch.yaml"), "--as", "xlsx", "-o", str(tmp_path / "b.xlsx"))
    assert (code, _sheets(tmp_path / "b.xlsx")) == (0, 3)  # Answer, Model and Scenarios


def test_a_file_is_needed(run: Run) -> None:
    code, out, err = run(*SOLVE)
    assert (code, out) == (2, "")
    assert "--as xlsx needs -o FILE.xlsx." in err


def test_an_unwritable_file_is_said(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    code, _, err = run(*SOLVE, "-o", str(tmp_path / "no" / "folder.xlsx"))
    assert code == 2
    assert "cannot be written" in " ".join(err.split())


def test_a_missing_extra_is_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    code, _, err = run(*SOLVE, "-o", str(tmp_path / "a.xlsx"))
    assert code == 2
    assert err.splitlines()[-1].startswith((sys.executable, "uv pip install", "python3 -m pip --python"))
    assert err.rstrip().endswith("XlsxWriter")
