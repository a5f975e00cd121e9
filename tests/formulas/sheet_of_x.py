"""Sheets of a number and formulas of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Sheet
from flopsheet.formulas.parser import parse_formula
from flopsheet.sheets.cell import ANY, Cell

if TYPE_CHECKING:
    from collections.abc import Mapping


def of_formulas(formulas: Mapping[str, str]) -> Sheet:
    """Return a sheet of an `x` and some formulas, which may use it and each other."""
    sheet = Sheet("digits")
    sheet.rows.add_cell(Cell("x", "A number", bounds=ANY))
    for name, text in formulas.items():
        formula = parse_formula(text, ["x", *formulas])
        sheet.rows.add_cell(Cell(name, "A formula", formula=formula, bounds=ANY))
    return sheet
