"""What a sheet leaves out of a record: a sheet without a gate, asked about a model that has one, says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.registry.kinds import KINDS

if TYPE_CHECKING:
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.registry.traits import Feature
    from flopsheet.sheets.cell import Part


def left_out(question: Question) -> list[str]:
    """Return a sentence for each record of a bare part that has what no formula of the sheet counts."""
    parts = ((question.sheet.parts[name], record) for name, record in question.records.items())
    features = ((record, _uncounted(question, part, record)) for part, record in parts if part.bare)
    name = question.sheet.name
    return [f"{name} leaves out what {record.key} has: {joined(words)}." for record, words in features if words]


def _uncounted(question: Question, part: Part, record: Record) -> list[str]:
    used, cells, kind = question.sheet.rows.used, question.sheet.cells, KINDS[part.kind]
    if kind.whole and part.cell_of(kind.whole) in used:
        return []
    features = (feature for feature in kind.features if part.cell_of(feature.field) not in used)
    return [feature.words for feature in features if feature.counted_by not in cells and _has(record, feature)]


def _has(record: Record, feature: Feature) -> bool:
    figures = record.si_values
    without = figures.get(feature.without) if isinstance(feature.without, str) else feature.without
    return figures.get(feature.field, without) != without
