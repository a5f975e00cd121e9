"""Sheets and records for a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

from flopsheet.errors import joined
from flopsheet.formulas.printing import in_text
from flopsheet.report import sentences
from flopsheet.report.entries import references_of
from flopsheet.report.records import figures_of, missing
from flopsheet.report.terminal.console import BROKEN, TITLE, Line, paragraph, print_lines, table_lines, width_of
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from flopsheet.functions.symbols import Expr
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet


def print_sheet(sheet: Sheet, file: TextIO | None = None) -> None:
    """Print a sheet: rows with unit and formula, limits, assumptions, notes, sources."""
    width = width_of(file)
    lines = paragraph(sheet.title, width, TITLE, "")
    for text in filter(None, sheet.about.split("\n\n")):
        lines += paragraph(text, width, indent="")
    lines += [Line(""), *table_lines(["cell", "unit", "formula or default", "meaning"], _rows(sheet), width)]
    texts = [*sentences.cycles_texts(sheet)]
    texts += [f"limit {limit.name}: {limit.text} ({limit.doc})" for limit in sheet.limits.values()]
    lists = {"Assumptions": sheet.assumptions, "Notes": sheet.notes, "Sources": sheet.sources}
    for heading, entries in lists.items():
        texts += [heading, *(f"  - {entry}" for entry in entries)] if entries else []
    for text in texts:
        bullet = text.startswith("  - ")
        lines += paragraph(f"- {text[4:]}" if bullet else text, width, indent="  ")
    print_lines(lines, file)


def print_record(record: Record, file: TextIO | None = None) -> None:
    """Print a record: every figure with the numbers of its sources and its place; then notes and sources."""
    width, (grid, keys) = width_of(file), figures_of(record, "NOT VERIFIED.")
    about = [record.vendor, f"released {record.released}" if record.released else "", record.note]
    note = list(grid.head).index("note")
    rows = [[*row[:note], *row[note + 1 :]] for row in grid.rows]
    lines = paragraph(f"{record.key}: {record.name}", width, TITLE)
    lines += paragraph("; ".join(part for part in about if part), width, indent="")
    lines += table_lines([name for name in grid.head if name != "note"], rows, width, ["defined at", "vendor prints"])
    texts = [f"{row[0]}: {row[note]}" for row in grid.rows if row[note]]
    texts += [f"No figure for {joined(lacking)}."] if (lacking := missing(record)) else []
    for source in references_of(keys):
        title = source.title if source.title == source.url else f"{source.title} {source.url}".strip()
        texts.append(f"[{source.number}] {title}")
    for text in [*texts, f"Defined in {record.spot.file}, line {record.spot.line}."]:
        lines += paragraph(text, width, BROKEN if "NOT VERIFIED." in text else "")
    print_lines(lines, file)


def _rows(sheet: Sheet) -> list[list[str]]:
    rows = [[part.name, part.kind, _given(part.example), part.doc] for part in sheet.parts.values()]
    rows += [[inner.name, "sheet", inner.kind, inner.doc] for inner in sheet.sheets.values()]
    for choice in sheet.choices.values():
        options = (f"{option} (default)" if option == choice.default else option for option in choice.options)
        rows.append([choice.name, "choice", " | ".join(options), choice.doc])
    for cell in sheet.rows.shown:
        example = "" if cell.example is None else format_quantity(cell.example, cell.unit)
        given = sentences.default_text(cell) or _given(example)
        definition = given if cell.formula is None else spaced(cell.formula, tuple(sheet.cells))
        rows.append([cell.name, cell.unit.text, definition, cell.doc])
    return rows


def _given(example: str) -> str:
    return f"given, e.g. {example}" if example else "given"


def spaced(formula: Expr, names: tuple[str, ...]) -> str:
    """Return a formula with blanks around its operators, so that a table can break it between names."""
    return "= " + with_blanks(in_text(formula, names))


def with_blanks(formula: str) -> str:
    """Return the text of a formula with blanks around products and divisions, but those of units."""
    return re.sub(r"(?<=[^*])([*/]|[*]{2})(?=[^*])", r" \1 ", formula)
