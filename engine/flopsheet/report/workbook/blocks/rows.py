"""Rows of the sheet Search: each is the whole model at one value of an unknown.

Each block has a column for every cell between the unknown and its relations. In formulas of a row, a mark stands for
its number.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions.comparisons import excel_comparison
from flopsheet.report.workbook.writer import NO_NUMBER, column_name
from flopsheet.units import Unit, in_unit, unit
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.solved.way import Way
    from flopsheet.report.workbook.writer import SheetWriter
    from flopsheet.units import Number

TITLE = "Search"
MARK = "\0"
LOWER, UPPER, TRIED, HOLDS, FIRST = 1, 2, 3, 4, 5
HEAD = ("row", "lower end", "upper end", "tried", "holds")


class Beside(NamedTuple):
    """A row of a block at a whole number: the places of the number, of both sides of each relation and the verdict."""

    tried: str
    sides: tuple[tuple[str, str], ...]
    holds: str
    value: Number
    known: At


class At(NamedTuple):
    """The model at one value of the unknown [base units]."""

    columns: tuple[Number | None, ...]
    sides: tuple[tuple[Number | None, Number | None], ...]
    holds: bool


class Result(NamedTuple):
    """Where a search has its result, and whether it ended without a proof that there is none; empty of no search."""

    place: str = ""
    ended: str = ""
    is_ended: bool = False  # whether it has at the inputs of the question
    turned: str = ""  # of trials: whether the number at the other end is wanted; empty where never


NOWHERE = Result()


class Rows:
    """Writes the rows of one block."""

    def __init__(self, writer: SheetWriter, model: Model, way: Way, title: str) -> None:
        self.writer, self.model, self.live, self.way, self.title = writer, model, model.live, way, title
        self.name, self.unit = way.cell.name, way.cell.unit
        self.subject = self.name if model.scenario is None else f"{self.name} in {model.scenario.name}"
        places = {column: f"${column_name(FIRST + at)}{MARK}" for at, column in enumerate(way.columns)}
        self.formulas = model.outside.over({**places, self.name: f"${column_name(TRIED)}{MARK}"})
        self.outside = model.outside
        self.units = tuple(unit_of(relation, self.live) for relation in way.relations)
        self.tolerant = way.whole  # a bisection of numbers goes to the last digit
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

    def _row(self, label: str, tried: str | Number, at: Number, *, lost: bool = False) -> At:
        """Write a row at a value of the unknown [base units], given by a formula or a number; its ends are written.

        A lost one has no value at the inputs of the question.
        """
        writer, known = self.writer, self._at(at)
        row = str(writer.line + 1)
        writer.text(0, label, "plain")
        if isinstance(tried, str):
            writer.formula(TRIED, tried, NO_NUMBER if lost else in_unit(at, self.unit))
        else:
            writer.number(TRIED, in_unit(tried, self.unit), "computed")
        writer.formula(HOLDS, self._verdict(row), known.holds and not lost)
        values = [*known.columns, *(side for pair in known.sides for side in pair)]
        for column, ((template, shown), value) in enumerate(zip(self.templates, values, strict=True), FIRST):
            text = None if template is None else template.replace(MARK, row)
            writer.formula(column, text, NO_NUMBER if lost else "" if value is None else in_unit(value, shown))
        return known

    def _verdict(self, row: str) -> str:
        """Return whether all relations hold in a row, for whole numbers with the tolerance of the engine."""
        return f"=IFERROR({all_of(self._tests(row))},FALSE)"

    def _tests(self, row: str) -> list[str]:
        """Return tests that the relations hold in a row, one for each; limits on missing figures are left out."""
        tests = []
        for at, relation in enumerate(self.way.relations):
            left, right = (f"{column_name(self._side(at) + side)}{row}" for side in (0, 1))
            sign = relation.operator
            test = excel_comparison(left, sign, right) if self.tolerant else f"{left}{sign}{right}"
            tests.append(f"IF(ISNA({left}-{right}),ISNUMBER(D{row}),{test})" if relation.name else test)
        return tests

    def _side(self, relation: int) -> int:
        return FIRST + len(self.way.columns) + 2 * relation

    def _at(self, at: Number) -> At:
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
        return At(tuple(columns), sides, all(map(self._holds, self.way.relations, sides)))

    def _holds(self, relation: Relation, sides: tuple[Number | None, Number | None]) -> bool:
        left, right = sides
        if left is None or right is None:
            return False
        if self.tolerant:
            return relation.holds(left, right)
        return left <= right if "<" in relation.operator else left >= right

    def _conclude(self, text: str, value: Number) -> str:
        """Write the result of the block, and return its place."""
        self.writer.row("result", style="head")
        self.writer.formula(TRIED, text, in_unit(value, self.unit) if self.model.has_values else NO_NUMBER)
        return self._place(TRIED, self.writer.line + 1)

    def _ended(self, place: str, test: str, *, known: bool = True) -> Result:
        """Write whether the search ended without a proof that no number works, as known of a question without one."""
        is_ended = known and not self.model.has_values
        self.writer.row("search ended", style="plain")
        self.writer.formula(HOLDS, f"=IFERROR({test},TRUE)", is_ended)
        return Result(place, self._place(HOLDS, self.writer.line + 1), is_ended)

    def beside(self, name: str, value: Number) -> list[Beside]:
        """Write the answer and the whole numbers beside it."""
        places = (("one less", f"={name}-1", -1), ("answer", f"={name}", 0), ("one more", f"={name}+1", 1))
        return self._beside([(label, text, value + step) for label, text, step in places])

    def around(self, place: str, value: Number) -> list[Beside]:
        """Write what an equation sets, which may be a fraction, and the whole numbers around it."""
        shown = place.partition("!")[2]
        texts = f"=-INT(-{shown})-1", f"={shown}", f"=INT({shown})+1"
        numbers = math.ceil(value) - 1, value, math.floor(value) + 1
        return self._beside([*zip(("below", "it would be", "above"), texts, numbers, strict=True)])

    def _beside(self, numbers: Sequence[tuple[str, str, Number]]) -> list[Beside]:
        beside = list[Beside]()
        self._head(f"{self.name}: the answer, and the whole numbers beside it")
        for label, text, number in numbers:
            self.writer.row()
            known = self._row(label, text, number, lost=not self.model.has_values)
            row = self.writer.line + 1
            sides = tuple(
                (self._place(self._side(at), row), self._place(self._side(at) + 1, row))
                for at in range(len(self.way.relations))
            )
            beside.append(Beside(self._place(TRIED, row), sides, self._place(HOLDS, row), number, known))
        return beside

    def _place(self, column: int, row: int) -> str:
        return f"{self.title}!${column_name(column)}${row}"


def all_of(tests: Sequence[str]) -> str:
    """Return a test that all tests are met."""
    return tests[0] if len(tests) == 1 else f"AND({','.join(tests)})" if tests else "TRUE"


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


class ConditionRows(Rows):
    """Writes the rows of a block over all conditions of an unknown, the formulas that give others by it included."""

    def __init__(self, writer: SheetWriter, model: Model, way: Way, title: str) -> None:
        conditions = tuple(model.live.conditions.get(way.cell.name, way.relations))
        sides = (side for own in conditions for side in (own.left, own.right))
        columns = tuple(model.live.between(way.cell.name, *sides))
        super().__init__(writer, model, replace(way, relations=conditions, columns=columns), title)
        self.tolerant = True
