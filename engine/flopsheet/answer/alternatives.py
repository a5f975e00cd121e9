"""Every single value of an answer, each with all other cells: both roots, all whole numbers, all names that work."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from flopsheet.answer.solve import answer as answer_to
from flopsheet.answer.wording import wholes_of
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import as_sympy
from flopsheet.numbers.sets import Interval, whole_ends
from flopsheet.question.question import Pin
from flopsheet.units import decimal, in_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.results import Outcome
    from flopsheet.question.question import Question
    from flopsheet.units import Number

MOST_VALUES = 50


def each_value(answer: Answer, most: int = MOST_VALUES) -> list[tuple[dict[str, str], Answer]]:
    """Return an answer for each single value of the unknowns, with the values as text by unknown.

    A value is one of several roots, a whole number of a set or range, or a name; of a range of real numbers
    only its value counts. Where there are several unknowns, later ones are solved for each value of the first.

    Args:
        answer: the answer.
        most: the number of values after which to stop.
    """
    return list(islice(_each(answer, {}), most))


def _each(answer: Answer, named: dict[str, str]) -> Iterator[tuple[dict[str, str], Answer]]:
    if answer.ranking is not None:
        for candidate in answer.ranking.working:
            if candidate.answer is not None:
                yield from _of_numbers(replace(candidate.answer, ranking=None), {**named, **candidate.options})
    else:
        yield from _of_numbers(answer, named)


def _of_numbers(answer: Answer, named: dict[str, str]) -> Iterator[tuple[dict[str, str], Answer]]:
    outcomes = [outcome for outcome in answer.outcomes.values() if outcome.kind != "none"]
    several = next((outcome for outcome in outcomes if len(_values(outcome)) > 1), None)
    texts = {outcome.cell.name: outcome.cell.text(outcome.si) for outcome in outcomes if outcome.si is not None}
    if several is None or not answer.solved:
        yield {**named, **texts}, answer
        return
    for value in _values(several):
        name = several.cell.name
        result = answer_to(_taking(answer.question, name, value))
        yield from _of_numbers(result, {**named, name: several.cell.text(value)})


def _values(outcome: Outcome) -> list[Number]:
    if outcome.kind == "values":
        return [interval.lower for interval in outcome.solutions if interval.is_point]
    if outcome.whole is None:
        return [outcome.si] if outcome.si is not None else []
    runs = [Interval(first, last) for first, last in map(whole_ends, outcome.solutions) if first <= last]
    numbers, more = wholes_of(runs, MOST_VALUES + 1)
    return [outcome.whole] if more and outcome.kind == "range" else list(numbers)


def _taking(question: Question, name: str, value: Number) -> Question:
    """Return the question with one of its unknowns given."""
    cell = question.sheet.cells[name]
    shown = in_unit(value, cell.unit)
    exact = Fraction(repr(shown)) if isinstance(shown, float) else Fraction(shown)
    text = f"{name} = {decimal(exact)} {cell.unit.text}".strip()
    pin = Pin(name, value, text, stated=Relation(cell.symbol, "=", as_sympy(value), text))
    names = {*question.names, name}
    unknowns = tuple(unknown for unknown in question.unknowns if unknown not in names)
    return replace(question, unknowns=unknowns, pins={**question.pins, name: pin})
