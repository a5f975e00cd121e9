"""Pages through templates: write-ups of answers, sheets, and the catalogue of sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.layout.latex import latex
from flopsheet.report.maths.formulas import Formulas, symbol_of
from flopsheet.report.origins import default_text
from flopsheet.report.templating.environment import render
from flopsheet.report.writeup import WriteUp
from flopsheet.sheets.catalogue import nomenclature

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.question_file import QuestionFile
    from flopsheet.answer.table import Table
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell


def write_up(  # noqa: PLR0913  # one keyword for each part of a page
    answer: Answer,
    template: str = "derivation",
    title: str = "",
    *,
    every: bool = False,
    table: Table | None = None,
    prose: tuple[Sequence[str], Sequence[str]] = ((), ()),
    form: str = "markdown",
) -> str:
    """Return an answer as text through a template.

    Args:
        answer: the answer.
        template: name of the template.
        title: the headline; empty for one that names unknowns and sheet.
        every: whether to show the cells at every value that works.
        table: the same question at several values, or None.
        prose: paragraphs before the answer, and after it.
        form: `markdown`, `html` or `latex`.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    return render(template, form, w=WriteUp(answer, title, every=every, table=table, prose=prose))


def write_file(asked: QuestionFile, template: str = "", answered: Answer | None = None) -> str:
    """Return the write-up of a question file.

    Args:
        asked: the question file.
        template: name of the template; empty for that of the file.
        answered: the answer, where it is known already.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    from flopsheet.answer.solve import answer

    result, prose = answered or answer(asked.question), (asked.before, asked.after)
    return write_up(result, template or asked.template, asked.title, table=asked.table, prose=prose)


def catalogue(sheets: Iterable[Sheet]) -> str:
    """Return a page with these sheets and the nomenclature, through the template `catalogue`."""
    names = [{"name": name, **row} for name, row in sorted(nomenclature().items())]
    return render("catalogue", sheets=[_sheet(sheet) for sheet in sheets], names=names)


def sheet_page(sheet: Sheet) -> str:
    """Return the rows, limits, assumptions and notes of one sheet, through the template `sheet`."""
    return render("sheet", entry=_sheet(sheet))


def _sheet(sheet: Sheet) -> dict[str, object]:
    formulas = Formulas(sheet.cells, {}, {})
    rows = [_row(cell, formulas) for cell in sheet.cells.values() if not cell.part]
    return {"sheet": sheet, "about": " ".join(sheet.about.split()), "rows": rows}


def _row(cell: Cell, formulas: Formulas) -> dict[str, str]:
    value = default_text(cell) or "given" if cell.formula is None else f"$= {latex(formulas.symbols(cell.formula))}$"
    symbol = latex(symbol_of(cell))
    return {"name": cell.name, "symbol": symbol, "unit": cell.unit.text, "value": value, "doc": cell.doc}
