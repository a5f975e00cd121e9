"""Charts of the sheet Scenarios, over its cells: what is shown against what varies, one for each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.report.pictures.scales import Scale
from flopsheet.report.workbook.columns import BAND, FIRST, SCENARIOS, Columns
from flopsheet.units import is_finite
from flopsheet.units.columns import headed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xlsxwriter import Workbook

    from flopsheet.answer.table import Table
    from flopsheet.report.workbook.writer import SheetWriter

WIDTH, HEIGHT, GAP = 620, 330, 20  # in pixels; a line has 20
PER_COLUMN = 131  # pixels of a column of scenarios
NUMBERS = "[>=1000000]0.0E+0;[>=1000]#,##0;General"
FONT: dict[str, Any] = {"bold": False, "size": 10}


def write_charts(book: Workbook, writer: SheetWriter, table: Table, columns: Columns) -> None:
    """Write a chart for each unit of the shown cells: lines over one varied cell, else bars over labels."""
    layout, cells = columns.layout, table.sheet.cells
    name, width = layout.axis, WIDTH
    if layout.is_wide:
        width = len(columns.every) * PER_COLUMN
    for place, unit in enumerate(layout.units):
        names = [own for own in layout.shown if own in cells and cells[own].unit.text == unit]
        kind = {"type": "scatter", "subtype": "straight_with_markers"} if name else {"type": "column"}
        chart = book.add_chart(kind)
        for own in names:
            chart.add_series(
                {
                    "name": [SCENARIOS, layout.lines[own], 0],
                    "categories": _row(layout.lines[layout.varied[name]] if name else 0, columns),
                    "values": _row(layout.lines[own], columns),
                }
            )
        titles = headed(name, cells[name].unit.text) if name else ""
        chart.set_x_axis(axis_of(titles, _numbers(columns, [name])) if name else {"num_font": FONT})
        title = ", ".join(names)
        chart.set_y_axis(axis_of(headed(title, unit), _numbers(columns, names)))
        chart.set_title({"none": True})
        chart.set_legend({"none": True} if len(names) == 1 else {"position": "bottom"})
        chart.set_size({"width": width, "height": HEIGHT})
        band, beside = (place, 0) if layout.is_wide else divmod(place, 2)
        at = {"x_offset": beside * (WIDTH + GAP), "y_offset": GAP / 2, "object_position": 3}
        writer.sheet.insert_chart(layout.charts + band * BAND, FIRST, chart, at)


def _row(line: int, columns: Columns) -> list[str | int]:
    return [SCENARIOS, line, FIRST, line, columns.every[-1].at]


def axis_of(title: str, numbers: Sequence[float]) -> dict[str, Any]:
    """Return an axis with a title, logarithmic where its numbers span decades."""
    axis: dict[str, Any] = {"name": title, "name_font": FONT, "label_position": "low", "num_format": NUMBERS}
    axis |= {"major_gridlines": {"visible": True, "line": {"color": "#E5E7EB"}}}
    if numbers and Scale.over(numbers).is_log:
        axis |= {"log_base": 10, "crossing": "min"}
    return axis


def _numbers(columns: Columns, names: Sequence[str]) -> list[float]:
    cells = [model.answer.cells[name] for _, model in columns.live for name in names if name in model.answer.cells]
    return [float(cell.exact) for cell in cells if is_finite(cell.si)]
