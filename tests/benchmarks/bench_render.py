"""Writing an answer up as Markdown, as a ratio against asking its question again, measured in the same run.

Both are warm. Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.benchmarks.timing import best

from flopsheet import read_question
from flopsheet.solver.engine import answer

QUESTIONS = sorted((Path(__file__).parents[2] / "models" / "questions").glob("*.yaml"))


@pytest.mark.parametrize("file", QUESTIONS, ids=lambda file: file.stem)
def test_render(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = read_question(file).question
    found = answer(question)
    found.derivation()
    again, written = best(lambda: answer(question)), best(found.derivation)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{file.stem}: written in {1000 * written:.1f} ms, asked again in {1000 * again:.1f} ms, "
            f"ratio {written / again:.2f}\n"
        )
    assert written > 0
