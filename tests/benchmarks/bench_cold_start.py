"""Cold start as ratios against importing sympy and pint, measured in the same run.

Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

SOLVE = [
    *("solve", "ffn_memory", "n_fsdp", "d_model=16384", "d_ff=53248", "n_blocks=126", "batch=128", "seq_len=1024"),
    *("chip=tpu-v5p", "device_memory <= chip.memory", "--as", "json"),
]
COMMANDS = {"solve --as json": SOLVE, "--help": ["--help"]}
YARDSTICK = [sys.executable, "-c", "import sympy, pint"]
ROUNDS = 9


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


@pytest.mark.parametrize("name", COMMANDS)
def test_cold_start(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "flopsheet", *COMMANDS[name]]
    pairs = [(_seconds(YARDSTICK), _seconds(command)) for _ in range(ROUNDS)]
    yardstick, mine = (min(times) for times in zip(*pairs, strict=True))
    with capsys.disabled():
        sys.stdout.write(
            f"\nflopsheet {name}: {mine:.3f} s, import sympy, pint: {yardstick:.3f} s, ratio {mine / yardstick:.2f}\n"
        )
    assert mine > 0
