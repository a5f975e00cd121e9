"""Listing all hardware or sheets in a fresh process, as ratios against importing the package alone, in the same run.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

YARDSTICK = [sys.executable, "-c", "import flopsheet"]
RECORDS = "import flopsheet; [flopsheet.records(kind) for kind in ('chip', 'system', 'datacenter', 'architecture')]"
CASES = {
    "list": [sys.executable, "-m", "flopsheet", "hardware", "list", "--kind", "all"],
    "sheets": [sys.executable, "-m", "flopsheet", "sheets"],
    "records in Python": [sys.executable, "-c", RECORDS],
}
ROUNDS = 9


def _seconds(command: list[str], folder: Path) -> float:
    environment = {**os.environ, "FLOPSHEET_CACHE": str(folder)}
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment, cwd=folder.parent)
    return time.perf_counter() - start


@pytest.mark.parametrize("name", CASES)
def test_listing(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "cache"
    cold = _seconds(CASES[name], folder)
    pairs = [(_seconds(YARDSTICK, folder), _seconds(CASES[name], folder)) for _ in range(ROUNDS)]
    yardstick, mine = (median(times) for times in zip(*pairs, strict=True))
    with capsys.disabled():
        sys.stdout.write(
            f"\n{name}: {1000 * mine:.0f} ms, import flopsheet: {1000 * yardstick:.0f} ms, "
            f"ratio {mine / yardstick:.2f}; the first time, with all files to parse, {1000 * cold:.0f} ms\n"
        )
    assert mine > 0
