"""Texts of records in a question: `chip.vendor = NVIDIA` keeps the chips of one vendor among those that are tried.

`chip.vendor != NVIDIA` keeps those of which another vendor is known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import QuestionError, UnknownNameError, find, joined, shortened, suggest
from flopsheet.question.parts import named_record, with_named
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.names import as_spelled
from flopsheet.registry.records import BASES
from flopsheet.registry.store import records

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet

_STATED = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(!?=)\s*['\"]?([^'\"<>=!]+?)['\"]?\s*")


class Label(NamedTuple):
    """A text that the record of a part must have, or must not."""

    part: str
    field: str  # `vendor`, or a label of the kind
    wanted: str
    operator: str = "="  # or `!=`

    @property
    def text(self) -> str:
        """As a person writes it."""
        return f"{self.part}.{self.about}"

    @property
    def about(self) -> str:
        """The text without the part: `vendor = NVIDIA`."""
        return f"{self.field} {self.operator} {self.wanted}"

    def fits(self, record: Record) -> bool:
        """Whether a record has this text, or is known to have another where it must not."""
        own = _label(record, self.field).casefold()
        return own == self.wanted.casefold() if self.operator == "=" else own not in ("", self.wanted.casefold())


def label_of(text: str, sheet: Sheet) -> Label | None:
    """Return the text of a record that a relation demands, or None for any other relation.

    Raises:
        UnknownNameError: records of the kind have no such field, or none of them has the text; the message has the
            nearest.
        QuestionError: the field is a part of the sheet.
    """
    match = _STATED.fullmatch(text)
    if match is None:
        return None
    name, operator, wanted = match.groups()
    part = max((part for part in sheet.parts if name.startswith(f"{part}.")), key=len, default="")
    if not part or name in sheet.rows.names:
        return None
    kind, field = KINDS[sheet.parts[part].kind], name.removeprefix(f"{part}.")
    where, texts = f"relation '{shortened(text)}'", (kind.maker, *kind.labels)
    if field not in ("vendor", *texts):
        if not wanted[0].isalpha() or wanted in sheet.rows.names:
            return None
        if field in sheet.parts:
            problem = f"'{field}' is a part of its own, no text field of '{part}'."
            raise QuestionError(where, problem, f"Write {field} = {wanted}.")
        find(name, [f"{part}.{known}" for known in texts], "text field", where)
    known = sorted({shown for record in records(kind.kind).values() if (shown := _label(record, field))})
    options = kind.options.get(field, ())
    every = f"Known: {', '.join(options)}." if options and suggest(wanted, known) else ""  # else the message has them
    return Label(part, field, as_spelled(wanted, known, field, where, more=every), operator)


def having(
    sheet: Sheet, labels: Collection[Label], vary: Mapping[str, Sequence[object]]
) -> dict[str, Sequence[object]]:
    """Return the values that cells take in a table whose question demands texts of records that vary.

    Of a list of records those are kept that have the texts. A part that has no list takes every record that has them.

    Raises:
        QuestionError: no record of a list has the texts.
    """
    lists = {name: [value for value in values if _has(sheet, name, value, labels)] for name, values in vary.items()}
    lost = next((name for name, values in lists.items() if not values and vary[name]), None)
    if lost is not None:
        texts = joined([f"'{label.text}'" for label in labels])
        raise QuestionError(f"list of '{lost}'", f"None of it meets {texts}.", "List others, or leave out the filter.")
    for part in dict.fromkeys(label.part for label in labels):
        if part not in lists and sheet.parts[part].of not in lists:
            keys = records(sheet.parts[part].kind)
            lists[part] = [key for key in keys if _has(sheet, part, key, labels)]
    return {**lists}


def _has(sheet: Sheet, part: str, value: object, labels: Collection[Label]) -> bool:
    """Whether a record has the texts, and those that it names have theirs; what is no record is kept for its row."""
    if part not in sheet.parts:
        return True
    try:
        named = named_record(sheet, sheet.parts[part], str(value).strip(" '\""), f"list of '{part}'")
    except UnknownNameError:
        return True
    given = with_named(sheet, {part: named}, BASES[0])
    return all(label.fits(given[label.part]) for label in labels if label.part in given)


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
