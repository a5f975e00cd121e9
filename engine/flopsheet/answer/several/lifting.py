"""What an unknown would be without the limits of its sheet: all else that an answer has to meet still binds it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.limits import without_limits
from flopsheet.answer.outcomes.outcome import Outcome, outcome
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.unknown import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Execution
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question
    from flopsheet.units import Number


def allowed(
    system: System,
    name: str,
    execution: Execution,
    near: Number | None = None,
    answer: Callable[[Question], Answer | None] | None = None,
) -> Outcome | None:
    """Return the outcome of an unknown where the limits of the sheet are lifted; None where it cannot be found.

    None, too, of a name that is tried.

    Of several unknowns, beside the values of those before it. The only one of a question is as the whole question
    without limits has it, which `answer` answers: within the bounds of cells beside the way to it too, and none where a
    relation does not hold that it cannot change; with the limits that are broken whatever it is.
    """
    if system.question.substituted:  # of many names, the reason of few is shown
        return None
    lifted = without_limits(system)
    if answer is not None and len(system.question.unknowns) == 1:
        with suppress(SeveralValuesError):
            if (whole := answer(replace(lifted.question, best=None))) is not None:
                return replace(whole.outcomes[name], limits=_broken(whole, name))
    solved = find(lifted, name, execution)
    return None if solved is None else outcome(solved, near)


def _broken(whole: Answer, name: str) -> tuple[str, ...]:
    """Return the limits that do not hold whatever an unknown is, by name."""
    resting = whole.system.structure.with_known(name).resting_on([name])
    broken = (check.relation for check in whole.limits if not check.holds)
    return tuple(limit.name for limit in broken if resting.isdisjoint(limit.cells))
