"""Answers and tables as data frames of pandas: a row a cell, step, limit or combination of values.

pandas comes with the extra `frames`; everything else works without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.errors import find
from flopsheet.formulas.printing import in_text
from flopsheet.report.as_json import number
from flopsheet.report.sentences import origin_text
from flopsheet.report.tables import table_as_list
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Table
    from flopsheet.answer.verification.checks import Check

    Rows = Iterator[dict[str, Any]]


def answer_frame(answer: Answer, of: str) -> Any:
    """Return the `cells`, `steps` or `limits` of an answer as a data frame, by name.

    Raises:
        UnknownNameError: there is no such part of an answer.
        FlopsheetError: pandas is not installed.
    """
    find(of, _PARTS, "part of an answer", "frame")
    return _frame([*_PARTS[of](answer)], "name")


def table_frame(table: Table) -> Any:
    """Return a table as a data frame, in the order of its rows; the units of its columns are in `attrs`.

    Raises:
        FlopsheetError: pandas is not installed.
    """
    frame = _frame(table_as_list(table))
    cells = table.sheet.cells
    frame.attrs["units"] = {name: cells[name].unit.text for name in table.shown if name in cells}
    return frame


def _frame(rows: Iterable[dict[str, Any]], index: str = "") -> Any:
    try:
        import pandas as pd
    except ImportError:
        from flopsheet.report.missing import not_installed

        raise not_installed("frame", "Data frames", "pandas") from None
    frame = pd.DataFrame([*rows])
    return frame.set_index(index) if index and index in frame.columns else frame


def _cells(answer: Answer) -> Rows:
    for name, value in answer.cells.items():
        about = {"origin": value.origin, "source": origin_text(value), "meaning": value.cell.doc}
        yield {"name": name, "value": number(value.exact), "unit": value.cell.unit.text, **about}


def _steps(answer: Answer) -> Rows:
    names = tuple(answer.question.sheet.cells)
    for step in answer.steps:
        cell, formula = step.cell, "" if step.form is None else in_text(step.form, names)
        value = number(in_unit(step.si, cell.unit))
        yield {"name": cell.name, "formula": formula, "value": value, "unit": cell.unit.text, "how": step.how.words}


def _limits(answer: Answer) -> Rows:
    for check in (*answer.checks, *answer.limits):
        yield {"name": check.relation.name or check.relation.text, "relation": check.relation.text, **_sides(check)}


def _sides(check: Check) -> dict[str, Any]:
    left, right = (number(in_unit(side, check.unit)) for side in (check.left, check.right))
    about = {"unit": check.unit.text, "slack": float(check.slack), "holds": check.holds}
    return {"left": left, "right": right, **about}


_PARTS: dict[str, Callable[[Answer], Rows]] = {"cells": _cells, "steps": _steps, "limits": _limits}
