"""Tables of answers as head and rows of texts: for Markdown, a terminal, and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.report.grid import Grid
from flopsheet.units import format_number, in_unit

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Row, Table

NOTHING = "-"


def head(table: Table) -> list[str]:
    """Return the head: each name, with the unit of its column behind what is computed."""
    cells = table.sheet.cells
    units = {name: f" [{cells[name].unit}]" if name in cells and cells[name].unit.text else "" for name in table.shown}
    remarks = ["remark"] if any(map(_remark, table.rows)) else []
    return [*table.varied, *(f"{name}{units[name]}" for name in table.shown), *remarks]


def rows(table: Table) -> list[list[str]]:
    """Return the rows as texts, in the order of the head."""
    remarks = any(map(_remark, table.rows))
    return [
        [*row.values, *(_shown(row.answer, name) for name in table.shown), *([_remark(row)] if remarks else [])]
        for row in table.rows
    ]


def _shown(answer: Answer | None, name: str) -> str:
    if answer is None:
        return NOTHING
    if answer.ranking is not None and name in answer.ranking.names:
        return ", ".join(answer.ranking.options(name)) or "none"
    outcome, value = answer.outcomes.get(name), answer.cells.get(name)
    if outcome is not None and outcome.kind == "none":
        return "none"
    if name in answer.question.options:
        return answer.question.options[name]
    return NOTHING if value is None else format_number(in_unit(value.si, value.cell.unit))


def _remark(row: Row) -> str:
    """Return what is to be said of a row: why there is no answer, and limits that are broken."""
    if row.answer is None:
        return row.problem
    whys = [outcome.why for outcome in row.answer.outcomes.values() if outcome.kind == "none"]
    broken = [f"{check.relation.name} does not hold" for check in row.answer.limits if not check.holds]
    return " ".join([*dict.fromkeys(whys), *broken])


def markdown_table(table: Table) -> str:
    """Return a table in Markdown."""
    return Grid(head(table), rows(table)).markdown()


def table_as_list(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON objects: values in the unit of each cell, None where there is none."""
    return [
        dict(zip(table.varied, row.values, strict=True))
        | {name: _number(row.answer, name) for name in table.shown}
        | {"remark": _remark(row)}
        for row in table.rows
    ]


def _number(answer: Answer | None, name: str) -> Any:
    value = None if answer is None else answer.cells.get(name)
    if value is None:
        return None
    found = value.value
    return found if isinstance(found, int) else float(found)
