"""Any text as a relation or formula: a question or an error of ours, soon. 7,500 of them."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import Any

import pytest
import sympy
from tests.fuzz.texts import Texts, ours
from tests.fuzz.watch import SECONDS, Looks, failures

from flopsheet import budget, solve
from flopsheet.errors import ArithmeticTrapError, TooLargeError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.parser import parse_formula
from flopsheet.question.ask import ask
from flopsheet.registry import reading_time
from flopsheet.sheets.catalogue import sheet

CHUNKS, EACH, FEWEST, SOLVED = 2, 500, 50, 10  # every so many-th text that is a relation is solved too
BUDGET = 0.05
SHEETS = ("ffn_memory", "training_run", "gpt_batch_ramp", "compute_bound_batch", "critical_batch")


def is_unclear(text: str) -> bool:
    """Whether a text holds a number with a leading zero, a digit of another script, a stray underscore, or a date."""
    numbers = re.findall(r"(?<![\w.])\d[\w.]*", text)
    wrong = re.compile(r"0[\d_]|\d[\d_]*(?:__|_(?![\d_]))|.*[^\W\D0-9]")
    return any(wrong.match(number) for number in numbers) or bool(re.search(r"(?<![\w.])\d{4}-\d\d-\d\d(?!\d)", text))


def evaluate_or_none(number: Any) -> object:
    """Return the value of numbers alone; None where they have none, also where a float is not enough to tell."""
    try:
        return evaluate(number, {})
    except TooLargeError:
        raise
    except ArithmeticTrapError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_relation_is_a_question_or_an_error(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "monotonic", Looks())
    monkeypatch.setattr(reading_time, "thread_time", time.thread_time)
    model, known, read = sheet(SHEETS[chunk % len(SHEETS)]), ours(), 0
    texts = Texts(chunk, model, known)
    solve(model, (), (), budget=BUDGET)

    def relate(text: str) -> None:
        nonlocal read
        ask(model, (), [text])
        read += 1
        if is_unclear(text):
            raise LookupError("a number in it can be read in several ways")
        if read % SOLVED == 0:
            solve(model, texts.random.choice(texts.names), [text], budget=BUDGET).as_dict()

    def parse(text: str) -> None:
        formula = parse_formula(text, texts.names)
        for part in sympy.preorder_traversal(formula):  # numbers alone have a value, or are too large for one
            if isinstance(part, sympy.Expr) and not part.free_symbols:
                with suppress(TooLargeError):
                    if evaluate_or_none(part) is None:
                        raise LookupError(f"{part} has no value")

    assert failures(relate, [texts.relation() for _ in range(EACH)], seconds=SECONDS + BUDGET) == []
    assert failures(parse, [draw(4) for draw in (texts.term, texts.constant) for _ in range(EACH // 4)]) == []
    assert read >= FEWEST, "too few texts are relations"
