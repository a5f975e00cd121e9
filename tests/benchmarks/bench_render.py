"""Writing the page of each question, as a ratio against asking the question again, measured in the same run.

Both are warm, and both hold the rows of a table. `first` is the first page of an answer: it also works out what the
answer tells only when asked, as elasticities and the closed form.
Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.benchmarks.timing import ROUNDS, best

from flopsheet import read_question
from flopsheet.render.writeup import write_up
from flopsheet.solver.engine import answer

if TYPE_CHECKING:
    from flopsheet.solver.answer import Answer
    from flopsheet.solver.question_file import QuestionFile

QUESTIONS = sorted((Path(__file__).parents[2] / "models" / "questions").glob("*.yaml"))


@pytest.mark.parametrize("file", QUESTIONS, ids=lambda file: file.stem)
def test_render(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = read_question(file)
    found = answer(asked.question)
    _page(asked, found)
    again, written, first = best(lambda: _again(asked)), best(lambda: _page(asked, found)), _first(asked)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{file.stem}: written in {1000 * written:.2f} ms, asked again in {1000 * again:.2f} ms, "
            f"ratio {written / again:.2f} (first page {first / again:.2f})\n"
        )
    assert written > 0


def _again(asked: QuestionFile) -> Answer:
    for row in asked.table.rows if asked.table else ():
        if row.answer is not None:
            answer(row.answer.question)
    return answer(asked.question)


def _page(asked: QuestionFile, found: Answer) -> str:
    return write_up(found, asked.template, asked.title, table=asked.table, prose=(asked.before, asked.after))


def _first(asked: QuestionFile) -> float:
    times = []
    for _ in range(ROUNDS):
        found = answer(asked.question)
        start = time.perf_counter()
        _page(asked, found)
        times.append(time.perf_counter() - start)
    return min(times)
