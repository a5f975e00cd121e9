"""A later search of the same formula begins with what earlier ones have proven, and finds the same with less work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import ceil, exp, log, max_, sin, sqrt
from flopsheet.formulas.program import program_of
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import Interval, RealSet, point, side
from flopsheet.numbers.spans import Span
from flopsheet.search.facts import MOST_BOXES, Facts
from flopsheet.search.field import Field
from flopsheet.search.grid import REALS, WHOLES
from flopsheet.search.one_unknown import Cover, Search

if TYPE_CHECKING:
    from flopsheet.units import Number

X = symbol("x")
ABOVE, BOTH, COUNTS = Interval(0, math.inf, lower_closed=False), Interval(-50, 50), Interval(1, 10_000)
FORMULAS: list[tuple[Any, Interval, bool]] = [
    (X * exp(X) / (1 + sqrt(X)), ABOVE, False),
    (X**3 - 7 * X + sin(X), BOTH, False),
    (1 / (X - 3) + log(X**2 + 1), BOTH, False),
    (max_(X, 12) + 40 / X, ABOVE, False),
    (X + 900 / X, COUNTS, True),
    (ceil(1000 / X) * X + X * sqrt(X), COUNTS, True),
]
LEVELS: tuple[Number, ...] = (60, 64, 61.5, 13, 1, 100, 60, -3)
TARGETS = [target for level in LEVELS for target in (point(level), side("<=", level))]


class Counted(Field):
    """A formula that counts over how many boxes it is bounded."""

    def __init__(self, formula: Any) -> None:
        super().__init__(program_of(formula), "x", {})
        self.boxes = 0

    def forward(self, box: Span) -> list[Span]:
        self.boxes += 1
        return super().forward(box)


def _search(field: Counted, target: RealSet, domain: Interval, *, integer: bool) -> tuple[Cover, int]:
    start = field.boxes
    return Search(field, target, WHOLES if integer else REALS).over(domain), field.boxes - start


@pytest.mark.parametrize(("formula", "domain", "integer"), FORMULAS, ids=[str(formula) for formula, _, _ in FORMULAS])
def test_a_later_search_finds_what_one_by_itself_does(formula: Any, domain: Interval, integer: bool) -> None:
    shared, less = Counted(formula), 0
    for target in TARGETS:
        alone, work = _search(Counted(formula), target, domain, integer=integer)
        later, its_work = _search(shared, target, domain, integer=integer)
        assert _near(later.values, alone.values), target
        assert _near(later.open, alone.open), target
        less += work - its_work
    assert less > 0


def _near(values: RealSet, others: RealSet) -> bool:
    ends = [[(end, closed) for part in own for end, closed in part.ends] for own in (values, others)]
    same = (
        one == other or math.isclose(one, other, rel_tol=1e-12) for (one, _), (other, _) in zip(*ends, strict=False)
    )
    return len(ends[0]) == len(ends[1]) and all(same) and [own for _, own in ends[0]] == [own for _, own in ends[1]]


def test_facts_are_forgotten_before_they_are_too_many() -> None:
    facts = Facts()
    for low in range(MOST_BOXES + 1):
        facts.bound((low, low + 1), Span(1, 2), is_dense=True)
    assert facts.of((0, 1), is_dense=True) is None
    assert facts.of((MOST_BOXES, MOST_BOXES + 1), is_dense=True) is not None
    assert facts.of((MOST_BOXES, MOST_BOXES + 1), is_dense=False) is None
