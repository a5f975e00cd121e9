"""Where figures come from: the question, a default or a record, at which place, from which sources."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.inverse.method import Method
from flopsheet.registry.store import sources
from flopsheet.report.entries import Reference
from flopsheet.units import format_quantity
from flopsheet.units.text import exact_digits, format_input, shown_in

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer, CellValue
    from flopsheet.registry.records import Record
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Quantity

_ADDRESS = re.compile(r"https?://\S+")


def value_text(value: CellValue) -> str:
    """Return a value with its unit; an input with all its digits, up to nine."""
    return (format_input if value.is_input else format_quantity)(value.si, value.cell.unit)


def default_text(cell: Cell) -> str:
    """Return the default of a cell with its unit, or an empty text."""
    return "" if cell.default is None else format_quantity(cell.default, cell.unit)


def origin_text(value: CellValue) -> str:
    """Return the source of a value: `given`, `computed`, `default (FILE:LINE)`, or the record with file and line.

    A value given in a unit other than the one shown, or with more digits, is quoted: `given as 80 GB`.
    """
    place = value.cell.place
    if value.origin == "given" and value.written is not None and _differs_from_shown(value, value.written):
        return f"given as {value.written}"
    if value.record is not None and value.figure is not None:
        record = f"{value.said_by} ({value.figure.spot.file}:{value.figure.spot.line})"
        return record if value.figure.verified else f"{record}, not verified"
    return f"default ({place})" if value.origin == "default" and place.line else value.origin


def _differs_from_shown(value: CellValue, written: Quantity) -> bool:
    if written.unit.text and written.unit.factor != shown_in(value.si, value.cell.unit).factor:
        return True
    return not isinstance(value.si, int) and not exact_digits(value.si, value.cell.unit)


def meaning_text(value: CellValue) -> str:
    """Return the meaning of a cell, with the note of its figure."""
    note = value.figure.note if value.figure is not None else ""
    return f"{value.cell.doc} ({note})" if note else value.cell.doc


def sources_of(value: CellValue) -> tuple[str, ...]:
    """Return the keys of the sources of a value; a value given in the question has none."""
    if value.record is not None and value.figure is not None:
        return value.figure.sources
    return (value.cell.source,) if value.cell.source and value.origin != "given" else ()


def reference(number: int, key: str) -> Reference:
    """Return the entry of a source in the list of references; a key that is no known source is its own title."""
    source = sources().get(key)
    if source is not None:
        return Reference(number, source.title, source.url, source.read)
    return Reference(number, key, key if _ADDRESS.fullmatch(key) else "", "")


def needed_inputs(answer: Answer) -> list[CellValue]:
    """Return the given values, and the inputs in steps, in relations, and in the formulas of cells in relations."""
    question = answer.question
    names = {name for step in answer.steps if step.form is not None for name in cells_of(step.form)}
    inverted = [step.condition for step in answer.steps if step.how is not Method.DIRECT]
    related = {cell for relation in (*question.relations, *inverted) for cell in relation.cells}
    cells = question.sheet.cells
    formulas = (question.formula(name) for name in related | question.pins.keys() if name in cells)
    names |= related | {name for formula in formulas if formula is not None for name in cells_of(formula)}
    return [
        value for name, value in answer.cells.items() if value.origin == "given" or (name in names and value.is_input)
    ]


def figures_of(record: Record, unverified: str) -> tuple[list[list[str]], list[str]]:
    """Return the figures and texts of a record as rows, and the keys of the sources that the rows number.

    Args:
        record: the record.
        unverified: the mark of a figure that has not been checked in its source.

    Returns:
        rows of name, value, note, numbers of sources, place; and the keys in the order of their numbers.
    """
    keys = list(dict.fromkeys(key for value in record.values.values() for key in value.sources))
    rows = [[name, text, "", "", ""] for name, text in {**record.references, **record.labels}.items()]
    for name, value in record.values.items():
        note = value.note if value.verified else f"{unverified} {value.note}".strip()
        numbers = ", ".join(str(keys.index(key) + 1) for key in value.sources)
        owner = f"{value.record}, " if value.record else ""
        rows.append([name, value.shown, note, numbers, f"{owner}{PurePath(value.spot.file).name}:{value.spot.line}"])
    return rows, keys
