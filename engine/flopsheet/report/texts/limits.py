"""The limits whose rows tell a reader something: that zero is a multiple of a count does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.functions import taken
from flopsheet.functions.rounding import Mod

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.verification.checks import Check


def telling(answer: Answer) -> list[Check]:
    """Return the limits of an answer but those that hold since something is absent: heads of a state, ranks."""
    return [check for check in answer.limits if not _is_idle(check, answer)]


def _is_idle(check: Check, answer: Answer) -> bool:
    relation = check.relation
    if not (relation.is_equation and check.holds) or check.lifted or check.left or check.right:
        return False
    sides = [taken(side, answer.question.options) for side in (relation.left, relation.right)]
    remainders = [side for side in sides if isinstance(side, Mod)]
    return all(side.is_number or _is_of_one(side, answer) for side in sides) if remainders else False


def _is_of_one(side: Mod, answer: Answer) -> bool:
    """Whether a remainder is that of nothing, or of a division by one."""
    term, divisor = (value_or_none(own, answer.values) for own in side.args)
    return term == 0 or divisor == 1
