"""What a sheet leaves out of a record, and where a question asks more of a record than it was made for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.registry.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.registry.traits import Feature
    from flopsheet.sheets.cell import Part
    from flopsheet.units import Number


def exceeded(question: Question, values: Mapping[str, Number | str], read: Collection[str]) -> list[str]:
    """Return a sentence for each ceiling of a record that the value of a cell exceeds.

    Args:
        question: the question.
        values: the values of its cells [base units].
        read: the cells on which its answer rests.
    """
    texts = []
    for part, record in question.records.items():
        for field, names in KINDS[record.kind].ceilings:
            most = record.si_values.get(field)
            over = (name for name in names if most is not None and _number(values.get(name)) > most)
            name = next((name for name in over if name in read or name in question.unknowns), "")
            if name and most is not None:
                cell = question.sheet.cells[name]
                had = cell.text(_number(values[name]))
                texts.append(f"{name} is {had}, but {record.key} was made for {cell.text(most)} ({part}.{field}).")
    return texts


def _number(value: Number | str | None) -> Number:
    return 0 if value is None or isinstance(value, str) else value


def left_out(question: Question) -> list[str]:
    """Return a sentence for each record of a bare part that has what no formula of the sheet counts."""
    parts = ((question.sheet.parts[name], record) for name, record in question.records.items())
    features = ((record, _uncounted(question, part, record)) for part, record in parts if part.bare)
    name = question.sheet.name
    return [f"{name} leaves out what {record.key} has: {joined(words)}." for record, words in features if words]


def _uncounted(question: Question, part: Part, record: Record) -> list[str]:
    kind = KINDS[part.kind]
    if kind.whole and part.cell_of(kind.whole) in question.sheet.rows.used:
        return []
    features = (feature for feature in kind.features if _has(record, feature))
    return [feature.words for feature in features if _is_uncounted(question, part, feature)]


def _is_uncounted(question: Question, part: Part, feature: Feature) -> bool:
    cells = question.sheet.cells.keys()
    unused = part.cell_of(feature.field) not in question.sheet.rows.used
    uncounted = unused and cells.isdisjoint(feature.settled_by)
    return uncounted or not cells.isdisjoint(feature.missing_in) or _is_off(question, feature)


def _is_off(question: Question, feature: Feature) -> bool:
    """Return whether the first choice or cell of a sheet that decides about a feature has it off."""
    sheet = question.sheet
    for name, off in feature.off:
        if name in sheet.choices:
            return question.choices.get(name, sheet.choices[name].default) == off and name not in question.unknowns
        if name in sheet.cells and name not in question.unknowns:
            given = question.pins.get(name)
            return (sheet.cells[name].default if given is None else given.value) == off
    return False


def _has(record: Record, feature: Feature) -> bool:
    figures = record.si_values
    without = figures.get(feature.without) if isinstance(feature.without, str) else feature.without
    return figures.get(feature.field, without) != without
