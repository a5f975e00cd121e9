"""The tuples of several unknowns that one answer has, where single values and runs of whole numbers list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import wholes_in
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.units import Number

MOST_WHOLE = 1000


def own_tuples(answer: Answer) -> list[dict[str, Number]]:
    """Return the tuples of an answer in which one unknown at most has several values; none where one has a range."""
    tuples: list[dict[str, Number]] = [] if answer.unfollowed or _is_slice(answer) else [{}]
    for name, outcome in answer.outcomes.items():
        points = _points(outcome, answer)
        values = points if len(tuples) == 1 else [] if outcome.si is None else [outcome.si]
        tuples = [{**earlier, name: value} for earlier in tuples for value in values]
    return tuples


def _points(outcome: Outcome, answer: Answer) -> Sequence[Number]:
    """Return the values of an unknown where they can be listed: single ones, or the whole numbers of runs."""
    if outcome.kind in ("value", "values"):
        return [part.lower for part in outcome.listed]
    is_counted = outcome.kind == "whole" or _is_whole_range(outcome, answer)
    if not is_counted or len(answer.outcomes) < 2 or outcome.progressions:
        return ()
    numbers, more = wholes_in(outcome.listed, MOST_WHOLE)
    return () if more else numbers


def _is_whole_range(outcome: Outcome, answer: Answer) -> bool:
    """Whether an unknown has a range of whole numbers that are all known to work; a ranked question ranks no range."""
    known = outcome.whole is not None and outcome.proof is not Proof.OPEN
    return outcome.kind == "range" and known and answer.question.best is None


def _is_slice(answer: Answer) -> bool:
    """Whether values are those of one unknown at one of several values of another one, or ranges of several are."""
    several = {name for name, own in answer.outcomes.items() if len(_points(own, answer)) > 1}
    outcomes = answer.outcomes.values()
    if any(place.name in several for own in outcomes for place, _ in own.at):
        return True
    return len(several) > 1 and any(own.kind == "range" for own in outcomes)
