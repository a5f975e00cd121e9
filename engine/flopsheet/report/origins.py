"""Where figures come from: who said them, at which place, in which sources, and whether somebody has read them."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from flopsheet.units import format_quantity
from flopsheet.units.text import exact_digits, format_input, shown_in

if TYPE_CHECKING:
    from flopsheet.answer.results import CellValue
    from flopsheet.registry.records import Record
    from flopsheet.units import Quantity


def value_text(value: CellValue) -> str:
    """Return a value with its unit; of an input all digits, as far as they are few."""
    return (format_input if value.is_input else format_quantity)(value.si, value.cell.unit)


def origin_text(value: CellValue) -> str:
    """Return who said a value: `given`, `computed`, `default (FILE:LINE)`, or the record with file and line.

    What was given in another unit than it is shown in, or with more digits, is told as it was given.
    """
    place = value.cell.place
    if value.origin == "given" and value.written is not None and _reads_otherwise(value, value.written):
        return f"given as {value.written}"
    if value.record is not None and value.figure is not None:
        said = f"{value.said_by} ({value.figure.spot.file}:{value.figure.spot.line})"
        return said if value.figure.verified else f"{said}, not verified"
    return f"default ({place})" if value.origin == "default" and place.line else value.origin


def _reads_otherwise(value: CellValue, written: Quantity) -> bool:
    if written.unit.text and written.unit.factor != shown_in(value.si, value.cell.unit).factor:
        return True
    return not isinstance(value.si, int) and not exact_digits(value.si, value.cell.unit)


def meaning_text(value: CellValue) -> str:
    """Return what a value means, with the note of its figure."""
    note = value.figure.note if value.figure is not None else ""
    return f"{value.cell.doc} ({note})" if note else value.cell.doc


def sources_of(value: CellValue) -> tuple[str, ...]:
    """Return the keys of the sources of a value; what the question gives has none."""
    if value.record is not None and value.figure is not None:
        return value.figure.sources
    return (value.cell.source,) if value.cell.source and value.origin != "given" else ()


def figures_of(record: Record, unread: str) -> tuple[list[list[str]], list[str]]:
    """Return rows with all that a record says, and the keys of their sources, which the rows number.

    Args:
        record: the record.
        unread: the words for a figure that nobody has read in its source.

    Returns:
        rows of name, value, note, numbers of sources, place; and the keys in the order of their numbers.
    """
    keys = list(dict.fromkeys(key for value in record.values.values() for key in value.sources))
    rows = [[name, text, "", "", ""] for name, text in {**record.references, **record.labels}.items()]
    for name, value in record.values.items():
        note = value.note if value.verified else f"{unread} {value.note}".strip()
        numbers = ", ".join(str(keys.index(key) + 1) for key in value.sources)
        by = f"{value.record}, " if value.record else ""
        rows.append([name, value.shown, note, numbers, f"{by}{PurePath(value.spot.file).name}:{value.spot.line}"])
    return rows, keys
