"""Tearing rests on the formulas of a block alone: questions with other numbers share it, each with its equations."""

from __future__ import annotations

from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.graph import tearing
from flopsheet.graph.structure import Equation

NAMES = ("a", "b")
A, B, WANTED = map(symbol, (*NAMES, "wanted"))


def _equations(text: str) -> list[Equation]:
    return [
        Equation("a", "formula", ("a", "b"), "a", Relation(A, "=", B**2 + 1, "")),
        Equation("demand", "demand", ("a", "b"), "", Relation(A + B, "=", WANTED, text)),
    ]


def test_a_block_with_another_number_is_torn_once() -> None:
    tearing._torn.cache_clear()
    first, second = (tearing.torn(NAMES, _equations(text), ("b",)) for text in ("a + b = 3", "a + b = 4"))
    assert tearing._torn.cache_info().misses == 1
    assert first.formulas == second.formulas
    assert [own.residuals[0].relation.text for own in (first, second)] == ["a + b = 3", "a + b = 4"]
