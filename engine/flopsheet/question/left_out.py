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
    for part, field, name in ceilings(question, values, read):
        cell, record = question.sheet.cells[name], question.records[part]
        had, most = cell.text(_number(values[name])), cell.text(record.si_values[field])
        texts.append(f"{name} is {had}, but {record.key} was made for {most} ({part}.{field}).")
    return texts


def ceilings(
    question: Question, values: Mapping[str, Number | str], read: Collection[str]
) -> list[tuple[str, str, str]]:
    """Return the part, the field and the cell of each ceiling of a record that the value of the cell exceeds."""
    found = []
    for part, record in question.records.items():
        for field, names in KINDS[record.kind].ceilings:
            most = record.si_values.get(field)
            over = (name for name in names if most is not None and _number(values.get(name)) > most)
            name = next((name for name in over if name in read or name in question.unknowns), "")
            found += [(part, field, name)] if name else []
    return found


def presumed(question: Question, values: Mapping[str, Number | str], read: Collection[str]) -> list[str]:
    """Return a sentence for each figure that a record lacks and a cell on which the answer rests presumes.

    Args:
        question: the question.
        values: the values of its cells [base units].
        read: the cells on which its answer rests.
    """
    texts = []
    for part, record in question.records.items():
        for field, name, counts in KINDS[record.kind].presumed:
            had = any(field in other.si_values for other in question.records.values())
            matters = name in read and any(_number(values.get(count)) > 1 for count in counts)
            if matters and not had and name in values and name not in {*question.pins, *question.unknowns}:
                cell = question.sheet.cells[name]
                taken = cell.text(_number(values[name]))
                texts.append(f"{record.key} has no {part}.{field}: {name} is presumed to be {taken}. State {name}.")
    return texts


def _number(value: Number | str | None) -> Number:
    return 0 if value is None or isinstance(value, str) else value


def left_out(question: Question) -> list[str]:
    """Return sentences for each record of a bare part that has what no formula of the sheet counts."""
    texts = []
    for name, record in question.records.items():
        part = question.sheet.parts[name]
        if part.bare and (features := _uncounted(question, part, record)):
            words = joined([feature.words for feature in features])
            texts.append(f"{question.sheet.name} leaves out what {record.key} has: {words}.")
            cells = dict.fromkeys(cell for feature in features for cell in _empty(question, part, record, feature))
            texts += [f"{cell} of {record.key} is 0, as it has others instead: state {cell}." for cell in cells]
    return texts


def _uncounted(question: Question, part: Part, record: Record) -> list[Feature]:
    kind = KINDS[part.kind]
    if kind.whole and part.cell_of(kind.whole) in question.sheet.rows.used:
        return []
    features = (feature for feature in kind.features if _has(record, feature))
    return [feature for feature in features if _is_uncounted(question, part, feature)]


def _empty(question: Question, part: Part, record: Record, feature: Feature) -> list[str]:
    """Return the cells that a sheet uses and a record has as 0, because it has a feature instead."""
    used = ((field, part.cell_of(field)) for field in feature.instead_of)
    known = ((field, cell) for field, cell in used if cell in question.sheet.rows.used and cell not in question.pins)
    return [cell for field, cell in known if record.si_values.get(field, 0) == 0]


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
