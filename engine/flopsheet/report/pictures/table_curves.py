"""Curves of a table: a shown cell against a varied one, a line for each combination of the other varied values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.report.pictures.curves import WORKS, Axis, Curve, Line, Mark
from flopsheet.report.tables import spelled
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Table

FEWEST, MOST_LINES = 3, 4


def table_curve(table: Table) -> Curve | None:
    """Return a cell that differs along the last varied cell against that: an unknown, else the last shown; or None."""
    cells = table.sheet.cells
    varied = next((name for name in reversed(table.varied) if name in cells), "")
    if not varied:
        return None
    asked = next((row.answer.question.unknowns for row in table.rows if row.answer is not None), ())
    names = [*(name for name in asked if name in table.shown), *reversed(table.shown)]
    lines = [found for name in names if name in cells and (found := _lines(table, varied, name))]
    if not lines:
        return None
    name, drawn = lines[0][0].name, lines[0]
    x, y = (Axis(cells[key].name, cells[key].unit, cells[key].integer) for key in (varied, name))
    several = len(drawn) > 1
    named = tuple(Line(_label(table, place) if several else name, line.points) for place, line in enumerate(drawn))
    kinds = (WORKS, *(f"{WORKS}{place}" for place in range(2, MOST_LINES + 1)))
    marks = tuple(Mark(point, kind, "") for line, kind in zip(drawn, kinds, strict=False) for point in line.points)
    return Curve(x, y, named, marks)


def _lines(table: Table, varied: str, name: str) -> list[Line]:
    """Return a line for each combination of the other values, where some line is not level."""
    lines = [Line(name, tuple(sorted(points))) for points in _runs(table, varied, name).values()][:MOST_LINES]
    lines = [line for line in lines if len({x for x, _ in line.points}) >= FEWEST]
    return lines if any(len({y for _, y in line.points}) > 1 for line in lines) else []


def _runs(table: Table, varied: str, name: str) -> dict[tuple[str, ...], list[tuple[float, float]]]:
    """Return the points of a cell against a varied one, by the values of the other varied names."""
    place, runs = table.varied.index(varied), dict[tuple[str, ...], list[tuple[float, float]]]()
    for row in table.rows:
        others = (*row.values[:place], *row.values[place + 1 :])
        runs.setdefault(others, []).extend(_point(row.answer, varied, name))
    return runs


def _point(answer: Answer | None, varied: str, name: str) -> Iterator[tuple[float, float]]:
    if answer is None or varied not in answer.cells or name not in answer.cells:
        return
    x, y = answer.cells[varied].si, answer.cells[name].si
    if is_finite(x) and is_finite(y):
        yield float(x), float(y)


def _label(table: Table, place: int) -> str:
    """Return the other values of a line as text."""
    varied = next(name for name in reversed(table.varied) if name in table.sheet.cells)
    at = table.varied.index(varied)
    texts = {row.values: spelled(table, row) for row in table.rows}
    others = {(*row[:at], *row[at + 1 :]): (*shown[:at], *shown[at + 1 :]) for row, shown in texts.items()}
    return ", ".join([*others.values()][place])
