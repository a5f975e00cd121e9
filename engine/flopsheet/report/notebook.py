"""Markdown that a notebook shows of questions and records; every text of a file or a person is escaped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.report.grid import Grid
from flopsheet.report.maths.escaping import escaped
from flopsheet.report.origins import figures_of, reference
from flopsheet.report.sentences import question_text
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.question_file import QuestionFile
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record

_ADDRESS = re.compile(r"https?://[^\s<>\\`]+")


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


def question_file_page(asked: QuestionFile) -> str:
    """Return a question with its headline, and with the names that its table varies and shows."""
    parts = [f"**{escaped(asked.title)}**\n"] if asked.title else []
    parts.append(question_page(asked.question, () if asked.table is None else asked.table.varied))
    if asked.table is not None:
        varied, shown = (escaped(joined(list(names))) for names in (asked.table.varied, asked.table.shown))
        parts.append(f"A table of {len(asked.table.rows)} rows varies {varied}; it shows {shown}.\n")
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
