"""The records of a question: those that it names, those that these name, and the figures that are asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import OverdeterminedError, UnknownNameError, joined, with_article
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.store import record, records, registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Part


MOST_SHOWN = 4


def with_named(sheet: Sheet, given: Mapping[str, Record], figures: str) -> dict[str, Record]:
    """Return records by part with their figures on a basis, and those that they name: a system is given with its chip.

    Raises:
        OverdeterminedError: a record is given, and another one names a different one.
    """
    complete = dict(given)
    for part in sheet.parts.values():
        owner = complete.get(part.of)
        if owner is None:
            continue
        name = owner.references[KINDS[owner.kind].key_of(part.kind)]
        named = record(part.kind, name, f"{owner.kind} '{owner.key}'")
        mine = complete.setdefault(part.name, named)
        if mine.key != named.key:
            problem = f"'{part.name}' is given as {mine.key}, and the {owner.kind} {owner.key} has {named.key}."
            raise OverdeterminedError(f"'{part.name}'", problem, "Leave out one of the two.")
    return {name: mine.at(figures) for name, mine in complete.items()}


def asked_parts(question: Question) -> list[Part]:
    """Return the parts whose record is asked for, and those that such a record names."""
    names, given = question.names, question.records
    parts = question.sheet.parts.values()
    return [part for part in parts if part.name in names or (part.of in names and part.name not in given)]


def record_cells(question: Question) -> list[str]:
    """Return the cells that are figures of the question's records and count, figures that these lack left out."""
    cells, parts = question.sheet.cells, question.sheet.parts
    names = ((part, parts[part].cell_of(own)) for part in question.records for own in question.figures_of(part))
    return [name for part, name in names if cells[name].part == part]


def named_record(sheet: Sheet, part: Part, name: str, where: str) -> Record:
    """Return the record of a part by name or alias.

    Raises:
        UnknownNameError: there is none; where another kind has one of this name, the message says so.
    """
    try:
        return record(part.kind, name, where)
    except UnknownNameError:
        other = next((kind for kind in KINDS if kind != part.kind and name in registry(kind).by_name), None)
        if other is None:
            raise
        fix = _fitting(sheet, part, record(other, name, where))
        problem = f"'{name}' is {with_article(other)}, and '{part.name}' is {with_article(part.kind)}."
        raise UnknownNameError(where, problem, fix) from None


def _fitting(sheet: Sheet, part: Part, other: Record) -> str:
    """Return how a question could state a record of another kind, or the records of this kind that belong to it."""
    own = [f"{row.name} = {other.key}" for row in sheet.parts.values() if row.kind == other.kind]
    inner = other.references.get(KINDS[other.kind].key_of(part.kind), "")
    holders = [known.key for known in records(part.kind).values() if other.key in known.references.values()]
    fitting = [f"{part.name} = {key}" for key in ([inner] if inner else holders[:MOST_SHOWN])]
    return f"Write {joined([*own, *fitting], 'or')}." if own or fitting else ""


def fitting_records(question: Question, part: str) -> list[str]:
    """Return the records of a part that have the texts which the question demands."""
    labels = [label for label in question.labels if label.part == part]
    known = records(question.sheet.parts[part].kind)
    return [key for key, record in known.items() if all(label.fits(record) for label in labels)]


def dates_of(question: Question, options: Mapping[str, str]) -> list[str]:
    """Return when the records among names were released, empty texts where they do not say."""
    parts = question.sheet.parts
    return [records(parts[name].kind)[key].released for name, key in options.items() if name in parts]
