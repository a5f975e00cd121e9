"""A question that was read, at several values of some of its cells: what it gives of these is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.answer.table import Table, table
from flopsheet.question.ask import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.question.question import Question


def varied(question: Question, vary: Mapping[str, Sequence[str]], show: Sequence[str]) -> tuple[Question, Table]:
    """Return the question at the first of several values of some cells, parts or choices, and the table of all.

    Raises:
        FlopsheetError: a name is no cell, or the rows are too many.
    """
    sheet, unknowns = question.sheet, question.unknowns
    names = {sheet.rows.resolve(name) for name in vary}
    where = [text for name, text in _stated(question) if name not in names]
    how: dict[str, Any] = {"without": question.without, "budget": question.budget, "figures": question.figures}
    if question.best is not None:
        how["best"] = f"{'max' if question.best.largest else 'min'}:{question.best.cell}"
    rows = table(sheet, unknowns, where, vary=vary, show=show or question.shown, **how)
    return ask(sheet, unknowns, [*where, *rows.first], show=question.shown, **how), rows


def _stated(question: Question) -> list[tuple[str, str]]:
    """Return what a question states as texts, each with the name that it gives, empty for none."""
    given = {part: record.key for part, record in question.records.items() if part in _own(question)}
    named = [(name, f"{name} = {value}") for name, value in {**given, **question.choices}.items()]
    pinned = [(name, pin.text) for name, pin in question.pins.items()]
    others = [relation.text for relation in question.relations] + [label.text for label in question.labels]
    return [*named, *pinned, *(("", text) for text in others)]


def _own(question: Question) -> set[str]:
    """Return the parts whose record no other record of the question names."""
    parts, given = question.sheet.parts, question.records
    return {part for part in given if part in parts and not any(part.startswith(f"{other}.") for other in given)}
