"""Listing all hardware in a fresh process, as ratios against importing the package alone, measured in the same run.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

YARDSTICK = [sys.executable, "-c", "import flopsheet"]
LIST = [sys.executable, "-m", "flopsheet", "hardware", "list", "--kind", "all"]
RECORDS = "import flopsheet; [flopsheet.records(each) for each in ('chip', 'system', 'datacenter', 'architecture')]"
CASES = {
    "list, as before": (LIST, False),
    "list, records kept": (LIST, True),
    "records in Python": ([sys.executable, "-c", RECORDS], True),
}
ROUNDS = 9


def _seconds(command: list[str], folder: Path, *, forget: bool) -> float:
    for each in folder.glob("list-*.json") if forget else ():
        each.unlink()
    environment = {**os.environ, "FLOPSHEET_CACHE": str(folder)}
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment, cwd=folder.parent)
    return time.perf_counter() - start


@pytest.mark.parametrize("name", CASES)
def test_listing(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, forget = CASES[name]
    tmp_path = tmp_path / "cache"
    cold = _seconds(command, tmp_path, forget=False)
    time.sleep(2.1)
    _seconds(command, tmp_path, forget=False)
    pairs = [
        (_seconds(YARDSTICK, tmp_path, forget=False), _seconds(command, tmp_path, forget=forget)) for _ in range(ROUNDS)
    ]
    yardstick, mine = (min(times) for times in zip(*pairs, strict=True))
    with capsys.disabled():
        sys.stdout.write(
            f"\n{name}: {1000 * mine:.0f} ms, import flopsheet: {1000 * yardstick:.0f} ms, "
            f"ratio {mine / yardstick:.2f}; with nothing kept {1000 * cold:.0f} ms\n"
        )
    assert mine > 0
