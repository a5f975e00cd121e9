"""The columns of the sheet Scenarios: which rows of a table are live, and the line of each value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.bisection import ROWS, RUNGS
from flopsheet.report.workbook.blocks.rows import FIRST as SEARCH_COLUMNS
from flopsheet.report.workbook.goals import with_goals
from flopsheet.report.workbook.live import keys_of
from flopsheet.report.workbook.model.model import Model
from flopsheet.report.workbook.solved.way import SEARCH, TRIALS, Way
from flopsheet.report.workbook.tried import Tried, tried
from flopsheet.report.workbook.tuple_list import Scenario
from flopsheet.report.workbook.writer import column_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Row, Table
    from flopsheet.report.workbook.records import Records

SCENARIOS = "Scenarios"
FIRST = 2  # the first column with a scenario, behind name and unit
MOST_SCENARIOS = 24  # each is a whole model to recalculate, and all stand on one page beside each other
MOST_CELLS = 60_000  # with those of searches: such a file is written in seconds and recalculated at once
MOST_CHARTS, BAND = 4, 18  # charts stand in bands of lines that hold nothing else
MOST_NARROW = 6  # with more labels, a chart of columns is as wide as all scenarios


@dataclass(frozen=True)
class Column:
    """One scenario."""

    at: int  # its column, counted from 0
    row: Row
    model: Model | None  # None where the row has no answer
    links: dict[str, str] = field(default_factory=dict)  # by key what stands elsewhere

    @property
    def letters(self) -> str:
        """Its letters: `C` of the first."""
        return column_name(self.at)


class Layout:
    """The lines of the sheet Scenarios, counted from 0.

    Args:
        table: the table.
        answers: those to write, which have a value for each unknown.

    Charts have the varied cell `axis` on their horizontal axis, and labels of scenarios where that is empty.
    """

    def __init__(self, table: Table, answers: Sequence[Answer]) -> None:
        found = [key for answer in answers for key in keys_of(answer, with_goals(answer.question)[0])]
        demanded = {pin.cell for answer in answers for pin in answer.question.demands}
        goals = {name: key for name in demanded if (key := f"(goal {name})") in found}
        self.varied = {name: goals.get(name, name) for name in table.varied}  # by name the key of its input
        self.shown = [name for name in table.shown if name not in self.varied.values()]
        top = [*self.varied.values(), *self.shown]
        self.lines = {key: line for line, key in enumerate(top, 1)}
        self.verdict = len(top) + 1
        self.remark, self.note = self.verdict + 1, self.verdict + 2
        units = dict.fromkeys(table.sheet.cells[name].unit.text for name in self.shown if name in table.sheet.cells)
        self.units = [*units][:MOST_CHARTS] if len(answers) > 1 else []  # of the charts
        self.axis = table.varied[0] if len(table.varied) == 1 and table.varied[0] in table.sheet.cells else ""
        self.is_wide = not self.axis and len(table.rows) > MOST_NARROW
        self.charts, per_band = self.note + 1, 1 if self.is_wide else 2
        self.rest = self.charts + BAND * -(-len(self.units) // per_band)  # where the other values have their heading
        others = [key for key in dict.fromkeys(found) if key not in self.lines]
        self.lines |= {key: line for line, key in enumerate(others, self.rest + 1)}
        self.end = self.rest + len(others)

    def place(self, column: int, key: str) -> str:
        """Return the place of a value in a column: `D12`."""
        return f"{column_name(column)}{self.lines[key] + 1}"


class Columns:
    """The live columns; the first scenario is the sheet Model, to which inputs that do not vary are linked."""

    def __init__(self, table: Table, main: Model, records: Records, live: Sequence[Answer | Tried | None]) -> None:
        self.main, self._records, self._answers = main, records, live
        rows = table.rows[:MOST_SCENARIOS]
        self.layout = Layout(table, answers_of(live))
        self.every = [*self._within_bounds(rows)]
        self.places = {
            key: f"{SCENARIOS}!{self.layout.place(FIRST, key)}"
            for key in self._inputs_of(main)
            if self.every[0].model is main
        }

    @property
    def live(self) -> list[tuple[Column, Model]]:
        """The columns with an answer, each with its model."""
        return [(column, column.model) for column in self.every if column.model is not None]

    def _within_bounds(self, rows: Sequence[Row]) -> Iterator[Column]:
        cells = 0
        for at, row in enumerate(rows, FIRST):
            column = self._column(at, row)
            cells += _size(column.model)
            if cells > MOST_CELLS and at > FIRST:
                return
            yield column

    def _column(self, at: int, row: Row) -> Column:
        answer = self._answers[at - FIRST]
        if answer is None:
            return Column(at, row, None)
        main = self.main
        if at == FIRST:
            own = self._inputs_of(main)
            return Column(at, row, main, {key: main.names[key] for key in main.keys if key not in own})
        places = {key: self.layout.place(at, key) for key in self.layout.lines}
        count = sum(own is not None for own in self._answers)
        model = Model(answer, self._records, Scenario(SCENARIOS, places, at - FIRST + 1, count))
        return Column(at, row, model, {key: main.names[key] for key in model.keys if self._is_shared(model, key)})

    def _inputs_of(self, model: Model) -> list[str]:
        return [key for key in self.layout.varied.values() if key in model.names and model.is_input(key)]

    def _is_shared(self, model: Model, key: str) -> bool:
        """Whether a value is the same input in every scenario."""
        if key in self.layout.varied.values() or key in model.chosen or key not in self.main.names:
            return False
        return model.is_input(key) and self.main.is_input(key) and model.value(key) == self.main.value(key)


def is_answered(answer: Answer) -> bool:
    """Whether each unknown has a value."""
    if answer.ranking is not None and not answer.ranking.working:
        return False
    return all(outcome.kind != "none" for outcome in answer.outcomes.values())


def live_answers(table: Table) -> list[Answer | Tried | None]:
    """Return for the first rows of a table the answer, or numbers that are tried; None for what cannot be live."""
    answers = (row.answer for row in table.rows[:MOST_SCENARIOS])
    return [None if own is None else own if is_answered(own) else tried(own) for own in answers]


def answers_of(live: Iterable[Answer | Tried | None]) -> list[Answer]:
    """Return these answers."""
    return [own.answer if isinstance(own, Tried) else own for own in live if own is not None]


def _size(model: Model | None) -> int:
    """Return how many cells a scenario takes, with its searches."""
    return 0 if model is None else len(model.keys) + sum(map(_searched, model.ways.values()))


def _searched(way: Way) -> int:
    rows = {SEARCH: ROWS + RUNGS, TRIALS: len(way.offsets) + (ROWS + RUNGS) * len(way.starts)}.get(way.kind, 0)
    return rows * (SEARCH_COLUMNS + len(way.columns) + 2 * len(way.relations))
