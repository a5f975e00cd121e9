"""Pages: write-ups and sheets through templates, and the Markdown that notebooks show of questions and records.

Every text of a file or a person is escaped.
"""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.layout.latex import latex
from flopsheet.report.as_json import sheet_as_dict
from flopsheet.report.forms.markdown import escaped
from flopsheet.report.grid import Grid
from flopsheet.report.maths.formulas import Formulas, symbol_of
from flopsheet.report.origins import default_text, figures_of, reference
from flopsheet.report.sentences import question_text
from flopsheet.report.templating.environment import render
from flopsheet.report.writeup import WriteUp
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.question_file import QuestionFile
    from flopsheet.answer.table import Table
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell

_ADDRESS = re.compile(r"https?://[^\s<>\\`]+")


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


def write_file(file: QuestionFile, template: str = "", answered: Answer | None = None) -> str:
    """Return the write-up of a question file.

    Args:
        file: the question file.
        template: name of the template; empty for that of the file.
        answered: the answer, where it is known already.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    from flopsheet.answer.solve import answer

    result, prose = answered or answer(file.question), (file.before, file.after)
    return write_up(result, template or file.template, file.title, table=file.table, prose=prose)


def catalogue(sheets: Iterable[Sheet]) -> str:
    """Return a page with these sheets and the nomenclature, through the template `catalogue`."""
    names = [{"name": name, **row} for name, row in sorted(nomenclature().items())]
    return render("catalogue", sheets=[_sheet(sheet) for sheet in sheets], names=names)


def sheet_page(sheet: Sheet) -> str:
    """Return the rows, limits, assumptions and notes of one sheet, through the template `sheet`."""
    return render("sheet", entry=_sheet(sheet))


def sheet_in(shape: str, sheet: Sheet) -> str:
    """Return a sheet as `text`, `markdown`, `json` or `yaml`.

    Raises:
        SheetError: a value of the sheet cannot be written as YAML or JSON.
    """
    if shape == "yaml":
        return as_yaml(sheet)
    if shape == "json":
        return json.dumps(sheet_as_dict(sheet), indent=2) + "\n"
    if shape == "markdown":
        return sheet_page(sheet)
    from flopsheet.report.terminal import print_sheet

    buffer = io.StringIO()
    print_sheet(sheet, buffer)
    return buffer.getvalue()


def _sheet(sheet: Sheet) -> dict[str, object]:
    formulas = Formulas(sheet.cells, {}, {})
    rows = [_row(cell, formulas) for cell in sheet.cells.values() if not cell.part]
    return {"sheet": sheet, "about": " ".join(sheet.about.split()), "rows": rows}


def _row(cell: Cell, formulas: Formulas) -> dict[str, str]:
    value = default_text(cell) or "given" if cell.formula is None else f"$= {latex(formulas.symbols(cell.formula))}$"
    symbol = latex(symbol_of(cell))
    return {"name": cell.name, "symbol": symbol, "unit": cell.unit.text, "value": value, "doc": cell.doc}


def question_page(question: Question, varied: Sequence[str] = ()) -> str:
    """Return a question: the sentence, and a table of its given cells, records and options."""
    sheet = question.sheet
    rows = [[name, record.key, sheet.parts[name].doc] for name, record in question.records.items()]
    rows += [[name, option, sheet.choices[name].doc] for name, option in question.choices.items()]
    for name, pin in question.pins.items():
        cell = sheet.cells[name]
        rows.append([name, format_quantity(pin.value, cell.unit), cell.doc])
    rows = [row for row in rows if row[0] not in varied]
    head = f"{escaped(question_text(question, varied))} By the sheet {escaped(sheet.name)}: {escaped(sheet.title)}\n"
    return "\n".join([head, Grid(["given", "value", "meaning"], rows).markdown()]) if rows else head


def question_file_page(file: QuestionFile) -> str:
    """Return a question with its headline, and with the names that its table varies and shows."""
    parts = [f"**{escaped(file.title)}**\n"] if file.title else []
    parts.append(question_page(file.question, () if file.table is None else file.table.varied))
    if file.table is not None:
        varied, shown = (escaped(joined(list(names))) for names in (file.table.varied, file.table.shown))
        parts.append(f"A table of {len(file.table.rows)} rows varies {varied}; it shows {shown}.\n")
    return "\n".join(parts)


def record_page(record: Record) -> str:
    """Return a record: a table of its figures with notes, marks and sources, and the list of sources."""
    about = [record.kind, record.vendor, record.released and f"released {record.released}", record.key]
    rows, keys = figures_of(record, "not verified.")
    notes = [escaped(record.note)] if record.note else []
    sources = "\n".join(f"{number}. {_source(number, key)}" for number, key in enumerate(keys, 1))
    head = f"**{escaped(record.name or record.key)}** ({escaped(', '.join(filter(None, about)))})"
    table = Grid(["figure", "value", "note", "source", "defined at"], rows).markdown().rstrip("\n")
    return "\n\n".join([head, *notes, table, *([sources] if sources else [])]) + "\n"


def _source(number: int, key: str) -> str:
    source = reference(number, key)
    if not source.url or source.title == key:
        return escaped(source.title)
    return f"{escaped(source.title)}, {f'<{source.url}>' if _ADDRESS.fullmatch(source.url) else escaped(source.url)}"
