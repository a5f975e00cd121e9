"""What an outcome tells: its reason, and which relations hold where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.limits import excludes, shaping
from flopsheet.answer.outcomes.wording import ranges_text, sentence
from flopsheet.errors import joined
from flopsheet.numbers.sets import meet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.outcomes.picked import Pick
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.numbers.sets import RealSet


class Told(NamedTuple):
    """A reason, and with how many digits it gives the cell that the deciding relation bounds; 0 where it does not."""

    text: str = ""
    digits: int = 0


UNTOLD = Told()


def held_where(solved: SolutionSet, pick: Pick, values: RealSet) -> str:
    """Return which relations hold where: those that set the ends, then what else was asked."""
    cell = solved.cell
    rounded = [condition for condition in solved.asked if condition.is_rounded]
    if not (pick.conditions or rounded):
        return f"Every value of {cell.name} works: it is {cell.bounds.text(cell.unit)}."
    named = pick.conditions or rounded
    narrow = any(condition.chain.domain != solved.domain for condition in named)  # solved within what others leave
    everything, shaped = (solved.domain,), shaping(solved)

    def is_needed(own: Condition) -> bool:
        if own.relation.limit:
            return own.relation.limit in shaped
        return excludes(own, solved) or (narrow and meet(everything, own.solution.around) != everything)

    named = [*named, *(own for own in solved.conditions if own not in named and is_needed(own))]
    text = hold_for(named, ranges_text(values, cell))
    text = text if not solved.open else f"{text.removesuffix('.')} in the range that was searched."
    others = list(dict.fromkeys(condition.stated for condition in solved.asked if condition not in named))
    beside = joined(others)
    verb = "holds" if len(others) == 1 else "hold"
    return f"{text} {beside[:1].upper()}{beside[1:]} {verb} there too." if others else text


def hold_for(conditions: Sequence[Condition], values: str) -> str:
    """Return for which values conditions hold, as a sentence."""
    texts = list(dict.fromkeys(condition.stated for condition in conditions))
    text = sentence(f"{joined(texts)} {'hold' if len(texts) > 1 else 'holds'} for {values}")
    return f"{text[:1].upper()}{text[1:]}"
