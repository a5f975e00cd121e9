"""Counts that were solved for together, in a workbook: tuples of them are listed, and the best that works is taken.

An equation gives one of the counts from the others, so a list of these is enough, whatever its number is changed to.
The list is bounded: it has the tuples of the answer and those around them, powers of two and multiples of small odd
numbers first.
"""

from __future__ import annotations

import math
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.formulas.code import Compiled
from flopsheet.functions import taken
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.question.question import Best
    from flopsheet.report.workbook.live import Live
    from flopsheet.units import Number

MOST_TUPLES, MOST_VALUES = 256, 48  # rows, and values of one count that are combined for them
MOST_CELLS = 60_000  # of a list: such a file is written in seconds and recalculated at once
REACH = 16  # a count is listed up to this multiple of its value


class Row(NamedTuple):
    """A listed tuple at the inputs of the question [base units]."""

    counts: tuple[int, ...]
    columns: tuple[Number | None, ...]
    sides: tuple[tuple[Number | None, Number | None], ...]
    rank: Number | None
    holds: bool


class Listed(NamedTuple):
    """The tuples that a workbook lists, and what it computes for each."""

    free: tuple[str, ...]  # the counts in the list; an equation gives the other one
    columns: tuple[str, ...]  # the cells that rest on these, in the order of computation
    relations: tuple[Relation, ...]  # that must hold
    best: Best | None  # what ranks tuples; without, the first or the last that works is taken
    largest: bool  # whether the largest rank comes first
    rows: tuple[Row, ...]
    chosen: int  # the place of the one that is the answer


def listed(live: Live, most: int = MOST_CELLS) -> Listed | None:
    """Return the tuples to list for an answer; None where no counts are, or where these do not give its answer.

    The list has at most so many cells.
    """
    free, best = live.together.free, live.question.best
    if not free or {*live.solved} != {*free} or (best is not None and best.cell not in live.answer.cells):
        return None
    relations = tuple(dict.fromkeys(own.text for name in free for own in live.conditions[name]))
    by_text = {own.text: own for name in free for own in live.conditions[name]}
    asked = tuple(by_text[text] for text in relations)
    ranks = [] if best is None else [symbol(best.cell)]
    columns = _resting(live, [*ranks, *(side for own in asked for side in (own.left, own.right))])
    tuples = _tuples(live, free, min(MOST_TUPLES, most // (len(columns) + 2 * len(asked) + 1)))
    rows = tuple(_computed(live, tuples, columns, asked, best))
    wanted = tuple(int(live.values[name]) for name in free)
    working = [place for place, row in enumerate(rows) if row.holds]
    largest = best.largest if best is not None else rows[working[-1]].counts == wanted if working else False
    chosen = _best(rows, working, best) if best is not None else next(iter(working[-1:] if largest else working), None)
    if chosen is None or rows[chosen].counts != wanted:
        return None
    return Listed(free, columns, asked, best, largest, rows, chosen)


def _best(rows: Sequence[Row], working: Sequence[int], best: Best) -> int | None:
    """Return the place of the first of the tuples that work and rank best."""
    ranks = ((place, rows[place].rank) for place in working)
    ranked = [(-rank if best.largest else rank, place) for place, rank in ranks if rank is not None]
    return min(ranked)[1] if ranked else None


def _resting(live: Live, sides: Sequence[Expr]) -> tuple[str, ...]:
    """Return the cells in expressions, and before these, that rest on what is solved for, in order."""
    return tuple(live.in_order(sides, lambda name: name in live.formulas and bool(live.rests_on(name))))


def _computed(
    live: Live,
    tuples: Sequence[tuple[int, ...]],
    columns: tuple[str, ...],
    asked: Sequence[Relation],
    best: Best | None,
) -> Iterator[Row]:
    """Yield the rows of a list with what a spreadsheet program computes in them."""
    options = live.question.options
    sides = [taken(side, options) for own in asked for side in (own.left, own.right)]
    ranks = [] if best is None else [symbol(best.cell)]
    steps = [(name, taken(live.formulas[name], options)) for name in columns]
    model = Compiled(steps, sympy.Tuple(*map(symbol, columns), *sides, *ranks))
    for counts in tuples:
        values = {**live.values, **dict(zip(live.together.free, counts, strict=True))}
        try:
            computed: Sequence[Number | None] = model.exact(*(values[name] for name in model.inputs))
        except (ArithmeticError, ValueError, TypeError, KeyError):
            computed = [None] * (len(columns) + len(sides) + len(ranks))
        own, of = computed[: len(columns)], computed[len(columns) :]
        pairs = tuple(zip(of[: len(sides) : 2], of[1 : len(sides) : 2], strict=True))
        holds = all(
            left is not None and right is not None and relation.holds(left, right)
            for relation, (left, right) in zip(asked, pairs, strict=True)
        )
        yield Row(counts, tuple(own), pairs, of[-1] if ranks else None, holds)


def _tuples(live: Live, free: tuple[str, ...], most: int) -> list[tuple[int, ...]]:
    """Return the tuples of a list in order: those of the answer, then those around it that are rounder or nearer."""
    answered = [tuple(int(values[name]) for name in free) for values in live.answer.tuples]
    at = tuple(int(live.values[name]) for name in free)
    every = [_values(live, name, [own[place] for own in answered]) for place, name in enumerate(free)]

    def far(counts: tuple[int, ...]) -> float:
        return sum(_far(count, own) for count, own in zip(counts, at, strict=True))

    chosen = dict.fromkeys([at, *answered])
    chosen |= dict.fromkeys(sorted(product(*every), key=lambda counts: (far(counts), counts)))
    return sorted(islice(chosen, most))


def _values(live: Live, name: str, answered: Sequence[int]) -> list[int]:
    """Return the values of a count that are combined: nearest to the answer, and to a power of two, first."""
    bounds, at = live.question.sheet.cells[name].bounds, int(live.values[name])
    low = math.ceil(bounds.lower)
    high = int(min(bounds.upper, REACH * max(MOST_VALUES, *answered)))
    most = MOST_TUPLES if len(live.together.free) == 1 else MOST_VALUES
    if most == MOST_TUPLES:
        return [*range(low, min(high, low + most) + 1)]
    return sorted(range(low, high + 1), key=lambda count: _far(count, at))[:most]


def _far(count: int, at: int) -> float:
    """Return how many doublings a count is from another one, more for one that is no power of two; zero as one."""
    odd = count // (count & -count) if count else 1
    return abs(math.log2(max(abs(count), 1) / max(at, 1))) + math.log2(abs(odd))
