"""Texts of records in a question: `chip.vendor = NVIDIA` keeps the chips of one vendor among those that are tried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import QuestionError, find, shortened, some_of, suggest
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.names import spelling
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
        UnknownNameError: records of the kind have no such field, or none of them has the text; the message has the
            nearest.
    """
    match = _STATED.fullmatch(text)
    if match is None:
        return None
    name, wanted = match.groups()
    part = max((part for part in sheet.parts if name.startswith(f"{part}.")), key=len, default="")
    if not part or name in sheet.rows.names:
        return None
    kind, field = KINDS[sheet.parts[part].kind], name.removeprefix(f"{part}.")
    texts = (kind.maker, *kind.labels)
    if field not in ("vendor", *texts):
        if wanted[0].isalpha() and wanted not in sheet.rows.names:
            find(name, [f"{part}.{known}" for known in texts], "text field", f"relation '{shortened(text)}'")
        return None
    known = sorted({shown for record in records(kind.kind).values() if (shown := _label(record, field))})
    same = {spelling(shown): shown for shown in known}
    every = f"Known: {some_of(known)}." if suggest(wanted, known) else ""  # else the message has them
    find(same.get(spelling(wanted), wanted), known, field, f"relation '{shortened(text)}'", more=every)
    return Label(part, field, same[spelling(wanted)])


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
