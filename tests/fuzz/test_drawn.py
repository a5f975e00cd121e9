"""Drawn questions: each "only", "every", "none" and "best" of an answer is what trying all values finds."""

from __future__ import annotations

from random import Random

import pytest
from tests.fuzz.drawn import drawn
from tests.fuzz.told import wrong

from flopsheet import solve
from flopsheet.errors import OverdeterminedError, QuestionError, ValueOutOfBoundsError

FAST, EACH, SLOW = 8, 25, 45


def mistakes(seed: int) -> list[str]:
    """Return what the answer to a drawn question says that is not so."""
    own = drawn(Random(seed))  # noqa: S311  # the same each time
    try:
        answer = solve(own.sheet, [*own.domains], own.where, own.near, without=own.without, best=own.best)
    except (OverdeterminedError, ValueOutOfBoundsError) as error:
        return [f"{seed}: {error}"] if any(own.points()) else []
    except QuestionError:  # nothing is claimed
        return []
    return [f"{seed}: {text}" for text in wrong(own, answer)]


CHUNKS = [*range(FAST), *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(FAST, SLOW))]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_an_answer_says_what_trying_all_values_finds(chunk: int) -> None:
    assert [text for seed in range(chunk * EACH, (chunk + 1) * EACH) for text in mistakes(seed)] == []
