"""What twice a small count does to a cell: a degree of eight cannot grow by one percent."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.execute import Execution
from flopsheet.answer.sensitivity import FINE
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.graph.blocks import plan
from flopsheet.graph.system import system_of
from flopsheet.inverse.method import Method
from flopsheet.question.question import Pin
from flopsheet.units import Quantity, format_number, is_finite, size, unit

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer

DIGITS = 3


class Doubled(NamedTuple):
    """How a cell changes where a count is twice as large."""

    percent: str  # without a sign
    falls: bool
    slope: float  # size of the mean elasticity on the way


def is_small_count(answer: Answer, name: str) -> bool:
    """Whether an input is a count of so few that one percent is no step of it."""
    value = answer.cells.get(name)
    return value is not None and value.cell.integer and not value.cell.unit.dimension and size(value.si) < FINE


def doubled(answer: Answer, name: str, by: str) -> Doubled | None:
    """Return how a computed cell changes where a count is twice as large.

    None where something is searched, which another count may not leave as it is; and where twice is out of bounds.
    """
    question, value = answer.question, answer.cells[by]
    twice = 2 * Fraction(value.si)
    searched = answer.outcomes.keys() - {step.cell.name for step in answer.steps if step.how is Method.DIRECT}
    if searched or name not in answer.cells or twice not in value.cell.bounds:
        return None
    pin = Pin(by, twice, f"{by} = {twice}", Quantity(twice, unit("")))
    trial = replace(question, pins={**question.pins, by: pin})
    system, execution = system_of(trial, answer.dropped_defaults), Execution(trial)
    if name not in system.known:
        return None
    try:
        execution.run(system, plan(system.structure, {name}, execution.names))
    except (ArithmeticTrapError, QuestionError, SeveralValuesError, TimeoutError):
        return None
    before, after = answer.cells[name].si, execution.values.get(name)
    if after is None or isinstance(after, str) or not is_finite(after) or not before:
        return None
    ratio = Fraction(after) / Fraction(before)
    percent, slope = float(100 * (ratio - 1)), abs(math.log2(ratio)) if ratio > 0 else float(abs(ratio - 1))
    return Doubled(format_number(abs(percent), DIGITS), percent < 0, slope)
