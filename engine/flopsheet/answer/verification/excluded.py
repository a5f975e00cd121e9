"""Outcomes that limits exclude: those that no unknown can change, and those that could not be inverted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.limits import failing_at, left_without
from flopsheet.answer.outcomes.spaced import progression_texts
from flopsheet.answer.outcomes.wording import ranges_text
from flopsheet.answer.several import verdicts
from flopsheet.errors import joined
from flopsheet.numbers.sets import complement, meet, point

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.verification.checks import Check
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number


def refuse_by_limits(answered: Answer) -> None:
    """Turn outcomes into "none" where a limit does not hold that no unknown can change, or not at the only value.

    They are not for a cell that its own formula gives: its value is asked for, whether limits hold or not.
    """
    structure, question = answered.system.structure, answered.question
    bounded = [name for name in question.unknowns if name not in structure.of_cell]  # by inequalities alone
    resting = structure.with_known(*bounded).resting_on(question.unknowns) | {*question.unknowns}
    constant = [check for check in answered.broken if resting.isdisjoint(check.relation.cells)]
    for name, result in answered.outcomes.items() if answered.broken else ():
        is_formula = name in structure.of_cell and structure.equations[structure.of_cell[name]].gives(name)
        if is_formula and result.condition is None:
            continue
        if constant:
            _refuse_whatever(answered, result, constant, resting)
        elif result.kind == "value" and result.si is not None and len(answered.outcomes) == 1:
            _refuse_at(answered, result, result.si)


def _refuse_whatever(answered: Answer, result: Outcome, broken: Sequence[Check], resting: AbstractSet[str]) -> None:
    """Turn an outcome into "none" as limits do not hold that no unknown can change.

    Where values of others are followed, these are one tuple of several: what would work without the limit is not all
    known. Nor does anything work without it where cells that no unknown can change are out of their bounds.
    """
    is_followed = bool(answered.execution.assumed)
    if result.kind == "none" and not is_followed:
        return
    failures = joined([check.failure for check in broken])
    why = f"{failures[:1].upper()}{failures[1:]}, whatever {result.cell.name} is."
    is_told = not is_followed and resting >= {*answered.questionable.outside}
    why = f"{why} {_left_without(broken, result)}" if is_told else why
    _refuse_for(answered, result, why, broken)


def _refuse_at(answered: Answer, result: Outcome, value: Number) -> None:
    """Turn the outcome of the only unknown into "none" where limits that could not be inverted exclude its value.

    Where they were checked at that value alone, the others stay open.
    """
    opened = meet(result.open, complement(point(value)))
    alone = not (answered.execution.assumed or opened)
    why = failing_at(result.why, result.cell, value, answered.broken, alone=alone)
    _refuse_for(answered, result, why, answered.broken, opened)


def _refuse_for(answered: Answer, result: Outcome, why: str, broken: Sequence[Check], opened: RealSet = ()) -> None:
    limits = tuple(check.relation.name for check in broken)
    answered.outcomes[result.cell.name] = replace(verdicts.refused(result, why, opened), limits=limits)


def _left_without(broken: Sequence[Check], result: Outcome) -> str:
    """Return the values that an unknown has without broken limits, in a sentence."""
    ranges = [ranges_text(result.listed, result.cell)] if result.listed else []
    values = joined([*ranges, *progression_texts(result.progressions, result.cell)], "or")
    return left_without("it" if len(broken) == 1 else "them", values, result.cell, result.whole)
