"""The catalogue of sheets as a Markdown page: every row of every sheet, with unit and formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.report.maths.latex import Formulas, cell_latex
from flopsheet.report.templating.environment import render
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell


def catalogue(sheets: Iterable[Sheet]) -> str:
    """Return the page for these sheets and the names that recur in them, through the template `catalogue`."""
    names = [{"name": name, **row} for name, row in sorted(nomenclature().items())]
    return render("catalogue", sheets=[_sheet(each) for each in sheets], names=names)


def sheet_page(sheet: Sheet) -> str:
    """Return the rows, limits, assumptions and notes of one sheet, through the template `sheet`."""
    return render("sheet", each=_sheet(sheet))


def _sheet(sheet: Sheet) -> dict[str, object]:
    formulas = Formulas(sheet.cells, {}, {})
    rows = [_row(cell, formulas) for cell in sheet.cells.values() if not cell.part]
    about = " ".join(" ".join((type(sheet).__doc__ or "").split("\n\n")[1:]).split())
    return {"sheet": sheet, "about": about, "rows": rows}


def _row(cell: Cell, formulas: Formulas) -> dict[str, str]:
    if cell.formula is not None:
        said = f"$= {formulas.symbols(cell.formula)}$"
    else:
        said = "given" if cell.default is None else format_quantity(cell.default, cell.unit)
    return {"name": cell.name, "symbol": cell_latex(cell), "unit": cell.unit.text, "said": said, "doc": cell.doc}
