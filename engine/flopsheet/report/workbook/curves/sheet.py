"""The sheet Curve: a chart, and below it a row for each of its places, all of them formulas over the sheet Model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.rows import MARK
from flopsheet.report.workbook.charts import GAP, HEIGHT, WIDTH, axis_of
from flopsheet.report.workbook.columns import BAND
from flopsheet.report.workbook.curves.drawn import AT_ANSWER, PLACES
from flopsheet.report.workbook.writer import NO_NUMBER, WIDEST_NUMBER, SheetWriter, column_name, number_in
from flopsheet.units import in_unit, is_finite
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xlsxwriter import Workbook

    from flopsheet.functions import Expr
    from flopsheet.report.workbook.curves.drawn import Drawn
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.units import Number

CURVE = "Curve"
CHARTED = 5  # columns below the chart
COLOURS, DASHES = ("#0B57D0", "#B3261E"), ("solid", "dash")  # of what follows, and of what it is compared with
_PLACE = re.compile(r"=[\w$]+")
STRAIGHT = {"type": "scatter", "subtype": "straight"}


class CurveSheet:
    """Writes the sheet Curve: a chart, and below it a row for each of its places, all of them formulas."""

    def __init__(self, book: Workbook, model: Model, drawn: Drawn) -> None:
        self._book, self._model, self._drawn = book, model, drawn
        self._first = 1 + len(drawn.lines)  # of the cells between
        places = {name: f"${column_name(at)}{MARK}" for at, name in enumerate(drawn.between, self._first)}
        self._formulas = model.formulas.over({**places, drawn.moves.name: f"$A{MARK}"})
        self._writer = SheetWriter(book, CURVE, (WIDEST_NUMBER,) * (self._first + len(drawn.between)))

    def write(self) -> None:
        """Write the chart and its rows."""
        drawn, model, writer = self._drawn, self._model, self._writer
        cells, numbers = model.answer.question.sheet.cells, drawn.places(model)
        name = drawn.moves.name
        writer.row(
            f"Computed from the sheet Model: {name} from a third of its value to three times of it.", style="plain"
        )
        writer.line = BAND
        units = {drawn.moves.name: drawn.moves.unit, **dict.fromkeys(drawn.lines, drawn.unit)}
        units |= {name: cells[name].unit for name in drawn.between}
        writer.row(*(headed(name, unit.text) for name, unit in units.items()), style="narrow")
        columns: list[list[Number | None]] = []
        for place, at in enumerate(numbers):
            writer.row()
            columns.append(self._row(place, at))
        self._chart(columns, numbers)

    def _row(self, place: int, at: Number) -> list[Number | None]:
        drawn, writer, row = self._drawn, self._writer, str(self._writer.line + 1)
        writer.formula(0, self._place(place), in_unit(at, drawn.moves.unit), whole=drawn.moves.integer)
        values = drawn.values(self._model, at)
        heights = drawn.heights(values)
        for column, (line, height) in enumerate(zip(drawn.lines.values(), heights, strict=True), 1):
            self._write(column, self._line(line), row, None if height is None else in_unit(height, drawn.unit))
        for column, name in enumerate(drawn.between, self._first):
            unit, value = self._model.answer.question.sheet.cells[name].unit, values.get(name)
            known = None if value is None or isinstance(value, str) else in_unit(value, unit)
            self._write(column, str(self._formulas.formula(drawn.forms[name], unit)), row, known)
        return heights

    def _place(self, place: int) -> str:
        """Return a number at which the curve is computed: a multiple of the value in the sheet Model, in its bounds."""
        moves, name = self._drawn.moves, self._model.names[self._drawn.moves.name]
        text = name if place == AT_ANSWER else f"{name}*{3 + place}/9"
        text = f"ROUND({text},0)" if moves.integer and place != AT_ANSWER else text
        for function, end in (("MIN", moves.bounds.upper), ("MAX", moves.bounds.lower)):
            text = f"{function}({number_in(in_unit(end, moves.unit))},{text})" if is_finite(end) and end > 0 else text
        return f"={text}"

    def _line(self, line: Expr) -> str:
        """Return the formula of a line, which ends where a limit beside it does not hold."""
        tests = [self._formulas.holds(own.left, own.operator, own.right) for own in self._drawn.limits]
        text = str(self._formulas.formula(line, self._drawn.unit))
        return f"=IF(AND({','.join(test[1:] for test in tests if test)}),{text[1:]},NA())" if tests else text

    def _write(self, column: int, text: str, row: str, value: Number | None) -> None:
        """Write a formula that is #N/A without a value: programs draw that as a gap, and another error as zero."""
        own = text.replace(MARK, row)
        own = own if _PLACE.fullmatch(own) else f"=IFERROR({own.removeprefix('=')},NA())"
        self._writer.formula(column, own, NO_NUMBER if value is None else value)

    def _chart(self, heights: Sequence[Sequence[Number | None]], numbers: Sequence[Number]) -> None:
        drawn, end = self._drawn, self._writer.line
        first, head, chart = end - PLACES + 1, end - PLACES, self._book.add_chart(STRAIGHT)
        for column in range(1, 1 + len(drawn.lines)):
            chart.add_series(
                {
                    "name": [CURVE, head, column],
                    "categories": [CURVE, first, 0, end, 0],
                    "values": [CURVE, first, column, end, column],
                    "line": {"color": COLOURS[column - 1], "width": 2.0, "dash_type": DASHES[column - 1]},
                }
            )
        at = first + AT_ANSWER
        colour = {"color": COLOURS[0]}
        dot = {"type": "circle", "size": 9, "fill": colour, "border": colour}
        chart.add_series(
            {
                "name": "answer",
                "categories": [CURVE, at, 0, at, 0],
                "values": [CURVE, at, 1, at, 1],
                "marker": dot,
                "line": colour,
            }
        )
        across = [float(in_unit(at, drawn.moves.unit)) for at in numbers]
        known = [height for row in heights for height in row if height is not None and is_finite(height)]
        label, unit, moves = next(iter(drawn.lines)), drawn.unit.text, drawn.moves
        chart.set_x_axis(axis_of(headed(moves.name, moves.unit.text), across))
        chart.set_y_axis(axis_of(headed(label, unit), [float(in_unit(at, drawn.unit)) for at in known]))
        chart.set_title({"none": True})
        chart.set_legend({"position": "bottom"})
        chart.set_size({"width": WIDTH, "height": HEIGHT})
        self._writer.sheet.insert_chart(1, 0, chart, {"y_offset": GAP / 2, "object_position": 3})
        self._writer.print_columns(max(self._first, CHARTED))
