"""A question that nothing meets, with its unknowns at numbers that they may have: from these its workbook computes.

An input that changes may leave numbers that work, so a workbook looks for them as it does for any unknown: by the
closed form of the boundary from one side, or by a search. At the inputs of the question some relation does not hold
there, or there is no such number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import taken
from flopsheet.report.conflicts.trial import answer_at
from flopsheet.report.workbook.live import Live
from flopsheet.report.workbook.solved.way import FORM, NONE, SEARCH, boundary_of
from flopsheet.report.workbook.solved.ways import holding, sign_of, way_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.report.workbook.solved.way import Way
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

USUAL = (1, 8, 64, 1024, 10**6, 10**9, Fraction(1, 2), Fraction(1, 100))  # tried where a cell has no example
MOST_TRIED, HALVINGS = 6, 64


@dataclass(frozen=True)
class Tried:
    """A question that nothing meets, with its unknowns at numbers."""

    answer: Answer
    has_values: bool  # whether these are what a workbook computes at the inputs of the question: else it has none


def tried(answer: Answer) -> Tried | None:
    """Return an answer with each unknown at the boundary that a workbook computes, where it has one.

    None where each unknown has a value, one is a name or a range, or has no number at which all relations have values,
    or where no formula or search gives it. Unknowns that have a value keep it.
    """
    outcomes = answer.outcomes
    kinds = {outcome.kind for outcome in outcomes.values()}
    if "none" not in kinds or answer.ranking is not None or not kinds <= {"none", "value"}:
        return None
    trials = [(values, same) for same in (True, False) for values in _trials(answer)]
    founds = ((answer_at(answer, values, same_inputs=same), same) for values, same in trials)
    found, same = next(((own, same) for own, same in founds if own is not None), (None, False))
    if found is None:
        return None
    asked = [name for name in Live(found, tried=True).solved if name in outcomes]
    found.outcomes |= {name: _followed(found.outcomes[name]) for name in outcomes if name not in asked}
    pinned = [name for name in outcomes if found.execution.origins[name] == "computed" and name in asked]
    for name in asked:
        live = Live(found, tried=True)
        found.outcomes[name] = _outcome(found.outcomes[name], sign_of(live, name))
        way = way_of(live, name)
        if way.kind == NONE:
            return None
        value = value_of(live, way)
        moved = (
            None
            if value is None
            else answer_at(answer, {**dict(_numbers(found, pinned)), name: value}, same_inputs=same)
        )
        if moved is None:
            return Tried(found, has_values=False)
        numbers = dict(_numbers(moved, outcomes))
        moved.outcomes |= {own: replace(found.outcomes[own], si=si, boundary=si) for own, si in numbers.items()}
        found = moved
    return Tried(found, has_values=True)


def _followed(outcome: Outcome) -> Outcome:
    """Return the outcome of an unknown that its own formula gives."""
    return replace(outcome, kind="value", sign="=")


def _numbers(answer: Answer, names: Iterable[str]) -> Iterator[tuple[str, Number]]:
    for name in names:
        yield name, answer.execution.number(name)


def _trials(answer: Answer) -> Iterator[dict[str, Number]]:
    """Yield numbers for the unknowns: at which relations hold exactly, those of examples, and usual ones.

    Those with a formula follow from the others where they can: a number for them would move what they rest on.
    """
    outcomes, question = answer.outcomes, answer.question
    every = {name: _numbers_for(outcome) for name, outcome in outcomes.items()}
    free = [name for name in outcomes if question.formula(name) is None]
    for names in dict.fromkeys((tuple(free), tuple(outcomes))):
        for place in range(MOST_TRIED if names else 1):
            yield {name: every[name][min(place, len(every[name]) - 1)] for name in names if every[name]}


def _numbers_for(outcome: Outcome) -> list[Number]:
    cell = outcome.cell
    known = (outcome.si, outcome.boundary, cell.example, *USUAL, cell.bounds.lower, cell.bounds.upper)
    fitting = [own for own in known if own is not None and own in cell.bounds and _is_possible(own, cell)]
    return [*dict.fromkeys(fitting)]


def _is_possible(number: Number, cell: Cell) -> bool:
    return math.isfinite(number) and (not cell.integer or number == int(number))


def _outcome(outcome: Outcome, sign: str) -> Outcome:
    """Return the outcome of an unknown at the end of a range, or at the value that an equation sets."""
    kind = "value" if sign == "=" else "range"
    whole = None if sign == "=" or not outcome.cell.integer else int(outcome.si or 0)
    return replace(outcome, kind=kind, sign=f"{sign}=" if kind == "range" else sign, whole=whole)


def is_lost(live: Live, name: str, missing: frozenset[str]) -> bool:
    """Return whether a cell has no value where some that were solved for have none; only taken branches count."""
    if name in missing or missing.isdisjoint(live.rests_on(name)):
        return name in missing
    used = cells_of(taken(live.formulas[name], live.question.options))
    return any(is_lost(live, cell, missing) for cell in used)


def value_of(live: Live, way: Way) -> Number | None:
    """Return the boundary of an unknown by its closed form or by bisection; None where it has none in its bounds."""
    value: Number | None = None
    if way.forms and (way.kind == FORM or way.options):
        value = value_or_none(boundary_of(way), live.values)
    elif way.kind == SEARCH:
        value = _bisected(live, way)
    if value is None or value not in way.cell.bounds:
        return None
    return round(value) if way.whole else value


def _bisected(live: Live, way: Way) -> Number | None:
    low, high = way.ends
    is_upper = way.sign == "<"
    holds = holding(live, way)
    if not holds(low if is_upper else high):
        return None
    if holds(high if is_upper else low):
        return high if is_upper else low
    for _ in range(HALVINGS):
        middle = (low + high) // 2 if way.whole else math.sqrt(low * high) if way.geometric else (low + high) / 2
        low, high = (middle, high) if holds(middle) is is_upper else (low, middle)
    return low if is_upper else high
