"""Kinds of records: which figures, labels and references a record of a kind has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

KEY = r"[a-z0-9][a-z0-9._-]{0,63}"  # what may be the name of a record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.units import Unit


@dataclass(frozen=True)
class Field:
    """A numeric field of a kind of records.

    Args:
        name: dotted name: `memory`, `flops.bf16`.
        unit_text: unit in which it is shown.
        doc: what it means, with its convention.
        latex: LaTeX symbol.
        integer: whether only whole numbers make sense.
        between: smallest and largest value in base units, where it may be zero or negative; None for a positive one.
        absent: what a record means that says nothing, or None where it means that nobody knows.
    """

    name: str
    unit_text: str
    doc: str
    latex: str = ""
    integer: bool = False
    between: tuple[int, int] | None = None
    absent: int | None = None

    @cached_property
    def unit(self) -> Unit:
        """Unit in which it is shown."""
        from flopsheet.units import unit  # where records come from the cache, no unit is ever looked at

        return unit(self.unit_text)


@dataclass(frozen=True)
class RecordType:
    """A kind of records, e.g. all chips.

    Args:
        kind: its name, `chip`.
        folder: where its files lie inside a pack.
        fields: the numeric fields.
        labels: text fields, alone or inside groups, as `link.name`.
        required: what each record must have.
        listed: the figures that a list of records shows.
        references: kinds of the records that a record names, by key: their figures are its own under that key.
        maker: the key that says who makes or runs it.
    """

    kind: str
    folder: str
    fields: tuple[Field, ...]
    labels: tuple[str, ...] = ()
    required: tuple[str, ...] = ("name", "source")
    listed: tuple[str, ...] = ()
    references: Mapping[str, RecordType] = field(default_factory=dict)
    maker: str = "vendor"

    @cached_property
    def all_fields(self) -> dict[str, Field]:
        """The fields by name, those of records that it refers to under their key."""
        own = {each.name: each for each in self.fields}
        for key, other in self.references.items():
            own |= {(name := f"{key}.{inner}"): replace(each, name=name) for inner, each in other.all_fields.items()}
        return own


def fields(
    *rows: tuple[str, str, str, str],
    between: Mapping[str, tuple[int, int]] | None = None,
    absent: Mapping[str, int] | None = None,
) -> tuple[Field, ...]:
    """Return fields from rows of name, unit (`count` for whole numbers), LaTeX symbol and meaning.

    Args:
        rows: the rows.
        between: smallest and largest value of fields that may be zero or negative, in base units.
        absent: what records mean that leave a field out.
    """
    spans, silent = between or {}, absent or {}
    return tuple(
        Field(name, "" if shown == "count" else shown, doc, latex, shown == "count", spans.get(name), silent.get(name))
        for name, shown, latex, doc in rows
    )
