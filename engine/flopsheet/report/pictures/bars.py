"""Bars: what a table has for each row where no curve can be drawn, what ranks names or tuples, numbers that work."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.numbers.sets import whole_ends
from flopsheet.report.candidates import SLACK, working_of
from flopsheet.report.pictures.drawing import shortened
from flopsheet.report.pictures.plots import MOST_TITLE, WIDTH, Plot, Stroke, Words
from flopsheet.report.tables import column_of, spelled, text_of
from flopsheet.report.texts.ranked import label
from flopsheet.report.texts.tables import told
from flopsheet.units import is_finite, unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.names import Ranking
    from flopsheet.answer.table import Table
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Unit

FEWEST, MOST, MOST_LONG = 2, 12, 8  # bars; of those with a line of their own for the label
LONGEST = 20  # letters of a label that stands beside its bar
_TOP, _ROW, _LABEL, _BOTTOM, _LEFT, _RIGHT = 32.0, 18.0, 15.0, 6.0, 8.0, 10.0
_LETTER, _GAP = 7.2, 8.0


class Bar(NamedTuple):
    """One name with its number."""

    label: str
    value: float  # in base units
    text: str
    style: str  # `bar`, or `broken` where a limit does not hold


def table_bars(table: Table) -> Plot | None:
    """Return a bar for each row of a table: the last cell that it is asked for; None where rows do not differ."""
    answered = [(row, row.answer) for row in table.rows if row.answer is not None]
    if not answered:
        return None
    labels = [", ".join(spelled(table, row)) for row, _ in answered]
    answers = [answer for _, answer in answered]
    for name in reversed(told(table, answers[0].question)):
        cell = table.sheet.cells.get(name)
        bars = [] if cell is None else _bars(labels, answers, cell)
        if len({bar.text for bar in bars}) >= FEWEST:
            return _plot(name, sorted(bars, key=_size) if len(bars) > MOST_LONG else bars, "the largest")
    return None


def ranking_bars(answer: Answer) -> Plot | None:
    """Return a bar for each of several names that work, the best first; None where these do not differ."""
    ranking = answer.ranking
    if ranking is None or len(ranking.working) < FEWEST:
        return None
    question = answer.question
    others = [name for name in question.unknowns if name not in ranking.names]
    working = [(candidate.text, candidate.answer) for candidate in ranking.working if candidate.answer is not None]
    for name in dict.fromkeys([*([question.best.cell] if question.best else []), *others]):
        bars = _bars([text for text, _ in working], [own for _, own in working], question.sheet.cells[name])
        if len({bar.text for bar in bars}) >= FEWEST:
            return _plot(name, bars, "the best")
    return _rooms(ranking)


def tuple_bars(answer: Answer) -> Plot | None:
    """Return a bar for each of several tuples, the best first; None where these do not differ.

    The bars are of the cell that ranks them, or else of one that a relation, or a limit that excludes others, compares.
    """
    names, working = working_of(answer)
    if answer.ranking is not None or len(names) < 2:
        return None
    answers = [(label(own, names), own.answer) for own in working if own.answer is not None]
    best, cells = answer.question.best, answer.question.sheet.cells
    for name in _compared(answer) if best is None else [best.cell]:
        bars = _bars([text for text, _ in answers], [own for _, own in answers], cells[name])
        if len({bar.text for bar in bars}) >= FEWEST:
            return _plot(name, bars, "the first" if best is None else "the best")
    return None


def number_bars(answer: Answer) -> Plot | None:
    """Return a bar for each of several whole numbers that work, between the cells that bound the number itself.

    None where these are too many, or where no cell bounds it.
    """
    outcome = next(iter(answer.outcomes.values()), None)
    if len(answer.outcomes) != 1 or outcome is None or outcome.kind != "whole":
        return None
    ends, bounds = [whole_ends(part) for part in outcome.listed], _bounds_of(answer, outcome.cell)
    if not bounds or not FEWEST <= sum(last - first + 1 for first, last in ends) <= MOST - len(bounds):
        return None
    working = [number for first, last in ends for number in range(int(first), int(last) + 1)]
    limits = [[bounds[sign]] if sign in bounds else [] for sign in (">", "<")]
    rows = [*limits[0], *(("works", number) for number in working), *limits[1]]
    of_cells = [label != "works" for label, _ in rows]
    bars = _named([label for label, _ in rows], [value for _, value in rows], outcome.cell.unit, of_cells)
    return _plot(outcome.cell.name, bars, "the first")


def _bounds_of(answer: Answer, cell: Cell) -> dict[str, tuple[str, Number]]:
    """Return the cells that bound a number, the closest by sign from below and from above, with their values."""
    closest: dict[str, tuple[str, Number]] = {}
    for check in answer.binding:
        left, sign, right = check.relation.one_sided({cell.symbol})
        value = answer.values.get(right.name) if left == cell.symbol and right.is_Symbol else None
        if value is None or isinstance(value, str) or check.relation.is_equation:
            continue
        before = closest.get(sign[0], ("", value))[1]
        if (value >= before) if sign[0] == ">" else (value <= before):
            closest[sign[0]] = right.name, value
    return closest


def _compared(answer: Answer) -> list[str]:
    """Return the cells that relations of a question, and limits that exclude tuples, compare, but its unknowns."""
    question = answer.question
    shaping = {name for outcome in answer.outcomes.values() for name in outcome.limits}
    relations = [*question.inequalities, *(limit for limit in question.limits if limit.name in shaping)]
    sides = [side.name for own in relations for side in (own.left, own.right) if side.is_Symbol]
    return [name for name in dict.fromkeys(sides) if name in question.sheet.cells and name not in answer.outcomes]


def _rooms(ranking: Ranking) -> Plot | None:
    known = [(own.text, 100 * own.room) for own in ranking.working if own.room is not None]
    bars = _named([label for label, _ in known], [room for _, room in known], unit("%"), scale=0.01)
    return _plot(SLACK, bars, "the best") if len({bar.text for bar in bars}) >= FEWEST else None


def _bars(labels: Sequence[str], answers: Sequence[Answer], cell: Cell) -> list[Bar]:
    """Return the bars of a cell; names without a finite value of it have none."""
    known = [
        (label, answer, answer.cells[cell.name].si)
        for label, answer in zip(labels, answers, strict=True)
        if cell.name in answer.cells and not text_of(answer, cell.name) and is_finite(answer.cells[cell.name].si)
    ]
    if any(value < 0 for *_, value in known):
        return []
    broken = [bool(answer.broken) or not answer.meets_question for _, answer, _ in known]
    return _named([label for label, *_ in known], [value for *_, value in known], cell.unit, broken)


def _named(
    labels: Sequence[str], values: Sequence[Number], shown: Unit, broken: Iterable[bool] = (), scale: float = 1.0
) -> list[Bar]:
    """Return bars whose numbers share a unit."""
    texts = column_of([value * scale if scale != 1.0 else value for value in values], shown) if values else []
    styles = ["broken" if one else "bar" for one in broken] or ["bar"] * len(labels)
    return [Bar(*row) for row in zip(labels, map(float, values), texts, styles, strict=True)]


def _size(bar: Bar) -> float:
    return -bar.value


def _plot(name: str, bars: Sequence[Bar], which: str) -> Plot:
    """Return the first bars as a chart; its title says of how many names they are."""
    is_long = any(len(bar.label) > LONGEST for bar in bars[:MOST])
    most = MOST_LONG if is_long else MOST
    title = f"{name}, {which} {most} of {len(bars)}" if len(bars) > most else name
    shown = bars[:most]
    about = f"{title}: " + "; ".join(f"{bar.label} {bar.text}" for bar in shown)
    height = _TOP + (_ROW + (_LABEL if is_long else 0)) * len(shown) + _BOTTOM
    parts = _below(shown) if is_long else _beside(shown)
    return Plot((Words(_LEFT, 16.0, shortened(title, MOST_TITLE), "start", "title"), *parts), about, height)


def _beside(bars: Sequence[Bar]) -> Iterator[Stroke | Words]:
    """Yield bars with their labels on the left."""
    start = round(_LEFT + _LETTER * max(len(bar.label) for bar in bars) + _GAP, 1)
    for place, bar in enumerate(bars):
        y = round(_TOP + _ROW * (place + 0.5), 1)
        yield Words(start - _GAP, y + 4, bar.label, "end", "tick")
        yield from _drawn(bar, start, y, bars)


def _below(bars: Sequence[Bar]) -> Iterator[Stroke | Words]:
    """Yield bars, each below its label."""
    for place, bar in enumerate(bars):
        y = round(_TOP + (_ROW + _LABEL) * place + _LABEL, 1)
        yield Words(_LEFT, y - 4, shortened(bar.label, MOST_TITLE), "start", "tick")
        yield from _drawn(bar, _LEFT, y + _ROW / 2 - 2, bars)


def _drawn(bar: Bar, start: float, y: float, bars: Sequence[Bar]) -> Iterator[Stroke | Words]:
    room = WIDTH - _RIGHT - start - _GAP - _LETTER * max(len(other.text) for other in bars)
    end = round(start + max(room * bar.value / (max(other.value for other in bars) or 1.0), 1.0), 1)
    yield Stroke(((start, y), (end, y)), bar.style)
    yield Words(round(end + _GAP, 1), round(y + 4, 1), bar.text, "start", "limit" if bar.style == "broken" else "note")
