"""Asks a worked question, and the plain arithmetic that its answer is held against."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import solve
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet import Sheet
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.units import Number

Span = tuple[float, float, str]


def ask(sheet: Sheet, unknown: str, *relations: str) -> Outcome:
    """Return what is known of an unknown, once the answer was put back into every relation."""
    answer = solve(sheet, unknown, relations)
    outcome = answer.outcomes[unknown]
    assert all(check.holds for check in answer.checks), [check.relation.text for check in answer.checks]
    assert answer.checks or outcome.si is None
    assert outcome.si is None or outcome.si in outcome.cell.bounds
    return outcome


def spans(outcome: Outcome) -> list[Span]:
    """Return the intervals that work in the unit of the cell, each with its brackets: `(0.0, 5.0, "(]")`."""
    return [
        (
            float(in_unit(interval.lower, outcome.cell.unit)),
            float(in_unit(interval.upper, outcome.cell.unit)),
            "(["[interval.lower_closed] + ")]"[interval.upper_closed],
        )
        for interval in outcome.solutions
    ]


def about(*expected: Span) -> Any:
    """Return intervals that equal those that are a billionth away."""
    return [
        (pytest.approx(low, rel=1e-9, abs=0), pytest.approx(high, rel=1e-9, abs=0), ends)
        for low, high, ends in expected
    ]


def points(outcome: Outcome) -> list[float]:
    """Return the single values that work, in the unit of the cell."""
    assert all(interval.is_point for interval in outcome.solutions), outcome.solutions
    return [float(in_unit(interval.lower, outcome.cell.unit)) for interval in outcome.solutions]


def works(outcome: Outcome, value: Number) -> bool:
    """Whether a value in the unit of the cell lies in the answer."""
    return any(value * outcome.cell.unit.factor in interval for interval in outcome.solutions)


def bisected(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function changes its sign between two places, to the last digit of a float."""
    rising = function(high) > 0
    assert (function(low) > 0) != rising, "it has one sign only"
    while low < (middle := math.sqrt(low * high) if low > 0 else (low + high) / 2) < high:
        if (function(middle) > 0) == rising:
            high = middle
        else:
            low = middle
    return low


def crossings(function: Callable[[float], float], places: Iterable[float]) -> list[float]:
    """Return where a function changes its sign, looked for between neighbouring places."""
    roots = []
    for low, high in pairwise(places):
        if (function(low) > 0) != (function(high) > 0):
            roots.append(bisected(function, low, high))
    return roots
