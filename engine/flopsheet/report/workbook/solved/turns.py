"""In which order several unknowns are solved for, so that each has a relation which rests on those before it alone."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from flopsheet.report.workbook.solved.behind import resting_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.report.workbook.live import Live

MOST_UNKNOWNS = 5  # of which each order is looked at


def in_turn(live: Live, names: Sequence[str]) -> Sequence[str]:
    """Return unknowns in the first order in which a relation of the question sets each; as they are without such a one.

    A deadline and a budget bound the chips and the parameters of a run: by the budget alone the parameters, and by the
    deadline the chips that train them in time.
    """
    if not 1 < len(names) <= MOST_UNKNOWNS:
        return names
    sides = ((relation.left, relation.right) for relation in live.relations.values())
    rests = [{own for side in pair for own in resting_on(live, side, {*names})} & {*names} for pair in sides]
    return next((order for order in permutations(names) if _all_set(order, rests)), names)


def _all_set(order: Sequence[str], rests: Sequence[set[str]]) -> bool:
    """Whether each unknown is the last in an order on which some relation rests."""
    return {max(own, key=order.index) for own in rests if own} == {*order}
