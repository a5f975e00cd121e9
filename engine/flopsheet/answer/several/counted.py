"""Whole numbers of which limits on each unknown alone leave few: their tuples are tried one by one.

Relations on a layout need hundreds of formulas, over which intervals are loose and slow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import wholes_in
from flopsheet.answer.several.behind import Behind
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.tested_ends import test_of
from flopsheet.numbers.sets import hull
from flopsheet.search.joint import Joint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.search.several_unknowns import Point
    from flopsheet.units import Number

MOST_NEAR = 64  # tuples beside those that work, at which relations are tried


@dataclass(frozen=True)
class Numbers:
    """The whole numbers that limits on an unknown alone leave it, with others beside these, and the limits."""

    left: list[int]
    others: list[int]
    limits: list[Relation]

    def beside(self, number: Number) -> list[int]:
        """Return the next numbers below and above one that works, both of those that limits leave and of others."""
        below, above = (
            [[own for own in part if way * own > way * number] for part in (self.left, self.others)] for way in (-1, 1)
        )
        return [*(part[-1] for part in below if part), *(part[0] for part in above if part)]


@dataclass(frozen=True)
class Counted:
    """The tuples of such numbers at which relations hold."""

    joint: Joint  # the relations
    numbers: list[Numbers]  # of each unknown
    points: list[Point]

    @property
    def tried(self) -> int:
        """How many tuples limits leave."""
        return math.prod(len(own.left) for own in self.numbers)

    @property
    def limits(self) -> list[Relation]:
        """The limits on each unknown alone."""
        return [limit for own in self.numbers for limit in own.limits]

    def beside(self, points: Sequence[Point]) -> list[Point]:
        """Return tuples beside some that work, which limits exclude and nothing else that is asked."""
        near = dict.fromkeys(
            (*point[:at], number, *point[at + 1 :])
            for point in points
            for at, own in enumerate(self.numbers)
            for number in own.beside(point[at])
        )
        left, are_limits = {*points}, all(own.decides for own in self.joint.relations)
        others = islice((point for point in near if point not in left), MOST_NEAR)
        return [point for point in others if are_limits or self.joint.holds(point)]


def counted(beyond: System, names: Sequence[str], execution: Execution, behind: Behind, most: int) -> Counted | None:
    """Return the tuples of unknowns at which inequalities hold; None where limits on each alone leave more than `most`.

    None, too, where an unknown is no whole number, or time is over before all tuples are tried.

    Args:
        beyond: the system in which the unknowns are known.
        names: the unknowns.
        execution: the values before any is known.
        behind: the relations, and the formulas from the unknowns to them.
        most: how many tuples are tried.
    """
    cells, relations = beyond.question.sheet.cells, behind.relations
    if behind.free or any(own.is_equation for own in relations) or not all(cells[name].integer for name in names):
        return None
    numbers: list[Numbers] = []
    for name in names:
        own = _numbers(beyond, names, name, execution, most)
        if own is None or math.prod(len(one.left) for one in (*numbers, own)) > most:
            return None
        numbers.append(own)
    bounds = {name: cells[name].bounds.interval for name in behind.formulas}
    joint = Joint(names, [*behind.formulas.items()], relations, behind.execution.with_pins(), bounds)
    try:
        return Counted(joint, numbers, sorted(joint.holding([own.left for own in numbers])))
    except TimeoutError:
        return None


def _numbers(beyond: System, names: Sequence[str], name: str, execution: Execution, most: int) -> Numbers | None:
    """Return the whole numbers that limits on one unknown alone leave it; None where these are too many, or none."""
    others, domain = {*names} - {name}, execution.bounded(name).bounds.interval
    resting = beyond.constraining(beyond.question.limits, (name,))
    limits = [own for own in resting if others.isdisjoint(beyond.structure.needed(own.cells))]
    try:
        behind = Behind(beyond, names, execution.copy(), limits)
    except (ArithmeticTrapError, QuestionError):
        return None
    if behind.free:
        return None
    chain, within = Chain(name, domain, behind.formulas, behind.execution.with_pins(), integer=True), domain
    for limit in behind.relations:
        solution = chain.solve(limit, search=False)
        is_open = solution is None or solution.open or solution.progressions
        outer = None if solution is None or is_open else hull(solution.around)
        within = within if outer is None else within.meet(outer)
    whole, more = wholes_in((within,), most)
    if more or not whole:
        return None
    around = [own for own in (whole[0] - 1, *whole, whole[-1] + 1) if own in domain]
    met = [[*filter(test_of(chain, limit), around)] for limit in behind.relations]
    left = [number for number in around if all(number in own for own in met)]
    excluding = [limit for limit, own in zip(limits, met, strict=True) if len(own) < len(around)]
    return Numbers(left, [own for own in around if own not in left], excluding) if left else None
