"""Writing an answer up as Markdown, as a ratio against asking its question again, measured in the same run.

Both are warm. Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flopsheet import read_question
from flopsheet.solver.engine import answer

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTIONS = sorted((Path(__file__).parents[2] / "models" / "questions").glob("*.yaml"))
ROUNDS = 25


def _best(run: Callable[[], object]) -> float:
    """Return the shortest of many times [second]."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("file", QUESTIONS, ids=lambda file: file.stem)
def test_render(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = read_question(file).question
    found = answer(question)
    found.derivation()
    again, written = _best(lambda: answer(question)), _best(found.derivation)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{file.stem}: written in {1000 * written:.1f} ms, asked again in {1000 * again:.1f} ms, "
            f"ratio {written / again:.2f}\n"
        )
    assert written > 0
