"""Writing the page of each question, as a ratio against asking the question again, measured in the same run.

Both are warm, and both hold the rows of a table. Asked is what a person calls: `flopsheet.solve` with the texts of the
question. What pages show is derived once for all pages of an answer: `anew` is the ratio of a page that derives it
again, `first` that of the first page of an answer, which also works out what the answer tells only when asked, as
elasticities and the closed form; `read` is the ratio against a question that was read before. All of these repeat the
same numbers, which caches know; `others` is the ratio of page to question where each has a number that is new to both.
Run with `pytest tests/benchmarks -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest
from tests.benchmarks.timing import FEWEST, LONGEST, ROUNDS, alternately

import flopsheet
from flopsheet import read_question
from flopsheet.answer.solve import answer
from flopsheet.report import Extras
from flopsheet.report.pages import write_up

if TYPE_CHECKING:
    from flopsheet import Sheet
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.question_file import QuestionFile
    from flopsheet.question.question import Question

OTHER = 0.001  # share by which a number differs from the one before
QUESTIONS = sorted((Path(__file__).parents[2] / "models" / "questions").glob("*.yaml"))


@pytest.mark.parametrize("file", QUESTIONS, ids=lambda file: file.stem)
def test_render(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = read_question(file)
    result = answer(asked.question)
    _page(asked, result)
    texts = [_texts(question) for question in _questions(asked)]
    again, read, written, anew = alternately(
        lambda: [flopsheet.solve(*arguments) for arguments in texts],
        lambda: [answer(question) for question in _questions(asked)],
        lambda: _page(asked, result),
        lambda: _anew(asked, result),
    )
    first, others = _first(asked), _others(asked)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{file.stem}: written in {1000 * written:.2f} ms, asked again in {1000 * again:.2f} ms, "
            f"ratio {written / again:.2f} (anew {anew / again:.2f}, first {first / again:.2f}, "
            f"read {written / read:.2f}, others {'none' if others is None else f'{others:.2f}'})\n"
        )
    assert written > 0


def _questions(asked: QuestionFile) -> list[Question]:
    rows = asked.table.rows if asked.table else ()
    return [asked.question, *(row.answer.question for row in rows if row.answer is not None)]


def _texts(question: Question) -> tuple[Sheet, tuple[str, ...], list[str]]:
    """Return a question as a person asks it."""
    named = {name: record.key for name, record in question.records.items()} | question.choices
    relations = [*(pin.relation for pin in question.pins.values()), *question.relations]
    where = [*(relation.text for relation in relations), *(f"{name} = {option}" for name, option in named.items())]
    return question.sheet, question.unknowns, where


def _page(asked: QuestionFile, result: Answer) -> str:
    return write_up(result, asked.template, extras=Extras.of(asked))


def _anew(asked: QuestionFile, result: Answer) -> str:
    result.prepared = None
    return _page(asked, result)


def _first(asked: QuestionFile) -> float:
    times = []
    for _ in range(ROUNDS):
        result = answer(asked.question)
        start = time.perf_counter()
        _page(asked, result)
        times.append(time.perf_counter() - start)
    return min(times)


def _others(asked: QuestionFile) -> float | None:
    """Return page by question, each the median over numbers that no cache knows; None without one that may change."""
    asking, writing = [], []
    for place in range(1, ROUNDS + 1):
        texts = _with_other_number(asked.question, place)
        if texts is None or asked.table is not None:
            return None
        start = time.perf_counter()
        result = flopsheet.solve(*texts)
        asking.append(time.perf_counter() - start)
        start = time.perf_counter()
        _page(asked, result)
        writing.append(time.perf_counter() - start)
        if place >= FEWEST and sum(asking) + sum(writing) > LONGEST:
            break
    return median(writing) / median(asking)


def _with_other_number(question: Question, place: int) -> tuple[Sheet, tuple[str, ...], list[str]] | None:
    """Return a question with its first given number that is no count a little larger, each place by another share."""
    sheet, unknowns, where = _texts(question)
    for number, pin in enumerate(question.pins.values()):
        if pin.written is not None and not sheet.cells[pin.cell].integer:
            value = f"{float(pin.written.exact) * (1 + place * OTHER):.9g} {pin.written.unit.text}"
            return sheet, unknowns, [*where[:number], f"{pin.cell} = {value}", *where[number + 1 :]]
    return None
