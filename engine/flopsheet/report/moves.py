"""What moves an answer most, in words: the drivers of unknowns, or of what a question without unknowns asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flopsheet.formulas.relation import is_literal
from flopsheet.report.doubled import Doubled, doubled, is_small_count
from flopsheet.report.drivers import MOST_DRIVERS, before_rounding, drivers, strongest
from flopsheet.report.entries import Driver
from flopsheet.report.headlines import summed_up
from flopsheet.report.sentences import input_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation

    Row: TypeAlias = tuple[str, str, str]

FIRST = 3  # drivers on the first screen of a page


def driven(answer: Answer) -> list[str]:
    """Return the unknowns, or the cells that the headline of a question without unknowns names.

    Of names alone it is what ranks them, or else what the relations of the question compare, of the best name. Of
    unknowns that do not move, as divisors, it is what the inequalities compare that exclude the other values.
    """
    question = answer.question
    if not question.unknowns:
        return summed_up(answer)
    if not answer.outcomes:
        ranks = [] if question.best is None else [question.best.cell]
        return _computed(ranks or _compared(check.relation for check in answer.checks), answer)
    own = [*answer.outcomes]
    if any(drivers(answer, name, 1) for name in own):
        return own
    binding = {limit for outcome in answer.outcomes.values() for limit in outcome.limits}
    relations = [check.relation for check in answer.checks]
    relations += [check.relation for check in answer.limits if check.relation.name in binding]
    return [*own, *_computed(_compared(relation for relation in relations if relation.operator != "="), answer)]


def _compared(relations: Iterable[Relation]) -> list[str]:
    return [name for relation in relations for name in sorted(relation.cells)]


def _computed(names: Iterable[str], answer: Answer) -> list[str]:
    """Return those of some cells that are neither inputs nor unknown, each once."""
    known = (name for name in dict.fromkeys(names) if name in answer.cells and name not in answer.outcomes)
    return [name for name in known if not answer.cells[name].is_input]


def drivers_of(answer: Answer, rows: Sequence[Row]) -> list[Driver]:
    """Return the strongest drivers of what is asked for, from the rows of `strongest_of`.

    A count of a few cannot grow by one percent: of what is computed, twice the count is tried; of what is searched, no
    more is claimed than the direction.
    """
    rounded = {name: bool(before_rounding(answer, name)) for name in {row[0] for row in rows}}
    twice = [None if rounded[name] else _twice(answer, name, by) for name, by, _ in rows]
    sizes = [
        abs(float(row[2].replace(",", ""))) if own is None else own.slope for row, own in zip(rows, twice, strict=True)
    ]
    lengths = [max(round(100 * size / max(1, *sizes)), 1) for size in sizes]
    return [
        _driver(row, answer, own, length, rounded=rounded[row[0]])
        for row, own, length in zip(rows, twice, lengths, strict=True)
    ]


def first_inputs(rows: Sequence[Row]) -> frozenset[str]:
    """Return the inputs that a first screen names as drivers."""
    return frozenset([by for _, by, _ in first_drivers(rows)])


def first_drivers(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a first screen: those whose input and cell no other has, then those with another input."""
    kept: list[Row] = []
    for places in ((0, 1), (1,), ()):
        for row in rows:
            is_new = all(row[place] != own[place] for own in kept for place in places)
            if is_new and row not in kept and len(kept) < FIRST:
                kept.append(row)
    return kept


def strongest_of(answer: Answer) -> list[Row]:
    """Return what is asked for, an input that moves it, and the elasticity, the strongest of each cell first.

    Several cells share the places equally.
    """
    by_cell = {name: strongest(answer, name) for name in driven(answer)}
    moved = [name for name in by_cell if by_cell[name]]
    share = max(MOST_DRIVERS // max(len(moved), 1), 1)
    return [(name, *row) for name in moved for row in by_cell[name][:share]][:MOST_DRIVERS]


def _twice(answer: Answer, name: str, by: str) -> Doubled | None:
    return doubled(answer, name, by) if is_small_count(answer, by) else None


def _driver(row: Row, answer: Answer, twice: Doubled | None, length: int, *, rounded: bool) -> Driver:
    name, by, elasticity = row
    literals, cell = answer.question.quantities, answer.question.sheet.cells[name]
    change = "1 % above" if is_literal(by) else "1 % farther from zero:" if _is_negative(by, answer) else "1 % more"
    amount, is_less = f"{elasticity[1:]} % ", elasticity.startswith("-")
    if is_small_count(answer, by):
        change, amount = "a larger", ""
        if twice is not None:
            change, amount, is_less = "twice the", f"{twice.percent} % ", twice.falls
    more, less = "more", "fewer" if cell.integer else "less"
    if _is_negative(name, answer):
        more, less = "farther from zero:", "nearer to zero:"
    effect = f"{amount}{less if is_less else more}"
    effect += " unrounded" if rounded else ""
    return Driver(name, input_text(by, literals), change, elasticity, effect, length)


def _is_negative(name: str, answer: Answer) -> bool:
    return name in answer.cells and answer.cells[name].si < 0
