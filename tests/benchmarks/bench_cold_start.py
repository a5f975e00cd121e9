"""Cold start as ratios against importing sympy and pint, by the median of whole processes, measured in the same run.

Python may write and read bytecode, as it does for users. pint imports numpy where that is installed, so the ratio is
also given against pint without it.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median

import pytest

SOLVE = [
    *("solve", "ffn_memory", "n_fsdp", "d_model=16384", "d_ff=53248", "n_blocks=126", "batch=128", "seq_len=1024"),
    *("chip=tpu-v5p", "device_memory <= chip.memory", "--as", "json"),
]
COMMANDS = {"solve --as json": SOLVE, "--help": ["--help"]}
YARDSTICK = [sys.executable, "-c", "import sympy, pint"]
WITHOUT_NUMPY = [sys.executable, "-c", "import sys; sys.modules['numpy'] = None; import sympy, pint"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ROUNDS = 9


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    return time.perf_counter() - start


@pytest.mark.parametrize("name", COMMANDS)
def test_cold_start(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "flopsheet", *COMMANDS[name]]
    _seconds(command)  # writes the bytecode
    rounds = [(_seconds(YARDSTICK), _seconds(WITHOUT_NUMPY), _seconds(command)) for _ in range(ROUNDS)]
    yardstick, without, mine = (median(times) for times in zip(*rounds, strict=True))
    with capsys.disabled():
        sys.stdout.write(
            f"\nflopsheet {name}: {mine:.3f} s, import sympy, pint: {yardstick:.3f} s, ratio {mine / yardstick:.2f}; "
            f"without numpy: {without:.3f} s, ratio {mine / without:.2f}\n"
        )
    assert mine > 0
