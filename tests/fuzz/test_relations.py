"""Any text as a relation or formula: a question or an error of ours, soon. 7,500 of them."""

from __future__ import annotations

import time

import pytest
from tests.fuzz.texts import Texts, ours
from tests.fuzz.watch import SECONDS, failures

from flopsheet import solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.question.ask import ask
from flopsheet.search import budget
from flopsheet.sheets.catalogue import sheet

CHUNKS, EACH, FEWEST, SOLVED = 10, 500, 50, 10  # every so many-th text that is a relation is solved too
BUDGET = 0.05
SHEETS = ("ffn_memory", "training_run", "gpt_batch_ramp", "compute_bound_batch", "critical_batch")


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_relation_is_a_question_or_an_error(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "monotonic", time.process_time)  # of this process: others may be busy
    model, known, read = sheet(SHEETS[chunk % len(SHEETS)]), ours(), 0
    texts = Texts(chunk, model, known)
    solve(model, (), (), budget=BUDGET)

    def relate(text: str) -> None:
        nonlocal read
        ask(model, (), [text])
        read += 1
        if read % SOLVED == 0:
            solve(model, texts.random.choice(texts.names), [text], budget=BUDGET).as_dict()

    assert failures(relate, [texts.relation() for _ in range(EACH)], seconds=SECONDS + BUDGET) == []
    assert failures(lambda text: parse_formula(text, texts.names), [texts.term(4) for _ in range(EACH // 2)]) == []
    assert read >= FEWEST, "too few texts are relations"
