"""The sheet Search: cells without a closed form, bisected row by row, and the whole numbers beside an answer.

Each block has a column for every cell between the unknown and its relations, so that a row is the whole model at one
value of the unknown. In formulas of a row, a mark stands for its number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions.comparisons import excel_comparison
from flopsheet.report.workbook.way import SEARCH, TRIALS, Way
from flopsheet.report.workbook.writer import NO_NUMBER, SheetWriter, column_name, number_in
from flopsheet.units import Unit, in_unit, unit
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xlsxwriter import Workbook

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live
    from flopsheet.report.workbook.model import Model
    from flopsheet.units import Number

TITLE = "Search"
ROWS = 64  # halvings: of a range of 20 powers of 4 to the last digit of a float, of 2^64 whole numbers to one
MARK = "\0"
LOWER, UPPER, TRIED, HOLDS, FIRST = 1, 2, 3, 4, 5
HEAD = ("row", "lower end", "upper end", "tried", "holds")


class Beside(NamedTuple):
    """A row of a block at a whole number: the places of the number, of both sides of each relation and the verdict."""

    tried: str
    sides: tuple[tuple[str, str], ...]
    holds: str
    value: Number
    known: _At


class _At(NamedTuple):
    """The model at one value of the unknown [base units]."""

    columns: tuple[Number | None, ...]
    sides: tuple[tuple[Number | None, Number | None], ...]
    holds: bool


@dataclass
class Block:
    """Where a block stands."""

    way: Way
    result: str = ""  # the place of its result; empty for a block of neighbours alone
    beside: list[Beside] = field(default_factory=list)
    units: tuple[Unit, ...] = ()  # of both sides of each relation


class SearchSheet:
    """Writes blocks one below the other; the sheet is made with the first one."""

    def __init__(self, book: Workbook, title: str = TITLE) -> None:
        self.book, self._title = book, title
        self._writer: SheetWriter | None = None

    @property
    def writer(self) -> SheetWriter:
        """The sheet, from its first block on."""
        if self._writer is None:
            self._writer = SheetWriter(self.book, self._title, (14, 16, 16, 16, 9, *(14,) * 40))
            self._writer.row(
                "Computed row by row from the sheet Model; only the ends in blue are inputs: widen them where a search "
                "gives #N/A.",
                style="plain",
            )
        return self._writer

    def write(self, model: Model, way: Way, *, beside: bool = True) -> Block:
        """Write what a cell needs: a search or trials, and for a whole number of the sheet Model those beside it."""
        block = _Writer(self.writer, model, way, self._title)
        if way.kind in (SEARCH, TRIALS):
            (block.search if way.kind == SEARCH else block.trials)()
        if beside and way.whole and model.scenario is None:
            block.beside(model.names[way.cell.name], model.answer.cells[way.cell.name].si)
        self.writer.line += 1
        return block.block


class _Writer:
    """Writes one block."""

    def __init__(self, writer: SheetWriter, model: Model, way: Way, title: str) -> None:
        self.writer, self.model, self.live, self.way, self.title = writer, model, model.live, way, title
        self.name, self.unit = way.cell.name, way.cell.unit
        self.subject = self.name if model.scenario is None else f"{self.name} in {model.scenario.name}"
        places = {column: f"${column_name(FIRST + at)}{MARK}" for at, column in enumerate(way.columns)}
        self.formulas = model.outside.over({**places, self.name: f"${column_name(TRIED)}{MARK}"})
        self.outside = model.outside
        self.units = tuple(unit_of(relation, self.live) for relation in way.relations)
        self.block = Block(way, units=self.units)
        self.templates = self._templates()

    def _templates(self) -> list[tuple[str | None, Unit]]:
        """Return the formulas of the columns behind the verdict, with the mark in place of the row."""
        cells, live = self.live.question.sheet.cells, self.live
        texts = [(live.formulas[column], cells[column].unit) for column in self.way.columns]
        for relation, shown in zip(self.way.relations, self.units, strict=True):
            texts += [(relation.left, shown), (relation.right, shown)]
        return [(self.formulas.formula(expression, shown), shown) for expression, shown in texts]

    def _head(self, text: str) -> None:
        cells, names = self.live.question.sheet.cells, list(HEAD)
        names[TRIED] = headed(self.name, self.unit.text)
        names += [headed(column, cells[column].unit.text) for column in self.way.columns]
        for relation in self.way.relations:
            shown = self.model.text_of(relation)
            names += [f"left of {shown}", f"right of {shown}"]
        self.writer.row(text, style="title")
        self.writer.row(*names, style="narrow")

    def _row(self, label: str, tried: str | Number, at: Number) -> _At:
        """Write a row at a value of the unknown [base units], given by a formula or a number; its ends are written."""
        writer, known = self.writer, self._at(at)
        row = str(writer.line + 1)
        writer.text(0, label, "plain")
        if isinstance(tried, str):
            writer.formula(TRIED, tried, in_unit(at, self.unit))
        else:
            writer.number(TRIED, in_unit(tried, self.unit), "computed")
        writer.formula(HOLDS, self._verdict(row), known.holds)
        values = [*known.columns, *(side for pair in known.sides for side in pair)]
        for column, ((template, shown), value) in enumerate(zip(self.templates, values, strict=True), FIRST):
            text = None if template is None else template.replace(MARK, row)
            writer.formula(column, text, "" if value is None else in_unit(value, shown))
        return known

    def _verdict(self, row: str) -> str:
        """Return whether all relations hold in a row, for whole numbers with the tolerance of the engine."""
        tests = []
        for at, relation in enumerate(self.way.relations):
            left, right = (f"{column_name(self._side(at) + side)}{row}" for side in (0, 1))
            sign = relation.operator
            tests.append(excel_comparison(left, sign, right) if self.way.whole else f"{left}{sign}{right}")
        inside = tests[0] if len(tests) == 1 else f"AND({','.join(tests)})"
        return f"=IFERROR({inside},FALSE)"

    def _side(self, relation: int) -> int:
        return FIRST + len(self.way.columns) + 2 * relation

    def _at(self, at: Number) -> _At:
        values: dict[str, Number | str] = {**self.live.values, self.name: at}
        columns: list[Number | None] = []
        for column in self.way.columns:
            value = value_at(self.live.formulas[column], values)
            columns.append(value)
            if value is None:
                values.pop(column, None)
            else:
                values[column] = value
        sides = tuple((value_at(own.left, values), value_at(own.right, values)) for own in self.way.relations)
        return _At(tuple(columns), sides, all(map(self._holds, self.way.relations, sides)))

    def _holds(self, relation: Relation, sides: tuple[Number | None, Number | None]) -> bool:
        left, right = sides
        if left is None or right is None:
            return False
        if self.way.whole:
            return relation.holds(left, right)
        return left <= right if "<" in relation.operator else left >= right

    def search(self) -> None:
        """Write the rows of a bisection, and its result."""
        way, writer, is_upper = self.way, self.writer, self.way.sign == "<"
        goal = " and ".join(map(self.model.text_of, way.relations))
        number = "whole number" if way.whole else "value"
        size = "largest" if is_upper else "smallest"
        self._head(f"{self.subject}: the {size} {number} for which {goal}, by bisection")
        ends = [float(end) if not way.whole else end for end in way.ends]
        known = list[bool]()
        first = writer.line + 2
        for label, place, at in (("lower end", LOWER, ends[0]), ("upper end", UPPER, ends[1])):
            writer.row()
            self._end(place, at, is_upper=is_upper)
            known.append(self._row(label, f"={column_name(place)}{writer.line + 1}", at).holds)
        low, high = ends
        for step in range(1, ROWS + 1):
            writer.row()
            row, above = writer.line + 1, writer.line
            tried = self._middle(low, high)
            if step == 1:
                texts = f"=B{first}", f"=C{first + 1}"
            elif is_upper:
                texts = f"=IF(E{above},D{above},B{above})", f"=IF(E{above},C{above},D{above})"
            else:
                texts = f"=IF(E{above},B{above},D{above})", f"=IF(E{above},D{above},C{above})"
            for column, text, end in zip((LOWER, UPPER), texts, (low, high), strict=True):
                writer.formula(column, text, in_unit(end, self.unit))
            holds = self._row(str(step), self._middle_text(row), tried).holds
            low, high = (tried, high) if holds is is_upper else (low, tried)
        self._result(first, low if is_upper else high, is_upper=is_upper)

    def _end(self, column: int, at: Number, *, is_upper: bool) -> None:
        """Write an end of a search: an input, and within what bounds the unknown from the other side."""
        others = [text[1:] for other in self.way.others if (text := self.outside.formula(other, self.unit))]
        if others and column == (LOWER if is_upper else UPPER):
            function, shown = "MAX" if is_upper else "MIN", number_in(in_unit(at, self.unit))
            self.writer.formula(column, f"={function}({','.join([shown, *others])})", in_unit(at, self.unit))
        else:
            self.writer.number(column, in_unit(at, self.unit))

    def _middle(self, low: Number, high: Number) -> Number:
        if self.way.whole:
            return math.floor((low + high) / 2)
        return math.sqrt(low) * math.sqrt(high) if self.way.geometric else (low + high) / 2

    def _middle_text(self, row: int) -> str:
        if self.way.whole:
            return f"=INT((B{row}+C{row})/2)"
        return f"=SQRT(B{row})*SQRT(C{row})" if self.way.geometric else f"=(B{row}+C{row})/2"

    def _result(self, first: int, value: Number, *, is_upper: bool) -> None:
        """Write the result, #N/A where the ends do not enclose it."""
        row, (low, high), bounds = self.writer.line + 1, self.way.ends, self.way.cell.bounds
        if is_upper:  # the last row is one halving more
            beyond = f"C{first + 1}" if high == bounds.upper else "NA()"
            text = f"=IF(E{first},IF(E{first + 1},{beyond},IF(E{row},D{row},B{row})),NA())"
        else:
            beyond = f"B{first}" if low == bounds.lower and low in bounds else "NA()"
            text = f"=IF(E{first + 1},IF(E{first},{beyond},IF(E{row},D{row},C{row})),NA())"
        self._conclude(text, value)

    def _conclude(self, text: str, value: Number) -> None:
        self.writer.row("result", style="head")
        self.writer.formula(TRIED, text, in_unit(value, self.unit) if self.model.has_values else NO_NUMBER)
        self.block.result = f"{self.title}!${column_name(TRIED)}${self.writer.line + 1}"

    def trials(self) -> None:
        """Write a row for each whole number, and the smallest or largest of them for which all relations hold."""
        goal = " and ".join(map(self.model.text_of, self.way.relations))
        (low, high), which = map(int, self.way.ends), "largest" if self.way.sign == "<" else "first"
        self._head(f"{self.subject}: the {which} whole number up to {high} for which {goal}, one after the other")
        first, found = self.writer.line + 2, None
        for number in range(high, low - 1, -1) if which == "largest" else range(low, high + 1):
            self.writer.row()
            holds = self._row(str(number), number, number).holds
            found = number if holds and found is None else found
        last = self.writer.line + 1
        self._conclude(f"=INDEX(D{first}:D{last},MATCH(TRUE,E{first}:E{last},0))", found or 0)

    def beside(self, name: str, value: Number) -> None:
        """Write the answer and the whole numbers beside it."""
        self._head(f"{self.name}: the answer, and the whole numbers beside it")
        for label, step in (("one less", -1), ("answer", 0), ("one more", 1)):
            self.writer.row()
            known = self._row(label, f"={name}{step:+}" if step else f"={name}", value + step)
            row = self.writer.line + 1
            sides = tuple(
                (self._place(self._side(at), row), self._place(self._side(at) + 1, row))
                for at in range(len(self.way.relations))
            )
            place = self._place(TRIED, row)
            self.block.beside.append(Beside(place, sides, self._place(HOLDS, row), value + step, known))

    def _place(self, column: int, row: int) -> str:
        return f"{self.title}!${column_name(column)}${row}"


def value_at(expression: Expr, values: Mapping[str, Number | str]) -> Number | None:
    """Return the value of an expression [base units], None where it has none."""
    try:
        return evaluate(expression, values)
    except (ArithmeticTrapError, ArithmeticError, KeyError):
        return None


def unit_of(relation: Relation, live: Live) -> Unit:
    """Return the unit in which the sides of a relation are shown: that of a cell that is a side, else of a check."""
    cells = live.question.sheet.cells
    for side in (relation.left, relation.right):
        if side.is_Symbol and side.name in cells:
            return cells[side.name].unit
    checks: Sequence[tuple[str, Unit]] = [
        (check.relation.text, check.unit) for check in (*live.answer.checks, *live.answer.limits)
    ]
    known = next((shown for text, shown in checks if text == relation.text), None)
    return known or unit("")
