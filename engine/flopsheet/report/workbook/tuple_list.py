"""The sheet Tuples: a row for each listed tuple of counts, with the whole model in it, and the best that works.

In formulas of a row, a mark stands for its number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import joined
from flopsheet.functions.comparisons import excel_comparison
from flopsheet.functions.symbols import symbol
from flopsheet.report.workbook.blocks.rows import MARK, unit_of
from flopsheet.report.workbook.tuples import MOST_CELLS, listed
from flopsheet.report.workbook.writer import NO_NUMBER, WIDEST_NUMBER, SheetWriter, column_name, quoted
from flopsheet.tolerances import STRICT, in_spreadsheets
from flopsheet.units import in_unit
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xlsxwriter import Workbook

    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.tuples import Listed, Row
    from flopsheet.units import Number, Unit

TITLE = "Tuples"
RESULT, FIRST = 4, 5  # lines of the sheet, counted from 1: the best, and the first tuple


class Scenario(NamedTuple):
    """A model that is a column of a sheet."""

    sheet: str  # its name
    places: Mapping[str, str]  # by key of a row the place of its value in it: `D12`
    number: int
    total: int  # how many there are

    @property
    def name(self) -> str:
        """What headings call it."""
        return f"scenario {self.number}"


def list_of(model: Model) -> TupleList | None:
    """Return the list of the tuples of a model; None where it has none, or a program does not take its formulas.

    Those of scenarios share the cells that one may have.
    """
    found = listed(model.live, MOST_CELLS // (1 if model.scenario is None else model.scenario.total))
    own = None if found is None else TupleList(model, found)
    return own if own is not None and None not in own.formulas else None


class TupleList:
    """The formulas of the sheet, and where it has its results."""

    def __init__(self, model: Model, found: Listed) -> None:
        self.model, self.found, count = model, found, len(found.free)
        self.title = TITLE if model.scenario is None else f"{TITLE}_{model.scenario.number}"
        self.holds, self.rank, self.is_best = (column_name(1 + count + place) for place in range(3))
        self.first = 4 + count  # the column of the first cell
        cells = model.answer.question.sheet.cells
        at = {name: f"${column_name(1 + place)}{MARK}" for place, name in enumerate(found.free)}
        at |= {name: f"${column_name(self.first + place)}{MARK}" for place, name in enumerate(found.columns)}
        formulas = model.outside.over(at)
        shown = [(model.live.formulas[name], cells[name].unit) for name in found.columns]
        for relation in found.relations:
            shown += [(side, unit_of(relation, model.live)) for side in (relation.left, relation.right)]
        self.units: list[Unit] = [unit for _, unit in shown]
        self.formulas = [formulas.formula(side, unit) for side, unit in shown]
        best = found.best
        self.ranked_in = None if best is None else cells[best.cell].unit
        rank = None if best is None or self.ranked_in is None else formulas.formula(symbol(best.cell), self.ranked_in)
        self._rank = f"=$A{MARK}" if rank is None else rank
        self.places = {
            name: f"{self.title}!${column_name(1 + place)}${RESULT}" for place, name in enumerate(found.free)
        }

    @property
    def last(self) -> int:
        """The line of the last tuple, counted from 1."""
        return FIRST + len(self.found.rows) - 1

    @property
    def about(self) -> tuple[str, str]:
        """A sentence on how many tuples are listed and work, as a formula and as it is now."""
        names, rows = joined([*self.model.answer.outcomes]), self.found.rows
        best = f"the best ({self.found.best})"
        if self.found.best is None:
            best = "the last that work" if self.found.largest else "the first that work"
        before = f"{names} are {best} of {len(rows)} tuples in the sheet {self.title}, of which "
        behind = " work with these inputs; others are not tried."
        place = f"{self.title}!${self.holds}"
        count = f"COUNTIF({place}${FIRST}:{self.holds}${self.last},TRUE)"
        return f"={quoted(before)}&{count}&{quoted(behind)}", f"{before}{sum(row.holds for row in rows)}{behind}"

    def write(self, book: Workbook) -> None:
        """Write the sheet."""
        found = self.found
        writer = SheetWriter(book, self.title, (12, *(12,) * (3 + len(found.free)), *(WIDEST_NUMBER,) * 40))
        writer.row(
            "A bounded list: the whole model for each tuple. The first row is the best that works.", style="plain"
        )
        where = "" if self.model.scenario is None else f", {self.model.scenario.name}"
        writer.row(f"{len(found.rows)} tuples of {', '.join(found.free)}{where}", style="title")
        by = "place" if found.best is None else f"{found.best.cell} [{self.ranked_in}]".replace(" []", "")
        heads = ["row", *found.free, "all hold", by, "best", *map(self._titled, found.columns)]
        for relation in found.relations:
            shown = self.model.text_of(relation)
            heads += [f"left of {shown}", f"right of {shown}"]
        writer.row(*heads, style="narrow")
        self._result(writer)
        for place, row in enumerate(found.rows, 1):
            self._row(writer, place, row)
        writer.sheet.freeze_panes(RESULT, self.first)
        writer.print_columns()

    def _result(self, writer: SheetWriter) -> None:
        """Write the row of the best tuple that works: #N/A where none does."""
        writer.row("result", style="head")
        values = self.model.live.values
        for place, name in enumerate(self.found.free, 1):
            text = f"=INDEX({self._column(column_name(place))},MATCH(TRUE,{self._column(self.is_best)},0))"
            value = values[name]
            writer.formula(place, text, NO_NUMBER if isinstance(value, str) else value, whole=True)
        ranks, function = self._column(self.rank), "MAX" if self.found.largest else "MIN"
        count = sum(row.holds for row in self.found.rows)
        writer.formula(self.first - 3, f"=COUNTIF({self._column(self.holds)},TRUE)", count, whole=True)
        text = f"=IF(COUNT({ranks})=0,NA(),{function}({ranks}))"
        writer.formula(self.first - 2, text, self._ranked(self.found.chosen) or NO_NUMBER)

    def _column(self, letters: str) -> str:
        return f"${letters}${FIRST}:${letters}${self.last}"

    def _ranked(self, place: int) -> Number:
        """Return what ranks the tuple in a place of the list, as the sheet shows it."""
        rank = self.found.rows[place].rank
        return place + 1 if self.ranked_in is None or rank is None else in_unit(rank, self.ranked_in)

    def _row(self, writer: SheetWriter, place: int, row: Row) -> None:
        writer.row()
        line = str(writer.line + 1)
        for column, number in enumerate((place, *row.counts)):
            writer.number(column, number, "computed", whole=True)
        writer.formula(self.first - 3, self._verdict(line), row.holds)
        rank = self._rank[1:].replace(MARK, line)
        shown = self._ranked(place - 1) if row.holds else ""
        writer.formula(self.first - 2, f'=IF({self.holds}{line},IFERROR({rank},""),"")', shown)
        own, best = f"{self.rank}{line}", f"${self.rank}${RESULT}"
        gap = f"{best}-{own}" if self.found.largest else f"{own}-{best}"
        text = f"=IF(ISNUMBER({own}),{gap}<={in_spreadsheets(STRICT)}*ABS({best}),FALSE)"
        writer.formula(self.first - 1, text, self.found.rows[self.found.chosen].rank == row.rank and row.holds)
        values = (*row.columns, *(side for pair in row.sides for side in pair))
        for column, (template, unit, value) in enumerate(
            zip(self.formulas, self.units, values, strict=True), self.first
        ):
            text = "" if template is None else template.replace(MARK, line)
            writer.formula(column, text, "" if value is None else in_unit(value, unit))

    def _verdict(self, line: str) -> str:
        """Return whether all relations hold in a row, with the tolerance of the engine."""
        first, tests = self.first + len(self.found.columns), []
        for at, relation in enumerate(self.found.relations):
            left, right = (f"{column_name(first + 2 * at + side)}{line}" for side in (0, 1))
            tests.append(excel_comparison(left, relation.operator, right))
        return f"=IFERROR(AND({','.join(tests)}),FALSE)"

    def _titled(self, name: str) -> str:
        return headed(name, self.model.answer.question.sheet.cells[name].unit.text)
