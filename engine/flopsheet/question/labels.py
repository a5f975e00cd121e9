"""Texts of records in a question: `chip.vendor = NVIDIA` keeps the chips of one vendor among those that are tried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import QuestionError, find
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.store import records

if TYPE_CHECKING:
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet

_STATED = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=\s*['\"]?([^'\"<>=]+?)['\"]?\s*")


class Label(NamedTuple):
    """A text that the record of a part must have."""

    part: str
    field: str  # `vendor`, or a label of the kind
    wanted: str

    @property
    def text(self) -> str:
        """As a person writes it."""
        return f"{self.part}.{self.field} = {self.wanted}"

    def fits(self, record: Record) -> bool:
        """Whether a record has this text."""
        return _label(record, self.field).casefold() == self.wanted.casefold()


def label_of(text: str, sheet: Sheet) -> Label | None:
    """Return the text of a record that a relation demands, or None for any other relation.

    Raises:
        UnknownNameError: no record of the kind has it; the message has the nearest.
    """
    match = _STATED.fullmatch(text)
    if match is None:
        return None
    for part, declared in sheet.parts.items():
        kind, field = KINDS[declared.kind], match[1].removeprefix(f"{part}.")
        if field != match[1] and field in ("vendor", kind.maker, *kind.labels):
            known = sorted({shown for record in records(kind.kind).values() if (shown := _label(record, field))})
            same = {shown.casefold(): shown for shown in known}
            find(same.get(match[2].casefold(), match[2]), known, field, f"relation '{text}'")
            return Label(part, field, same[match[2].casefold()])
    return None


def _label(record: Record, field: str) -> str:
    named = field in ("vendor", KINDS[record.kind].maker)
    return str((record.vendor if named else record.labels.get(field)) or "")


def fitting(question: Question, given: dict[str, Record]) -> dict[str, Record]:
    """Return the records of a question, which have the texts that it demands.

    Raises:
        QuestionError: a record has another text, or its part is neither given nor asked for.
    """
    for label in question.labels:
        where = f"relation '{label.text}'"
        if label.part not in question.unknowns and label.part not in given:
            fix = f"Ask for {label.part}, or leave it out."
            raise QuestionError(where, f"'{label.part}' is not asked for, so there is nothing to filter.", fix)
        if label.part in given and not label.fits(given[label.part]):
            shown = _label(given[label.part], label.field) or "none"
            problem = f"The {label.field} of {given[label.part].key} is {shown}."
            raise QuestionError(where, problem, "Leave out one of the two.")
    return given
