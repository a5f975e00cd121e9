"""Names that were asked for as scenarios: a live column for each, the best first, and which is the best now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.table import Row, Table
from flopsheet.report.candidates import candidates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.names import Candidate, Ranking
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.units import Number

MOST_WORKING = 16  # of the scenarios; names that do not work at the inputs of the question may when these change
LEAST_ROOM = "the least room in relations"


class Order(NamedTuple):
    """What ranks names."""

    cell: str  # empty where it is the room in relations
    largest: bool
    relations: frozenset[str]  # the texts of those in whose room names differ


def table_of_names(answer: Answer) -> Table | None:
    """Return the names that an answer tried as a table, the best first; None where it tried one or found none."""
    ranking = answer.ranking
    if ranking is None or not ranking.working or len(ranking.working) + len(ranking.rejected) < 2:
        return None
    names, cells = ranking.names, answer.question.sheet.cells
    others = [name for name in answer.question.unknowns if name not in names]
    shown = tuple(dict.fromkeys([*others, *(name for name in candidates(answer).head if name in cells)]))
    rejected = sorted(ranking.rejected, key=lambda candidate: candidate.answer is None)
    every = [*ranking.working[:MOST_WORKING], *rejected, *ranking.working[MOST_WORKING:]]
    rows = [_row(candidate, names, answer if at == 0 else candidate.answer) for at, candidate in enumerate(every)]
    return Table(answer.question.sheet, names, shown, tuple(rows))


def _row(candidate: Candidate, names: Sequence[str], answer: Answer | None) -> Row:
    return Row(tuple(candidate.options[name] for name in names), answer, candidate.why if answer is None else "")


def order_of(answer: Answer) -> Order | None:
    """Return what ranks the names of an answer; None where nothing does."""
    ranking = answer.ranking
    if ranking is None or not ranking.by:
        return None
    cell, _, which = ranking.by.partition(", the ")
    if which and cell in answer.question.sheet.cells:
        return Order(cell, which.startswith("largest"), frozenset())
    return Order("", largest=True, relations=_differing(ranking))


def _differing(ranking: Ranking) -> frozenset[str]:
    """Return the texts of the inequalities in whose room the names that work differ; of those alike, of all."""
    rooms: dict[str, set[float]] = {}
    for candidate in ranking.working:
        for check in () if candidate.answer is None else candidate.answer.binding:
            if check.has_room:
                rooms.setdefault(check.relation.text, set()).add(check.slack)
    return frozenset(text for text, slacks in rooms.items() if len(slacks) > 1) or frozenset(rooms)


def rank_formula(order: Order, model: Model) -> str:
    """Return what ranks a name in a scenario, as a formula without a sign of equality; empty for none."""
    if order.cell:
        return model.names.get(order.cell, "")
    rooms = list(_rooms(order, model))
    return f"MIN({','.join(rooms)})" if rooms else ""


def ranked_at(order: Order, answer: Answer) -> Number | str:
    """Return what ranks a name at the inputs of the question, in the unit of its cell."""
    if order.cell:
        return answer.cells[order.cell].exact if order.cell in answer.cells else ""
    rooms = [own.slack for own in answer.binding if own.relation.text in order.relations and own.has_room]
    return min(rooms, default="")


def _rooms(order: Order, model: Model) -> Iterator[str]:
    for check in model.answer.binding:
        if check.relation.text not in order.relations or not check.has_room:
            continue
        relation = model.relation(check)
        sides = [model.formulas.formula(side, check.unit) for side in (relation.left, relation.right)]
        if None in sides:
            continue
        left, right = (f"({side[1:]})" for side in sides if side is not None)
        room = f"{left}-{right}" if ">" in relation.operator else f"{right}-{left}"
        yield f"({room})/ABS(IF({right}=0,{left},{right}))"
