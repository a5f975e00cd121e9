"""Cells that depend on each other in a workbook: no formulas in a circle, which programs reject."""

from __future__ import annotations

from io import BytesIO

import pytest

from flopsheet import solve
from flopsheet.report.workbook import SOLVED, workbook
from flopsheet.sheets.yaml_sheet import parse_sheet

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")

LINEAR = """sheet: budget
title: Cost with an overhead on the total.
implicit: true
cells:
  base: {unit: USD}
  overhead: {formula: total/10, unit: USD}
  total: {formula: base + overhead, unit: USD}
"""
CURVED = "sheet: curve\ntitle: T\nimplicit: true\ncells:\n  a: {}\n  x: {formula: exp(-y)}\n  y: {formula: a*x}\n"
CASES = [
    (LINEAR, (), ["base = 90 USD"], {"base": 90, "overhead": "=base/9", "total": "=base+overhead"}),
    (LINEAR, "total", ["base = 90 USD"], {"base": 90, "overhead": "=total/10", "total": "=base*10/9"}),
    (LINEAR, "base", ["total = 100 USD"], {"base": "=total*9/10", "overhead": "=base/9", "total": 100}),
    (LINEAR, (), ["total = 100 USD"], {"base": 90, "overhead": "=total/10", "total": 100}),
]


def rows(text: str, unknown: object, where: list[str]) -> dict[str, tuple[object, object]]:
    answer = solve(parse_sheet(text, text.split()[1]), unknown, where)  # type: ignore[arg-type]
    model = openpyxl.load_workbook(BytesIO(workbook(answer)))["Model"]
    return {row[0]: (row[1], row[6]) for row in model.iter_rows(min_row=2, values_only=True)}


@pytest.mark.parametrize(("text", "unknown", "where", "expected"), CASES)
def test_a_linear_cycle_has_a_closed_form(
    text: str, unknown: object, where: list[str], expected: dict[str, object]
) -> None:
    assert {name: shown for name, (shown, _) in rows(text, unknown, where).items()} == expected


def test_another_cycle_has_one_value_that_does_not_follow_the_inputs() -> None:
    shown = rows(CURVED, (), ["a = 1"])
    solved = [name for name, (_, origin) in shown.items() if str(origin).startswith(SOLVED)]
    assert solved == ["x"]
    assert shown["x"][0] == pytest.approx(0.567143290409784, rel=1e-12)
    assert shown["y"][0] == "=a*x"
