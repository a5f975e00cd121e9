"""Another of many values of an unknown, where the one that was followed leaves others without any."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.several.lost import MANY
from flopsheet.budget import is_over
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.numbers.sets import Interval
    from flopsheet.question.question import Question
    from flopsheet.units import Number

LEAST_TRIED = 4
PLACES = (1, 1 / 2, 3 / 4, 1 / 4, 7 / 8, 5 / 8, 3 / 8, 1 / 8)  # among the values, in the order in which they are tried


def elsewhere(
    question: Question, outcomes: Mapping[str, Outcome], answer: Callable[[Question], Answer]
) -> Answer | None:
    """Return the answer beside another value of an unknown at which all have one, or None where none of a few does.

    Args:
        question: what was asked, without a value near which answers are wanted.
        outcomes: what was found of the unknowns in turn.
        answer: answers a question beside the value nearest to one that it names.
    """
    for name, own in outcomes.items():
        for tried, value in enumerate(_others(own)):
            if tried >= LEAST_TRIED and is_over():  # to invert a relation takes less than to search for tuples
                return None
            with suppress(QuestionError, ArithmeticTrapError):
                found = answer(replace(question, near={name: value}))
                if all(other.kind != "none" for other in found.outcomes.values()):
                    found.question = question
                    return found
    return None


def _others(outcome: Outcome) -> Iterator[Number]:
    """Yield numbers of a set of several values, far apart first: ends of its parts, and numbers between."""
    if outcome.kind not in MANY:
        return
    whole = outcome.cell.integer
    ends = {end for part in outcome.listed for end in (part.lower, _between(part, whole=whole), part.upper)}
    numbers = sorted(
        end for end in ends if is_finite(end) and end != outcome.si and any(end in own for own in outcome.listed)
    )
    places = dict.fromkeys(min(int(share * len(numbers)), len(numbers) - 1) for share in PLACES)
    yield from (numbers[place] for place in places if numbers)


def _between(part: Interval, *, whole: bool) -> Number:
    """Return a number in the middle of a part."""
    if whole and all(map(is_finite, (part.lower, part.upper))):
        return (part.lower + part.upper) // 2
    return part.inside()
